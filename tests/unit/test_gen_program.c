/* Whole programs: the same bytes everywhere, within bounds, for every choice of options. */
#include "unit.h"

#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/rng.h"
#include "gen/build.h"
#include "gen/dist.h"
#include "gen/gen.h"
#include "gen/interp.h"

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
        {1, "c99", true, 0x7f748f43fccef18b},
        {2, "c++17", true, 0x55c1dd3a355f59f9},
        {3, "c11", false, 0xf6da82441f01257a},
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

/* The program is as long as asked for, within a tenth and what the smallest programs take. */
static void test_size_is_kept(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 500, 2000, 5000, 12000, 30000, 60000, 200000, 1000000};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        for (uint64_t seed = 1; seed <= (sizes[i] < 50000 ? 60 : 4); seed++) {
            CLEANUP(arena_release) Arena arena = {0};
            GenOptions options = gen_defaults(seed);
            options.size = sizes[i];
            GenProgram program;
            generate(&options, &arena, &program);
            assert_in_range(program.statistics.bytes, sizes[i] * 9 / 10, sizes[i] * 11 / 10 + 6000);
        }
}

/* Subexpressions that contain one another once made programs of 8 KB ten to twenty times as long. */
static void test_common_subexpressions_do_not_explode(void **state) {
    (void)state;
    for (uint64_t seed = 5000; seed < 5400; seed++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions options = gen_defaults(seed);
        options.size = 8000;
        GenProgram program;
        generate(&options, &arena, &program);
        size_t longest = 0;
        for (const char *line = program.files[1].text; *line; line += strcspn(line, "\n") + 1)
            longest = MAX_OF(longest, strcspn(line, "\n"));
        assert_in_range(longest, 1, 5000);
    }
}

/* Matrices had up to 100 columns instead of 16, because a macro drew their number twice. */
static void test_matrices_have_at_most_16_columns(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions options = gen_defaults(seed);
        GenProgram program;
        generate(&options, &arena, &program);
        for (const char *at = program.files[0].text; (at = strstr(at, "\nextern ")); at++) {
            const char *columns = strstr(at, "][");
            if (columns && columns < strstr(at, ";"))
                assert_in_range(strtoul(columns + 2, NULL, 10), 1, 16);
        }
    }
}

/* What a pointer in a struct points to once was made after the struct's first object: the generator gave up. */
static void test_pointed_globals_are_made_before_structs(void **state) {
    (void)state;
    unsigned found = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions options = gen_defaults(seed);
        options.features = 1u << GEN_STRUCTS | 1u << GEN_POINTERS | 1u << GEN_POINTER_MEMBERS;
        GenProgram program;
        generate(&options, &arena, &program);
        const char *text = program.files[2].text, *globals_end = strstr(text, "checksum");
        for (const char *at = text; (at = strstr(at, "&g_")) && at < globals_end; at++, found++) {
            char valued[32], zero[32];
            int length = (int)strcspn(at + 1, ",};");
            snprintf(valued, sizeof(valued), " %.*s = ", length, at + 1);
            snprintf(zero, sizeof(zero), " %.*s;", length, at + 1);
            const char *defined = strstr(text, valued) ? strstr(text, valued) : strstr(text, zero);
            assert_true(defined && defined < at);
        }
    }
    assert_true(found > 20);
}

/* clang computes both of two constants before the condition is known, and its sanitizer reported the one not taken: in
 * 1 ? 5 : -1 << 2 the shift is repaired although it is never executed. */
static void test_constants_not_taken_are_defined(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    IrProgram program = {0};
    GenStatistics statistics = {0};
    Rng rng = rng_from_seed(1);
    CLEANUP(interp_release) Interp interp;
    types_init(&program.types, GEN_LP64);
    interp_init(&interp, &program, &arena, &rng, &statistics);
    const Type *type = &program.types.ints[INT_INT];
    Expr *e = expr_new(&arena, EXPR_COND, type);
    e->a = expr_const(&arena, type, 1);
    e->b = expr_const(&arena, type, 5);
    e->c = expr_binary(&arena, &program.types, OP_SHL, expr_const(&arena, type, -1), expr_const(&arena, type, 2));
    e->both = true;
    bool value = false;
    assert_true(interp_condition(&interp, e, &value));
    assert_true(value);
    assert_int_equal(statistics.repairs, 1);
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
        {GEN_STATIC_LOCALS, " t_"},     {GEN_POINTER_MEMBERS, " *m_"},   {GEN_INLINE, "\ninline "},
        {GEN_INLINE, "extern inline "}, {GEN_VOLATILE, "    volatile "}, {GEN_VOLATILE, "extern volatile struct "},
        {GEN_GOTO, "goto label"},       {GEN_SWITCH, "switch ("},        {GEN_LOOPS, "for (unsigned int i_"},
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

/* A builder with variables to draw leaves from. */
static void open_builder(Builder *b, const GenOptions *options, Arena *arena, GenStatistics *statistics) {
    build_init(b, options, arena, statistics);
    build_types(b);
    build_globals(b);
    b->room = 1 << 30;
}

/* "Half constants" (the paper, section 3.3.3) means half. */
static void test_half_of_the_leaves_are_constants(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(build_release) Builder b;
    GenOptions options = gen_defaults(1);
    GenStatistics statistics = {0};
    size_t constants = 0;
    open_builder(&b, &options, &arena, &statistics);
    b.leaves = LEAVES_HALF;
    for (int i = 0; i < 4000; i++)
        constants += build_expr(&b, 0)->kind == EXPR_CONST;
    assert_in_range(constants, 1800, 2200); /* six standard deviations; 64% would be 2560 */
}

/* Forms of idioms are drawn from the shuffled distributions like everything else. */
static void test_idioms_follow_their_distributions(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(build_release) Builder b;
    GenOptions options = gen_defaults(1);
    GenStatistics statistics = {0};
    open_builder(&b, &options, &arena, &statistics);
    for (unsigned i = 0; i < b.dists.count[DIST_IDIOM]; i++)
        b.dists.cumulative[DIST_IDIOM][i] = i >= IDIOM_TRUTH;
    for (unsigned form = 0; form < b.dists.count[DIST_TRUTH]; form++) {
        for (unsigned i = 0; i < b.dists.count[DIST_TRUTH]; i++)
            b.dists.cumulative[DIST_TRUTH][i] = i >= form;
        for (int n = 0; n < 50; n++) {
            const Expr *e = build_idiom_expr(&b);
            bool conditional = form == TRUTH_NEIGHBOURS || form == TRUTH_OR_ZERO;
            assert_int_equal(e->kind, conditional ? EXPR_COND : EXPR_BINARY);
            if (!conditional)
                assert_int_equal(e->op, form == TRUTH_NEGATED ? OP_XOR : OP_MUL);
        }
    }
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
        cmocka_unit_test(test_size_is_kept),
        cmocka_unit_test(test_common_subexpressions_do_not_explode),
        cmocka_unit_test(test_matrices_have_at_most_16_columns),
        cmocka_unit_test(test_pointed_globals_are_made_before_structs),
        cmocka_unit_test(test_constants_not_taken_are_defined),
        cmocka_unit_test(test_features_can_be_seen_and_switched_off),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_distributions_are_shuffled),
        cmocka_unit_test(test_half_of_the_leaves_are_constants),
        cmocka_unit_test(test_idioms_follow_their_distributions),
        cmocka_unit_test(test_write_is_all_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
