#include "cover/edge_table.h"

#include <stdlib.h>
#include <string.h>

#include "binary/debug_info.h"
#include "binary/flow.h"
#include "cover/runtime/sancov_runtime.h"

#define EDGE_TABLE_MAGIC 0x3373656764456c75u /* "ulEdges3" */

#define UNITS_WORDS (sizeof(EdgeUnits) / sizeof(uint32_t))

/* A saved table: this header; a ModuleHeader for each module; then for each module its starts and units. */
typedef struct TableHeader {
    uint64_t magic, module_count;
} TableHeader;

typedef struct ModuleHeader {
    uint64_t key, first, count, list_len;
} ModuleHeader;

void edge_table_release(EdgeTable *table) {
    free(table->modules);
    file_unmap(&table->map);
    *table = (EdgeTable){0};
}

/* --- Loading --- */

static uint64_t mask_of(const EdgeUnits *units) { return units->low | (uint64_t)units->high << 32; }

static bool lists_fit(const EdgeModule *module, uint64_t list_len, size_t unit_count) {
    if (unit_count == 0)
        return list_len == 0;
    if (module->starts[0] != 0 || module->starts[module->count] != list_len)
        return false;
    for (uint64_t i = 0; i < module->count; i++)
        if (module->starts[i] > module->starts[i + 1])
            return false;
    uint64_t last = BITSET_WORDS(unit_count) - 1, last_bits = ~0ull >> (63 - (unit_count - 1) % 64);
    for (uint64_t i = 0; i < list_len; i++)
        if (module->units[i].word > last || (module->units[i].word == last && mask_of(&module->units[i]) & ~last_bits))
            return false;
    return true;
}

static bool point_into(EdgeTable *table, size_t unit_count) {
    const TableHeader *header = table->map.memory;
    if (table->map.len < sizeof(*header))
        return false;
    size_t rest = table->map.len - sizeof(*header);
    if (header->magic != EDGE_TABLE_MAGIC || header->module_count > rest / sizeof(ModuleHeader))
        return false;
    table->module_count = header->module_count;
    table->modules = mem_zalloc(table->module_count + 1, sizeof(*table->modules));
    const ModuleHeader *stored = (const ModuleHeader *)(header + 1);
    rest = (rest - table->module_count * sizeof(*stored)) / sizeof(uint32_t);
    const uint32_t *at = (const uint32_t *)(stored + table->module_count);
    for (size_t i = 0; i < table->module_count; i++, stored++) {
        if (stored->count >= rest || stored->count >= UINT32_MAX ||
            stored->list_len > (rest - stored->count - 1) / UNITS_WORDS)
            return false;
        size_t words = stored->count + 1 + stored->list_len * UNITS_WORDS;
        table->modules[i] =
            (EdgeModule){stored->key, stored->first, stored->count, at, (const EdgeUnits *)(at + stored->count + 1)};
        rest -= words;
        at += words;
        if (!lists_fit(&table->modules[i], stored->list_len, unit_count))
            return false;
    }
    return rest == 0;
}

bool edge_table_load(const char *path, size_t unit_count, EdgeTable *ret_table, Error *err) {
    EdgeTable table = {0};
    if (!file_map(path, &table.map, err))
        return false;
    if (!point_into(&table, unit_count)) {
        edge_table_release(&table);
        return error_set(err, "%s is no table of edges of this version of culprit; remove it, it is made again", path);
    }
    *ret_table = table;
    return true;
}

/* --- Making --- */

/* One module while its table is made; lists hold drafts of the builder first, ids of units later. */
typedef struct ModuleDraft {
    SancovHeader header;
    Vec(uint32_t) starts, list;
    Vec(uint32_t) dominators; /* of each edge, as in Flow */
} ModuleDraft;

typedef Vec(ModuleDraft) ModuleDrafts;

static void drafts_release(ModuleDrafts *drafts) {
    for (size_t i = 0; i < drafts->len; i++) {
        vec_release(&drafts->items[i].starts);
        vec_release(&drafts->items[i].list);
        vec_release(&drafts->items[i].dominators);
    }
    vec_release(drafts);
}

/* Adds the units of the lines in one range of code to the list of the edge that starts at `first`. */
static void draft_range(ModuleDraft *draft, size_t first, UnitBuilder *builder, const DebugInfo *info,
                        const CodeRange *range) {
    size_t row;
    if (!debug_info_row(info, range->from, &row) && row == SIZE_MAX)
        row = 0;
    for (; row < info->rows.len && info->rows.items[row].address < range->to; row++) {
        const CodeRow *place = &info->rows.items[row];
        if (place->file == UINT32_MAX)
            continue;
        const char *function = debug_info_function(info, MAX_OF(range->from, place->address));
        uint32_t unit = unit_builder_add(builder, place->file, place->line, function, 100);
        bool known = false;
        for (size_t i = first; i < draft->list.len && !known; i++)
            known = draft->list.items[i] == unit;
        if (!known)
            vec_push(&draft->list, unit);
    }
}

/* Adds the units of each edge: the lines of all code that ran if its flag is set. */
static void draft_edges(ModuleDraft *draft, UnitBuilder *builder, const DebugInfo *info, const Flow *flow) {
    for (uint64_t i = 0; i < draft->header.count; i++) {
        size_t first = draft->list.len;
        vec_push(&draft->starts, (uint32_t)first);
        vec_push(&draft->dominators, flow->dominators.items[i]);
        for (uint32_t j = flow->starts.items[i]; j < flow->starts.items[i + 1]; j++)
            draft_range(draft, first, builder, info, &flow->ranges.items[j]);
    }
    vec_push(&draft->starts, (uint32_t)draft->list.len);
}

static bool draft_module(const char *pcs_path, UnitBuilder *builder, ModuleDrafts *drafts, Console *console,
                         Error *err) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(str_release) Str path = {0};
    if (!file_read(pcs_path, &text, err))
        return false;
    ModuleDraft draft = {0};
    if (text.len < sizeof(draft.header))
        return error_set(err, "%s is too short", pcs_path);
    memcpy(&draft.header, text.data, sizeof(draft.header));
    size_t rest = text.len - sizeof(draft.header);
    if (draft.header.magic != SANCOV_MAGIC || draft.header.path_len > rest ||
        (rest - draft.header.path_len) / 16 != draft.header.count)
        return error_set(err, "%s is damaged", pcs_path);
    str_append_n(&path, text.data + sizeof(draft.header), draft.header.path_len);
    console_status(console, "reading the debug information of %s", path_name(str_text(&path)));
    DebugInfo info;
    if (!debug_info_read(str_text(&path), builder, &info, err))
        return false;
    console_status(console, "reading the code of %s", path_name(str_text(&path)));
    const char *pairs = text.data + sizeof(draft.header) + path.len;
    CLEANUP(mem_freep) uint64_t *pcs = mem_zalloc(draft.header.count + 1, sizeof(uint64_t));
    for (uint64_t i = 0; i < draft.header.count; i++)
        memcpy(&pcs[i], pairs + 16 * i, sizeof(uint64_t));
    CLEANUP(flow_release) Flow flow = {0};
    bool ok = flow_read(str_text(&path), &info, pcs, draft.header.count, &flow, err);
    if (ok) {
        draft_edges(&draft, builder, &info, &flow);
        vec_push(drafts, draft);
    }
    debug_info_release(&info);
    return ok;
}

static bool draft_all(const char *dir, UnitBuilder *builder, ModuleDrafts *drafts, Console *console, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_list(dir, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *path = path_of(dir, names.items[i]);
        if (str_ends(path, ".pcs") && !draft_module(path, builder, drafts, console, err))
            return false;
    }
    return drafts->len > 0 ||
           error_set(err, "none of its programs is instrumented: build them with clang's "
                          "-fsanitize-coverage=inline-bool-flag,pc-table and link culprit's sancov.o");
}

static int by_id(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left != right ? (left < right ? -1 : 1) : 0;
}

/* Lists as they are saved. */
typedef struct PackedModule {
    Vec(uint32_t) starts;
    Vec(EdgeUnits) units;
} PackedModule;

/* Whether an edge that runs whenever this one does has the unit too; the nearest ones decide for nearly all. */
static bool is_said_before(const ModuleDraft *draft, uint64_t edge, uint32_t unit) {
    uint32_t above = draft->dominators.items[edge];
    for (int level = 0; level < 32 && above != FLOW_NONE; level++, above = draft->dominators.items[above])
        for (uint32_t i = draft->starts.items[above]; i < draft->starts.items[above + 1]; i++)
            if (draft->list.items[i] == unit)
                return true;
    return false;
}

static void pack_module(ModuleDraft *draft, const uint32_t *ids, PackedModule *packed) {
    for (size_t i = 0; i < draft->list.len; i++)
        draft->list.items[i] = ids[draft->list.items[i]];
    for (uint64_t edge = 0; edge < draft->header.count; edge++) {
        uint32_t from = draft->starts.items[edge], to = draft->starts.items[edge + 1];
        vec_push(&packed->starts, (uint32_t)packed->units.len);
        size_t first = packed->units.len;
        if (from < to)
            qsort(draft->list.items + from, to - from, sizeof(uint32_t), by_id);
        for (uint32_t i = from; i < to; i++) {
            uint32_t id = draft->list.items[i];
            if (is_said_before(draft, edge, id))
                continue;
            if (packed->units.len == first || vec_last(&packed->units).word != id / 64)
                vec_push(&packed->units, (EdgeUnits){.word = id / 64});
            EdgeUnits *units = &vec_last(&packed->units);
            *(id % 64 < 32 ? &units->low : &units->high) |= 1u << id % 32;
        }
    }
    vec_push(&packed->starts, (uint32_t)packed->units.len);
}

static bool save_edges(ModuleDrafts *drafts, const uint32_t *ids, const char *path, Error *err) {
    CLEANUP(str_release) Str head = {0};
    CLEANUP(str_release) Str lists = {0};
    str_append_n(&head, (const char *)&(TableHeader){EDGE_TABLE_MAGIC, drafts->len}, sizeof(TableHeader));
    for (size_t i = 0; i < drafts->len; i++) {
        ModuleDraft *draft = &drafts->items[i];
        PackedModule packed = {0};
        pack_module(draft, ids, &packed);
        ModuleHeader header = {draft->header.key, draft->header.first, draft->header.count, packed.units.len};
        str_append_n(&head, (const char *)&header, sizeof(header));
        str_append_n(&lists, (const char *)packed.starts.items, packed.starts.len * sizeof(uint32_t));
        str_append_n(&lists, (const char *)packed.units.items, packed.units.len * sizeof(EdgeUnits));
        vec_release(&packed.starts);
        vec_release(&packed.units);
    }
    str_append_str(&head, &lists);
    return file_write(path, head.data, head.len, err);
}

bool edge_table_make(const Subject *subject, const char *dir, const char *units_path, const char *edges_path,
                     Console *console, Error *err) {
    CLEANUP(drafts_release) ModuleDrafts drafts = {0};
    CLEANUP(unit_builder_release)
    UnitBuilder builder = {.source_root = subject->source_root, .build_root = subject->build_root};
    if (!draft_all(dir, &builder, &drafts, console, err))
        return false;
    CLEANUP(unit_table_release) UnitTable units = {0};
    CLEANUP(mem_freep) uint32_t *ids = NULL;
    unit_builder_finish(&builder, &units, &ids);
    return unit_table_save(&units, units_path, err) && save_edges(&drafts, ids, edges_path, err);
}

/* --- Decoding --- */

/* Edges that ran, gathered so that the lists of the next ones are on their way while one is worked on: a compiler has
 * just run, and nothing of the table is in the processor's caches. */
typedef struct EdgeBatch {
    uint32_t edges[1024];
    size_t len;
} EdgeBatch;

static void decode_batch(const EdgeModule *module, EdgeBatch *batch, Bitset *units) {
    enum { AHEAD = 12 };
    for (size_t i = 0; i < batch->len; i++) {
        if (i + AHEAD < batch->len)
            __builtin_prefetch(&module->units[module->starts[batch->edges[i + AHEAD]]]);
        uint32_t end = module->starts[batch->edges[i] + 1];
        for (uint32_t at = module->starts[batch->edges[i]]; at < end; at++)
            units->words[module->units[at].word] |= mask_of(&module->units[at]);
    }
    batch->len = 0;
}

static inline void gather(EdgeBatch *batch, uint64_t first, uint64_t word) {
    for (word &= 0x0101010101010101u; word; word &= word - 1)
        batch->edges[batch->len++] = (uint32_t)(first + (uint64_t)__builtin_ctzll(word) / 8);
}

void edge_module_decode(const EdgeModule *module, const unsigned char *flags, Bitset *units) {
    /* Eight flags at a time: most words are zero, and the set bytes of the others are found one by one. */
    EdgeBatch batch;
    batch.len = 0;
    uint64_t i = 0, word;
    for (; i + 8 <= module->count; i += 8) {
        memcpy(&word, flags + i, 8);
        gather(&batch, i, word);
        if (batch.len > ARRAY_LEN(batch.edges) - 8)
            decode_batch(module, &batch, units);
    }
    word = 0;
    memcpy(&word, flags + i, module->count - i);
    gather(&batch, i, word);
    decode_batch(module, &batch, units);
}
