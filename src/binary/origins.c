#include "binary/origins.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const char opening[] = "/* #line ";

/* A comment gives a place; if it is something else, nothing does. */
static void read_comment(const char *comment, const char *end, uint32_t line, UnitBuilder *builder,
                         Origins *ret_origins) {
    char *rest;
    unsigned long number = strtoul(comment + strlen(opening), &rest, 10);
    const char *name = rest < end ? memchr(rest, '"', (size_t)(end - rest)) : NULL;
    const char *close = name ? memchr(name + 1, '"', (size_t)(end - name - 1)) : NULL;
    if (!close || number == 0 || number >= UINT32_MAX)
        return;
    CLEANUP(str_release) Str path = {0};
    str_append_n(&path, name + 1, (size_t)(close - name - 1));
    vec_push(ret_origins, (Origin){line + 1, unit_builder_file(builder, str_text(&path), NULL), (uint32_t)number});
}

void origins_parse(const char *text, UnitBuilder *builder, Origins *ret_origins) {
    uint32_t line = 1;
    for (const char *at = text, *end; *at; at = *end ? end + 1 : end, line++) {
        end = strchrnul(at, '\n');
        const char *comment = at + strspn(at, " \t");
        if (str_starts(comment, opening))
            read_comment(comment, end, line, builder, ret_origins);
        else if (*at == '}' && ret_origins->len && vec_last(ret_origins).file != ORIGIN_NONE)
            vec_push(ret_origins, (Origin){line, ORIGIN_NONE, 0});
    }
}

void origins_apply(const Origins *origins, uint32_t *file, uint32_t *line) {
    size_t low = 0, high = origins->len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        *(origins->items[middle].from <= *line ? &low : &high) =
            origins->items[middle].from <= *line ? middle + 1 : middle;
    }
    if (low == 0 || origins->items[low - 1].file == ORIGIN_NONE)
        return;
    *file = origins->items[low - 1].file;
    *line = origins->items[low - 1].line;
}

const Origins *origins_of(OriginCache *cache, UnitBuilder *builder, uint32_t file, const char *path,
                          const char *comp_dir) {
    if (unit_file_kind_of(builder->files.entries[file].key) != UNIT_FILE_GENERATED)
        return NULL;
    CLEANUP(str_release) Str full = {0};
    if (path[0] == '/' || !comp_dir)
        str_append(&full, path);
    else
        str_printf(&full, "%s/%s", comp_dir, path);
    bool is_new;
    MapEntry *entry = map_insert_str(&cache->files, str_text(&full), &is_new);
    CLEANUP(str_release) Str text = {0};
    if (is_new) {
        Origins *origins = mem_zalloc(1, sizeof *origins);
        if (file_read(str_text(&full), &text, NULL))
            origins_parse(str_text(&text), builder, origins);
        entry->pointer = origins;
    }
    return entry->pointer;
}

void origins_release(OriginCache *cache) {
    for (size_t i = 0; i < cache->files.len; i++) {
        Origins *origins = cache->files.entries[i].pointer;
        vec_release(origins);
        free(origins);
    }
    map_release(&cache->files);
}
