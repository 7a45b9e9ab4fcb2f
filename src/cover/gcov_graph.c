/* How often did each block run? GCC counts only the arcs off a spanning tree of the control-flow graph; the others follow
 * from flow conservation: what enters a block leaves it. (Knuth and Stevenson, "Optimal measurement points for program
 * frequency counts", BIT 13, 1973; Ball and Larus, "Optimally profiling and tracing programs", TOPLAS 16(4), 1994.)
 *
 * With an arc from the exit to the entry added, flow is conserved in every block. A leaf of the tree has one unknown
 * arc, whose count is what makes the block balance; removing leaf after leaf solves all. The order of removal depends on
 * the graph alone, so it is found when the table is made, and a run needs one pass:
 *
 *     balance(b) = counts of known arcs into b - counts of known arcs out of b
 *     the unknown arc of leaf b:  leaves b: count =  balance(b)      enters b: count = -balance(b)
 *
 * A line ran if any block on it did. gcov itself prints, for a line of several blocks, the flow that enters the line
 * from outside plus its loops, and its demangled per-instance groups; see docs/coverage.md for where that differs.
 */
#include "cover/gcov_graph.h"

#include <stdlib.h>
#include <string.h>

#include "binary/demangle.h"
#include "binary/origins.h"

#define GRAPH_MAGIC 0x327068617247756cu /* "luGraph2" */
#define ENTRY_BLOCK 0u
#define EXIT_BLOCK 1u
#define NO_ARC UINT32_MAX

/* A saved table: this header, then files, functions, words and strings. */
typedef struct TableHeader {
    uint64_t magic, file_count, function_count, word_count, strings_len;
} TableHeader;

/* An arc on the tree: solved when `leaf` has no other unknown arc. */
typedef struct Step {
    uint32_t leaf, other, leaves; /* leaves: from leaf to other */
} Step;

typedef Vec(Step) Steps;
typedef Vec(uint32_t) Words;

/* --- Order of solving --- */

/* Arcs on the tree as a linked adjacency: for block b, first[b] and next[2 * arc + side]. */
typedef struct Tree {
    Vec(GcovArc) arcs;
    uint32_t *degree, *first, *next;
    bool *solved;
} Tree;

static void tree_release(Tree *tree) {
    vec_release(&tree->arcs);
    free(tree->degree);
    free(tree->first);
    free(tree->next);
    free(tree->solved);
}

static void tree_link(Tree *tree, uint32_t block, uint32_t arc, uint32_t side) {
    tree->next[2 * arc + side] = tree->first[block];
    tree->first[block] = 2 * arc + side;
    tree->degree[block]++;
}

static void tree_init(Tree *tree, const GcovFunction *function) {
    for (size_t i = 0; i < function->arcs.len; i++)
        if (function->arcs.items[i].flags & GCOV_ARC_ON_TREE)
            vec_push(&tree->arcs, function->arcs.items[i]);
    vec_push(&tree->arcs, (GcovArc){EXIT_BLOCK, ENTRY_BLOCK, GCOV_ARC_ON_TREE});
    tree->degree = mem_zalloc(function->block_count, sizeof(uint32_t));
    tree->first = mem_alloc(function->block_count * sizeof(uint32_t));
    memset(tree->first, 0xff, function->block_count * sizeof(uint32_t));
    tree->next = mem_zalloc(2 * tree->arcs.len, sizeof(uint32_t));
    tree->solved = mem_zalloc(tree->arcs.len, sizeof(bool));
    for (size_t i = 0; i < tree->arcs.len; i++) {
        tree_link(tree, tree->arcs.items[i].from, (uint32_t)i, 0);
        tree_link(tree, tree->arcs.items[i].to, (uint32_t)i, 1);
    }
}

/* Removes leaves, starting at `block` and going on while the neighbour becomes one. */
static void peel(Tree *tree, uint32_t block, Steps *steps) {
    while (tree->degree[block] == 1) {
        uint32_t half = tree->first[block];
        while (half != NO_ARC && tree->solved[half / 2])
            half = tree->next[half];
        if (half == NO_ARC)
            return;
        const GcovArc *arc = &tree->arcs.items[half / 2];
        bool leaves = half % 2 == 0;
        uint32_t other = leaves ? arc->to : arc->from;
        vec_push(steps, (Step){block, other, leaves});
        tree->solved[half / 2] = true;
        tree->degree[block]--;
        tree->degree[other]--;
        block = other;
    }
}

/* False if the arcs that should form a tree do not. */
static bool order_steps(const GcovFunction *function, Steps *steps) {
    if (function->block_count < 2)
        return false;
    Tree tree = {0};
    tree_init(&tree, function);
    for (uint32_t block = 0; block < function->block_count; block++)
        peel(&tree, block, steps);
    bool all = steps->len == tree.arcs.len;
    tree_release(&tree);
    return all;
}

/* --- Making --- */

/* The tables while they grow; units are drafts of the builder until the end, at the places in `drafts`. */
typedef struct Making {
    UnitBuilder builder;
    OriginCache origins;
    Vec(GraphFile) files;
    Vec(GraphFunction) functions;
    Words words;
    Vec(size_t) drafts; /* indices into words that hold drafts */
    Str strings;
} Making;

static void making_release(Making *making) {
    unit_builder_release(&making->builder);
    origins_release(&making->origins);
    vec_release(&making->files);
    vec_release(&making->functions);
    vec_release(&making->words);
    vec_release(&making->drafts);
    str_release(&making->strings);
}

static int by_block(const void *a, const void *b) {
    const GcovLine *left = a, *right = b;
    return left->block != right->block ? (left->block < right->block ? -1 : 1) : 0;
}

/* Appends, for each block, where its units start, and then all units. */
static void add_lines(Making *making, GcovFunction *function, const char *working_dir) {
    CLEANUP(str_release) Str name = {0};
    demangle_function(function->name, &name);
    if (function->artificial)
        vec_clear(&function->lines);
    vec_sort(&function->lines, by_block);
    for (uint32_t block = 0, line = 0; block <= function->block_count; block++) {
        while (line < function->lines.len && function->lines.items[line].block < block)
            line++;
        vec_push(&making->words, line);
    }
    const char *file_text = NULL;
    const Origins *origins = NULL;
    uint32_t text_file = 0;
    for (size_t i = 0; i < function->lines.len; i++) {
        const GcovLine *line = &function->lines.items[i];
        if (line->file != file_text) {
            text_file = unit_builder_file(&making->builder, file_text = line->file, working_dir);
            origins = origins_of(&making->origins, &making->builder, text_file, file_text, working_dir);
        }
        uint32_t file = text_file, number = line->line;
        if (origins)
            origins_apply(origins, &file, &number);
        vec_push(&making->drafts, making->words.len);
        vec_push(&making->words, unit_builder_add(&making->builder, file, number, str_text(&name), 100));
    }
}

static bool add_function(Making *making, GcovFunction *function, const char *working_dir) {
    Steps steps = {0};
    if (!order_steps(function, &steps)) {
        vec_release(&steps);
        return false;
    }
    GraphFunction graph = {
        function->ident,     function->lineno_checksum,  function->cfg_checksum, function->block_count, 0,
        (uint32_t)steps.len, (uint32_t)making->words.len};
    for (size_t i = 0; i < function->arcs.len; i++) {
        const GcovArc *arc = &function->arcs.items[i];
        if (arc->flags & GCOV_ARC_ON_TREE)
            continue;
        graph.counter_count++;
        vec_push(&making->words, arc->from);
        vec_push(&making->words, arc->to);
    }
    for (size_t i = 0; i < steps.len; i++) {
        vec_push(&making->words, steps.items[i].leaf);
        vec_push(&making->words, steps.items[i].other);
        vec_push(&making->words, steps.items[i].leaves);
    }
    vec_release(&steps);
    add_lines(making, function, working_dir);
    vec_push(&making->functions, graph);
    return true;
}

static int by_ident(const void *a, const void *b) {
    const GcovFunction *left = a, *right = b;
    return left->ident != right->ident ? (left->ident < right->ident ? -1 : 1) : 0;
}

static bool add_notes(Making *making, const char *path, Error *err) {
    CLEANUP(str_release) Str data = {0};
    CLEANUP(gcov_notes_release) GcovNotes notes = {0};
    CLEANUP(str_release) Str notes_dir = {0};
    if (!file_read(path, &data, err) || !gcov_notes_read(data.data, data.len, path, &notes, err))
        return false;
    /* clang does not say where it worked; its notes are written there unless told otherwise. */
    str_append_n(&notes_dir, path, (size_t)(path_name(path) - path));
    const char *working_dir = notes.working_dir && *notes.working_dir ? notes.working_dir : str_text(&notes_dir);
    vec_sort(&notes.functions, by_ident);
    GraphFile file = {(uint32_t)making->strings.len, notes.stamp, (uint32_t)making->functions.len, 0};
    for (size_t i = 0; i < notes.functions.len; i++) {
        if (notes.functions.items[i].block_count == 0)
            continue; /* announced, but its body is elsewhere */
        if (!add_function(making, &notes.functions.items[i], working_dir))
            return error_set(err, "%s is damaged: the counters of %s do not determine its flow", path,
                             notes.functions.items[i].name);
    }
    file.function_count = (uint32_t)making->functions.len - file.first_function;
    str_append_n(&making->strings, path, strlen(path) - strlen("gcno"));
    str_append_n(&making->strings, "gcda", 5);
    vec_push(&making->files, file);
    return true;
}

static bool save(Making *making, const uint32_t *ids, const char *path, Error *err) {
    for (size_t i = 0; i < making->drafts.len; i++) {
        uint32_t *word = &making->words.items[making->drafts.items[i]];
        *word = ids[*word];
    }
    TableHeader header = {GRAPH_MAGIC, making->files.len, making->functions.len, making->words.len,
                          making->strings.len};
    CLEANUP(str_release) Str out = {0};
    str_append_n(&out, (const char *)&header, sizeof(header));
    str_append_n(&out, (const char *)making->files.items, making->files.len * sizeof(GraphFile));
    str_append_n(&out, (const char *)making->functions.items, making->functions.len * sizeof(GraphFunction));
    str_append_n(&out, (const char *)making->words.items, making->words.len * sizeof(uint32_t));
    str_append_str(&out, &making->strings);
    return file_write(path, out.data, out.len, err);
}

bool gcov_table_make(const StrList *notes, const char *source_root, const char *build_root, const char *units_path,
                     const char *graphs_path, Console *console, Error *err) {
    CLEANUP(making_release) Making making = {.builder = {.source_root = source_root, .build_root = build_root}};
    for (size_t i = 0; i < notes->len; i++) {
        console_status(console, "reading notes: %zu of %zu files", i + 1, notes->len);
        if (!add_notes(&making, notes->items[i], err))
            return false;
    }
    CLEANUP(unit_table_release) UnitTable units = {0};
    CLEANUP(mem_freep) uint32_t *ids = NULL;
    unit_builder_finish(&making.builder, &units, &ids);
    return unit_table_save(&units, units_path, err) && save(&making, ids, graphs_path, err);
}

/* --- Loading --- */

void gcov_table_release(GcovTable *table) {
    file_unmap(&table->map);
    *table = (GcovTable){0};
}

/* Whether all that this function's words point to exists. */
static bool function_fits(const GcovTable *table, const GraphFunction *function, size_t unit_count) {
    uint64_t fixed = 2ull * function->counter_count + 3ull * function->step_count + (uint64_t)function->block_count + 1;
    if (function->first_word + fixed > table->word_count)
        return false;
    const uint32_t *word = table->words + function->first_word;
    for (uint32_t i = 0; i < 2 * function->counter_count; i++)
        if (*word++ >= function->block_count)
            return false;
    for (uint32_t i = 0; i < function->step_count; i++, word += 3)
        if (word[0] >= function->block_count || word[1] >= function->block_count)
            return false;
    const uint32_t *starts = word, *units = starts + function->block_count + 1;
    for (uint32_t i = 0; i < function->block_count; i++)
        if (starts[i] > starts[i + 1])
            return false;
    uint32_t count = starts[function->block_count];
    if (function->first_word + fixed + count > table->word_count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (units[i] >= unit_count)
            return false;
    return true;
}

static bool table_fits(GcovTable *table, size_t unit_count) {
    if (table->strings_len > 0 && table->strings[table->strings_len - 1])
        return false;
    for (size_t i = 0; i < table->file_count; i++)
        if (table->files[i].counts_path >= table->strings_len ||
            (uint64_t)table->files[i].first_function + table->files[i].function_count > table->function_count)
            return false;
    for (size_t i = 0; i < table->function_count; i++) {
        if (!function_fits(table, &table->functions[i], unit_count))
            return false;
        table->blocks_max = MAX_OF(table->blocks_max, table->functions[i].block_count);
    }
    return true;
}

static bool point_into(GcovTable *table) {
    const TableHeader *header = table->map.memory;
    const uint64_t limit = UINT32_MAX;
    if (table->map.len < sizeof(*header) || header->magic != GRAPH_MAGIC || header->file_count > limit ||
        header->function_count > limit || header->word_count > limit || header->strings_len > limit ||
        sizeof(*header) + header->file_count * sizeof(GraphFile) + header->function_count * sizeof(GraphFunction) +
                header->word_count * sizeof(uint32_t) + header->strings_len !=
            table->map.len)
        return false;
    table->files = (const GraphFile *)(header + 1);
    table->functions = (const GraphFunction *)(table->files + header->file_count);
    table->words = (const uint32_t *)(table->functions + header->function_count);
    table->strings = (const char *)(table->words + header->word_count);
    table->file_count = header->file_count;
    table->function_count = header->function_count;
    table->word_count = header->word_count;
    table->strings_len = header->strings_len;
    return true;
}

bool gcov_table_load(const char *path, size_t unit_count, GcovTable *ret_table, Error *err) {
    GcovTable table = {0};
    if (!file_map(path, &table.map, err))
        return false;
    if (!point_into(&table) || !table_fits(&table, unit_count)) {
        gcov_table_release(&table);
        return error_set(err, "%s is no table of graphs of this version of culprit; remove it, it is made again", path);
    }
    *ret_table = table;
    return true;
}

/* --- Decoding --- */

void gcov_solver_init(GcovSolver *solver, const GcovTable *table) {
    solver->balance = mem_zalloc(table->blocks_max + 1, sizeof(uint64_t));
    solver->entered = mem_zalloc(table->blocks_max + 1, sizeof(uint64_t));
}

void gcov_solver_release(GcovSolver *solver) {
    free(solver->balance);
    free(solver->entered);
}

static void flow(GcovSolver *solver, uint32_t from, uint32_t to, uint64_t count) {
    solver->balance[from] -= count;
    solver->balance[to] += count;
    solver->entered[to] += count;
}

static void solve(const GcovTable *table, const GraphFunction *function, GcovReader *counts, GcovSolver *solver,
                  Bitset *units) {
    memset(solver->balance, 0, function->block_count * sizeof(uint64_t));
    memset(solver->entered, 0, function->block_count * sizeof(uint64_t));
    const uint32_t *word = table->words + function->first_word;
    for (uint32_t i = 0; i < function->counter_count; i++, word += 2)
        flow(solver, word[0], word[1], gcov_read_u64(counts));
    for (uint32_t i = 0; i < function->step_count; i++, word += 3) {
        uint32_t leaf = word[0], other = word[1];
        if (word[2])
            flow(solver, leaf, other, solver->balance[leaf]);
        else
            flow(solver, other, leaf, -solver->balance[leaf]);
    }
    const uint32_t *starts = word, *list = starts + function->block_count + 1;
    for (uint32_t block = 0; block < function->block_count; block++)
        for (uint32_t i = starts[block]; solver->entered[block] && i < starts[block + 1]; i++)
            bitset_set(units, list[i]);
}

static const GraphFunction *find_function(const GcovTable *table, const GraphFile *file, uint32_t ident) {
    size_t low = file->first_function, end = low + file->function_count, high = end;
    while (low < high) {
        size_t middle = (low + high) / 2;
        bool below = table->functions[middle].ident < ident;
        *(below ? &low : &high) = below ? middle + 1 : middle;
    }
    return low < end && table->functions[low].ident == ident ? &table->functions[low] : NULL;
}

/* Whether the counts that follow have a bit set at all; a function that did not run is not solved. */
static bool any_count(const GcovReader *reader, size_t len) {
    uint64_t any = 0, word = 0;
    for (size_t at = 0; at + 8 <= len; at += 8) {
        memcpy(&word, reader->data + reader->at + at, 8);
        any |= word;
    }
    return any != 0;
}

/* Reads the counts at the reader, which a record says follow for the function announced at `announced`. */
static bool decode_counts(const GcovTable *table, const GraphFile *file, GcovReader announced, GcovReader *counts,
                          size_t len, GcovSolver *solver, Bitset *units, Error *err) {
    const char *name = table->strings + file->counts_path;
    const GraphFunction *function = find_function(table, file, gcov_read_u32(&announced));
    if (!function)
        return true;
    if (gcov_read_u32(&announced) != function->lineno_checksum || gcov_read_u32(&announced) != function->cfg_checksum)
        return error_set(err, "%s does not fit the notes beside it: a function's checksum differs", name);
    if (len != 8ull * function->counter_count)
        return error_set(err, "%s does not fit the notes beside it: a function's counters differ", name);
    solve(table, function, counts, solver, units);
    return true;
}

bool gcov_decode(const GcovTable *table, size_t file, const void *counts, size_t len, GcovSolver *solver, Bitset *units,
                 Error *err) {
    const char *name = table->strings + table->files[file].counts_path;
    GcovReader reader, function = {0};
    GcovRecord record;
    if (!gcov_reader_open(&reader, counts, len, GCOV_COUNTS_MAGIC, name, err))
        return false;
    if (reader.stamp != table->files[file].stamp)
        return error_set(err, "%s was written by another build than the notes beside it describe", name);
    while (gcov_next_record(&reader, &record)) {
        if (record.tag == GCOV_TAG_FUNCTION) {
            function = reader;
            function.len = record.end;
        } else if (record.tag == GCOV_TAG_ARC_COUNTS && function.len > function.at && !record.zeroes &&
                   any_count(&reader, record.len) &&
                   !decode_counts(table, &table->files[file], function, &reader, record.len, solver, units, err))
            return false;
        reader.at = record.end;
    }
    return !reader.failed || error_set(err, "%s is damaged", name);
}
