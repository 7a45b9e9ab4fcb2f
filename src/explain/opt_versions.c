#include "explain/opt_versions.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "compiler/execute.h"
#include "compiler/identify.h"
#include "judge/oracle.h"
#include "llvm/opt_command.h"

enum { OLDEST = 10, NEWEST = 40 }; /* LLVMs that are looked for */

/* One LLVM's commands for the bug; everything else is borrowed from it. */
typedef struct Variant {
    Bug bug;
    char *name, *version; /* "opt-16", "LLVM version 16.0.6" */
} Variant;

static void variant_release(Variant *variant) {
    strlist_release(&variant->bug.fail_cmd);
    strlist_release(&variant->bug.pass_cmd);
    strlist_release(&variant->bug.front_cmd);
    strlist_release(&variant->bug.codegen_cmd);
    strlist_release(&variant->bug.run_cmd);
    free(variant->name);
    free(variant->version);
}

/* --- Commands --- */

/* "clang" of "/usr/bin/clang-14": the first len bytes of ret_name; false for programs that are not LLVM's. */
static bool is_tool(const char *program, const char **ret_name, size_t *ret_len) {
    static const char *const tools[] = {"opt", "clang", "clang++", "lli", "llc"};
    const char *name = path_name(program);
    size_t len = strlen(name);
    while (len && (isdigit((unsigned char)name[len - 1]) || name[len - 1] == '-'))
        len--;
    *ret_name = name;
    *ret_len = len;
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (strlen(tools[i]) == len && memcmp(tools[i], name, len) == 0)
            return true;
    return false;
}

/* The command with the LLVM of that number; false if it lacks the program. */
static bool command_of(const StrList *command, int number, StrList *ret_command) {
    const char *name;
    size_t len;
    for (size_t i = 0; i < command->len; i++) {
        CLEANUP(str_release) Str path = {0};
        if (i > 0 || !is_tool(command->items[i], &name, &len)) {
            strlist_add(ret_command, command->items[i]);
            continue;
        }
        strlist_addf(ret_command, "%.*s-%d", (int)len, name, number);
        if (!path_find_program(ret_command->items[0], &path, NULL))
            return false;
    }
    return true;
}

static bool read_version(Runner *runner, const char *opt, char **ret_version) {
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(str_release) Str text = {0};
    CompilerIdentity identity = {0};
    strlist_add(&command, opt);
    if (!compiler_identify(runner, &command, &identity, NULL))
        return false;
    str_printf(&text, "LLVM version %d.%d.%d", identity.version[0], identity.version[1], identity.version[2]);
    *ret_version = mem_strdup(str_text(&text));
    return true;
}

/* False where that LLVM is not installed with all that the bug needs. */
static bool make_variant(Runner *runner, const Bug *bug, int number, Variant *ret_variant) {
    const StrList *from[] = {&bug->fail_cmd, &bug->pass_cmd, &bug->front_cmd, &bug->codegen_cmd, &bug->run_cmd};
    Bug *to = &ret_variant->bug;
    *to = *bug;
    to->fail_cmd = to->pass_cmd = to->front_cmd = to->codegen_cmd = to->run_cmd = (StrList){0};
    to->signature = NULL; /* what it says there is compared afterwards */
    StrList *commands[] = {&to->fail_cmd, &to->pass_cmd, &to->front_cmd, &to->codegen_cmd, &to->run_cmd};
    for (size_t i = 0; i < ARRAY_LEN(from); i++)
        if (!command_of(from[i], number, commands[i]))
            return false;
    ret_variant->name = mem_strdup(to->fail_cmd.items[0]);
    return read_version(runner, ret_variant->name, &ret_variant->version);
}

/* --- Asking --- */

/* Whether it knows all passes and options, on a module without anything in it, and takes the program or module. */
static bool is_applicable(Runner *runner, const Variant *variant, const char *dir, bool *ret_is, Error *err) {
    static const char empty[] = "culprit-empty.ll";
    CLEANUP(mem_freep) char *path = path_of(dir, empty);
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(opt_command_release) OptCommand opt = {0};
    CLEANUP(proc_result_release) ProcResult passes = {0}, reference = {0};
    if (!opt_command_read(&variant->bug.fail_cmd, &opt, err))
        return false;
    strlist_add(&command, variant->name);
    strlist_addf(&command, "-passes=%s", opt.passes);
    strlist_add_all(&command, &opt.options);
    strlist_add(&command, "-disable-output");
    strlist_add(&command, empty);
    const StrList *pass_cmd = variant->bug.pass_cmd.len ? &variant->bug.pass_cmd : &command;
    if (!file_write(path, "", 0, err) || !compiler_run(runner, dir, &command, NULL, &passes, err) ||
        !compiler_run(runner, dir, pass_cmd, NULL, &reference, err))
        return false;
    *ret_is = (proc_ok(&passes) || passes.signal) && proc_ok(&reference);
    return true;
}

/* Another version's crash is the same if message and function are; its addresses and lines differ. */
static bool is_same(const Failure *known, const OracleAnswer *answer, Arena *arena) {
    Failure seen = failure_of(answer->verdict, &answer->compile, arena);
    if (seen.verdict == VERDICT_CRASH && known->has_signature && seen.has_signature)
        return signature_similar(&known->signature, &seen.signature);
    return failure_same(known, &seen);
}

static bool try_variant(Runner *runner, const Failure *known, const Variant *variant, Bug *bug, Error *err) {
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(runner, &variant->bug, NULL, err);
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(strlist_release) StrList words = {0};
    bool applicable;
    if (!oracle || !is_applicable(runner, variant, oracle_dir(oracle), &applicable, err) ||
        !oracle_ask(oracle, &(OracleQuestion){0}, &answer, err))
        return false;
    strlist_add(&words, variant->name);
    strlist_addf(&words, "-passes=%s", opt_command_passes(&bug->fail_cmd));
    CLEANUP(mem_freep) char *command = strlist_join_shell(&words);
    bool is_other =
        answer.outcome == OUTCOME_FAILS && verdict_is_compile_time(answer.verdict) && !is_same(known, &answer, &arena);
    bug_add_version(bug, command, variant->version, applicable ? verdict_name(answer.verdict) : VERSION_NOT_APPLICABLE,
                    applicable ? outcome_name(is_other ? OUTCOME_OTHER : answer.outcome) : VERSION_NOT_APPLICABLE);
    return true;
}

static bool is_known(const Bug *bug, const Variant *variant) {
    if (str_equal(bug->fail_cmd.items[0], variant->name))
        return true;
    for (size_t i = 0; i < bug->versions.len; i++) {
        const BugVersion *row = &bug->versions.items[i];
        CLEANUP(strlist_release) StrList words = {0};
        if (str_equal(row->version, variant->version) && strlist_split_shell(&words, row->command, NULL) && words.len &&
            str_equal(words.items[0], variant->name) && opt_version_answers(bug, &words))
            return true;
    }
    return false;
}

bool opt_version_answers(const Bug *bug, const StrList *command) {
    const char *passes = opt_command_passes(command);
    return passes && str_equal(passes, opt_command_passes(&bug->fail_cmd));
}

bool opt_versions_try(Runner *runner, Bug *bug, Error *err) {
    CLEANUP(oracle_freep) Oracle *own = NULL;
    bool ok = true;
    for (int number = OLDEST; number <= NEWEST && ok; number++) {
        Variant variant = {0};
        if (make_variant(runner, bug, number, &variant) && !is_known(bug, &variant)) {
            ok = own || (own = oracle_new(runner, bug, NULL, err));
            ok = ok && try_variant(runner, oracle_failure(own), &variant, bug, err);
        }
        variant_release(&variant);
    }
    return ok;
}
