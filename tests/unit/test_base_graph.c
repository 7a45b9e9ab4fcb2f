/* Graphs: lists of neighbours, walks and dominators against naive models. */
#include "unit.h"

#include "base/graph.h"
#include "base/rng.h"

enum { NODES_MAX = 14 };

/* The model: how many edges lead from one node to another. */
typedef struct Model {
    uint32_t nodes;
    uint32_t edges[NODES_MAX][NODES_MAX];
} Model;

static Graph random_graph(Rng *rng, Model *model, Arena *arena) {
    GraphEdge edges[3 * NODES_MAX];
    size_t count = rng_below(rng, ARRAY_LEN(edges) + 1);
    *model = (Model){.nodes = 1 + (uint32_t)rng_below(rng, NODES_MAX)};
    for (size_t i = 0; i < count; i++) {
        edges[i] = (GraphEdge){(uint32_t)rng_below(rng, model->nodes), (uint32_t)rng_below(rng, model->nodes)};
        model->edges[edges[i].from][edges[i].to]++;
    }
    return graph_from_edges(edges, count, model->nodes, arena);
}

/* Marks what `node` reaches without a way through `removed`. */
static void reach(const Model *model, uint32_t node, uint32_t removed, bool *seen) {
    if (node == removed || seen[node])
        return;
    seen[node] = true;
    for (uint32_t to = 0; to < model->nodes; to++)
        if (model->edges[node][to])
            reach(model, to, removed, seen);
}

static void lists_have_the_edges(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    Rng rng = rng_from_seed(1);
    for (int round = 0; round < 2000; round++) {
        Model model, listed = {0}, reversed = {0};
        Graph graph = random_graph(&rng, &model, &arena), back = graph_reversed(&graph, &arena);
        listed.nodes = reversed.nodes = model.nodes;
        for (uint32_t node = 0; node < model.nodes; node++) {
            for (uint32_t i = graph.first[node]; i < graph.first[node + 1]; i++)
                listed.edges[node][graph.neighbour[i]]++;
            for (uint32_t i = back.first[node]; i < back.first[node + 1]; i++)
                reversed.edges[back.neighbour[i]][node]++;
        }
        assert_memory_equal(&listed, &model, sizeof model);
        assert_memory_equal(&reversed, &model, sizeof model);
        arena_clear(&arena);
    }
}

/* A second walk takes what the first left over. In postorder an edge leads to a smaller number, unless it closes a cycle. */
static void walks_reach_what_can_be_reached(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    Rng rng = rng_from_seed(2);
    for (int round = 0; round < 2000; round++) {
        Model model;
        bool seen[NODES_MAX] = {0};
        Graph graph = random_graph(&rng, &model, &arena);
        GraphWalk walk = graph_walk_new(model.nodes, &arena);
        for (uint32_t root = 0; root < MIN_OF(model.nodes, 2u); root++) {
            graph_walk(&graph, root, &walk);
            reach(&model, root, GRAPH_NONE, seen);
            for (uint32_t node = 0; node < model.nodes; node++)
                assert_int_equal(walk.number[node] != GRAPH_NONE, seen[node]);
        }
        for (uint32_t i = 0; i < walk.reached; i++) {
            assert_int_equal(walk.number[walk.postorder[i]], i);
            assert_true(seen[walk.preorder[i]]);
            for (uint32_t to = 0; to < model.nodes; to++) {
                bool back[NODES_MAX] = {0};
                reach(&model, to, GRAPH_NONE, back);
                if (model.edges[walk.postorder[i]][to] && !back[walk.postorder[i]])
                    assert_true(walk.number[to] < i);
            }
        }
        arena_clear(&arena);
    }
}

/* dominates[d][v]: every way from the root to v leads through d, since v is out of reach without it. */
static void find_dominators(const Model *model, uint32_t root, bool dominates[NODES_MAX][NODES_MAX]) {
    bool reached[NODES_MAX] = {0};
    reach(model, root, GRAPH_NONE, reached);
    for (uint32_t d = 0; d < model->nodes; d++) {
        bool without[NODES_MAX] = {0};
        reach(model, root, d, without);
        for (uint32_t v = 0; v < model->nodes; v++)
            dominates[d][v] = reached[v] && !without[v];
    }
}

/* The strict dominator of `node` that all others dominate. */
static uint32_t immediate_dominator(uint32_t nodes, bool dominates[NODES_MAX][NODES_MAX], uint32_t node) {
    for (uint32_t d = 0; d < nodes; d++) {
        bool nearest = d != node && dominates[d][node];
        for (uint32_t other = 0; other < nodes && nearest; other++)
            nearest = other == node || !dominates[other][node] || dominates[other][d];
        if (nearest)
            return d;
    }
    return GRAPH_NONE;
}

static void dominators_are_what_cannot_be_removed(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    Rng rng = rng_from_seed(3);
    for (int round = 0; round < 5000; round++) {
        Model model;
        bool dominates[NODES_MAX][NODES_MAX];
        Graph graph = random_graph(&rng, &model, &arena), back = graph_reversed(&graph, &arena);
        uint32_t root = (uint32_t)rng_below(&rng, model.nodes);
        GraphWalk walk = graph_walk_new(model.nodes, &arena);
        graph_walk(&graph, root, &walk);
        const uint32_t *idom = graph_dominators(&back, &walk, &arena);
        find_dominators(&model, root, dominates);
        for (uint32_t node = 0; node < model.nodes; node++)
            assert_int_equal(idom[node], immediate_dominator(model.nodes, dominates, node));
        arena_clear(&arena);
    }
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_the_edges),
        cmocka_unit_test(walks_reach_what_can_be_reached),
        cmocka_unit_test(dominators_are_what_cannot_be_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
