#include "binary/source_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"

enum { CTAGS_MS = 30 * 60 * 1000 };

void source_index_key(const char *name, Str *ret_key) {
    static const char anonymous[] = "(anonymous namespace)::";
    int depth = 0;
    const char *lambda = strstr(name, "::{lambda"), *end = lambda ? lambda : name + strlen(name);
    for (const char *at = name; at < end; at++) {
        if (depth == 0 && str_starts(at, "operator")) { /* its own brackets are part of the name */
            str_append_n(ret_key, at, (size_t)(end - at));
            return;
        }
        if (str_starts(at, anonymous)) {
            at += strlen(anonymous) - 1;
            continue;
        }
        if (str_starts(at, "__anon")) { /* how ctags calls them */
            const char *next = strstr(at, "::");
            at = (next ? next + 2 : end) - 1;
            continue;
        }
        depth -= *at == '>';
        if (depth == 0 && *at != '>' && *at != '<')
            str_append_char(ret_key, *at);
        depth += *at == '<';
    }
}

/* --- ctags --- */

static bool run_ctags(const char *source_dir, const char *path, Runner *runner, Error *err) {
    /* GCC's .c files are C++; the C++ parser reads C as well. Tests define functions that no compiler contains. */
    const char *const argv[] = {"ctags",
                                "-R",
                                "-x",
                                "--sort=no",
                                "--languages=C++",
                                "--map-C++=+.c.h",
                                "--kinds-C++=f",
                                "--exclude=testsuite",
                                "--exclude=test",
                                "--exclude=tests",
                                "--exclude=unittests",
                                "--_xformat=%{line}|%{input}|%{scope}|%{name}",
                                ".",
                                NULL};
    CLEANUP(str_release) Str unfinished = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    str_printf(&unfinished, "%s.part", path);
    ProcRequest request = {
        .argv = argv, .dir = source_dir, .out_path = str_text(&unfinished), .limits = {.wall_ms = CTAGS_MS}};
    if (!runner_run(runner, &request, &result, err))
        return error_context(err, "cannot index %s (is universal-ctags installed?)", source_dir);
    if (!proc_ok(&result)) {
        str_trim(&result.err);
        return error_set(err, "cannot index %s: ctags failed: %.300s", source_dir, str_text(&result.err));
    }
    if (rename(str_text(&unfinished), path) != 0)
        return error_errno(err, "cannot write %s", path);
    return true;
}

/* One line "LINE|FILE|SCOPE|NAME". */
static void read_tag(SourceIndex *index, const char *tag, Str *key) {
    const char *file = strchr(tag, '|'), *scope = file ? strchr(file + 1, '|') : NULL;
    const char *name = scope ? strchr(scope + 1, '|') : NULL;
    if (!name)
        return;
    CLEANUP(str_release) Str qualified = {0};
    str_append_n(&qualified, scope + 1, (size_t)(name - scope - 1));
    str_append(&qualified, qualified.len > 0 ? "::" : "");
    str_append(&qualified, name + 1);
    str_clear(key);
    source_index_key(str_text(&qualified), key);
    file++;
    if (str_starts(file, "./"))
        file += 2;
    const char *path = map_insert(&index->files, file, (size_t)(scope - file), NULL)->key;
    MapEntry *entry = map_insert_str(&index->keys, str_text(key), NULL);
    vec_push(&index->definitions, (Definition){path, (uint32_t)strtoul(tag, NULL, 10), (uint32_t)entry->value});
    entry->value = index->definitions.len;
}

bool source_index_open(const char *source_dir, const char *cache_dir, Runner *runner, Console *console,
                       SourceIndex *ret_index, Error *err) {
    struct stat status;
    if (stat(source_dir, &status) != 0)
        return error_errno(err, "cannot open the source directory %s", source_dir);
    char hash[HASH_TEXT_SIZE];
    Hash place = hash_bytes(source_dir, strlen(source_dir));
    hash_text(hash_combine(place, hash_bytes(&status.st_mtim, sizeof(status.st_mtim))), hash);
    CLEANUP(str_release) Str path = {0};
    CLEANUP(str_release) Str tags = {0};
    CLEANUP(str_release) Str key = {0};
    str_printf(&path, "%s/ctags-%s", cache_dir, hash);
    if (!file_exists(str_text(&path))) {
        console_info(console, "indexing %s (once)", source_dir);
        if (!run_ctags(source_dir, str_text(&path), runner, err))
            return false;
    }
    if (!file_read(str_text(&path), &tags, err))
        return false;
    *ret_index = (SourceIndex){0};
    char *rest = tags.data;
    for (char *line; (line = strsep(&rest, "\n"));)
        read_tag(ret_index, line, &key);
    if (ret_index->definitions.len > 0)
        return true;
    source_index_release(ret_index);
    return error_set(err, "%s holds no C or C++ functions; give the compiler's source tree", source_dir);
}

void source_index_release(SourceIndex *index) {
    map_release(&index->files);
    map_release(&index->keys);
    vec_release(&index->definitions);
}

const Definition *source_index_find(const SourceIndex *index, const char *key) {
    const MapEntry *entry = map_find_str(&index->keys, key);
    return entry ? &index->definitions.items[entry->value - 1] : NULL;
}

const Definition *source_index_next(const SourceIndex *index, const Definition *definition) {
    return definition->next ? &index->definitions.items[definition->next - 1] : NULL;
}
