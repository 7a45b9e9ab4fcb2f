/* A bug that is only a file and a command line yet: which commands show it, and what kind is it? The oracle's own eyes
 * decide, first about the compilation, then about the run. */
#include "judge/bug_from_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "judge/oracle.h"

/* The failing flags without optimisation: what --pass means where it is not given. opt only does what its flags say. */
static void unoptimised(const StrList *fail, bool ir, StrList *ret_flags) {
    if (ir) {
        strlist_add(ret_flags, "-passes=verify");
        return;
    }
    for (size_t i = 0; i < fail->len; i++) {
        if (!str_starts(fail->items[i], "-O"))
            strlist_add(ret_flags, fail->items[i]);
    }
    strlist_add(ret_flags, "-O0");
}

typedef struct Side {
    StrList compiler, flags;
} Side;

static void side_release(Side *side) {
    strlist_release(&side->compiler);
    strlist_release(&side->flags);
}

static bool read_side(const char *cc, const char *text, Side *ret_side, Error *err) {
    CLEANUP(strlist_release) StrList words = {0};
    if (!compiler_read_command(text, &words, err))
        return false;
    bool own_compiler = words.len > 0 && *words.items[0] != '-';
    if (own_compiler)
        strlist_add(&ret_side->compiler, words.items[0]);
    else if (!compiler_read_command(cc, &ret_side->compiler, err))
        return false;
    for (size_t i = own_compiler ? 1 : 0; i < words.len; i++)
        strlist_add(&ret_side->flags, words.items[i]);
    if (ret_side->compiler.len == 0)
        return error_set(err, "no compiler is given; name one with --cc");
    return true;
}

/* compiler, flags, file, output; libraries behind the file that needs them. */
static void compose(const Side *side, const char *name, const char *include_dir, bool link, StrList *ret_command) {
    bool ir = language_of_file(name) == LANGUAGE_LLVM_IR;
    strlist_clear(ret_command);
    strlist_add_all(ret_command, &side->compiler);
    for (size_t i = 0; i < side->flags.len; i++) {
        if (!str_starts(side->flags.items[i], "-l"))
            strlist_add(ret_command, side->flags.items[i]);
    }
    if (include_dir)
        strlist_addf(ret_command, "-I%s", include_dir);
    if (ir && !strlist_contains(&side->flags, "-disable-output"))
        strlist_add(ret_command, "-disable-output");
    if (!ir && !link)
        strlist_add(ret_command, "-c");
    strlist_add(ret_command, name);
    if (!ir) {
        strlist_add(ret_command, "-o");
        strlist_add(ret_command, link ? "a.out" : "out.o");
    }
    for (size_t i = 0; link && i < side->flags.len; i++) {
        if (str_starts(side->flags.items[i], "-l"))
            strlist_add(ret_command, side->flags.items[i]);
    }
}

/* A compiler that refuses even a trivial program refuses its options: they were mistyped, and no bug is behind it. A
 * crash on a trivial program is a bug like any other. */
static bool options_are_accepted(Oracle *oracle, const Bug *bug, Error *err) {
    const char *trivial = bug_language(bug) == LANGUAGE_LLVM_IR ? "define i32 @main() {\n  ret i32 0\n}\n"
                                                                : "int main(void) { return 0; }\n";
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    if (!oracle_ask(oracle, &(OracleQuestion){.text = trivial, .len = strlen(trivial)}, &answer, err))
        return false;
    if (answer.verdict != VERDICT_REJECTS_VALID)
        return true;
    Str *complaint = answer.compile.err.len > 0 ? &answer.compile.err : &answer.compile.out;
    str_trim(complaint);
    return error_usage(err, "with these options %s refuses even a trivial program; mend them (--fail): %s",
                       bug->compiler, str_text(complaint));
}

/* Asks the oracle about the bug as it stands. */
static bool look(Runner *runner, Bug *bug, OracleAnswer *ret_answer, char **ret_why, Error *err) {
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(runner, bug, NULL, err);
    if (!oracle || !oracle_ask(oracle, &(OracleQuestion){0}, ret_answer, err))
        return false;
    free(*ret_why);
    *ret_why = mem_strdup(ret_answer->why);
    if (ret_answer->verdict == VERDICT_REJECTS_VALID)
        return options_are_accepted(oracle, bug, err);
    if (ret_answer->verdict == VERDICT_CRASH && !bug->signature) {
        Arena arena = {0};
        bug->signature = mem_strdup(signature_text(&ret_answer->signature, &arena));
        arena_release(&arena);
    }
    return true;
}

/* True, with the bug's kind, where the failing side does something wrong that the passing side does not. */
static bool is_wrong(Runner *runner, Bug *bug, bool *ret_wrong, Error *err) {
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    if (!look(runner, bug, &answer, &bug->expected, err))
        return false;
    *ret_wrong = answer.verdict != VERDICT_OK;
    if (!*ret_wrong)
        return answer.outcome == OUTCOME_PASSES || error_set(err, "%s", bug->expected);
    /* The first look did not know the kind: the second says whether the passing side is right. */
    bug->kind = answer.verdict;
    if (!look(runner, bug, &answer, &bug->expected, err))
        return false;
    return answer.outcome == OUTCOME_FAILS || error_set(err, "%s", bug->expected);
}

static bool has_local_include(const char *path) {
    CLEANUP(str_release) Str text = {0};
    return file_read(path, &text, NULL) && strstr(str_text(&text), "#include \"");
}

static bool find_kind(Runner *runner, const Side *fail, const Side *pass, const char *name, const char *include_dir,
                      Bug *bug, Error *err) {
    bool wrong = false;
    bug->kind = VERDICT_CRASH;
    compose(fail, name, include_dir, false, &bug->fail_cmd);
    compose(pass, name, include_dir, false, &bug->pass_cmd);
    if (!is_wrong(runner, bug, &wrong, err))
        return false;
    if (wrong)
        return true;
    if (language_of_file(name) == LANGUAGE_LLVM_IR)
        return error_set(
            err, "%s is compiled without complaint; for wrong code in LLVM IR write a bug.json with run_cmd", name);
    bug->kind = VERDICT_WRONG_CODE;
    bug->run = true;
    compose(fail, name, include_dir, true, &bug->fail_cmd);
    compose(pass, name, include_dir, true, &bug->pass_cmd);
    if (!is_wrong(runner, bug, &wrong, err))
        return false;
    return wrong ||
           error_set(err, "nothing is wrong: the failing and the passing command make programs that behave the "
                          "same");
}

bool bug_from_file(Runner *runner, const char *path, const char *cc, const char *fail, const char *pass, Bug *ret_bug,
                   Error *err) {
    CLEANUP(bug_release) Bug bug = {.loose = true, .guilty.number = -1};
    CLEANUP(side_release) Side failing = {0}, passing = {0};
    CLEANUP(str_release) Str absolute = {0};
    if (!path_absolute(path, &absolute, err) || !read_side(cc, fail, &failing, err))
        return false;
    if (!file_exists(str_text(&absolute)) || dir_exists(str_text(&absolute)))
        return error_set(err, "%s is no file", path);
    if (!program_is_source(path))
        return error_set(err, "%s is no source file; its name must end in .c, .cc, .cpp or .ll", path);
    if (pass ? !read_side(cc, pass, &passing, err) : !read_side(cc, "", &passing, err))
        return false;
    if (!pass)
        unoptimised(&failing.flags, language_of_file(path) == LANGUAGE_LLVM_IR, &passing.flags);
    const char *name = path_name(str_text(&absolute));
    bug.id = mem_strdup(name);
    bug.compiler = mem_strdup(failing.compiler.items[0]);
    bool local = has_local_include(path);
    str_truncate(&absolute, (size_t)(name - 1 - str_text(&absolute)));
    if (absolute.len == 0)
        str_append(&absolute, "/");
    bug.dir = mem_strdup(str_text(&absolute));
    CLEANUP(mem_freep) char *file = mem_strdup(path_name(path));
    if (!find_kind(runner, &failing, &passing, file, local ? bug.dir : NULL, &bug, err))
        return error_context(err, "%s does not show a bug", path);
    *ret_bug = bug;
    bug = (Bug){0};
    return true;
}
