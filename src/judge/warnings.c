/* Which warnings count. The list is shorter than -Wall: it has what is undefined on its face wherever it is executed, and
 * leaves out what compilers only suspect (-Wmaybe-uninitialized, gcc's flow-based -Warray-bounds), for random programs
 * are full of suspicious code that is right; the sanitizers decide about that. */
#include "judge/warnings.h"

#include <string.h>

/* Each is enabled, and recognised by its tag at the end of a line. */
static const char *const tags[] = {
    "uninitialized",
    "return-type",
    "implicit-function-declaration",
    "implicit-int",
    "int-conversion",
    "incompatible-pointer-types",
    "incompatible-function-pointer-types",
    "format",
    "format-extra-args",
    "format-insufficient-args",
    "sequence-point",
    "unsequenced",
    "shift-count-overflow",
    "shift-count-negative",
    "shift-overflow",
    "shift-negative-value",
    "div-by-zero",
    "division-by-zero",
    "return-local-addr",
    "return-stack-address",
    "dangling-pointer",
    "strict-aliasing",
    "aggressive-loop-optimizations",
    "builtin-declaration-mismatch",
    "deprecated-non-prototype",
    "nonnull",
    "null-dereference",
    "free-nonheap-object",
    "main",
};

/* Of clang only: its analysis is of the syntax, gcc's follows value ranges into code that never runs. */
static const char *const clang_tags[] = {"array-bounds"};

/* Warnings without a tag. */
static const char *const phrases[] = {
    "too many arguments in call to",
    "too few arguments in call to",
    "called through a non-compatible type",
};

/* Messages that carry such a tag and betray nothing: guesses, and builtins that only the other compiler has. */
static const char *const exceptions[] = {"function may return address", "use of unknown builtin"};

static bool has_tag(const char *line, size_t len, const char *tag) {
    CLEANUP(str_release) Str text = {0};
    str_printf(&text, "-W%s", tag);
    for (const char *at = line; (at = memmem(at, len - (size_t)(at - line), str_text(&text), text.len)); at++) {
        char next = at + text.len < line + len ? at[text.len] : '\0';
        if (next == ']' || next == '=' || next == ',')
            return true;
    }
    return false;
}

const char *warning_tag(const char *line, size_t len) {
    if (!memmem(line, len, "warning: ", 9) && !memmem(line, len, "error: ", 7))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(exceptions); i++) {
        if (memmem(line, len, exceptions[i], strlen(exceptions[i])))
            return NULL;
    }
    for (size_t i = 0; i < ARRAY_LEN(phrases); i++) {
        if (memmem(line, len, phrases[i], strlen(phrases[i])))
            return phrases[i];
    }
    for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
        if (has_tag(line, len, tags[i]))
            return tags[i];
    }
    for (size_t i = 0; i < ARRAY_LEN(clang_tags); i++) {
        if (has_tag(line, len, clang_tags[i]))
            return clang_tags[i];
    }
    return NULL;
}

/* GCC finds uninitialised reads and bad loops only while it optimises; clang while it parses. Names of warnings that a
 * compiler does not know are told apart by neither: gcc ignores unknown -Wno-, clang is told to. */
static void warning_command(const Config *config, const Program *program, const StrList *flags, StrList *ret_command) {
    bool clang = config->compiler->family == FAMILY_CLANG;
    strlist_add_all(ret_command, &config->compiler->command);
    if (program->standard)
        strlist_addf(ret_command, "-std=%s", program->standard);
    if (flags)
        strlist_add_all(ret_command, flags);
    static const char *const for_clang[] = {"-fsyntax-only",      "-Wno-unknown-warning-option", "-Wall", "-Wextra",
                                            "-Wnull-dereference", "-Wdeprecated-non-prototype"};
    static const char *const for_gcc[] = {
        "-O2", "-S", "-o", "/dev/null", "-Wall", "-Wextra", "-Wno-array-bounds", "-Wno-null-dereference"};
    size_t count = clang ? ARRAY_LEN(for_clang) : ARRAY_LEN(for_gcc);
    for (size_t i = 0; i < count; i++)
        strlist_add(ret_command, clang ? for_clang[i] : for_gcc[i]);
}

/* Appends the warnings that count; returns how many there are. */
static size_t collect(const char *text, const StrList *tolerated, Str *ret_text) {
    size_t found = 0, len;
    for (const char *line; (line = str_next_line(&text, &len));) {
        const char *tag = warning_tag(line, len);
        if (tag && !(tolerated && strlist_contains(tolerated, tag)) && found++ < 3) {
            str_append(ret_text, ret_text->len ? "\n" : "");
            str_append_n(ret_text, line, len);
        }
    }
    return found;
}

static bool ask_about(Runner *runner, const Config *config, const Program *program, const char *name, const char *dir,
                      const StrList *flags, ProcResult *ret_result, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    warning_command(config, program, flags, &command);
    strlist_add(&command, name);
    return compiler_run(runner, dir, &command, NULL, ret_result, err);
}

bool warnings_list(Runner *runner, const Program *program, const char *dir, const Config *const *configs, size_t count,
                   const StrList *flags, StrList *ret_tags, Error *err) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; configs[i] && k < program->files.len; k++) {
            CLEANUP(proc_result_release) ProcResult result = {0};
            const char *name = program->files.items[k].name;
            if (!program_is_source(name))
                continue;
            if (!ask_about(runner, configs[i], program, name, dir, flags, &result, err))
                return false;
            const char *text = str_text(&result.err);
            size_t len;
            for (const char *line; (line = str_next_line(&text, &len));) {
                const char *tag = warning_tag(line, len);
                if (tag)
                    strlist_add_once(ret_tags, tag);
            }
        }
    return true;
}

/* One compiler about all sources. */
static bool ask_compiler(Runner *runner, const Config *config, const Program *program, const char *dir,
                         const StrList *flags, const StrList *tolerated, WarningsAnswer *ret_answer, Str *ret_text,
                         Error *err) {
    *ret_answer = WARNINGS_CLEAN;
    for (size_t i = 0; i < program->files.len; i++) {
        const char *name = program->files.items[i].name;
        if (!program_is_source(name))
            continue;
        CLEANUP(proc_result_release) ProcResult result = {0};
        if (!ask_about(runner, config, program, name, dir, flags, &result, err))
            return false;
        if (collect(str_text(&result.err), tolerated, ret_text) > 0)
            *ret_answer = WARNINGS_BETRAY;
        else if (!proc_ok(&result) && *ret_answer == WARNINGS_CLEAN)
            *ret_answer = WARNINGS_NO_ANSWER;
    }
    return true;
}

bool warnings_ask(Runner *runner, const Program *program, const char *dir, const Config *const *configs, size_t count,
                  const StrList *flags, const StrList *tolerated, WarningsAnswer *ret_answer, Str *ret_text,
                  Error *err) {
    bool clean = false;
    for (size_t i = 0; i < count; i++) {
        WarningsAnswer answer = WARNINGS_NO_ANSWER;
        if (configs[i] && !ask_compiler(runner, configs[i], program, dir, flags, tolerated, &answer, ret_text, err))
            return false;
        if (answer == WARNINGS_BETRAY) {
            *ret_answer = answer;
            return true;
        }
        clean |= answer == WARNINGS_CLEAN;
    }
    *ret_answer = clean ? WARNINGS_CLEAN : WARNINGS_NO_ANSWER;
    if (!clean)
        str_append(ret_text, "neither gcc nor clang accepts the program");
    return true;
}

static void append_alternatives(Str *script, const char *const *words, size_t count, const StrList *tolerated) {
    for (size_t i = 0; i < count; i++)
        if (!tolerated || !strlist_contains(tolerated, words[i]))
            str_printf(script, "|%s", words[i]);
}

void warnings_script(const Config *const *configs, size_t count, const StrList *flags, const StrList *tolerated,
                     const char *name, Str *ret_script) {
    const Program program = {0};
    for (size_t i = 0; i < count; i++) {
        if (!configs[i])
            continue;
        CLEANUP(strlist_release) StrList command = {0};
        warning_command(configs[i], &program, flags, &command);
        strlist_add(&command, name);
        CLEANUP(mem_freep) char *line = strlist_join_shell(&command);
        str_printf(ret_script, "%s 2>&1 | grep -E 'warning: |error: ' | grep -vE 'no-message", line);
        append_alternatives(ret_script, exceptions, ARRAY_LEN(exceptions), NULL);
        str_append(ret_script, "' |\n    grep -qE -e '-W(no-tag");
        append_alternatives(ret_script, tags, ARRAY_LEN(tags), tolerated);
        append_alternatives(ret_script, clang_tags, ARRAY_LEN(clang_tags), tolerated);
        str_append(ret_script, ")[],=]");
        append_alternatives(ret_script, phrases, ARRAY_LEN(phrases), tolerated);
        str_append(ret_script, "' && exit 1\n");
    }
}
