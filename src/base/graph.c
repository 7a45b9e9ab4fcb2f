/* Dominators: Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm" (2001). Sets of dominators are paths of the
 * tree that is being built, and two of them are intersected by climbing from both ends until they meet. */
#include "base/graph.h"

#include <string.h>

#include "base/vec.h"

/* Room for the lists, with first[node + 2] for how many neighbours a node has: summed up, first[node + 1] is where its next
 * neighbour goes, and where its list ends once all are there. */
static Graph graph_new(uint32_t nodes, size_t edges, Arena *arena) {
    return (Graph){nodes, arena_array(arena, uint32_t, (size_t)nodes + 2), arena_array(arena, uint32_t, edges)};
}

static void sum_up(Graph *graph) {
    for (uint32_t node = 0; node < graph->nodes; node++)
        graph->first[node + 2] += graph->first[node + 1];
}

Graph graph_from_edges(const GraphEdge *edges, size_t count, uint32_t nodes, Arena *arena) {
    Graph graph = graph_new(nodes, count, arena);
    for (size_t i = 0; i < count; i++)
        graph.first[edges[i].from + 2]++;
    sum_up(&graph);
    for (size_t i = 0; i < count; i++)
        graph.neighbour[graph.first[edges[i].from + 1]++] = edges[i].to;
    return graph;
}

Graph graph_reversed(const Graph *graph, Arena *arena) {
    uint32_t edges = graph->first[graph->nodes];
    Graph reversed = graph_new(graph->nodes, edges, arena);
    for (uint32_t i = 0; i < edges; i++)
        reversed.first[graph->neighbour[i] + 2]++;
    sum_up(&reversed);
    for (uint32_t node = 0; node < graph->nodes; node++)
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++)
            reversed.neighbour[reversed.first[graph->neighbour[i] + 1]++] = node;
    return reversed;
}

GraphWalk graph_walk_new(uint32_t nodes, Arena *arena) {
    GraphWalk walk = {.preorder = arena_array(arena, uint32_t, nodes),
                      .postorder = arena_array(arena, uint32_t, nodes),
                      .number = arena_array(arena, uint32_t, nodes)};
    memset(walk.number, 0xff, nodes * sizeof *walk.number);
    return walk;
}

void graph_walk(const Graph *graph, uint32_t root, GraphWalk *walk) {
    typedef struct Frame {
        uint32_t node, next;
    } Frame;
    Vec(Frame) path = {0};
    uint32_t left = walk->reached, node = root;
    if (walk->number[root] != GRAPH_NONE)
        return;
    for (;;) {
        if (walk->number[node] == GRAPH_NONE) {
            walk->number[node] = 0; /* until it is left */
            walk->preorder[walk->reached++] = node;
            vec_push(&path, (Frame){node, graph->first[node]});
        }
        while (path.len > 0 && vec_last(&path).next == graph->first[vec_last(&path).node + 1]) {
            uint32_t done = vec_pop(&path).node;
            walk->number[done] = left;
            walk->postorder[left++] = done;
        }
        if (path.len == 0)
            break;
        node = graph->neighbour[vec_last(&path).next++];
    }
    vec_release(&path);
}

uint32_t *graph_dominators(const Graph *predecessors, const GraphWalk *walk, Arena *arena) {
    uint32_t *idom = arena_array(arena, uint32_t, predecessors->nodes), root = walk->preorder[0];
    memset(idom, 0xff, predecessors->nodes * sizeof *idom);
    idom[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = walk->reached - 1; i-- > 0;) { /* reverse postorder, without the root */
            uint32_t node = walk->postorder[i], best = GRAPH_NONE;
            for (uint32_t p = predecessors->first[node]; p < predecessors->first[node + 1]; p++) {
                uint32_t other = predecessors->neighbour[p];
                if (idom[other] == GRAPH_NONE)
                    continue; /* not reached, or not yet */
                while (best != GRAPH_NONE && other != best)
                    if (walk->number[other] < walk->number[best])
                        other = idom[other];
                    else
                        best = idom[best];
                best = other;
            }
            changed |= idom[node] != best;
            idom[node] = best;
        }
    }
    idom[root] = GRAPH_NONE;
    return idom;
}
