/* A ChangeLog is a list of entries. Those that name a PR are fixes:
 *
 *     2021-03-04  Jakub Jelinek  <...>              a line at the margin begins an entry
 *
 *             PR middle-end/99322
 *             * tree-cfg.c (bb_to_omp_idx): New.    an item: files, separated by commas, up to a bracket or a colon
 *             * config/i386/i386.c, omp-low.c
 *             (lower_omp): Likewise.
 */
#include "subject/fixes.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/strlist.h"

enum { YEARS = 5 }; /* of history that is looked at: older code has changed hands and shape */

/* --- ChangeLogs --- */

/* Files of the item that begins behind its star, in the order they are named. */
static void read_item(const char *at, const char *end, const char *folder, StrList *ret_files) {
    while (at < end && *at != '(' && *at != ':') {
        size_t len = 0;
        while (at + len < end && !isspace((unsigned char)at[len]) && !strchr(",(:", at[len]))
            len++;
        CLEANUP(str_release) Str path = {0};
        str_printf(&path, "%s/%.*s", folder, (int)len, at);
        if (memchr(at, '.', len))
            strlist_add_once(ret_files, str_text(&path));
        at += len;
        while (at < end && (isspace((unsigned char)*at) || *at == ','))
            at++;
    }
}

static void read_entry(const char *at, const char *end, const char *folder, Map *ret_fixes) {
    CLEANUP(strlist_release) StrList files = {0};
    bool fix = false;
    for (; at < end;
         at = memchr(at, '\n', (size_t)(end - at)) ? (const char *)memchr(at, '\n', (size_t)(end - at)) + 1 : end) {
        const char *text = at + strspn(at, " \t");
        fix |= str_starts(text, "PR ");
        if (str_starts(text, "* "))
            read_item(text + 2, end, folder, &files);
    }
    for (size_t i = 0; fix && i < files.len; i++)
        map_insert_str(ret_fixes, files.items[i], NULL)->value++;
}

void fixes_read_changelog(const char *text, const char *folder, Map *ret_fixes) {
    const char *entry = text;
    while (*entry) {
        const char *end = entry + strcspn(entry, "\n"); /* to the next line that begins at the margin with a digit */
        while (*end && !isdigit((unsigned char)end[1]))
            end += 1 + strcspn(end + 1, "\n");
        read_entry(entry, end, folder, ret_fixes);
        entry = end + (*end == '\n');
    }
}

static bool read_changelog(const char *root, const char *folder, const char *name, Map *ret_fixes, Error *err) {
    CLEANUP(str_release) Str path = {0}, text = {0};
    str_printf(&path, "%s/%s/%s", root, folder, name);
    if (!file_exists(str_text(&path)))
        return true;
    if (!file_read(str_text(&path), &text, err))
        return false;
    fixes_read_changelog(str_text(&text), folder, ret_fixes);
    return true;
}

/* The newest logs of the folder: that of the present year, and those of whole years, "ChangeLog-2020". */
static bool read_folder(const char *root, const char *folder, Map *ret_fixes, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(root, folder);
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_exists(path))
        return true;
    if (!dir_list(path, &names, err))
        return false;
    size_t years = 0;
    for (size_t i = names.len; i-- > 0 && years < YEARS;) { /* sorted by name, so by year */
        if (!str_starts(names.items[i], "ChangeLog-2"))
            continue;
        years++;
        if (!read_changelog(root, folder, names.items[i], ret_fixes, err))
            return false;
    }
    return read_changelog(root, folder, "ChangeLog", ret_fixes, err);
}

/* GCC 12 renamed its sources from .c to .cc: fixes of the old name are the new one's. */
static void follow_renames(const char *root, Map *fixes) {
    for (size_t i = 0, old_names = fixes->len; i < old_names; i++) {
        const char *name = fixes->entries[i].key;
        uint64_t count = fixes->entries[i].value;
        CLEANUP(str_release) Str renamed = {0}, old_path = {0}, new_path = {0};
        str_printf(&renamed, "%sc", name);
        str_printf(&old_path, "%s/%s", root, name);
        str_printf(&new_path, "%s/%s", root, str_text(&renamed));
        if (str_ends(name, ".c") && !file_exists(str_text(&old_path)) && file_exists(str_text(&new_path)))
            map_insert_str(fixes, str_text(&renamed), NULL)->value += count;
    }
}

/* --- Repositories --- */

static bool read_repository(const char *root, Runner *runner, Map *ret_fixes, Error *err) {
    CLEANUP(proc_result_release) ProcResult result = {0};
    CLEANUP(str_release) Str since = {0};
    CLEANUP(strlist_release) StrList files = {0};
    str_printf(&since, "--since=%d.years", YEARS);
    const char *argv[] = {"git",       "-C",          root,         "log",           str_text(&since), "--no-merges",
                          "--format=", "--name-only", "--relative", "--grep=[Ff]ix", "--grep=PR",      NULL};
    ProcRequest request = {.argv = argv, .limits = {.wall_ms = 60 * 1000, .output_bytes = 256 << 20}};
    if (!runner_run(runner, &request, &result, err))
        return false;
    if (!proc_ok(&result))
        return error_set(err, "git cannot read the log of %s: %.300s", root, str_text(&result.err));
    strlist_split(&files, str_text(&result.out), '\n');
    for (size_t i = 0; i < files.len; i++)
        if (*files.items[i])
            map_insert_str(ret_fixes, files.items[i], NULL)->value++;
    return true;
}

bool fixes_count(const char *source_root, Runner *runner, Map *ret_fixes, Error *err) {
    static const char *const folders[] = {"gcc", "gcc/c", "gcc/c-family", "gcc/cp", "gcc/lto", "libcpp"};
    CLEANUP(mem_freep) char *repository = path_of(source_root, ".git");
    if (dir_exists(repository))
        return read_repository(source_root, runner, ret_fixes, err);
    for (size_t i = 0; i < ARRAY_LEN(folders); i++)
        if (!read_folder(source_root, folders[i], ret_fixes, err))
            return false;
    follow_renames(source_root, ret_fixes);
    return true;
}
