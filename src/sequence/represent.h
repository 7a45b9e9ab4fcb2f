/* Programs as vectors, so that programs of similar code in a similar structure are near each other (CTOS, section 3.3).
 *
 *     ProgramBatch *batch = program_batch_new();
 *     program_batch_add(batch, &graph);                        for every program; the graph may go afterwards
 *     Doc2VecOptions options = represent_defaults();
 *     program_batch_represent(batch, &options, &vectors);      vectors.rows == programs added, in that order
 *
 * One model is trained on all programs of a batch: vectors of different batches cannot be compared.
 */
#ifndef SEQUENCE_REPRESENT_H
#define SEQUENCE_REPRESENT_H

#include "learn/doc2vec.h"
#include "llvm/graph.h"

typedef struct ProgramBatch ProgramBatch;

ProgramBatch *program_batch_new(void);
void program_batch_free(ProgramBatch *batch);
DEFINE_FREEP(ProgramBatch, program_batch_free)

void program_batch_add(ProgramBatch *batch, const IrGraph *graph);
size_t program_batch_sequences(const ProgramBatch *batch); /* different ones of edges, each trained once */
size_t program_batch_edges(const ProgramBatch *batch);     /* in all */

Doc2VecOptions represent_defaults(void); /* doc2vec_defaults() with CTOS' window for programs, 5 */
void program_batch_represent(const ProgramBatch *batch, const Doc2VecOptions *options, Vectors *ret_programs);

/* --- The two algorithms by themselves --- */

/* What Algorithm 1 needs of a function: the blocks that can be reached, and edges without repetition. */
typedef struct RegionGraph {
    uint32_t nodes;     /* node 0 is the entry */
    uint32_t *depths;   /* per node: of its region */
    bool *loop_entries; /* per node */
    uint32_t *blocks;   /* per node: the block of the function */
    uint32_t (*edges)[2];
    uint32_t edge_count;
} RegionGraph;

void region_graph_build(const IrFunction *function, Arena *arena, RegionGraph *ret_graph); /* lives in the arena */

/* Algorithm 1: changes `edges`, a row per edge, and gives the function's vector. The graph must have edges. When each edge
 * was first marked as visited, from 1, goes to ret_visited, which may be NULL; 0 is never. */
void region_graph_aggregate(const RegionGraph *graph, Vectors *edges, uint32_t *ret_visited, Lane *ret_vector);

/* Algorithm 2: changes `functions`, a row per function. callees[f] are indices, callee_counts[f] of them, repetitions and
 * recursion included. */
void call_graph_aggregate(const uint32_t *const *callees, const uint32_t *callee_counts, Vectors *functions,
                          Lane *ret_vector);

#endif
