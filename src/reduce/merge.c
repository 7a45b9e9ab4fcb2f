/* A program as one file. Headers of its own are put in where they are included. Then the reference compiler's
 * preprocessor expands macros and drops what #if leaves out, while `#include <…>` is hidden from it as a pragma and put
 * back afterwards: the result has neither macros of its own nor the system's headers in it, so that the syntax tree's
 * rules reach everything.
 */
#include "reduce/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"

/* Where a quoted header lies: beside the bug's files, else in a directory of an -I option. False for the system's. */
static bool find_header(const Bug *bug, const char *name, Str *ret_path) {
    CLEANUP(strlist_release) StrList dirs = {0};
    strlist_add(&dirs, bug->dir);
    strlist_addf(&dirs, "%s/test", bug->dir);
    const StrList *command = bug_source_command(bug);
    for (size_t i = 0; i < command->len; i++)
        if (str_starts(command->items[i], "-I") && command->items[i][2])
            strlist_add(&dirs, command->items[i] + 2);
    for (size_t i = 0; i < dirs.len; i++) {
        str_clear(ret_path);
        str_printf(ret_path, "%s/%s", dirs.items[i], name);
        if (file_exists(str_text(ret_path)))
            return true;
    }
    return false;
}

/* What is being put together. */
typedef struct Merge {
    const Bug *bug;
    StrList open; /* the files that one is inside of */
    Map seen;     /* file -> the source that included it first, from 1 */
    uint64_t source;
} Merge;

/* Appends the file's text; `#include "x"` of a file that we find is replaced by that file. Twice if need be: the first one may
 * stand in a part that #if leaves out, and headers guard themselves; but files of an earlier source are there already. */
static bool append_file(Merge *merge, const char *name, Str *ret_text, Error *err) {
    CLEANUP(str_release) Str text = {0}, path = {0};
    MapEntry *entry = map_insert_str(&merge->seen, name, NULL);
    entry->value = entry->value ? entry->value : merge->source;
    if (entry->value < merge->source || strlist_contains(&merge->open, name))
        return true;
    if (!find_header(merge->bug, name, &path))
        return error_set(err, "%s has no file %s", merge->bug->id, name);
    if (!file_read(str_text(&path), &text, err))
        return false;
    strlist_add(&merge->open, name);
    const char *rest = str_text(&text);
    size_t len;
    for (const char *line; (line = str_next_line(&rest, &len));) {
        char included[256];
        if (sscanf(line, " # include \"%255[^\"\n]\"", included) == 1 && find_header(merge->bug, included, &path)) {
            if (!append_file(merge, included, ret_text, err))
                return false;
            continue;
        }
        str_append_n(ret_text, line, len);
        str_append_char(ret_text, '\n');
    }
    strlist_remove(&merge->open, merge->open.len - 1);
    return true;
}

bool merge_sources(const Bug *bug, const StrList *sources, Str *ret_text, Error *err) {
    Merge merge = {.bug = bug};
    bool ok = true;
    for (size_t i = 0; ok && i < sources->len; i++) {
        merge.source = i + 1;
        ok = append_file(&merge, sources->items[i], ret_text, err);
    }
    map_release(&merge.seen);
    strlist_release(&merge.open);
    return ok;
}

/* --- Macros and conditional parts --- */

#define MARK "#pragma culprit include "

/* Copies the text with one word for another at the start of lines that continue with `then`. */
static void replace_lines(const char *text, const char *word, const char *then, const char *by, Str *ret_text) {
    size_t len;
    for (const char *line; (line = str_next_line(&text, &len));) {
        const char *at = line + strspn(line, " \t");
        bool replaced = str_starts(at, word) && str_starts(at + strlen(word) + strspn(at + strlen(word), " \t"), then);
        at = replaced ? at + strlen(word) : line;
        str_append(ret_text, replaced ? by : "");
        str_append_n(ret_text, at, (size_t)(line + len - at));
        str_append_char(ret_text, '\n');
    }
}

/* The command without what it would make, for preprocessing the text at `path`. */
static void preprocessor_command(const Bug *bug, const char *path, StrList *ret_command) {
    const StrList *command = bug->pass_cmd.len && !bug->front_cmd.len ? &bug->pass_cmd : bug_source_command(bug);
    strlist_add(ret_command, command->items[0]);
    for (size_t i = 1; i < command->len; i++)
        if (str_starts(command->items[i], "-D") || str_starts(command->items[i], "-U") ||
            str_starts(command->items[i], "-I") || str_starts(command->items[i], "-std"))
            strlist_add(ret_command, command->items[i]);
    strlist_split(ret_command, "-E -P", ' ');
    strlist_add(ret_command, path);
}

bool merge_flatten(Runner *runner, const Bug *bug, const Str *text, const char *dir, Str *ret_flat, Error *err) {
    CLEANUP(str_release) Str marked = {0};
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    CLEANUP(mem_freep) char *path = path_of(dir, "flat.c");
    replace_lines(str_text(text), "#include", "<", MARK, &marked);
    preprocessor_command(bug, path, &command);
    CompilerRun options = {.limits = execute_defaults().compile_limits};
    options.limits.output_bytes = (uint64_t)64 << 20;
    if (!dir_make(dir, err) || !file_write(path, marked.data, marked.len, err) ||
        !compiler_run(runner, dir, &command, &options, &result, err))
        return false;
    unlink(path);
    if (proc_ok(&result))
        replace_lines(str_text(&result.out), MARK, "<", "#include ", ret_flat);
    return true;
}

/* --- Commands --- */

/* Each source's name becomes that of the new file with its number; sources beyond the last new file go. */
static StrList new_command(const StrList *command, const StrList *sources, const Program *files, bool flat) {
    StrList made = {0};
    for (size_t i = 0; i < command->len; i++) {
        size_t source = 0;
        while (source < sources->len && !str_equal(command->items[i], sources->items[source]))
            source++;
        if (flat && str_starts(command->items[i], "-I"))
            continue; /* the headers are in the text now */
        if (source == sources->len)
            strlist_add(&made, command->items[i]);
        else if (source < files->files.len)
            strlist_add(&made, files->files.items[source].name);
    }
    return made;
}

bool merge_bug(const Bug *bug, const char *dir, const Program *files, bool flat, Bug *ret_bug, Error *err) {
    CLEANUP(strlist_release) StrList sources = {0};
    bug_sources(bug, &sources);
    Bug made = *bug; /* borrows all but what differs */
    made.dir = (char *)dir;
    made.json = bug->json ? json_copy_deep(bug->json) : NULL;
    made.fail_cmd = new_command(&bug->fail_cmd, &sources, files, flat);
    made.pass_cmd = new_command(&bug->pass_cmd, &sources, files, flat);
    made.front_cmd = new_command(&bug->front_cmd, &sources, files, flat);
    bool ok =
        dir_make(dir, err) && program_write(files, dir, err) && bug_save(&made, err) && bug_load(dir, ret_bug, err);
    json_free(made.json);
    strlist_release(&made.fail_cmd);
    strlist_release(&made.pass_cmd);
    strlist_release(&made.front_cmd);
    return ok;
}
