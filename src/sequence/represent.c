/* CTOS, section 3.3 (Jiang et al., 2021). The words are opcodes, the documents are edges of the control-flow graph: the
 * opcodes of the start block, then those of the end block. With e for the vector of an edge:
 *
 *   Algorithm 1, a function. The outgoing edges of the entry count as visited. Of the work list, at first the entry, the
 *   node in the deepest region is taken, and each of its successors s is looked at:
 *     s is no loop entry, and all its incoming edges are visited:
 *         each outgoing edge:  e = (e + sum of the incoming edges' vectors) / (number of incoming edges + 1)
 *     s is a loop entry, reached through the edge i; the edges that come back do not hold it up:
 *         each outgoing edge:  e = (e + i) / 2
 *   and in both cases the outgoing edges become visited and s joins the work list unless it was there before. The vector of
 *   the edge that ends in the exit is the function's. A function of one block is the vector of that block's opcodes.
 *
 *   Algorithm 2, a program. Edges of recursive calls are removed, and a node "start" with the vector 0 calls the functions
 *   that nobody calls. Callees first:  f = (f + sum of the callees' vectors) / (number of callees + 1). The result is start's.
 *
 * What the paper leaves open, or where we differ:
 *   - Line 22 as printed repeats the first rule for every predecessor taken from the work list, so that a join of k branches
 *     would forget its own edges. "We average their sum" is done once per node here. A loop entry takes each edge once.
 *   - Of several nodes in equally deep regions, the one that joined the list first is taken.
 *   - Several edges to exits (blocks without successors): their mean. No exit, an endless loop: the mean of the edges
 *     that end in loop entries.
 *   - Loop entries are the targets of retreating edges (regions.c): the heads of natural loops, and one block at least of
 *     every loop with several entries. So the work list reaches every block that the entry reaches: without retreating edges
 *     there is no cycle, and a block all of whose predecessors come before it is released by the last of them. Blocks
 *     that the entry does not reach are left out, with their edges.
 *   - Two cases of a switch that lead to one block are one edge.
 *   - Recursive calls are the retreating edges of a depth-first walk that begins with functions nobody calls, then with the
 *     others, in the module's order. Several calls of one callee are one edge. Functions without a body have no vector.
 *   - Equal sequences are trained once. So the same code always has the same vector, where Gensim would draw one for
 *     each copy; and frequent sequences weigh no more than rare ones, both when words are counted (which of them are skipped
 *     or drawn as negatives) and when the words' vectors are trained. It is also what makes batches affordable: most edges of
 *     a program are short and common.
 */
#include "sequence/represent.h"

#include <string.h>

#include "base/map.h"
#include "sequence/regions.h"

typedef struct Function {
    RegionGraph graph;
    uint32_t *documents; /* per edge; of a single block one */
    const uint32_t *callees;
    uint32_t callee_count;
} Function;

typedef struct Program {
    Function *functions; /* with a body */
    uint32_t count;
} Program;

struct ProgramBatch {
    Arena arena;
    Vec(Program) programs;
    Map known; /* opcodes of an edge: its document */
    size_t edges;
};

ProgramBatch *program_batch_new(void) { return mem_zalloc(1, sizeof(ProgramBatch)); }

void program_batch_free(ProgramBatch *batch) {
    if (!batch)
        return;
    arena_release(&batch->arena);
    vec_release(&batch->programs);
    map_release(&batch->known);
    free(batch);
}

size_t program_batch_sequences(const ProgramBatch *batch) { return batch->known.len; }
size_t program_batch_edges(const ProgramBatch *batch) { return batch->edges; }

Doc2VecOptions represent_defaults(void) {
    Doc2VecOptions options = doc2vec_defaults();
    options.window = 5;
    return options;
}

/* --- Collecting --- */

void region_graph_build(const IrFunction *function, Arena *arena, RegionGraph *ret_graph) {
    CLEANUP(arena_release) Arena temporary = {0};
    RegionTree tree;
    region_tree_build(function, &temporary, &tree);
    uint32_t n = function->block_count, edges = 0;
    RegionGraph graph = {.depths = arena_array(arena, uint32_t, n),
                         .loop_entries = arena_array(arena, bool, n),
                         .blocks = arena_array(arena, uint32_t, n)};
    uint32_t *number = arena_array(&temporary, uint32_t, n), *seen_from = arena_array(&temporary, uint32_t, n);
    for (uint32_t b = 0; b < n; b++) {
        if (tree.of[b] == REGION_NONE)
            continue;
        edges += function->blocks[b].successor_count;
        number[b] = graph.nodes;
        graph.blocks[graph.nodes] = b;
        graph.depths[graph.nodes] = region_depth(&tree, b);
        graph.loop_entries[graph.nodes++] = tree.loop_entries[b];
    }
    graph.edges = arena_alloc(arena, edges * sizeof *graph.edges);
    for (uint32_t node = 0; node < graph.nodes; node++) {
        const IrBlock *block = &function->blocks[graph.blocks[node]];
        for (uint32_t s = 0; s < block->successor_count; s++) {
            uint32_t to = block->successors[s];
            if (seen_from[to] == node + 1)
                continue;
            seen_from[to] = node + 1;
            graph.edges[graph.edge_count][0] = node;
            graph.edges[graph.edge_count++][1] = number[to];
        }
    }
    *ret_graph = graph;
}

static uint32_t document_of(ProgramBatch *batch, const IrBlock *from, const IrBlock *to) {
    size_t len = from->opcode_count + (to ? to->opcode_count : 0);
    CLEANUP(mem_freep) uint8_t *opcodes = mem_alloc(len + 1);
    memcpy(opcodes, from->opcodes, from->opcode_count);
    if (to)
        memcpy(opcodes + from->opcode_count, to->opcodes, to->opcode_count);
    bool is_new;
    MapEntry *entry = map_insert(&batch->known, opcodes, len, &is_new);
    if (is_new)
        entry->value = batch->known.len - 1;
    return (uint32_t)entry->value;
}

static void add_function(ProgramBatch *batch, const IrFunction *from, const uint32_t *numbers, Function *function) {
    region_graph_build(from, &batch->arena, &function->graph);
    uint32_t edges = function->graph.edge_count;
    function->documents = arena_array(&batch->arena, uint32_t, MAX_OF(edges, 1U));
    if (edges == 0)
        function->documents[0] = document_of(batch, &from->blocks[0], NULL);
    for (uint32_t e = 0; e < edges; e++)
        function->documents[e] = document_of(batch, &from->blocks[function->graph.blocks[function->graph.edges[e][0]]],
                                             &from->blocks[function->graph.blocks[function->graph.edges[e][1]]]);
    batch->edges += edges;
    uint32_t *callees = arena_array(&batch->arena, uint32_t, from->call_count);
    for (uint32_t c = 0; c < from->call_count; c++)
        if (from->calls[c] != IR_CALL_UNKNOWN && numbers[from->calls[c]] > 0)
            callees[function->callee_count++] = numbers[from->calls[c]] - 1;
    function->callees = callees;
}

void program_batch_add(ProgramBatch *batch, const IrGraph *graph) {
    Program program = {.functions = arena_array(&batch->arena, Function, (size_t)graph->function_count + 1)};
    CLEANUP(mem_freep) uint32_t *numbers = mem_zalloc((size_t)graph->function_count + 1, sizeof *numbers);
    for (uint32_t f = 0; f < graph->function_count; f++)
        if (graph->functions[f].block_count > 0)
            numbers[f] = ++program.count;
    for (uint32_t f = 0; f < graph->function_count; f++)
        if (numbers[f] > 0)
            add_function(batch, &graph->functions[f], numbers, &program.functions[numbers[f] - 1]);
    vec_push(&batch->programs, program);
}

/* --- Algorithm 1 --- */

typedef struct Aggregation {
    const RegionGraph *graph;
    Vectors *edges;
    uint32_t *first_out,
        *first_in;     /* per node and one more: where its edges begin; outgoing ones are in order already */
    uint32_t *in;      /* edges by end node */
    uint32_t *visited; /* per edge: when, or 0 */
    uint32_t clock;
    bool *done;  /* per node: the first rule was applied */
    bool *known; /* per node: is or was in the work list */
    Lane *sum;
} Aggregation;

static void add_lanes(Lane *to, const Lane *what, size_t lanes) {
    for (size_t l = 0; l < lanes; l++)
        to[l] += what[l];
}

static void scale_lanes(Lane *what, float factor, size_t lanes) {
    for (size_t l = 0; l < lanes; l++)
        what[l] *= factor;
}

static void visit(Aggregation *a, uint32_t edge) {
    if (!a->visited[edge])
        a->visited[edge] = ++a->clock;
}

/* e = (e + what) / parts for each outgoing edge. */
static void propagate(Aggregation *a, uint32_t node, const Lane *what, uint32_t parts) {
    size_t lanes = a->edges->lanes_per_row;
    for (uint32_t e = a->first_out[node]; e < a->first_out[node + 1]; e++) {
        add_lanes(vectors_lanes(a->edges, e), what, lanes);
        scale_lanes(vectors_lanes(a->edges, e), 1 / (float)parts, lanes);
        visit(a, e);
    }
}

static bool all_visited(const Aggregation *a, uint32_t node) {
    for (uint32_t i = a->first_in[node]; i < a->first_in[node + 1]; i++)
        if (!a->visited[a->in[i]])
            return false;
    return true;
}

/* Looks at the end of an edge whose start was taken from the work list; says whether information went on from there. */
static bool look_at(Aggregation *a, uint32_t edge) {
    size_t lanes = a->edges->lanes_per_row;
    uint32_t node = a->graph->edges[edge][1];
    memset(a->sum, 0, lanes * sizeof(Lane));
    if (a->graph->loop_entries[node]) {
        add_lanes(a->sum, vectors_lanes(a->edges, edge), lanes);
        propagate(a, node, a->sum, 2);
        return true;
    }
    if (a->done[node] || !all_visited(a, node))
        return false;
    for (uint32_t i = a->first_in[node]; i < a->first_in[node + 1]; i++)
        add_lanes(a->sum, vectors_lanes(a->edges, a->in[i]), lanes);
    propagate(a, node, a->sum, a->first_in[node + 1] - a->first_in[node] + 1);
    return a->done[node] = true;
}

static void index_edges(Aggregation *a, Arena *arena) {
    const RegionGraph *graph = a->graph;
    a->first_out = arena_array(arena, uint32_t, graph->nodes + 1);
    a->first_in = arena_array(arena, uint32_t, graph->nodes + 2);
    a->in = arena_array(arena, uint32_t, graph->edge_count);
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        a->first_out[graph->edges[e][0] + 1]++;
        a->first_in[graph->edges[e][1] + 2]++;
    }
    for (uint32_t node = 0; node < graph->nodes; node++) {
        a->first_out[node + 1] += a->first_out[node];
        a->first_in[node + 2] += a->first_in[node + 1];
    }
    for (uint32_t e = 0; e < graph->edge_count; e++)
        a->in[a->first_in[graph->edges[e][1] + 1]++] = e;
}

/* The mean of the edges that end in exits or, without exits, of those that end in loop entries. */
static void sum_up(const Aggregation *a, Lane *ret_vector) {
    size_t lanes = a->edges->lanes_per_row;
    for (int endless = 0; endless < 2; endless++) {
        uint32_t count = 0;
        memset(ret_vector, 0, lanes * sizeof(Lane));
        for (uint32_t e = 0; e < a->graph->edge_count; e++) {
            uint32_t to = a->graph->edges[e][1];
            bool is_exit = a->first_out[to] == a->first_out[to + 1];
            if (endless ? a->graph->loop_entries[to] : is_exit) {
                add_lanes(ret_vector, vectors_lanes(a->edges, e), lanes);
                count++;
            }
        }
        if (count > 0) {
            scale_lanes(ret_vector, 1 / (float)count, lanes);
            return;
        }
    }
}

void region_graph_aggregate(const RegionGraph *graph, Vectors *edges, uint32_t *ret_visited, Lane *ret_vector) {
    CLEANUP(arena_release) Arena arena = {0};
    BUG_ON(graph->edge_count == 0 || edges->rows != graph->edge_count);
    Vectors sum;
    vectors_init(&sum, 1, edges->columns);
    Aggregation a = {.graph = graph,
                     .edges = edges,
                     .visited = arena_array(&arena, uint32_t, graph->edge_count),
                     .done = arena_array(&arena, bool, graph->nodes),
                     .known = arena_array(&arena, bool, graph->nodes),
                     .sum = vectors_lanes(&sum, 0)};
    index_edges(&a, &arena);
    Vec(uint32_t) work_list = {0};
    vec_push(&work_list, 0);
    a.known[0] = true;
    for (uint32_t e = a.first_out[0]; e < a.first_out[1]; e++)
        visit(&a, e);
    while (work_list.len > 0) {
        size_t deepest = 0;
        for (size_t i = 1; i < work_list.len; i++)
            if (graph->depths[work_list.items[i]] > graph->depths[work_list.items[deepest]])
                deepest = i;
        uint32_t node = work_list.items[deepest];
        vec_remove(&work_list, deepest);
        for (uint32_t e = a.first_out[node]; e < a.first_out[node + 1]; e++) {
            uint32_t to = graph->edges[e][1];
            if (look_at(&a, e) && !a.known[to]) {
                a.known[to] = true;
                vec_push(&work_list, to);
            }
        }
    }
    sum_up(&a, ret_vector);
    if (ret_visited)
        memcpy(ret_visited, a.visited, graph->edge_count * sizeof *ret_visited);
    vec_release(&work_list);
    vectors_release(&sum);
}

/* --- Algorithm 2 --- */

typedef struct CallWalk {
    const uint32_t *const *callees;
    const uint32_t *counts;
    Vectors *functions;
    enum { NEW, OPEN, DONE } * state;
    bool *called;       /* by an edge that is not recursive */
    uint32_t *next;     /* callee to look at */
    uint32_t *added_to; /* the last caller, plus 1, that a callee was added to */
    Vec(uint32_t) path;
} CallWalk;

/* f = (f + sum of the callees' vectors) / (num + 1); called when all callees are final or open, which is recursion. */
static void finish_function(CallWalk *walk, uint32_t f) {
    size_t lanes = walk->functions->lanes_per_row;
    uint32_t num = 0;
    for (uint32_t c = 0; c < walk->counts[f]; c++) {
        uint32_t callee = walk->callees[f][c];
        if (walk->state[callee] != DONE || walk->added_to[callee] == f + 1)
            continue;
        walk->added_to[callee] = f + 1;
        walk->called[callee] = true;
        add_lanes(vectors_lanes(walk->functions, f), vectors_lanes(walk->functions, callee), lanes);
        num++;
    }
    scale_lanes(vectors_lanes(walk->functions, f), 1 / (float)(num + 1), lanes);
    walk->state[f] = DONE;
}

static void walk_calls(CallWalk *walk, uint32_t root) {
    vec_push(&walk->path, root);
    walk->state[root] = OPEN;
    while (walk->path.len > 0) {
        uint32_t f = vec_last(&walk->path);
        if (walk->next[f] == walk->counts[f]) {
            finish_function(walk, f);
            (void)vec_pop(&walk->path);
            continue;
        }
        uint32_t callee = walk->callees[f][walk->next[f]++];
        if (walk->state[callee] == NEW) {
            walk->state[callee] = OPEN;
            vec_push(&walk->path, callee);
        }
    }
}

void call_graph_aggregate(const uint32_t *const *callees, const uint32_t *callee_counts, Vectors *functions,
                          Lane *ret_vector) {
    CLEANUP(arena_release) Arena arena = {0};
    size_t n = functions->rows, lanes = functions->lanes_per_row;
    CallWalk walk = {.callees = callees,
                     .counts = callee_counts,
                     .functions = functions,
                     .state = arena_alloc(&arena, (n + 1) * sizeof *walk.state),
                     .called = arena_array(&arena, bool, n + 1),
                     .next = arena_array(&arena, uint32_t, n + 1),
                     .added_to = arena_array(&arena, uint32_t, n + 1)};
    bool *has_caller = arena_array(&arena, bool, n + 1);
    for (uint32_t f = 0; f < n; f++)
        for (uint32_t c = 0; c < callee_counts[f]; c++)
            has_caller[callees[f][c]] |= callees[f][c] != f;
    for (int with_caller = 0; with_caller < 2; with_caller++)
        for (uint32_t f = 0; f < n; f++)
            if (walk.state[f] == NEW && has_caller[f] == with_caller)
                walk_calls(&walk, f);
    uint32_t num = 0;
    memset(ret_vector, 0, lanes * sizeof(Lane));
    for (uint32_t f = 0; f < n; f++)
        if (!walk.called[f]) {
            add_lanes(ret_vector, vectors_lanes(functions, f), lanes);
            num++;
        }
    scale_lanes(ret_vector, 1 / (float)(num + 1), lanes);
    vec_release(&walk.path);
}

/* --- A batch --- */

static void represent_function(const Function *function, const Vectors *documents, Lane *ret_vector) {
    size_t lanes = documents->lanes_per_row;
    uint32_t edge_count = function->graph.edge_count;
    if (edge_count == 0) {
        memcpy(ret_vector, vectors_lanes(documents, function->documents[0]), lanes * sizeof(Lane));
        return;
    }
    Vectors edges;
    vectors_init(&edges, edge_count, documents->columns);
    for (uint32_t e = 0; e < edge_count; e++)
        memcpy(vectors_lanes(&edges, e), vectors_lanes(documents, function->documents[e]), lanes * sizeof(Lane));
    region_graph_aggregate(&function->graph, &edges, NULL, ret_vector);
    vectors_release(&edges);
}

static void represent_program(const Program *program, const Vectors *documents, Lane *ret_vector) {
    if (program->count == 0)
        return;
    CLEANUP(mem_freep) const uint32_t **callees = mem_zalloc(program->count, sizeof *callees);
    CLEANUP(mem_freep) uint32_t *counts = mem_zalloc(program->count, sizeof *counts);
    Vectors functions;
    vectors_init(&functions, program->count, documents->columns);
    for (uint32_t f = 0; f < program->count; f++) {
        callees[f] = program->functions[f].callees;
        counts[f] = program->functions[f].callee_count;
        represent_function(&program->functions[f], documents, vectors_lanes(&functions, f));
    }
    call_graph_aggregate(callees, counts, &functions, ret_vector);
    vectors_release(&functions);
}

void program_batch_represent(const ProgramBatch *batch, const Doc2VecOptions *options, Vectors *ret_programs) {
    Corpus corpus = {0};
    uint32_t words[256];
    for (size_t d = 0; d < batch->known.len; d++) {
        const MapEntry *entry = &batch->known.entries[d];
        for (size_t i = 0; i < entry->key_len; i += ARRAY_LEN(words)) {
            size_t count = MIN_OF(entry->key_len - i, ARRAY_LEN(words));
            for (size_t w = 0; w < count; w++)
                words[w] = (uint8_t)entry->key[i + w];
            corpus_add(&corpus, words, count);
            if (i > 0) { /* the same document goes on */
                (void)vec_pop(&corpus.ends);
                vec_last(&corpus.ends) = corpus.words.len;
            }
        }
        if (entry->key_len == 0)
            corpus_add(&corpus, words, 0);
    }
    Vectors documents, programs;
    doc2vec_train(&corpus, options, &documents);
    corpus_release(&corpus);
    vectors_init(&programs, batch->programs.len, options->columns);
    for (size_t p = 0; p < batch->programs.len; p++)
        represent_program(&batch->programs.items[p], &documents, vectors_lanes(&programs, p));
    vectors_release(&documents);
    *ret_programs = programs;
}
