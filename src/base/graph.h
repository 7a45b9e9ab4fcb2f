/* Directed graphs as lists of neighbours, walks over them, and dominators.
 *
 * Nodes are 0 to nodes - 1. Everything lives in the caller's arena.
 *
 *     Graph successors = graph_from_edges(edges, count, nodes, arena);
 *     Graph predecessors = graph_reversed(&successors, arena);
 *     GraphWalk walk = graph_walk_new(nodes, arena);
 *     graph_walk(&successors, root, &walk);
 *     uint32_t *idom = graph_dominators(&predecessors, &walk, arena);
 */
#ifndef BASE_GRAPH_H
#define BASE_GRAPH_H

#include "base/arena.h"

#define GRAPH_NONE UINT32_MAX

typedef struct GraphEdge {
    uint32_t from, to;
} GraphEdge;

typedef struct Graph {
    uint32_t nodes;
    uint32_t *first;     /* nodes + 1: where the neighbours of a node begin */
    uint32_t *neighbour; /* in the order of the edges, the same one twice if there are two edges */
} Graph;

Graph graph_from_edges(const GraphEdge *edges, size_t count, uint32_t nodes, Arena *arena);
Graph graph_reversed(const Graph *graph, Arena *arena); /* neighbours in ascending order */

/* The nodes that depth-first walks have reached so far. */
typedef struct GraphWalk {
    uint32_t reached;
    uint32_t *preorder, *postorder;
    uint32_t *number; /* of a node in postorder; GRAPH_NONE: not reached */
} GraphWalk;

GraphWalk graph_walk_new(uint32_t nodes, Arena *arena);
/* Adds what `root` reaches and earlier walks have not, the first neighbour first. */
void graph_walk(const Graph *graph, uint32_t root, GraphWalk *walk);

/* The immediate dominator of each node that one walk over the graph has reached, the last node before it on every way from
 * the walk's root; GRAPH_NONE for the root and for nodes not reached. `predecessors` is the graph reversed. */
uint32_t *graph_dominators(const Graph *predecessors, const GraphWalk *walk, Arena *arena);

#endif
