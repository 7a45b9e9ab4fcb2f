#include "reduce/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"

/* Appends the file's text; `#include "x"` of a file beside it is replaced by that file, once. */
static bool append_file(const Bug *bug, const char *name, Map *seen, Str *ret_text, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(bug->dir, name);
    CLEANUP(str_release) Str text = {0};
    bool is_new;
    map_insert_str(seen, name, &is_new);
    if (!is_new)
        return true;
    CLEANUP(mem_freep) char *in_test = path_of(bug->dir, "test");
    CLEANUP(mem_freep) char *test_path = path_of(in_test, name);
    if (!file_read(file_exists(path) ? path : test_path, &text, err))
        return false;
    for (const char *line = str_text(&text), *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        char included[256];
        if (sscanf(line, " # include \"%255[^\"\n]\"", included) == 1) {
            CLEANUP(mem_freep) char *local = path_of(bug->dir, included), *local_test = path_of(in_test, included);
            if (file_exists(local) || file_exists(local_test)) {
                if (!append_file(bug, included, seen, ret_text, err))
                    return false;
                continue;
            }
        }
        str_append_n(ret_text, line, (size_t)(end - line));
        str_append_char(ret_text, '\n');
    }
    return true;
}

bool merge_sources(const Bug *bug, Str *ret_text, Error *err) {
    CLEANUP(strlist_release) StrList sources = {0};
    bug_sources(bug, &sources);
    Map seen = {0};
    bool ok = sources.len || error_set(err, "the command of %s names no source file", bug->id);
    for (size_t i = 0; ok && i < sources.len; i++)
        ok = append_file(bug, sources.items[i], &seen, ret_text, err);
    map_release(&seen);
    return ok;
}

/* The first source's name becomes `name`, the other sources go. */
static StrList merged_command(const StrList *command, const StrList *sources, const char *name) {
    StrList merged = {0};
    for (size_t i = 0; i < command->len; i++) {
        if (!strlist_contains(sources, command->items[i]))
            strlist_add(&merged, command->items[i]);
        else if (str_equal(command->items[i], sources->items[0]))
            strlist_add(&merged, name);
    }
    return merged;
}

bool merge_bug(const Bug *bug, const char *dir, const char *name, const Str *text, Bug *ret_bug, Error *err) {
    CLEANUP(strlist_release) StrList sources = {0};
    CLEANUP(mem_freep) char *source = path_of(dir, name);
    bug_sources(bug, &sources);
    Bug merged = *bug; /* borrows all but what differs */
    merged.dir = (char *)dir;
    merged.json = bug->json ? json_copy_deep(bug->json) : NULL;
    merged.fail_cmd = merged_command(&bug->fail_cmd, &sources, name);
    merged.pass_cmd = merged_command(&bug->pass_cmd, &sources, name);
    bool ok = dir_make(dir, err) && file_write(source, str_text(text), text->len, err) && bug_save(&merged, err) &&
              bug_load(dir, ret_bug, err);
    json_free(merged.json);
    strlist_release(&merged.fail_cmd);
    strlist_release(&merged.pass_cmd);
    return ok;
}
