/* Programs as vectors: each rule of the two algorithms by hand, and properties on graphs of any shape. */
#include <math.h>

#include "base/rng.h"
#include "sequence/features.h"
#include "sequence/represent.h"
#include "sequence_helpers.h"

/* Edge or function i has the vector of which column i is 1, so that results are the weights. */
static void unit_vectors(Vectors *vectors, size_t count) {
    vectors_init(vectors, count, count);
    for (size_t i = 0; i < count; i++)
        vectors_row(vectors, i)[i] = 1;
}

static void assert_weights(const float *vector, const double *expected, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (fabs((double)vector[i] - expected[i]) > 1e-6)
            fail_msg("weight %zu is %g, not %g", i, (double)vector[i], expected[i]);
}

static void aggregate(uint32_t blocks, const uint32_t (*edges)[2], size_t count, Vectors *ret_result) {
    CLEANUP(arena_release) Arena arena = {0};
    IrFunction function = make_function(&arena, blocks, edges, count);
    RegionGraph graph;
    Vectors vectors;
    region_graph_build(&function, &arena, &graph);
    assert_int_equal(graph.edge_count, count);
    unit_vectors(&vectors, count);
    vectors_init(ret_result, 1, count);
    region_graph_aggregate(&graph, &vectors, NULL, vectors_lanes(ret_result, 0));
    vectors_release(&vectors);
}

#define CHECK_FUNCTION(blocks, edges, ...)                                                  \
    do {                                                                                    \
        Vectors result;                                                                     \
        aggregate(blocks, edges, ARRAY_LEN(edges), &result);                                \
        assert_weights(vectors_row(&result, 0), (double[]){__VA_ARGS__}, ARRAY_LEN(edges)); \
        vectors_release(&result);                                                           \
    } while (0)

static void test_each_rule_of_algorithm_1(void **state) {
    (void)state;
    static const uint32_t line[][2] = {{0, 1}, {1, 2}};
    CHECK_FUNCTION(3, line, 1 / 2.0, 1 / 2.0);
    /* A branch: both sides (entry + own) / 2, and the join's edge (own + both) / 3, once. */
    static const uint32_t diamond[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};
    CHECK_FUNCTION(5, diamond, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 3.0);
    /* A loop 1 -> 2 -> 1: the edge out, 1 -> 3, first takes 0 -> 1, then what comes back, which is (back + (0 + body) / 2) / 2. */
    static const uint32_t loop[][2] = {{0, 1}, {1, 2}, {1, 3}, {2, 1}};
    CHECK_FUNCTION(4, loop, 1 / 4.0 + 1 / 8.0, 1 / 8.0, 1 / 4.0, 1 / 4.0);
    /* Two exits: the mean of the edges there. */
    static const uint32_t exits[][2] = {{0, 1}, {0, 2}};
    CHECK_FUNCTION(3, exits, 1 / 2.0, 1 / 2.0);
    /* No exit: the edge that comes back and the one that comes in both end in the loop's entry. */
    static const uint32_t endless[][2] = {{0, 1}, {1, 1}};
    CHECK_FUNCTION(2, endless, 3 / 4.0, 1 / 4.0);
}

/* The shape of the paper's Figure 4: an outer loop at 1, an inner one at 3, a branch at 4. */
static void test_figure_4(void **state) {
    (void)state;
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}, {1, 9}, {2, 3}, {3, 4}, {3, 8},
                                        {4, 5}, {4, 6}, {5, 6}, {6, 7}, {7, 3}, {8, 1}};
    Vectors result;
    aggregate(10, edges, ARRAY_LEN(edges), &result);
    const float *weight = vectors_row(&result, 0);
    /* The exit's edge: half of itself and the entry, then averaged with the back edge of the outer loop, 8 -> 1. */
    assert_true(fabs((double)weight[2] - 1 / 4.0) < 1e-6);
    assert_true(fabs((double)weight[11] - 1 / 4.0) < 1e-6);
    double sum = 0;
    for (size_t i = 0; i < ARRAY_LEN(edges); i++)
        sum += (double)weight[i];
    assert_true(fabs(sum - 1) < 1e-6); /* every step is an average */
    vectors_release(&result);
}

static void test_algorithm_2(void **state) {
    (void)state;
    /* Figure 5: main calls 2 and 3; 1 calls 4 and 6, 4 calls 1 back; 2 calls 5 and 6; 3 calls 7, 7 itself. */
    enum { MAIN, F1, F2, F3, F4, F5, F6, F7, COUNT };
    static const uint32_t of_main[] = {F2, F3, F2}, of_1[] = {F4, F6}, of_2[] = {F5, F6}, of_3[] = {F7}, of_4[] = {F1},
                          of_7[] = {F7};
    const uint32_t *callees[COUNT] = {of_main, of_1, of_2, of_3, of_4, NULL, NULL, of_7};
    const uint32_t counts[COUNT] = {3, 2, 2, 1, 1, 0, 0, 1};
    Vectors functions, result;
    unit_vectors(&functions, COUNT);
    vectors_init(&result, 1, COUNT);
    call_graph_aggregate(callees, counts, &functions, vectors_lanes(&result, 0));
    assert_weights(vectors_row(&result, 0),
                   (double[]){1 / 9.0, 1 / 9.0, 1 / 27.0, 1 / 18.0, 1 / 9.0, 1 / 27.0, 1 / 9.0 + 1 / 27.0, 1 / 18.0},
                   COUNT);
    vectors_release(&functions);
    vectors_release(&result);
}

static void test_edges_wait_for_those_before_them(void **state) {
    (void)state;
    Rng rng = rng_from_seed(9);
    for (int round = 0; round < 500; round++) {
        CLEANUP(arena_release) Arena arena = {0};
        uint32_t n = 2 + (uint32_t)rng_below(&rng, 20), edges[64][2], visited[64];
        size_t count = n + rng_below(&rng, n);
        for (size_t e = 0; e < count; e++) {
            edges[e][0] = e < n - 1 ? (uint32_t)e : (uint32_t)rng_below(&rng, n - 1);
            edges[e][1] = 1 + (uint32_t)rng_below(&rng, n - 1);
        }
        IrFunction function = make_function(&arena, n, (const uint32_t(*)[2])edges, count);
        RegionGraph graph;
        Vectors vectors, result;
        region_graph_build(&function, &arena, &graph);
        unit_vectors(&vectors, graph.edge_count);
        vectors_init(&result, 1, graph.edge_count);
        region_graph_aggregate(&graph, &vectors, visited, vectors_lanes(&result, 0));
        for (uint32_t e = 0; e < graph.edge_count; e++) {
            assert_true(visited[e] > 0); /* irreducible loops included */
            for (uint32_t before = 0; before < graph.edge_count; before++)
                if (graph.edges[before][1] == graph.edges[e][0] && !graph.loop_entries[graph.edges[e][0]])
                    assert_true(visited[before] < visited[e]);
        }
        vectors_release(&vectors);
        vectors_release(&result);
    }
}

static void test_equal_programs_have_equal_vectors(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    static const uint32_t line[][2] = {{0, 1}, {1, 2}}, loop[][2] = {{0, 1}, {1, 2}, {1, 3}, {2, 1}};
    IrFunction functions[] = {make_function(&arena, 3, line, 2),
                              make_function(&arena, 4, loop, 4),
                              make_function(&arena, 1, NULL, 0),
                              {.name = "declared"}};
    CLEANUP(program_batch_freep) ProgramBatch *batch = program_batch_new();
    for (int i = 0; i < 4; i++) {
        IrGraph graph = {.functions = &functions[i % 2], .function_count = i % 2 ? 3 : 1};
        program_batch_add(batch, &graph);
    }
    program_batch_add(batch, &(IrGraph){0});
    assert_int_equal(program_batch_edges(batch), 12);
    assert_int_equal(program_batch_sequences(batch), 3); /* load br load br, load br ret, ret */
    Doc2VecOptions options = represent_defaults();
    options.min_count = 1;
    Vectors first, second;
    program_batch_represent(batch, &options, &first);
    program_batch_represent(batch, &options, &second);
    assert_int_equal(first.rows, 5);
    assert_memory_equal(first.lanes, second.lanes, first.rows * first.lanes_per_row * sizeof(Lane));
    assert_true(vectors_distance_squared(&first, 0, 2) == 0);
    assert_true(vectors_distance_squared(&first, 1, 3) == 0);
    assert_true(vectors_distance_squared(&first, 0, 1) > 0);
    assert_true(vectors_row(&first, 4)[0] == 0);
    vectors_release(&first);
    vectors_release(&second);
}

static void test_static_features(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    static const uint32_t loop[][2] = {{0, 1}, {1, 2}, {1, 3}, {2, 1}};
    static const uint32_t calls[] = {0, 1, IR_CALL_UNKNOWN};
    IrFunction functions[] = {make_function(&arena, 4, loop, 4), {.name = "declared"}};
    functions[0].calls = calls;
    functions[0].call_count = 3;
    IrGraph graph = {.functions = functions, .function_count = 2};
    float counts[FEATURE_COUNT];
    features_count(&graph, counts);
    static const struct {
        Feature feature;
        float value;
    } expected[] = {{FEATURE_FUNCTIONS, 1}, {FEATURE_BLOCKS, 4}, {FEATURE_CALLS, 1},   {FEATURE_OUTSIDE_CALLS, 2},
                    {FEATURE_LOAD, 3},      {FEATURE_BRANCH, 3}, {FEATURE_OTHER, 1},   {FEATURE_EDGES, 4},
                    {FEATURE_LOOPS, 1},     {FEATURE_STORE, 0},  {FEATURE_REGIONS, 2}, {FEATURE_DEPTH, 1}};
    for (size_t i = 0; i < ARRAY_LEN(expected); i++)
        if (counts[expected[i].feature] != expected[i].value)
            fail_msg("%s: %g, not %g", feature_name(expected[i].feature), (double)counts[expected[i].feature],
                     (double)expected[i].value);
    Vectors programs;
    vectors_init(&programs, 3, 2);
    static const float values[3][2] = {{4, 7}, {2, 7}, {3, 7}}, normal[3][2] = {{1, 0}, {0, 0}, {0.5F, 0}};
    for (size_t r = 0; r < 3; r++)
        memcpy(vectors_row(&programs, r), values[r], sizeof values[r]);
    features_normalise(&programs);
    for (size_t r = 0; r < 3; r++)
        assert_memory_equal(vectors_row(&programs, r), normal[r], sizeof normal[r]);
    vectors_release(&programs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_rule_of_algorithm_1),
        cmocka_unit_test(test_figure_4),
        cmocka_unit_test(test_algorithm_2),
        cmocka_unit_test(test_edges_wait_for_those_before_them),
        cmocka_unit_test(test_equal_programs_have_equal_vectors),
        cmocka_unit_test(test_static_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
