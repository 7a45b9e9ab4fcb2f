/* The program structure tree of Johnson, Pearson and Pingali (1994), with the refined regions of Vanhatalo, Voelzer and
 * Koehler (2008), as LLVM defines them. Written from the definitions; a test compares the outcome with what opt prints.
 *
 * With dom for "dominates", pdom for "post-dominates" and DF for the dominance frontier, (entry, exit) is a region if
 * exit pdom entry and
 *
 *     entry dom exit:      no edge leaves but to the exit: every s of DF(entry) but entry and exit is in DF(exit) too, and
 *                          its predecessors below entry are below exit; and no edge comes in from behind the exit: no s of
 *                          DF(exit) but exit is properly dominated by entry
 *     not entry dom exit:  the exit is the head of a loop around the region: DF(entry) is within {entry, exit}
 *
 * Regions (a, b) and (b, c) make a third, (a, c), which says nothing new. Only canonical regions, not made of others in
 * this way, are kept: entries are taken bottom-up in the dominator tree, exits up the post-dominator tree, and the walk
 * jumps over the largest region that begins at a block. An edge of its own, one successor that is the exit, is no region.
 *
 * Post-dominators need every block to reach an end. Blocks in endless loops do not; there LLVM chooses blocks that count as
 * ends, and so do we in the same way: from each such block, the last one that a depth-first walk sees.
 *
 * Frontiers as Cooper, Harvey and Kennedy (2001) find them.
 */
#include "sequence/regions.h"

#include "base/graph.h"
#include "base/vec.h"

typedef Vec(uint32_t) Numbers;

typedef struct DomTree {
    uint32_t *idom;      /* REGION_NONE: the root, or not reached */
    uint32_t *enter;     /* of a walk over the tree: a dom b when enter[a] <= enter[b] < leave[a]; 0: not reached */
    uint32_t *leave;     /* see enter */
    uint32_t reached;    /* how many nodes */
    uint32_t *postorder; /* of the tree, children in that order */
} DomTree;

typedef struct Finder {
    const IrFunction *function;
    Arena *arena;
    uint32_t n;
    Graph successors, predecessors;
    DomTree dom, postdom; /* node n of the latter is the virtual end */
    Numbers *frontier;    /* per block */
    uint32_t *shortcut;   /* per block: the exit of the largest region chain that begins there */
    uint32_t *smallest;   /* per block: the smallest region that it enters, a number of `found` */
    Vec(Region) found;    /* parent: the next larger region with the same entry */
} Finder;

/* --- Graphs --- */

static Graph successors_of(const IrFunction *function, Arena *arena) {
    Vec(GraphEdge) edges = {0};
    for (uint32_t b = 0; b < function->block_count; b++)
        for (uint32_t s = 0; s < function->blocks[b].successor_count; s++)
            vec_push(&edges, (GraphEdge){b, function->blocks[b].successors[s]});
    Graph graph = graph_from_edges(edges.items, edges.len, function->block_count, arena);
    vec_release(&edges);
    return graph;
}

/* Appends the nodes that a depth-first walk from `start` sees first, the first neighbour first, or the one that stands last in
 * the function (`by_number`). Nodes seen before are left out. */
static void walk(const Graph *graph, uint32_t start, bool by_number, bool *seen, Numbers *ret_order) {
    Numbers stack = {0};
    vec_push(&stack, start);
    while (stack.len > 0) {
        uint32_t node = vec_pop(&stack);
        if (seen[node])
            continue;
        seen[node] = true;
        vec_push(ret_order, node);
        size_t bottom = stack.len;
        for (uint32_t e = graph->first[node + 1]; e-- > graph->first[node];)
            vec_push(&stack, graph->neighbour[e]);
        for (size_t i = bottom + 1; by_number && i < stack.len; i++)
            for (size_t j = i; j > bottom && stack.items[j - 1] > stack.items[j]; j--) {
                uint32_t larger = stack.items[j - 1];
                stack.items[j - 1] = stack.items[j];
                stack.items[j] = larger;
            }
    }
    vec_release(&stack);
}

/* --- Dominators --- */

/* Numbers the tree by a walk in which children come in the order of the depth-first walk over the graph. */
static void number_tree(DomTree *tree, const GraphWalk *depth_first, uint32_t n, Arena *arena) {
    uint32_t root = depth_first->preorder[0];
    uint32_t *child = arena_array(arena, uint32_t, n), *sibling = arena_array(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        child[i] = sibling[i] = REGION_NONE;
    for (uint32_t i = depth_first->reached; i-- > 1;) {
        uint32_t node = depth_first->preorder[i];
        sibling[node] = child[tree->idom[node]];
        child[tree->idom[node]] = node;
    }
    uint32_t clock = 1, count = 0, node = root;
    tree->enter[root] = clock++;
    for (;;) {
        if (child[node] != REGION_NONE) {
            uint32_t next = child[node];
            child[node] = sibling[next];
            tree->enter[next] = clock++;
            node = next;
            continue;
        }
        tree->leave[node] = clock;
        tree->postorder[count++] = node;
        if (node == root)
            return;
        node = tree->idom[node];
    }
}

static DomTree dominators(const Graph *graph, uint32_t root, Arena *arena) {
    uint32_t n = graph->nodes;
    Graph backward = graph_reversed(graph, arena);
    GraphWalk depth_first = graph_walk_new(n, arena);
    graph_walk(graph, root, &depth_first);
    DomTree tree = {.idom = graph_dominators(&backward, &depth_first, arena),
                    .enter = arena_array(arena, uint32_t, n),
                    .leave = arena_array(arena, uint32_t, n),
                    .reached = depth_first.reached,
                    .postorder = arena_array(arena, uint32_t, n)};
    number_tree(&tree, &depth_first, n, arena);
    return tree;
}

/* What is not reached is dominated by everything, and dominates nothing. */
static bool dominates(const DomTree *tree, uint32_t a, uint32_t b) {
    if (!tree->enter[b] || a == b)
        return true;
    return tree->enter[a] && tree->enter[a] <= tree->enter[b] && tree->enter[b] < tree->leave[a];
}

/* --- Post-dominators --- */

static bool contains(const Numbers *numbers, uint32_t number) {
    for (size_t i = 0; i < numbers->len; i++)
        if (numbers->items[i] == number)
            return true;
    return false;
}

/* A block chosen as an end is superfluous if it leads to another end. */
static void remove_superfluous(const Finder *finder, Numbers *ends) {
    for (size_t i = 0; i < ends->len;) {
        uint32_t end = ends->items[i];
        bool superfluous = false;
        if (finder->function->blocks[end].successor_count > 0) {
            CLEANUP(mem_freep) bool *seen = mem_zalloc(finder->n, sizeof *seen);
            Numbers order = {0};
            walk(&finder->successors, end, false, seen, &order);
            for (size_t x = 1; x < order.len && !superfluous; x++)
                superfluous = contains(ends, order.items[x]);
            vec_release(&order);
        }
        if (superfluous)
            ends->items[i] = ends->items[--ends->len];
        else
            i++;
    }
}

static void find_ends(const Finder *finder, Numbers *ret_ends) {
    CLEANUP(mem_freep) bool *seen = mem_zalloc(finder->n, sizeof *seen);
    Numbers order = {0};
    for (uint32_t b = 0; b < finder->n; b++)
        if (finder->function->blocks[b].successor_count == 0) {
            vec_push(ret_ends, b);
            walk(&finder->predecessors, b, false, seen, &order);
        }
    bool chosen = false;
    for (uint32_t b = 0; b < finder->n; b++) {
        if (seen[b])
            continue;
        size_t before = order.len;
        walk(&finder->successors, b, true, seen, &order);
        uint32_t furthest = vec_last(&order);
        for (; order.len > before; order.len--)
            seen[vec_last(&order)] = false;
        vec_push(ret_ends, furthest);
        walk(&finder->predecessors, furthest, false, seen, &order);
        chosen = true;
    }
    vec_release(&order);
    if (chosen)
        remove_superfluous(finder, ret_ends);
}

/* Dominators of the reversed graph, from a virtual node n with an edge to every end. */
static DomTree post_dominators(const Finder *finder, Arena *arena) {
    Numbers ends = {0};
    find_ends(finder, &ends);
    uint32_t n = finder->n, edges = finder->predecessors.first[n];
    Graph graph = {n + 1, arena_array(arena, uint32_t, n + 2), arena_array(arena, uint32_t, edges + ends.len + 1)};
    memcpy(graph.first, finder->predecessors.first, (n + 1) * sizeof *graph.first);
    memcpy(graph.neighbour, finder->predecessors.neighbour, edges * sizeof *graph.neighbour);
    graph.first[n + 1] = edges + (uint32_t)ends.len;
    memcpy(graph.neighbour + edges, ends.items, ends.len * sizeof *graph.neighbour);
    vec_release(&ends);
    return dominators(&graph, n, arena);
}

/* --- Regions --- */

/* DF(x): where x dominates a predecessor but does not properly dominate the block. */
static void find_frontiers(Finder *finder) {
    for (uint32_t b = 0; b < finder->n; b++)
        for (uint32_t e = finder->predecessors.first[b]; finder->dom.enter[b] && e < finder->predecessors.first[b + 1];
             e++) {
            uint32_t from = finder->predecessors.neighbour[e];
            if (!finder->dom.enter[from])
                continue;
            for (; from != REGION_NONE && from != finder->dom.idom[b]; from = finder->dom.idom[from]) {
                Numbers *frontier = &finder->frontier[from];
                if (frontier->len == 0 || vec_last(frontier) != b)
                    vec_push(frontier, b);
            }
        }
}

/* Do the predecessors of `block` that lie below entry lie below exit too? */
static bool is_common_frontier(const Finder *finder, uint32_t block, uint32_t entry, uint32_t exit) {
    for (uint32_t e = finder->predecessors.first[block]; e < finder->predecessors.first[block + 1]; e++) {
        uint32_t from = finder->predecessors.neighbour[e];
        if (dominates(&finder->dom, entry, from) && !dominates(&finder->dom, exit, from))
            return false;
    }
    return true;
}

static bool is_region(const Finder *finder, uint32_t entry, uint32_t exit) {
    const Numbers *of_entry = &finder->frontier[entry], *of_exit = &finder->frontier[exit];
    bool below = dominates(&finder->dom, entry, exit);
    for (size_t i = 0; i < of_entry->len; i++) {
        uint32_t s = of_entry->items[i];
        if (s != exit && s != entry && (!below || !contains(of_exit, s) || !is_common_frontier(finder, s, entry, exit)))
            return false;
    }
    for (size_t i = 0; below && i < of_exit->len; i++) {
        uint32_t s = of_exit->items[i];
        if (s != exit && s != entry && dominates(&finder->dom, entry, s))
            return false;
    }
    return true;
}

static void find_regions_from(Finder *finder, uint32_t entry) {
    const IrBlock *block = &finder->function->blocks[entry];
    uint32_t last_region = REGION_NONE, last_exit = entry, exit = entry;
    for (;;) {
        exit = finder->postdom.idom[finder->shortcut[exit] != REGION_NONE ? finder->shortcut[exit] : exit];
        if (exit == finder->n || exit == REGION_NONE)
            break;
        if (is_region(finder, entry, exit)) {
            last_exit = exit;
            if (block->successor_count != 1 || block->successors[0] != exit) {
                uint32_t number = (uint32_t)finder->found.len;
                vec_push(&finder->found, (Region){.entry = entry, .exit = exit, .parent = REGION_NONE});
                if (last_region != REGION_NONE)
                    finder->found.items[last_region].parent = number;
                else
                    finder->smallest[entry] = number;
                last_region = number;
            }
        }
        if (!dominates(&finder->dom, entry, exit))
            break;
    }
    if (last_exit != entry)
        finder->shortcut[entry] = finder->shortcut[last_exit] != REGION_NONE ? finder->shortcut[last_exit] : last_exit;
}

/* Adds the regions that `block` enters below `parent`, the largest first; returns the smallest. */
static uint32_t add_regions(const Finder *finder, uint32_t block, uint32_t parent, RegionTree *tree) {
    uint32_t chain = 0;
    for (uint32_t r = finder->smallest[block]; r != REGION_NONE; r = finder->found.items[r].parent)
        chain++;
    uint32_t smallest = tree->count + chain - 1, at = smallest;
    for (uint32_t r = finder->smallest[block]; r != REGION_NONE; r = finder->found.items[r].parent, at--) {
        tree->regions[at] = finder->found.items[r];
        tree->regions[at].parent = at == tree->count ? parent : at - 1;
        tree->regions[at].depth = tree->regions[parent].depth + 1 + (at - tree->count);
    }
    tree->count += chain;
    return smallest;
}

/* Nests regions by a walk down the dominator tree: a block belongs to its dominator's region, unless it is that region's
 * exit or the entry of another. */
static void nest_regions(const Finder *finder, RegionTree *tree) {
    CLEANUP(mem_freep) uint32_t *preorder = mem_zalloc(2 * (size_t)finder->n + 2, sizeof *preorder);
    for (uint32_t b = 0; b < finder->n; b++) /* enter[] runs from 1 to the number of blocks reached */
        if (finder->dom.enter[b])
            preorder[finder->dom.enter[b]] = b + 1;
    tree->regions[0] = (Region){.entry = 0, .exit = REGION_NONE, .parent = REGION_NONE};
    tree->count = 1;
    for (uint32_t i = 1; i <= finder->dom.reached; i++) {
        uint32_t block = preorder[i] - 1;
        uint32_t region = block == 0 ? 0 : tree->of[finder->dom.idom[block]];
        while (tree->regions[region].exit == block)
            region = tree->regions[region].parent;
        if (finder->smallest[block] != REGION_NONE)
            region = add_regions(finder, block, region, tree);
        tree->of[block] = region;
    }
}

/* Targets of edges to a block that the depth-first walk has entered and not left: heads of loops, and for loops with
 * several entries the one that the walk came through. */
static void find_loop_entries(const Graph *graph, bool *ret_entries) {
    enum { NEW, OPEN, DONE };
    CLEANUP(mem_freep) uint8_t *state = mem_zalloc(graph->nodes, 1);
    CLEANUP(mem_freep) uint32_t *next = mem_zalloc(graph->nodes, sizeof *next);
    Numbers path = {0};
    vec_push(&path, 0);
    state[0] = OPEN;
    while (path.len > 0) {
        uint32_t node = vec_last(&path);
        if (graph->first[node] + next[node] == graph->first[node + 1]) {
            state[node] = DONE;
            (void)vec_pop(&path);
            continue;
        }
        uint32_t to = graph->neighbour[graph->first[node] + next[node]++];
        ret_entries[to] |= state[to] == OPEN;
        if (state[to] == NEW) {
            state[to] = OPEN;
            vec_push(&path, to);
        }
    }
    vec_release(&path);
}

void region_tree_build(const IrFunction *function, Arena *arena, RegionTree *ret_tree) {
    CLEANUP(arena_release) Arena temporary = {0};
    uint32_t n = function->block_count;
    BUG_ON(n == 0);
    Finder finder = {.function = function, .arena = &temporary, .n = n};
    finder.successors = successors_of(function, &temporary);
    finder.predecessors = graph_reversed(&finder.successors, &temporary);
    finder.dom = dominators(&finder.successors, 0, &temporary);
    finder.postdom = post_dominators(&finder, &temporary);
    finder.frontier = arena_array(&temporary, Numbers, n);
    finder.shortcut = arena_array(&temporary, uint32_t, n);
    finder.smallest = arena_array(&temporary, uint32_t, n);
    RegionTree tree = {.of = arena_array(arena, uint32_t, n), .loop_entries = arena_array(arena, bool, n)};
    for (uint32_t b = 0; b < n; b++)
        finder.shortcut[b] = finder.smallest[b] = tree.of[b] = REGION_NONE;
    find_frontiers(&finder);
    for (uint32_t i = 0; i < finder.dom.reached; i++)
        find_regions_from(&finder, finder.dom.postorder[i]);
    tree.regions = arena_array(arena, Region, finder.found.len + 1);
    tree.idom = arena_dup(arena, finder.dom.idom, n * sizeof *tree.idom);
    nest_regions(&finder, &tree);
    find_loop_entries(&finder.successors, tree.loop_entries);
    for (uint32_t b = 0; b < n; b++)
        vec_release(&finder.frontier[b]);
    vec_release(&finder.found);
    *ret_tree = tree;
}
