#include "cover/union.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "culprit-union-1"

/* A saved union: this, then the words of both sets. */
typedef struct Head {
    char magic[16];
    uint64_t unit_bits, edge_bits, inputs;
} Head;

void cover_union_init(CoverUnion *all, const Cover *cover) {
    *all = (CoverUnion){0};
    bitset_init(&all->units, cover_units(cover)->unit_count);
    bitset_init(&all->edges, cover_edge_count(cover));
}

void cover_union_release(CoverUnion *all) {
    bitset_release(&all->units);
    bitset_release(&all->edges);
}

void cover_union_add(CoverUnion *all, const Bitset *units, const Bitset *edges) {
    bitset_or(&all->units, units);
    bitset_or(&all->edges, edges);
    all->inputs++;
}

/* --- By folder --- */

/* The folder that each file belongs to, as an index into the folders, which are made on the way: files are sorted by name,
 * but a folder's files need not be neighbours. */
static uint32_t *folders_of_files(const UnitTable *table, CoverFolders *folders) {
    Map known = {0};
    uint32_t *folder_of = mem_zalloc(table->file_count + 1, sizeof *folder_of);
    for (uint32_t i = 0; i < table->file_count; i++) {
        const char *name = unit_file_name(table, i), *slash = strrchr(name, '/');
        size_t len = slash ? (size_t)(slash - name) : 0;
        bool is_new;
        MapEntry *entry = map_insert(&known, name, len, &is_new);
        if (is_new) {
            Str folder = {0};
            str_append_n(&folder, name, len);
            entry->value = folders->len;
            vec_push(folders, (CoverFolder){.name = str_detach(&folder)});
        }
        folder_of[i] = (uint32_t)entry->value;
    }
    map_release(&known);
    return folder_of;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const CoverFolder *)a)->name, ((const CoverFolder *)b)->name);
}

void cover_union_folders(const CoverUnion *all, const Cover *cover, CoverFolders *ret_folders, CoverShare *ret_sum) {
    const UnitTable *table = cover_units(cover);
    uint32_t *folder_of = folders_of_files(table, ret_folders);
    Bitset functions;
    bitset_init(&functions, table->function_count);
    for (size_t i = 0; i < table->unit_count; i++) {
        CoverShare *share = &ret_folders->items[folder_of[table->units[i].file]].share;
        bool ran = bitset_get(&all->units, i);
        share->lines++;
        share->lines_run += ran;
        if (ran)
            bitset_set(&functions, table->units[i].function);
    }
    for (size_t i = 0; i < table->function_count; i++) {
        CoverShare *share = &ret_folders->items[folder_of[table->functions[i].file]].share;
        share->functions++;
        share->functions_run += bitset_get(&functions, i);
    }
    for (size_t i = 0; i < all->edges.bits; i++) {
        uint32_t unit = cover_edge_unit(cover, i);
        if (unit >= table->unit_count) /* of code without lines */
            continue;
        CoverShare *share = &ret_folders->items[folder_of[table->units[unit].file]].share;
        share->edges++;
        share->edges_run += bitset_get(&all->edges, i);
    }
    bitset_release(&functions);
    free(folder_of);
    *ret_sum = (CoverShare){0};
    for (size_t i = 0; i < ret_folders->len; i++) {
        const CoverShare *share = &ret_folders->items[i].share;
        ret_sum->lines += share->lines;
        ret_sum->functions += share->functions;
        ret_sum->edges += share->edges;
        ret_sum->lines_run += share->lines_run;
        ret_sum->functions_run += share->functions_run;
        ret_sum->edges_run += share->edges_run;
    }
    if (ret_folders->len)
        qsort(ret_folders->items, ret_folders->len, sizeof *ret_folders->items, by_name);
}

void cover_folders_release(CoverFolders *folders) {
    for (size_t i = 0; i < folders->len; i++)
        free(folders->items[i].name);
    vec_release(folders);
}

/* --- Files --- */

static size_t bytes_of(const Bitset *set) { return BITSET_WORDS(set->bits) * sizeof *set->words; }

bool cover_union_save(const CoverUnion *all, const char *path, Error *err) {
    CLEANUP(str_release) Str data = {0};
    Head head = {MAGIC, all->units.bits, all->edges.bits, all->inputs};
    str_append_n(&data, (const char *)&head, sizeof head);
    str_append_n(&data, (const char *)all->units.words, bytes_of(&all->units));
    if (all->edges.bits)
        str_append_n(&data, (const char *)all->edges.words, bytes_of(&all->edges));
    return file_write(path, str_text(&data), data.len, err);
}

bool cover_union_join(CoverUnion *all, const char *path, Error *err) {
    CLEANUP(str_release) Str data = {0};
    Head head;
    size_t units = bytes_of(&all->units), edges = bytes_of(&all->edges);
    if (!file_read(path, &data, err))
        return false;
    if (data.len >= sizeof head)
        memcpy(&head, data.data, sizeof head);
    if (data.len < sizeof head || memcmp(head.magic, MAGIC, sizeof MAGIC) != 0)
        return error_set(err, "%s holds no coverage that `culprit cover --save` wrote", path);
    if (head.unit_bits != all->units.bits || head.edge_bits != all->edges.bits ||
        data.len != sizeof head + units + edges)
        return error_set(err, "%s is of another build of the compiler; collect it again with this one", path);
    Bitset other;
    bitset_init(&other, all->units.bits);
    memcpy(other.words, data.data + sizeof head, units);
    bitset_or(&all->units, &other);
    bitset_release(&other);
    bitset_init(&other, all->edges.bits);
    if (edges)
        memcpy(other.words, data.data + sizeof head + units, edges);
    bitset_or(&all->edges, &other);
    bitset_release(&other);
    all->inputs += head.inputs;
    return true;
}
