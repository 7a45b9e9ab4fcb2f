/* Structural mutations and their ingredients. */
#include "mutate_helpers.h"
#include "proc/scratch.h"

static Ingredients *pool_of(const char *text) {
    Error err = {0};
    Ingredients *pool = ingredients_from_text("pool.c", text, &err);
    if (!pool)
        fail_msg("%s", err.text);
    return pool;
}

/* What a text offers: branch conditions, loop conditions, functions. */
static void test_harvest(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        size_t branches, loops, functions;
    } cases[] = {
        {"int a; void f(void) { if (a) a = 1; }", 1, 0, 1},
        {"int a; void f(void) { while (a--) ; do ; while (a > 3); for (; a < 2;) ; }", 0, 3, 1},
        {"int a; int f(void) { return a ? 1 : 2; }", 1, 0, 1},
        {"int a; void f(void) { if (a) ; if (a) ; }", 1, 0, 1}, /* equal ones count once */
        {"int g(void); void f(int a) { if (g()) ; if (sizeof(a)) ; if (&a) ; while (a) ; }", 0, 1, 0},
        {"struct s { int x; } s; int f(int a) { if (s.x) ; while (a) ; return 0; }", 0, 1, 0},
        {"typedef int t; int f(int a) { while ((t)a) ; while (a) ; return a; }", 0, 1, 0},
        {"#define M 3\nint f(int a) { if (a == M) ; while (a) ; return a; }", 0, 1, 0},
        {"int f(int n) { return n ? n * f(n - 1) : 1; }", 1, 0, 0},
        {"int f(int n, int m) { return __builtin_popcount(n) + m; }", 0, 0, 1},
        {"int f(int *p) { __builtin_abort(); while (*p) ; return 0; }", 0, 1, 0},
        {"static inline int f(int x) { return x; } inline int g(int x) { return x; }", 0, 0, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(ingredients_freep) Ingredients *pool = pool_of(cases[i].text);
        if (ingredients_branch_conditions(pool) != cases[i].branches ||
            ingredients_loop_conditions(pool) != cases[i].loops || ingredients_functions(pool) != cases[i].functions)
            fail_msg("%s: %zu branches, %zu loops, %zu functions", cases[i].text, ingredients_branch_conditions(pool),
                     ingredients_loop_conditions(pool), ingredients_functions(pool));
    }
}

typedef struct Case {
    const char *rule, *pool, *before, *after;
} Case;

/* Each case has one location and one way to fill it. */
static void check(const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        CLEANUP(ingredients_freep) Ingredients *pool = cases[i].pool ? pool_of(cases[i].pool) : NULL;
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(cases[i].before, pool);
        CLEANUP(str_release) Str text = {0};
        Rng rng = rng_from_seed(1);
        size_t rule = rule_named(cases[i].rule);
        bool made = mutator_apply(mutator, rule, &rng, &text, NULL);
        if (made != (cases[i].after != NULL))
            fail_msg("%s: %s gives %s", cases[i].rule, cases[i].before, made ? str_text(&text) : "nothing");
        if (made)
            assert_string_equal(str_text(&text), cases[i].after);
    }
}

#define IF_POOL "int f(int v) { if (v < 7) return 1; return 0; }"
#define WHILE_POOL "int f(int v) { while (v--) ; return 0; }"
#define VOID_F(body) "int x; void f(void) { " body " }"

static void test_if_and_while(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"insert if", IF_POOL, VOID_F("x = 1;"), VOID_F("if (x < 7) x = 1;")},
        {"insert if", IF_POOL, VOID_F("float y; return;"), VOID_F("float y; if (x < 7) return;")},
        {"insert if", "double d; int f(void) { return d > 1 ? 1 : 0; }", VOID_F("x = 1;"),
         VOID_F("if (1.0 > 1) x = 1;")},
        {"insert if", "int *p; int f(void) { return *p ? 1 : 0; }", VOID_F("x = 1;"), NULL},
        {"insert if", "int *p; int f(void) { return *p ? 1 : 0; }", "void f(int *q) { *q = 1; }",
         "void f(int *q) { if (*q) *q = 1; }"},
        {"insert while", WHILE_POOL, VOID_F("x = 1;"),
         VOID_F("{ int rounds = 0; while ((x--) && rounds++ < 5) x = 1; }")},
        {"insert while", WHILE_POOL, "int rounds; void f(void) { rounds = 1; }",
         "int rounds; void f(void) { { int rounds1 = 0; while ((rounds--) && rounds1++ < 5) rounds = 1; } }"},
        {"insert while", WHILE_POOL, "const int x; void f(void) { x + 1; }", NULL}, /* nothing to count down */
    };
    check(cases, ARRAY_LEN(cases));
}

static void test_call_and_goto(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"insert call", "int h(int v) { return v; } int g(int y) { return h(y + 2); }", VOID_F("x = 1;"),
         "int x; static int called(int v) { return v; }\n\nvoid f(void) { called(x + 2); x = 1; }"},
        {"insert call", "int n = 3, m[2]; static void h(void) { m[1] = n++; }", VOID_F("x = 1;"),
         "int x; static int called_data1_[2];\nstatic int called_data2_ = 3;\n"
         "static void called(void) { called_data1_[1] = called_data2_++; }\n\nvoid f(void) { called(); x = 1; }"},
        {"insert goto", NULL, VOID_F("x = 1; x = 2;"), VOID_F("goto skip; x = 1; skip: x = 2;")},
        {"insert goto", NULL, VOID_F("x = 1; l: x = 2;"), VOID_F("goto l; x = 1; l: x = 2;")},
        {"insert goto", NULL, VOID_F("\n  x = 1;\n\tx = 2;\n"),
         VOID_F("\n  goto skip;\n  x = 1;\n\tskip:\n\tx = 2;\n")},
        {"insert goto", NULL, VOID_F("x = 1; int y = 2;"), NULL},
        {"insert goto", NULL, VOID_F("int y = 2; x = y;"), NULL},
        {"insert goto", NULL, VOID_F("__builtin_printf(\"\"); x = 1;"), NULL},
        {"insert goto", NULL, VOID_F("if (x) x = 1;"), VOID_F("goto skip; if (x) skip: x = 1;")},
    };
    check(cases, ARRAY_LEN(cases));
}

/* Where an if may not go. */
static void test_locations(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        size_t locations;
    } cases[] = {
        {"int x;", 0},
        {VOID_F(""), 0},
        {VOID_F("int y = 1;"), 0},
        {VOID_F("x = 1; x = 2;"), 2},
        {VOID_F("for (;;) x = 1;"), 2},
        {VOID_F("{ x = 1; }"), 2},
        {VOID_F("if (x) x = 1; else x = 2;"), 3},
        {VOID_F("l: x = 1;"), 2},
        {VOID_F("switch (x) { case 1: x = 1; }"), 3},
        {VOID_F(";"), 0},
        {VOID_F("__builtin_printf(\"x\");"), 0},
        {VOID_F("if (x) __builtin_abort();"), 0},
        {VOID_F("for (;;) { x = 1; __builtin_abort(); }"), 1}, /* the loop holds an oracle */
        {"int f(int x) { return x; }", 0},
        {"int main() { int x; x = 1; return 0; }", 1},
        {VOID_F("x = ({ x++; x; });"), 2},
        {"#define B { x = 1; }\nint x; void f(void) { B }", 0},
    };
    CLEANUP(ingredients_freep) Ingredients *pool = pool_of(IF_POOL);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(cases[i].text, pool);
        size_t got = mutator_holes(mutator, rule_named("insert if"));
        if (got != cases[i].locations)
            fail_msg("%s: %zu locations, want %zu", cases[i].text, got, cases[i].locations);
    }
}

static void test_pool_that_comes_with_culprit(void **unused) {
    (void)unused;
    Error err = {0};
    CLEANUP(ingredients_freep) Ingredients *pool = ingredients_load(NULL, NULL, NULL, &err);
    if (!pool)
        fail_msg("%s", err.text);
    assert_true(ingredients_branch_conditions(pool) >= 50);
    assert_true(ingredients_loop_conditions(pool) >= 30);
    assert_true(ingredients_functions(pool) >= 20);
}

/* The same mutants from a pool that was read back. */
static void test_cache(void **unused) {
    (void)unused;
    CLEANUP(scratch_release) Scratch scratch = {0};
    Error err = {0};
    assert_ok(scratch_new(&scratch, &err), err);
    for (int round = 0; round < 2; round++) {
        CLEANUP(ingredients_freep) Ingredients *fresh = ingredients_load("src/mutate/pool", NULL, NULL, &err);
        CLEANUP(ingredients_freep) Ingredients *cached = ingredients_load("src/mutate/pool", scratch.path, NULL, &err);
        CLEANUP(mutator_freep) Mutator *a = golden_mutator("loops.c", fresh);
        CLEANUP(mutator_freep) Mutator *b = golden_mutator("loops.c", cached);
        CLEANUP(str_release) Str from_a = {0};
        CLEANUP(str_release) Str from_b = {0};
        Rng rng_a = rng_from_seed(1), rng_b = rng_from_seed(1);
        for (size_t i = 0; i < 200; i++) {
            size_t rule = mutation_diwi_rule_count + i % 4;
            assert_int_equal(mutator_apply(a, rule, &rng_a, &from_a, NULL),
                             mutator_apply(b, rule, &rng_b, &from_b, NULL));
            assert_string_equal(str_text(&from_a), str_text(&from_b));
        }
    }
}

static void test_bad_caches_are_rebuilt(void **unused) {
    (void)unused;
    static const char *const damages[] = {"",
                                          "{",
                                          "[]",
                                          "{\"branches\": [{\"text\": \"x\", \"uses\": [0, 9, 0]}]}",
                                          "{\"functions\": [{}]}",
                                          "{\"loops\": [3]}"};
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(strlist_release) StrList names = {0};
    Error err = {0};
    assert_ok(scratch_new(&scratch, &err), err);
    ingredients_free(ingredients_load("src/mutate/pool", scratch.path, NULL, &err));
    assert_ok(dir_list(scratch.path, &names, &err), err);
    assert_int_equal(names.len, 1);
    CLEANUP(mem_freep) char *path = path_of(scratch.path, names.items[0]);
    for (size_t i = 0; i < ARRAY_LEN(damages); i++) {
        assert_ok(file_write_text(path, damages[i], &err), err);
        CLEANUP(ingredients_freep) Ingredients *pool = ingredients_load("src/mutate/pool", scratch.path, NULL, &err);
        assert_non_null(pool);
        assert_true(ingredients_functions(pool) >= 20);
    }
}

static void test_missing_pool(void **unused) {
    (void)unused;
    Error err = {0};
    assert_fails(ingredients_load("/nonexistent", NULL, NULL, &err) != NULL, err, "cannot read the pool");
    assert_fails(ingredients_load("tools", NULL, NULL, &err) != NULL, err, "--pool");
}

/* RecBi, Figure 6: a goto into the inner loop. And what it must not skip. */
static void test_goto_into_loops(void **unused) {
    (void)unused;
#define FIGURE(before, inside)                                                                           \
    "int a; void fn1(void) { char b = 0; " before "for (; b != -2; b--) for (a = 0; a < 1; a++) " inside \
    "if ((unsigned int)b > 1) return; }"
    static const struct {
        const char *before, *after;
        bool possible;
    } cases[] = {
        {FIGURE("", ""), FIGURE("goto skip; ", "skip: "), true},
        {"int a; void f(void) { a = 1; while (a) { a--; a = 2; } }",
         "int a; void f(void) { goto skip; a = 1; while (a) { a--; skip: a = 2; } }", true},
        {"int a; void f(void) { a = 1; if (a) a = 2; else a = 3; }",
         "int a; void f(void) { goto skip; a = 1; if (a) a = 2; else skip: a = 3; }", true},
        {"int a; void f(void) { a = 1; while (a) { int c = 3; a = c; } }",
         "int a; void f(void) { goto skip; a = 1; while (a) { int c = 3; skip: a = c; } }", false},
        {"int a; void f(void) { a = 1; for (int i = 0; i < 3; i++) a = i; }",
         "int a; void f(void) { goto skip; a = 1; for (int i = 0; i < 3; i++) skip: a = i; }", false},
        {"int a; void f(void) { a = 1; while (a) { __builtin_abort(); a = 2; } }",
         "int a; void f(void) { goto skip; a = 1; while (a) { __builtin_abort(); skip: a = 2; } }", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(cases[i].before, NULL);
        CLEANUP(str_release) Str text = {0};
        bool found = false;
        for (uint64_t seed = 0; seed < 300 && !found; seed++) {
            Rng rng = rng_from_seed(seed);
            found = mutator_apply(mutator, rule_named("insert goto"), &rng, &text, NULL) &&
                    str_equal(str_text(&text), cases[i].after);
        }
        if (found != cases[i].possible)
            fail_msg("%s %s", cases[i].after, found ? "was made" : "was not made");
    }
}

/* --- Blending (DiWi, section 5.6.4) --- */

static void test_statements_are_harvested(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        size_t statements;
    } cases[] = {
        {"int a; int f(int b) { a = b; if (a) { a++; b = 2; } while (0) ; return a; }", 5},
        {"int a; void f(void) { for (int i = 0; i < 3; i++) { int k[2] = {i, 1}; a += k[1]; } }", 3},
        {"int a; void f(void) { while (a) { if (a > 2) break; a--; } }", 2}, /* no break without its loop */
        {"int a; int f(int b) { if (b) return 1; L: a = 1; goto L; }", 1},
        {"struct s { int x; } s; int a; void f(void) { s.x = 1; a = s.x; a = 2; }", 1},
        {"static int g(int x) { return x; } int a; void f(void) { a = g(a); }", 1},
        {"int g(int x); int a; void f(void) { a = g(a); }", 0},
        {"int a; void f(void) { a = __builtin_popcount(a); __builtin_abort(); }", 1},
        {"int f(int n) { return n; } int a; void g(void) { f(a); f(2); }", 2},
        {"#define M 1\nint a; void f(void) { a = M; }", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str text = {0};
        str_printf(&text, "%s void other(int z) { if (z > 7) ; }", cases[i].text); /* so that no pool is empty */
        CLEANUP(ingredients_freep) Ingredients *pool = pool_of(str_text(&text));
        size_t found = ingredients_statements(pool) - 1;
        if (found != cases[i].statements)
            fail_msg("%s: %zu statements", cases[i].text, found);
    }
}

static void test_blending(void **unused) {
    (void)unused;
    static const char program[] = "int x; long y; int main(void) { x = 1; return 0; }";
    static const struct {
        const char *pool, *part;
    } cases[] = {
        {"int a; void f(void) { for (int i = 0; i < 3; i++) a += i; }", "for (int i = 0; i < 3; i++) x += i; x = 1;"},
        {"static int n = 5; static int twice(int v) { return v * n; } void f(void) { int k; k = twice(k) + 1; }",
         "static int called(int v) { return v * called_data1_; }\n\nint main(void) { x = called(x) + 1; x = 1;"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(ingredients_freep) Ingredients *pool = pool_of(cases[i].pool);
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(program, pool);
        CLEANUP(str_release) Str text = {0};
        CLEANUP(mutation_release) Mutation mutation = {0};
        bool found = false;
        for (uint64_t seed = 0; seed < 60 && !found; seed++) {
            Rng rng = rng_from_seed(seed);
            found = mutator_blend(mutator, &rng, &text, &mutation) && strstr(str_text(&text), cases[i].part);
        }
        if (!found)
            fail_msg("'%s' is not in '%s'", cases[i].part, str_text(&text));
    }
}

/* Whatever is blended, the program stays one. */
static void test_blended_programs_compile(void **unused) {
    (void)unused;
    CLEANUP(ingredients_freep) Ingredients *pool = ingredients_load("src/mutate/pool", NULL, NULL, NULL);
    assert_non_null(pool);
    assert_true(ingredients_statements(pool) > 50);
    CLEANUP(mutator_freep) Mutator *mutator = golden_mutator("mixed.c", pool);
    size_t made = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        CLEANUP(str_release) Str text = {0};
        CLEANUP(mutation_release) Mutation mutation = {0};
        Rng rng = rng_from_seed(seed);
        if (!mutator_blend(mutator, &rng, &text, &mutation))
            continue;
        made++;
        CLEANUP(mutator_freep) Mutator *again = mutator_of(str_text(&text), NULL);
        if (mutator_parse_errors(again))
            fail_msg("%s\n%s", str_text(&mutation.summary), str_text(&text));
    }
    assert_true(made > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_harvest),
        cmocka_unit_test(test_if_and_while),
        cmocka_unit_test(test_call_and_goto),
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_pool_that_comes_with_culprit),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_bad_caches_are_rebuilt),
        cmocka_unit_test(test_missing_pool),
        cmocka_unit_test(test_goto_into_loops),
        cmocka_unit_test(test_statements_are_harvested),
        cmocka_unit_test(test_blending),
        cmocka_unit_test(test_blended_programs_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
