/* The rules: their table, one line for each kind of change, and one for each reason not to make it. */
#include "mutate_helpers.h"

static void test_table(void **unused) {
    (void)unused;
    size_t count[MUTATION_OPERATORS] = {0}, added[MUTATION_OPERATORS] = {0};
    for (size_t i = 0; i < mutation_rule_count; i++) {
        (i < mutation_recbi_rule_count ? count : added)[mutation_rules[i].operator]++;
        assert_int_equal(mutation_rule_find(mutation_rules[i].name), i); /* unique */
        assert_int_equal(mutation_operator_is_structural(mutation_rules[i].operator),
                         i >= mutation_diwi_rule_count && i < mutation_recbi_rule_count);
    }
    static const size_t want[MUTATION_OPERATORS] = {1, 1, 1, 1, 6, 8, 1, 4, 25, 88}; /* DiWi's list, RecBi's Table 1 */
    static const size_t want_added[MUTATION_OPERATORS] = {[MUTATION_MODIFIER] = 12, [MUTATION_UNARY] = 8};
    for (size_t i = 0; i < MUTATION_OPERATORS; i++) {
        assert_int_equal(count[i], want[i]);
        assert_int_equal(added[i], want_added[i]);
    }
    assert_int_equal(mutation_diwi_rule_count, 132);
    assert_int_equal(mutation_rule_find("replace + by +"), -1);
}

typedef struct Case {
    const char *rule, *before, *after;
} Case;

/* Each text has one hole for its rule. */
static void check(const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(cases[i].before, NULL);
        CLEANUP(str_release) Str text = {0};
        Rng rng = rng_from_seed(1);
        size_t rule = rule_named(cases[i].rule);
        if (mutator_holes(mutator, rule) != 1)
            fail_msg("%s in %s: %zu holes", cases[i].rule, cases[i].before, mutator_holes(mutator, rule));
        assert_true(mutator_apply(mutator, rule, &rng, &text, NULL));
        assert_string_equal(str_text(&text), cases[i].after);
    }
}

static void test_qualifiers(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"insert volatile", "int a;", "volatile int a;"},
        {"insert volatile", "static int a, b;", "volatile static int a, b;"},
        {"insert const", "int a = 1;", "const int a = 1;"},
        {"insert const", "int a; void f(int *p) { *p = a = 1; }", "int a; void f(int * const p) { *p = a = 1; }"},
        {"insert restrict", "void f(int *p);  void g(char *q) { }", "void f(int *p);  void g(char * restrict q) { }"},
        {"remove volatile", "int volatile a;", "int a;"},
        {"remove volatile", "__volatile__ int a;", "int a;"},
        {"remove const", "const int *p;", "int *p;"},
        {"remove const", "int *const p;", "int *p;"},
        {"remove restrict", "void f(int *restrict p) { }", "void f(int *p) { }"},
        {"insert volatile", "struct s { int x; };", "struct s { volatile int x; };"},
        {"insert volatile", "int a; extern int b; int b;", "volatile int a; extern int b; int b;"},
    };
    check(cases, ARRAY_LEN(cases));
}

static void test_modifiers(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"insert long", "int a;", "long int a;"},
        {"insert long", "long a;", "long long a;"},
        {"insert long", "double a;", "long double a;"},
        {"insert short", "unsigned a;", "short unsigned a;"},
        {"insert unsigned", "static const char a;", "static const unsigned char a;"},
        {"insert signed", "char a[3];", "signed char a[3];"},
        {"remove long", "long long a;", "long a;"},
        {"remove long", "long a;", "int a;"},
        {"remove unsigned", "unsigned int a, b;", "int a, b;"},
        {"remove unsigned", "unsigned a;", "int a;"},
        {"remove short", "void f(short x) { }", "void f(int x) { }"},
        {"replace signed by unsigned", "signed char a;", "unsigned char a;"},
        {"replace long by short", "long int a;", "short int a;"},
        {"replace unsigned by long", "unsigned a;", "long a;"},
        {"replace long by unsigned", "long long a;", "long unsigned a;"},
        {"insert unsigned", "int *p;", "unsigned int *p;"},
        {"insert unsigned", "struct s { int x : 9; };", "struct s { unsigned int x : 9; };"},
    };
    check(cases, ARRAY_LEN(cases));
}

static void test_variables(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"replace a variable", "int f(int x, long y) { return x; }", "int f(int x, long y) { return y; }"},
        {"replace a variable", "int f(int x, int *y, int *z) { return *y; }",
         "int f(int x, int *y, int *z) { return *z; }"},
        {"replace a variable", "int a; const int b = 2; int f(void) { a = 1; return b; }",
         "int a; const int b = 2; int f(void) { a = 1; return a; }"},
        {"replace a variable", "int a[3], b[4]; int f(void) { return a[1]; }",
         "int a[3], b[4]; int f(void) { return b[1]; }"},
        {"replace a variable", "int a; int f(float x, float y) { return x > 1; }",
         "int a; int f(float x, float y) { return y > 1; }"},
    };
    check(cases, ARRAY_LEN(cases));
}

#define INTS(expression) "int f(int a, int b, int c) { return " expression "; }"

static void test_operators(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"replace + by -", INTS("a + b"), INTS("a - b")},
        {"replace + by *", INTS("a+b"), INTS("a*b")},
        {"replace + by *", INTS("a + b * c"), INTS("a * (b * c)")},
        {"replace + by *", INTS("a - b + c"), INTS("(a - b) * c")},
        {"replace * by +", INTS("a * b - c"), INTS("a + b - c")},
        {"replace * by +", INTS("a - b * c"), INTS("a - (b + c)")},
        {"replace / by %", INTS("a / b"), INTS("a % b")},
        {"replace + by -", INTS("a+-b"), INTS("a- -b")},
        {"replace + by /", "int f(int a, int *p) { return a+*p; }", "int f(int a, int *p) { return a/ *p; }"},
        {"replace < by ==", INTS("a < b"), INTS("a == b")},
        {"replace == by <", INTS("a == b < c"), INTS("a < (b < c)")},
        {"replace && by ||", INTS("a && b"), INTS("a || b")},
        {"replace && by ||", INTS("!(a) && (b)"), INTS("!(a) || (b)")},
        {"replace & by |", INTS("a & b ^ c"), INTS("(a | b) ^ c")},
        {"replace << by >>", INTS("a << b"), INTS("a >> b")},
        {"replace += by *=", "void f(int a) { a += 2; }", "void f(int a) { a *= 2; }"},
        {"replace |= by ^=", "void f(int a) { a |= 2; }", "void f(int a) { a ^= 2; }"},
        {"replace <<= by >>=", "void f(int a) { a <<= 2; }", "void f(int a) { a >>= 2; }"},
        {"replace + by -", "int *f(int *p) { return p + 1; }", "int *f(int *p) { return p - 1; }"},
        {"replace * by /", "int a = 6 * 2;", "int a = 6 / 2;"},
    };
    check(cases, ARRAY_LEN(cases));
}

static void test_unary_operators(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"replace prefix ++ by postfix ++", INTS("++a"), INTS("a++")},
        {"replace postfix ++ by prefix --", INTS("b + a++"), INTS("b + --a")},
        {"replace postfix -- by prefix --", INTS("b-a--"), INTS("b- --a")},
        {"replace prefix ++ by postfix --", "int f(int *p) { return ++*p; }", "int f(int *p) { return (*p)--; }"},
        {"replace postfix ++ by prefix ++", "int f(int *p) { return p++[0]; }", "int f(int *p) { return (++p)[0]; }"},
        {"remove postfix ++", "void f(int a) { a++; }", "void f(int a) { a; }"},
        {"remove prefix --", INTS("--a"), INTS("a")},
        {"replace prefix ++ by ~", INTS("b+ ++a"), INTS("b+ ~a")},
        {"replace postfix -- by ~", INTS("a--"), INTS("~a")},
        {"replace ~ by postfix ++", INTS("b + ~a"), INTS("b + a++")},
        {"replace ~ by prefix --", "int g[2]; int f(int a) { return -~g[a]; }",
         "int g[2]; int f(int a) { return - --g[a]; }"},
        {"remove !", INTS("!a"), INTS("a")},
        {"remove !", "int f(int *p) { if (!p) return 1; return 2; }", "int f(int *p) { if (p) return 1; return 2; }"},
        {"remove ~", "int f(int a) { return~a; }", "int f(int a) { return a; }"},
        {"remove unary -", INTS("a - -b"), INTS("a - b")},
        {"replace ! by ~", INTS("!a"), INTS("~a")},
        {"replace ~ by unary -", INTS("a-~b"), INTS("a- -b")},
    };
    check(cases, ARRAY_LEN(cases));
}

static void test_constants(void **unused) {
    (void)unused;
    static const Case cases[] = {
        {"constant + 1", INTS("a + 41"), INTS("a + 42")},
        {"constant - 1", INTS("a - 0"), INTS("a - -1")},
        {"constant - 1", INTS("a-0"), INTS("a- -1")},
        {"constant * 0", INTS("7"), INTS("0")},
        {"constant * -1", INTS("-32"), INTS("32")},
        {"constant + 1", INTS("-32"), INTS("-31")},
        {"constant + 1", "unsigned long f(void) { return 0xffUL; }", "unsigned long f(void) { return 0x100UL; }"},
        {"constant + 1", "int a[3];", "int a[4];"},
        {"constant - 1", "int a[3];", "int a[2];"},
        {"constant + 1", "struct s { int x : 31; };", "struct s { int x : 32; };"},
        {"constant + 1", "enum e { A = 5 };", "enum e { A = 6 };"},
        {"constant * -1", "int a = 017;", "int a = -15;"},
        {"constant - 1", "void f(int a) { switch (a) { case 4: ; case 5: ; } }",
         "void f(int a) { switch (a) { case 3: ; case 5: ; } }"},
    };
    check(cases, ARRAY_LEN(cases));
}

/* Rules that must not apply: the mutant would not compile, would be undefined at once, or would change the oracle. */
static void test_refusals(void **unused) {
    (void)unused;
    static const struct {
        const char *rule, *text;
    } cases[] = {
        {"insert volatile", "volatile int a;"},
        {"insert volatile", "extern int a; int a;"},
        {"insert unsigned", "int f(int *p); int f(int *p) { return *p; }"},
        {"insert const", "int a; void f(void) { a++; }"},
        {"insert const", "void f(int *p) { *p = 1; p = 0; } int a; void g(void) { a = 1; }"},
        {"insert const", "struct s { int m; } a; void f(struct s *p) { p->m = 1; a = *p; p = 0; }"},
        {"insert const", "int a[3]; void f(void) { a[1] = 0; }"},
        {"insert restrict", "int a; int (*f)(void);"},
        {"insert long", "typedef int t; t a;"},
        {"insert long", "char a;"},
        {"insert long", "int a; int *p = &a;"},
        {"insert long", "int a[2]; int *p = a;"},
        {"insert short", "struct s { int x : 20; };"},
        {"insert long", "int main(int argc, char **argv) { }"},
        {"insert long", "int printf(const char *, ...); int a; void f(void) { printf(\"%d\", a); }"},
        {"insert unsigned", "float a; unsigned b; struct s *c; int **d;"},
        {"replace a variable", "int a; int f(void) { return a; }"},
        {"replace a variable", "int a; const int b; void f(void) { a = 1; }"},
        {"replace a variable", "int f(int *p, const int *q) { return *p; }"},
        {"replace a variable", "int a, b, *p = &a;"},
        {"replace a variable", "int a, b; int main() { return a; }"},
        {"replace a variable", "int a, b; void f(void) { __builtin_printf(\"%d\", a); }"},
        {"replace - by *", "long f(char *p, char *q) { return p - q; }"},
        {"replace + by -", "int *f(int *p) { return 1 + p; }"},
        {"replace * by %", "double f(double x) { return x * 2; }"},
        {"replace + by /", "int a = 1 + 0;"},
        {"replace + by -", "int a[1 + 2];"},
        {"replace + by -", "#define ADD(x, y) x + y\nint f(int a) { return ADD(a, 1); }"},
        {"replace != by ==", "int a; void f(void) { if (a != 1) __builtin_abort(); }"},
        {"replace ! by ~", "int f(int *p) { return !p; }"},
        {"replace prefix ++ by ~", "int *f(int *p) { return ++p; }"},
        {"replace ~ by prefix ++", INTS("~7")},
        {"replace ~ by prefix ++", INTS("~(a + b)")},
        {"replace ~ by prefix ++", "int f(const int a) { return ~a; }"},
        {"replace ~ by prefix ++", INTS("a = b + ~a")}, /* unsequenced */
        {"replace ~ by prefix ++", "enum { A }; int b = ~A;"},
        {"remove !", "int f(int *p) { return !p; }"},
        {"replace unary - by ~", "double f(double x) { return -x; }"},
        {"constant + 1", "int *p; void f(void) { p = 0; }"},
        {"constant + 1", "int f(int *p) { return p == 0; }"},
        {"constant - 1", "int a[1];"},
        {"constant + 1", "struct s { int x : 32; };"},
        {"constant * 0", "int a = 0;"},
        {"constant * 0", "int f(int a) { switch (a) { case 0: ; case 1: ; } return a; }"},
        {"constant + 1", "int a[] = {[1] = 0x7fffffffffffffffffffff};"},
        {"constant + 1", "_Static_assert(1, \"\"); typedef int v __attribute__((vector_size(16)));"},
        {"constant + 1", "int main() { return 1; }"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(cases[i].text, NULL);
        CLEANUP(str_release) Str text = {0};
        Rng rng = rng_from_seed(1);
        size_t rule = rule_named(cases[i].rule);
        if (mutator_apply(mutator, rule, &rng, &text, NULL))
            fail_msg("%s: %s gives %s", cases[i].rule, cases[i].text, str_text(&text));
        assert_int_equal(mutator_holes(mutator, rule), 0);
    }
}

/* The papers' methods do not see our additions. */
static void test_sets_of_rules(void **unused) {
    (void)unused;
    static const char text[] = "long a; int f(int b) { if (!b) a = -b; return ++b; }";
    size_t counts[] = {mutation_diwi_rule_count, mutation_recbi_rule_count, mutation_rule_count, 0};
    size_t want[] = {mutation_diwi_rule_count, mutation_recbi_rule_count, mutation_rule_count, mutation_rule_count};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        MutatorConfig config = {.rule_count = counts[i]};
        CLEANUP(mutator_freep) Mutator *mutator = mutator_new(text, strlen(text), &config, NULL);
        assert_int_equal(mutator_holes(mutator, rule_named("replace prefix ++ by ~")), 1);
        assert_int_equal(mutator_holes(mutator, rule_named("insert goto")) > 0, want[i] > mutation_diwi_rule_count);
        assert_int_equal(mutator_holes(mutator, rule_named("remove !")) > 0, want[i] > mutation_recbi_rule_count);
        assert_int_equal(mutator_holes(mutator, rule_named("replace long by short")) > 0,
                         want[i] > mutation_recbi_rule_count);
    }
}

static void test_guards_may_be_given_free(void **unused) {
    (void)unused;
    static const char text[] = "int a; void f(void) { if (a != 1) __builtin_abort(); }";
    MutatorConfig config = {.mutate_guards = true};
    CLEANUP(mutator_freep) Mutator *mutator = mutator_new(text, strlen(text), &config, NULL);
    CLEANUP(str_release) Str got = {0};
    Rng rng = rng_from_seed(1);
    assert_true(mutator_apply(mutator, rule_named("replace != by =="), &rng, &got, NULL));
    assert_string_equal(str_text(&got), "int a; void f(void) { if (a == 1) __builtin_abort(); }");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),         cmocka_unit_test(test_qualifiers),
        cmocka_unit_test(test_modifiers),     cmocka_unit_test(test_variables),
        cmocka_unit_test(test_operators),     cmocka_unit_test(test_unary_operators),
        cmocka_unit_test(test_constants),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_sets_of_rules), cmocka_unit_test(test_guards_may_be_given_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
