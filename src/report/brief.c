#include "report/brief.h"

#include <string.h>

#include "base/file.h"
#include "bug/bug.h"

/* Longer programs are shown by their first lines. */
#define MOST_LINES 40

static void append_program(const char *name, const char *text, Str *ret_text) {
    str_printf(ret_text, "%s:\n", name);
    for (size_t lines = 0; *text; lines++) {
        size_t len = strcspn(text, "\n");
        if (lines == MOST_LINES) {
            str_append(ret_text, "    ...\n");
            return;
        }
        str_printf(ret_text, "    %.*s\n", (int)len, text);
        text += len + (text[len] == '\n');
    }
}

bool report_brief(const char *bug_dir, const char *culprit, Str *ret_text, Error *err) {
    CLEANUP(bug_release) Bug whole = {0};
    if (!bug_load(bug_dir, &whole, err))
        return false;
    const Bug bug = bug_smallest(&whole);
    const ReducedProgram *reduced = &bug.reduced;
    bool is_reduced = bug_is_reduced(&whole);
    str_printf(ret_text, "%s %s: %s\n", bug.compiler, bug.version, verdict_phrase(bug.kind));
    CLEANUP(strlist_release) StrList sources = {0};
    if (is_reduced)
        bug_sources(&bug, &sources);
    for (size_t i = 0; i < sources.len; i++) {
        CLEANUP(str_release) Str text = {0};
        CLEANUP(mem_freep) char *path = path_of(bug_dir, sources.items[i]);
        if (file_read(path, &text, NULL))
            append_program(path, str_text(&text), ret_text);
    }
    const StrList *const commands[] = {&bug.front_cmd, &bug.fail_cmd, &bug.codegen_cmd};
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        CLEANUP(mem_freep) char *command = strlist_join_shell(commands[i]);
        if (commands[i]->len)
            str_printf(ret_text, "%-9s%s\n", commands[i] == &bug.fail_cmd ? "compile" : "", command);
    }
    const char *actual = reduced->actual, *expected = reduced->expected;
    if (actual && expected && bug.kind == VERDICT_WRONG_CODE)
        str_printf(ret_text, "prints   %.*s instead of %.*s\n", (int)strcspn(actual, "\n"), actual,
                   (int)strcspn(expected, "\n"), expected);
    str_printf(ret_text, "report   %s/" BUG_REPORT "\n", bug_dir);
    bool is_done = is_reduced && !reduced->stopped;
    str_printf(ret_text, "next     %s %s %s%s\n", culprit, is_done ? "replay" : "reduce", bug_dir,
               is_done       ? "    runs it again; --cc CMD with another compiler"
               : !is_reduced ? "    makes the program small"
                             : "    goes on making it smaller");
    return true;
}
