/* Whole programs: the same bytes everywhere, within bounds, for every choice of options. */
#include "unit.h"

#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "gen/dist.h"
#include "gen/gen.h"

static uint64_t fingerprint(const GenProgram *p) {
    CLEANUP(str_release) Str all = {0};
    for (size_t i = 0; i < p->file_count; i++)
        str_append_n(&all, p->files[i].text, p->files[i].len);
    str_append(&all, p->expected);
    return hash_u64(all.data, all.len);
}

static uint64_t generate(const GenOptions *options, Arena *arena, GenProgram *ret_program) {
    Error err;
    assert_ok(gen_program(options, arena, ret_program, &err), err);
    return fingerprint(ret_program);
}

/* A change of the generator changes these; a change of the machine must not. */
static void test_same_bytes_everywhere(void **state) {
    (void)state;
    struct {
        uint64_t seed;
        const char *standard;
        bool policies;
        uint64_t fingerprint;
    } cases[] = {
        {1, "c99", true, 0x69d8ff5dabfa6954},
        {2, "c++17", true, 0x4d87c4662709aefe},
        {3, "c11", false, 0x9e018b443a607325},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions options = gen_defaults(cases[i].seed);
        Error err;
        assert_ok(gen_standard_parse(cases[i].standard, &options, &err), err);
        options.policies = cases[i].policies;
        GenProgram program;
        assert_int_equal(generate(&options, &arena, &program), cases[i].fingerprint);
    }
}

static void test_seeds_differ_and_repeat(void **state) {
    (void)state;
    uint64_t before = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions options = gen_defaults(seed);
        GenProgram program, again;
        uint64_t print = generate(&options, &arena, &program);
        assert_int_equal(print, generate(&options, &arena, &again));
        assert_int_not_equal(print, before);
        before = print;
    }
}

/* Options drawn at random: no crash, and size and steps as bounded. */
static void test_random_options(void **state) {
    (void)state;
    static const char *const standards[] = {"c99", "c11", "c17", "c++11", "c++14", "c++17", "c++20"};
    Rng rng = rng_from_seed(5);
    for (int i = 0; i < 150; i++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions options = gen_defaults(rng_next(&rng));
        options.features = (GenFeatures)(i % 3 ? rng_next(&rng) & options.features : i % 2 ? 0 : options.features);
        options.size = 1 + rng_below(&rng, 20000);
        options.single = i & 1;
        options.policies = !(i % 5 == 0);
        options.model = (GenModel)(i % 3);
        Error err;
        assert_ok(gen_standard_parse(standards[rng_below(&rng, ARRAY_LEN(standards))], &options, &err), err);
        GenProgram program;
        generate(&options, &arena, &program);
        assert_true(program.statistics.bytes < options.size * 2 + 20000);
        assert_true(program.statistics.executed_bytes > 0);
        assert_int_equal(program.file_count, options.single ? 1 : 3);
        assert_int_equal(program.statistics.features & ~options.features, 0);
    }
}

static unsigned count_text(const GenOptions *options, const char *text) {
    unsigned found = 0;
    for (uint64_t i = 1; i <= 12; i++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions own = *options;
        own.seed = i;
        GenProgram program;
        generate(&own, &arena, &program);
        for (size_t k = 0; k < program.file_count; k++)
            found += strstr(program.files[k].text, text) != NULL;
    }
    return found;
}

/* What a feature is printed as stands in some programs, and in none where it is off. */
static void test_features_can_be_seen_and_switched_off(void **state) {
    (void)state;
    static const struct {
        GenFeature feature;
        const char *text;
    } cases[] = {
        {GEN_STATIC_LOCALS, " t_"},
        {GEN_POINTER_MEMBERS, " *m_"},
        {GEN_INLINE, "\ninline "},
        {GEN_INLINE, "extern inline "},
        {GEN_VOLATILE, "    volatile "},
        {GEN_VOLATILE, "extern volatile struct "},
        {GEN_GOTO, "goto label"},
        {GEN_SWITCH, "switch ("},
        {GEN_LOOPS, "for (unsigned int i_"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        GenOptions options = gen_defaults(1);
        assert_int_not_equal(count_text(&options, cases[i].text), 0);
        options.features &= ~(1u << cases[i].feature);
        assert_int_equal(count_text(&options, cases[i].text), 0);
    }
}

static void test_memory_is_bounded(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    GenOptions options = gen_defaults(9);
    GenProgram program;
    generate(&options, &arena, &program);
    assert_true(arena_bytes(&arena) < 1 << 20);
}

static void test_names(void **state) {
    (void)state;
    Error err;
    for (unsigned i = 0; i < GEN_FEATURE_COUNT; i++) {
        GenFeature feature;
        assert_ok(gen_feature_parse(gen_feature_name(i), &feature, &err), err);
        assert_int_equal(feature, i);
    }
    GenFeature feature;
    assert_fails(gen_feature_parse("lops", &feature, &err), err, "'lops'");
    GenModel model;
    assert_fails(gen_model_parse("lp", &model, &err), err, "lp64");
    for (unsigned i = 0; i < DIST_COUNT; i++)
        assert_non_null(dist_name(i));
}

/* The 23 distributions of the paper, and ours, are drawn anew for every program: shuffled ones differ. */
static void test_distributions_are_shuffled(void **state) {
    (void)state;
    GenOptions options = gen_defaults(1);
    Rng a = rng_from_seed(1), b = rng_from_seed(2);
    Dists first = {0}, second = {0};
    dist_init(&first, &options, options.features, &a);
    dist_init(&second, &options, options.features, &b);
    unsigned same = 0; /* few have the luck to be drawn twice */
    for (size_t i = 0; i < DIST_COUNT; i++)
        same += memcmp(first.cumulative[i], second.cumulative[i], sizeof(first.cumulative[i])) == 0;
    assert_true(same < DIST_COUNT / 4);
    options.policies = false;
    dist_init(&first, &options, options.features, &a);
    dist_init(&second, &options, options.features, &b);
    assert_memory_equal(&first, &second, sizeof(first));
}

static void test_output_within_tolerance(void **state) {
    (void)state;
    const char *expected = "17\nf_1 0.500000000\nf_2 0.750000000\n";
    assert_true(gen_output_matches(expected, 0.01, "17\nf_1 0.501\nf_2 0.7499\n"));
    assert_false(gen_output_matches(expected, 0, "17\nf_1 0.501\nf_2 0.7499\n"));
    static const char *const wrong[] = {"18\nf_1 0.5\nf_2 0.75\n",   "17\nf_1 0.52\nf_2 0.75\n",
                                        "17\nf_2 0.5\nf_1 0.75\n",   "17\nf_1 0.5\n",
                                        "17\nf_1 nan\nf_2 0.75\n",   "",
                                        "17\nf_1 0.5\nf_2 0.75\nx\n"};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_false(gen_output_matches(expected, 0.01, wrong[i]));
}

static void test_write_is_all_or_nothing(void **state) {
    (void)state;
    char dir[] = "/tmp/test_gen_XXXXXX";
    assert_non_null(mkdtemp(dir));
    CLEANUP(arena_release) Arena arena = {0};
    GenOptions options = gen_defaults(1);
    GenProgram program;
    Error err;
    generate(&options, &arena, &program);
    CLEANUP(mem_freep) char *target = path_of(dir, "program"), *below = path_of(target, "func.c/x");
    assert_ok(gen_write(&program, target, &err), err);
    assert_fails(gen_write(&program, target, &err), err, "has files in it already");
    assert_fails(gen_write(&program, below, &err), err, "func.c");
    CLEANUP(strlist_release) StrList left = {0};
    assert_ok(dir_list(dir, &left, &err), err);
    assert_int_equal(left.len, 1);
    assert_ok(dir_remove(dir, &err), err);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bytes_everywhere),
        cmocka_unit_test(test_seeds_differ_and_repeat),
        cmocka_unit_test(test_random_options),
        cmocka_unit_test(test_features_can_be_seen_and_switched_off),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_distributions_are_shuffled),
        cmocka_unit_test(test_output_within_tolerance),
        cmocka_unit_test(test_write_is_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
