#include "reduce/script.h"

#include <stdlib.h>
#include <string.h>

#include "clang/tree.h"
#include "compiler/identify.h"

enum { COMPILE_S = 60 };

static void append_command(Str *script, const StrList *command, const char *rest) {
    CLEANUP(mem_freep) char *line = strlist_join_shell(command);
    str_printf(script, "timeout %d %s %s\n", COMPILE_S, line, rest);
}

/* The failing compiler says its words, and the other accepts the program. */
static void append_compile_failure(const ScriptFacts *facts, Str *script) {
    bool hangs = facts->bug->kind == VERDICT_HANG;
    append_command(script, &facts->bug->fail_cmd,
                   hangs ? ">messages.txt 2>&1; [ $? -eq 124 ] || exit 1" : ">messages.txt 2>&1 && exit 1");
    for (size_t i = 0; i < facts->words->len; i++) {
        str_append(script, "grep -qF -e ");
        str_append_shell(script, facts->words->items[i]);
        str_append(script, " messages.txt || exit 1\n");
    }
    if (facts->bug->pass_cmd.len)
        append_command(script, &facts->bug->pass_cmd, ">/dev/null 2>&1 || exit 1");
}

static void append_run(const ScriptFacts *facts, const StrList *command, const char *name, Str *script) {
    append_command(script, command, ">/dev/null 2>&1 || exit 1");
    str_printf(script, "timeout %.3f ", (double)facts->run_ms * 2 / 1000);
    CLEANUP(mem_freep) char *line = facts->bug->run_cmd.len ? strlist_join_shell(&facts->bug->run_cmd) : NULL;
    str_printf(script, "%s >%s.txt 2>/dev/null; %s=$?\n", line ? line : "./a.out", name, name);
}

/* Both compile; the runs differ as they did; the reference ends by itself (134: abort). */
static void append_wrong_code(const ScriptFacts *facts, Str *script) {
    append_run(facts, &facts->bug->fail_cmd, "failing", script);
    append_run(facts, &facts->bug->pass_cmd, "passing", script);
    str_append(script, "[ $passing -lt 124 ] || [ $passing -eq 134 ] || exit 1\n");
    str_printf(script, "[ $failing %s $passing ] || exit 1\n", facts->end_differs ? "-ne" : "-eq");
    str_printf(script, "cmp -s failing.txt passing.txt %s exit 1\n", facts->output_differs ? "&&" : "||");
}

/* What the judge's strict parser refuses, asked of the newest clang. */
static void append_strictness(const ScriptFacts *facts, Str *script) {
    CLEANUP(strlist_release) StrList installed = {0}, command = {0};
    compiler_discover(LANGUAGE_C, &installed);
    for (size_t i = installed.len; i-- > 0 && !command.len;)
        if (compiler_family_of_name(installed.items[i]) == FAMILY_CLANG)
            strlist_add(&command, installed.items[i]);
    if (!command.len || bug_language(facts->bug) != LANGUAGE_C || strlist_contains(facts->errors, "error"))
        return;
    size_t count;
    const char *const *args = parser_strict_args(&count);
    strlist_add(&command, "-fsyntax-only");
    for (size_t i = 0; i < count; i++)
        strlist_add(&command, args[i]);
    for (size_t i = 0; i < facts->errors->len; i++)
        strlist_addf(&command, "-Wno-%s", facts->errors->items[i] + strlen("-W"));
    strlist_add(&command, facts->name);
    append_command(script, &command, ">/dev/null 2>&1 || exit 1");
}

void script_write(const ScriptFacts *facts, Str *ret_script) {
    str_printf(ret_script,
               "#!/bin/sh\n# Exits 0 while %s, in the directory this runs in, shows the same bug.\n"
               "export LC_ALL=C\n",
               facts->name);
    if (verdict_is_compile_time(facts->bug->kind))
        append_compile_failure(facts, ret_script);
    else
        append_wrong_code(facts, ret_script);
    append_strictness(facts, ret_script);
    if (facts->guards)
        guard_script(facts->guards, facts->guard_options, facts->name, ret_script);
    str_append(ret_script, "exit 0\n");
}
