#include "binary/unit_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define UNIT_TABLE_MAGIC 0x3173746e556c7543u /* "CulUnts1" */

/* A saved table: this header, then units, files, functions and strings, one behind the other. */
typedef struct TableHeader {
    uint64_t magic;
    uint64_t unit_count, file_count, function_count, strings_len;
} TableHeader;

const char *unit_file_kind_name(UnitFileKind kind) {
    static const char *const names[] = {"source", "header", "description", "generated", "unknown"};
    return names[kind];
}

static bool ends_in(const char *path, const char *const *endings) {
    for (; *endings; endings++)
        if (str_ends(path, *endings))
            return true;
    return false;
}

UnitFileKind unit_file_kind_of(const char *path) {
    static const char *const descriptions[] = {".pd", ".md", ".td", ".y", ".l", ".opt", NULL};
    static const char *const headers[] = {".h", ".hh", ".hpp", ".hxx", ".def", ".inc", ".tcc", NULL};
    if (!path[0])
        return UNIT_FILE_UNKNOWN;
    if (ends_in(path, descriptions))
        return UNIT_FILE_DESCRIPTION;
    if (str_starts(path, "build/"))
        return UNIT_FILE_GENERATED;
    /* The C++ library's headers have no extension at all. */
    return ends_in(path, headers) || !strchr(path_name(path), '.') ? UNIT_FILE_HEADER : UNIT_FILE_SOURCE;
}

void unit_table_release(UnitTable *table) {
    free(table->memory);
    file_unmap(&table->map);
    *table = (UnitTable){0};
}

bool unit_function_is(const UnitTable *table, uint32_t function, const char *name) {
    const char *full = unit_function_name(table, function);
    size_t full_len = strlen(full), len = strlen(name);
    if (full_len < len || !str_equal(full + full_len - len, name))
        return false;
    return full_len == len || (full_len >= len + 2 && strncmp(full + full_len - len - 2, "::", 2) == 0);
}

size_t unit_table_find_file(const UnitTable *table, const char *name) {
    size_t low = 0, high = table->file_count;
    while (low < high) { /* files are sorted by name */
        size_t middle = (low + high) / 2;
        int order = strcmp(unit_file_name(table, (uint32_t)middle), name);
        if (order == 0)
            return middle;
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return table->file_count;
}

size_t unit_table_find(const UnitTable *table, size_t file, uint32_t line) {
    size_t low = table->files[file].first_unit, end = low + table->files[file].unit_count, high = end;
    while (low < high) {
        size_t middle = (low + high) / 2;
        *(table->units[middle].line < line ? &low : &high) = table->units[middle].line < line ? middle + 1 : middle;
    }
    return low < end && table->units[low].line == line ? low : table->unit_count;
}

/* --- On disk --- */

/* Points the table's members into memory: a header and the arrays behind it. */
static void point_into(UnitTable *table, const void *memory, const TableHeader *header) {
    table->units = (const Unit *)((const char *)memory + sizeof(*header));
    table->files = (const UnitFile *)(table->units + header->unit_count);
    table->functions = (const UnitFunction *)(table->files + header->file_count);
    table->strings = (const char *)(table->functions + header->function_count);
    table->unit_count = header->unit_count;
    table->file_count = header->file_count;
    table->function_count = header->function_count;
    table->strings_len = header->strings_len;
}

static size_t stored_len(const TableHeader *header) {
    return sizeof(*header) + header->unit_count * sizeof(Unit) + header->file_count * sizeof(UnitFile) +
           header->function_count * sizeof(UnitFunction) + header->strings_len;
}

bool unit_table_save(const UnitTable *table, const char *path, Error *err) {
    return file_write(path, table->memory ? table->memory : table->map.memory,
                      stored_len(&(TableHeader){UNIT_TABLE_MAGIC, table->unit_count, table->file_count,
                                                table->function_count, table->strings_len}),
                      err);
}

static bool indices_fit(const UnitTable *table) {
    if (table->strings_len > 0 && table->strings[table->strings_len - 1])
        return false;
    for (size_t i = 0; i < table->file_count; i++) {
        const UnitFile *file = &table->files[i];
        if (file->name >= table->strings_len || file->kind > UNIT_FILE_UNKNOWN ||
            (uint64_t)file->first_unit + file->unit_count > table->unit_count)
            return false;
    }
    for (size_t i = 0; i < table->function_count; i++)
        if (table->functions[i].name >= table->strings_len || table->functions[i].file >= table->file_count)
            return false;
    for (size_t i = 0; i < table->unit_count; i++)
        if (table->units[i].file >= table->file_count || table->units[i].function >= table->function_count)
            return false;
    return true;
}

bool unit_table_load(const char *path, UnitTable *ret_table, Error *err) {
    const uint64_t limit = UINT32_MAX;
    UnitTable table = {0};
    if (!file_map(path, &table.map, err))
        return false;
    const TableHeader *header = table.map.memory;
    bool fits = table.map.len >= sizeof(*header) && header->magic == UNIT_TABLE_MAGIC && header->unit_count < limit &&
                header->file_count < limit && header->function_count < limit && header->strings_len < limit &&
                stored_len(header) == table.map.len;
    if (fits) {
        point_into(&table, header, header);
        fits = indices_fit(&table);
    }
    if (!fits) {
        unit_table_release(&table);
        return error_set(err, "%s is no unit table of this version of culprit; remove it, it is made again", path);
    }
    *ret_table = table;
    return true;
}

/* --- Making one --- */

/* Appends `path`, absolute, without "." and "..". */
static void normalise(Str *out, const char *path, const char *comp_dir) {
    CLEANUP(str_release) Str whole = {0};
    if (path[0] != '/' && comp_dir)
        str_printf(&whole, "%s/", comp_dir);
    str_append(&whole, path);
    bool absolute = str_text(&whole)[0] == '/';
    for (const char *at = str_text(&whole); *at;) {
        size_t len = strcspn(at, "/");
        if (len == 2 && at[0] == '.' && at[1] == '.' && out->len > 0) {
            const char *slash = strrchr(str_text(out), '/');
            str_truncate(out, slash ? (size_t)(slash - out->data) : 0);
        } else if (len > 0 && !(len == 1 && at[0] == '.')) {
            if (absolute || out->len > 0)
                str_append_char(out, '/');
            str_append_n(out, at, len);
        }
        at += len + (at[len] == '/');
    }
}

/* What follows `root` in `path`, or NULL. */
static const char *below(const char *path, const char *root) {
    if (!root || !str_starts(path, root))
        return NULL;
    path += strlen(root);
    return *path == '/' ? path + 1 : NULL;
}

uint32_t unit_builder_file(UnitBuilder *builder, const char *path, const char *comp_dir) {
    CLEANUP(str_release) Str full = {0};
    CLEANUP(str_release) Str name = {0};
    normalise(&full, path, comp_dir);
    const char *in_source = below(str_text(&full), builder->source_root);
    const char *in_build = below(str_text(&full), builder->build_root);
    /* Of two roots, one inside the other, the inner one counts: what it leaves of the path is shorter. */
    if (in_build && (!in_source || strlen(in_build) < strlen(in_source)))
        str_printf(&name, "build/%s", in_build);
    else
        str_append(&name, in_source ? in_source : str_text(&full));
    bool is_new;
    MapEntry *entry = map_insert_str(&builder->files, str_text(&name), &is_new);
    if (is_new)
        entry->value = builder->files.len - 1;
    return (uint32_t)entry->value;
}

/* Functions are told apart by their file and name: the key is both. */
static uint32_t builder_function(UnitBuilder *builder, uint32_t file, const char *name) {
    CLEANUP(str_release) Str key = {0};
    str_append_n(&key, (const char *)&file, sizeof(file));
    str_append(&key, name);
    bool is_new;
    MapEntry *entry = map_insert(&builder->functions, key.data, key.len, &is_new);
    if (is_new)
        entry->value = builder->functions.len - 1;
    return (uint32_t)entry->value;
}

uint32_t unit_builder_add(UnitBuilder *builder, uint32_t file, uint32_t line, const char *function,
                          uint32_t confidence) {
    /* If no line is known, each function is a unit of its own. */
    uint32_t key[3] = {file, line, 0};
    if (line == 0)
        key[2] = 1 + builder_function(builder, file, function);
    bool is_new;
    MapEntry *entry = map_insert(&builder->lines, key, sizeof(key), &is_new);
    if (is_new)
        entry->value = unit_builder_add_distinct(builder, file, line, function, confidence);
    return (uint32_t)entry->value;
}

uint32_t unit_builder_add_distinct(UnitBuilder *builder, uint32_t file, uint32_t line, const char *function,
                                   uint32_t confidence) {
    vec_push(&builder->drafts, (UnitDraft){file, line, builder_function(builder, file, function), confidence});
    return (uint32_t)builder->drafts.len - 1;
}

void unit_builder_release(UnitBuilder *builder) {
    map_release(&builder->files);
    map_release(&builder->functions);
    map_release(&builder->lines);
    vec_release(&builder->drafts);
}

static int by_key(const void *a, const void *b) {
    const MapEntry *const *left = a, *const *right = b;
    return strcmp((*left)->key, (*right)->key);
}

/* ret_rank[file] is the place of a file when they are sorted by name. */
static uint32_t *rank_files(const UnitBuilder *builder, const MapEntry ***ret_sorted) {
    size_t count = builder->files.len;
    const MapEntry **sorted = mem_zalloc(count + 1, sizeof(*sorted));
    uint32_t *rank = mem_zalloc(count + 1, sizeof(*rank));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &builder->files.entries[i];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), by_key);
    for (size_t i = 0; i < count; i++)
        rank[sorted[i]->value] = (uint32_t)i;
    *ret_sorted = sorted;
    return rank;
}

typedef struct SortedDraft {
    uint32_t file, line, function, draft;
} SortedDraft;

static int by_place(const void *a, const void *b) {
    const SortedDraft *left = a, *right = b;
    if (left->file != right->file)
        return left->file < right->file ? -1 : 1;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return left->draft < right->draft ? -1 : 1;
}

static SortedDraft *sort_drafts(const UnitBuilder *builder, const uint32_t *rank) {
    SortedDraft *sorted = mem_zalloc(builder->drafts.len + 1, sizeof(*sorted));
    for (size_t i = 0; i < builder->drafts.len; i++) {
        const UnitDraft *draft = &builder->drafts.items[i];
        sorted[i] = (SortedDraft){rank[draft->file], draft->line, draft->function, (uint32_t)i};
    }
    if (builder->drafts.len > 0)
        qsort(sorted, builder->drafts.len, sizeof(*sorted), by_place);
    return sorted;
}

/* Fills units and functions in the order of `sorted`; functions are numbered by their first unit. */
static void place_units(const UnitBuilder *builder, const SortedDraft *sorted, Unit *units, UnitFile *files,
                        UnitFunction *functions, uint32_t *ids, Str *strings) {
    uint32_t *number = mem_zalloc(builder->functions.len + 1, sizeof(*number)); /* 0: not met yet */
    uint32_t numbered = 0;
    for (size_t i = 0; i < builder->drafts.len; i++) {
        const SortedDraft *place = &sorted[i];
        UnitFile *file = &files[place->file];
        if (file->unit_count++ == 0)
            file->first_unit = (uint32_t)i;
        if (!number[place->function]) {
            number[place->function] = ++numbered;
            functions[numbered - 1] = (UnitFunction){(uint32_t)strings->len, place->file, place->line, 0};
            const MapEntry *entry = &builder->functions.entries[place->function];
            str_append_n(strings, entry->key + sizeof(uint32_t), entry->key_len - sizeof(uint32_t) + 1);
        }
        uint32_t function = number[place->function] - 1;
        functions[function].unit_count++;
        units[i] = (Unit){place->file, place->line, function, builder->drafts.items[place->draft].confidence};
        ids[place->draft] = (uint32_t)i;
    }
    free(number);
}

void unit_builder_finish(UnitBuilder *builder, UnitTable *ret_table, uint32_t **ret_ids) {
    const MapEntry **file_names;
    uint32_t *rank = rank_files(builder, &file_names);
    SortedDraft *sorted = sort_drafts(builder, rank);
    TableHeader header = {UNIT_TABLE_MAGIC, builder->drafts.len, builder->files.len, builder->functions.len, 0};
    Str memory = {0}, strings = {0};
    size_t fixed_len = stored_len(&header);
    char *fixed = mem_zalloc(1, fixed_len);
    UnitTable table = {0};
    point_into(&table, fixed, &header);

    UnitFile *files = (UnitFile *)table.files;
    for (size_t i = 0; i < builder->files.len; i++) {
        files[i] = (UnitFile){(uint32_t)strings.len, unit_file_kind_of(file_names[i]->key), 0, 0};
        str_append_n(&strings, file_names[i]->key, file_names[i]->key_len + 1);
    }
    uint32_t *ids = mem_zalloc(builder->drafts.len + 1, sizeof(*ids));
    place_units(builder, sorted, (Unit *)table.units, files, (UnitFunction *)table.functions, ids, &strings);

    header.strings_len = strings.len;
    memcpy(fixed, &header, sizeof(header));
    str_append_n(&memory, fixed, fixed_len);
    str_append_n(&memory, strings.data ? strings.data : "", strings.len);
    table.memory = str_detach(&memory);
    point_into(&table, table.memory, &header);
    *ret_table = table;
    if (ret_ids)
        *ret_ids = ids;
    else
        free(ids);
    free(fixed);
    free(sorted);
    free(rank);
    free(file_names);
    str_release(&strings);
    unit_builder_release(builder);
    *builder = (UnitBuilder){0};
}
