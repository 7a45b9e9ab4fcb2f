/* The mutator on whole programs: every mutant still parses, touches no oracle, repeats from its seed; and the effect
 * probes. */
#include "mutate/effect.h"
#include "mutate_helpers.h"
#include "clang/tree.h"

static size_t errors_in(const Str *text) {
    CLEANUP(parser_freep) Parser *parser = parser_new("mutant.c", NULL);
    CLEANUP(tree_freep) Tree *tree = parser_parse(parser, str_text(text), text->len, NULL);
    if (tree->errors)
        print_message("%s\n", tree->first_error);
    return tree->errors;
}

static Ingredients *own_pool(void) {
    Error err = {0};
    Ingredients *pool = ingredients_load("src/mutate/pool", NULL, NULL, &err);
    if (!pool)
        fail_msg("%s", err.text);
    return pool;
}

/* Every rule, a few times; the programs are written so that most rules apply. */
static void test_mutants_compile(void **unused) {
    (void)unused;
    static const char *const programs[] = {"mixed.c", "loops.c"};
    CLEANUP(ingredients_freep) Ingredients *pool = own_pool();
    for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
        CLEANUP(mutator_freep) Mutator *mutator = golden_mutator(programs[i], pool);
        CLEANUP(str_release) Str text = {0};
        CLEANUP(mutation_release) Mutation mutation = {0};
        Rng rng = rng_from_seed(i);
        assert_int_equal(mutator_parse_errors(mutator), 0);
        for (size_t rule = 0; rule < mutation_rule_count; rule++) {
            bool structural = mutation_operator_is_structural(mutation_rules[rule].operator);
            for (int j = 0; j < (structural ? 20 : 2); j++) {
                bool made = mutator_apply(mutator, rule, &rng, &text, &mutation);
                assert_true(made || mutator_holes(mutator, rule) == 0 || structural);
                if (made && errors_in(&text))
                    fail_msg("%s: %s", mutation_rules[rule].name, str_text(&mutation.summary));
            }
        }
    }
}

static void test_oracles_stay(void **unused) {
    (void)unused;
    static const char *const oracles[] = {"abort();", "printf(\"%d %d %llu %d\\n\", a, b, total, small);", "return 0;",
                                          "if (total != 0x7fULL && total > 100)"};
    CLEANUP(ingredients_freep) Ingredients *pool = own_pool();
    CLEANUP(mutator_freep) Mutator *mutator = golden_mutator("mixed.c", pool);
    CLEANUP(str_release) Str text = {0};
    Rng rng = rng_from_seed(3);
    for (int i = 0; i < 3000; i++)
        if (mutator_apply(mutator, rng_below(&rng, mutation_rule_count), &rng, &text, NULL))
            for (size_t j = 0; j < ARRAY_LEN(oracles); j++)
                if (!strstr(str_text(&text), oracles[j]))
                    fail_msg("'%s' is gone from\n%s", oracles[j], str_text(&text));
}

static void test_equal_seeds_give_equal_mutants(void **unused) {
    (void)unused;
    CLEANUP(ingredients_freep) Ingredients *pool = own_pool();
    CLEANUP(mutator_freep) Mutator *a = golden_mutator("mixed.c", pool);
    CLEANUP(mutator_freep) Mutator *b = golden_mutator("mixed.c", pool);
    CLEANUP(str_release) Str from_a = {0};
    CLEANUP(str_release) Str from_b = {0};
    Rng rng_a = rng_from_seed(4), rng_b = rng_from_seed(4);
    for (int i = 0; i < 500; i++) {
        MutationOperator operator= i % MUTATION_OPERATORS;
        assert_int_equal(mutator_apply_operator(a, operator, & rng_a, &from_a, NULL),
                         mutator_apply_operator(b, operator, & rng_b, &from_b, NULL));
        assert_string_equal(str_text(&from_a), str_text(&from_b));
    }
}

/* The record says what was done, and every place of a rule is drawn. */
static void test_records(void **unused) {
    (void)unused;
    static const char text[] = "int f(int a, int b) {\n  return a + b +\n    a + 7;\n}\n";
    CLEANUP(mutator_freep) Mutator *mutator = mutator_of(text, NULL);
    CLEANUP(str_release) Str mutant = {0};
    CLEANUP(mutation_release) Mutation mutation = {0};
    size_t rule = rule_named("replace + by -"), places[64] = {0}, different = 0;
    Rng rng = rng_from_seed(5);
    assert_int_equal(mutator_holes(mutator, rule), 3);
    for (int i = 0; i < 100; i++) {
        CLEANUP(str_release) Str again = {0};
        assert_true(mutator_apply(mutator, rule, &rng, &mutant, &mutation));
        assert_true(edits_apply(&mutation.edits, text, strlen(text), &again));
        assert_string_equal(str_text(&again), str_text(&mutant));
        assert_int_equal(mutation.rule, rule);
        assert_string_equal(str_text(&mutation.summary), "line 2: + becomes -");
        different += places[mutation.edits.items[0].at]++ == 0;
    }
    assert_int_equal(different, 3);
}

/* Mutants of mutants keep compiling: orders up to eight. */
static void test_higher_orders(void **unused) {
    (void)unused;
    CLEANUP(ingredients_freep) Ingredients *pool = own_pool();
    Rng rng = rng_from_seed(6);
    for (int chain = 0; chain < 4; chain++) {
        Mutator *mutator = golden_mutator("loops.c", pool);
        for (int order = 0; order < 8; order++) {
            CLEANUP(str_release) Str text = {0};
            CLEANUP(mutation_release) Mutation mutation = {0};
            while (!mutator_apply(mutator, rng_below(&rng, mutation_rule_count), &rng, &text, &mutation))
                ;
            if (errors_in(&text))
                fail_msg("order %d, %s:\n%s", order, str_text(&mutation.summary), str_text(&text));
            mutator_free(mutator);
            mutator = mutator_of(str_text(&text), pool);
        }
        mutator_free(mutator);
    }
}

static void test_hopeless_texts(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "", "}}}}", "int f(", "\"", "#include \"nowhere.h\"\n", "int __GIMPLE f(int a) { return a; }"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(texts[i], NULL);
        CLEANUP(str_release) Str text = {0};
        Rng rng = rng_from_seed(7);
        for (size_t rule = 0; rule < mutation_rule_count; rule++)
            mutator_apply(mutator, rule, &rng, &text, NULL);
        for (MutationOperator operator= 0; operator<MUTATION_OPERATORS; operator++)
            assert_true(mutator_operator_applies(mutator, operator) ||
                        !mutator_apply_operator(mutator, operator, & rng, &text, NULL));
    }
}

/* --- Shapes: an edit means the tree with one operator exchanged, however the text is parenthesised and spaced --- */

static void append_space(Rng *rng, Str *text) { str_append(text, rng_chance(rng, 50) ? " " : ""); }

static void random_expression(Rng *rng, int depth, Str *text) {
    static const char *const unary[] = {"-", "!", "~", "++", "--"};
    static const char *const leaves[] = {"a", "b", "c", "7", "a++", "b--"};
    if (depth == 0 || rng_chance(rng, 20)) {
        str_append(text, leaves[rng_below(rng, ARRAY_LEN(leaves))]);
    } else if (rng_chance(rng, 30)) {
        size_t op = rng_below(rng, ARRAY_LEN(unary));
        str_printf(text, " %s", unary[op]);
        str_append(text, op < 3 ? "(" : "");
        op < 3 ? random_expression(rng, depth - 1, text) : str_append(text, "c");
        str_append(text, op < 3 ? ")" : "");
    } else {
        bool parens = rng_chance(rng, 30);
        str_append(text, parens ? "(" : "");
        random_expression(rng, depth - 1, text);
        append_space(rng, text);
        str_append(text, operator_spelling(OP_MUL + rng_below(rng, OP_LOGICAL_OR - OP_MUL + 1)));
        append_space(rng, text);
        random_expression(rng, depth - 1, text);
        str_append(text, parens ? ")" : "");
    }
}

/* The expression in Polish notation, with the mutation (may be NULL) carried out on the tree. */
static void append_shape(const Node *node, const Mutation *mutation, Str *ret) {
    node = node_without_parens(node);
    const Rule *rule = mutation && node->begin == mutation->begin && node->end == mutation->end
                           ? &mutation_rules[mutation->rule]
                           : NULL;
    bool here = rule && node->op == rule->action.from && node->op != OP_NONE;
    Operator op = here ? (Operator)rule->action.to : (Operator)node->op;
    bool postfix = op == OP_POST_INC || op == OP_POST_DEC;
    if (node->first)
        str_printf(ret, "%s%s ", operator_spelling(op), postfix ? "post" : "");
    else
        str_append(ret, node->name ? node->name : "7");
    for (const Node *child = node->first; child; child = child->next)
        append_shape(child, mutation, ret);
    str_append(ret, node->first ? ")" : " ");
}

static void shape_of(const char *text, const Mutation *mutation, Str *ret) {
    CLEANUP(parser_freep) Parser *parser = parser_new("shape.c", NULL);
    CLEANUP(tree_freep) Tree *tree = parser_parse(parser, text, strlen(text), NULL);
    assert_int_equal(tree->errors, 0);
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (node->kind == NODE_RETURN)
            append_shape(node->first, mutation, ret);
}

static void test_shapes(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(9);
    size_t checked = 0;
    for (int round = 0; round < 30; round++) {
        CLEANUP(str_release) Str text = {0};
        str_append(&text, "int a, b, c; int f(void) { return ");
        random_expression(&rng, 4, &text);
        str_append(&text, "; }");
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(str_text(&text), NULL);
        for (size_t rule = 0; rule < mutation_rule_count; rule++) {
            CLEANUP(str_release) Str mutant = {0};
            CLEANUP(str_release) Str want = {0};
            CLEANUP(str_release) Str got = {0};
            CLEANUP(mutation_release) Mutation mutation = {0};
            bool exchanges = mutation_rules[rule].operator== MUTATION_BINARY ||
                             str_starts(mutation_rules[rule].name, "replace ! ") ||
                             strstr(mutation_rules[rule].name, "fix ") ||
                             str_starts(mutation_rules[rule].name, "replace ~ ");
            if (!exchanges || str_starts(mutation_rules[rule].name, "remove") ||
                !mutator_apply(mutator, rule, &rng, &mutant, &mutation))
                continue;
            shape_of(str_text(&text), &mutation, &want);
            shape_of(str_text(&mutant), NULL, &got);
            if (strcmp(str_text(&want), str_text(&got)) != 0)
                fail_msg("%s\n%s\n%s\nwant %s\ngot  %s", mutation_rules[rule].name, str_text(&text), str_text(&mutant),
                         str_text(&want), str_text(&got));
            checked++;
        }
    }
    assert_true(checked > 300);
}

/* --- Effect probes --- */

typedef struct ProbeCase {
    const char *rule, *before;
    EffectProbe probe;
    const char *original, *mutant; /* NULL: no probe */
} ProbeCase;

static void test_probes(void **unused) {
    (void)unused;
    static const ProbeCase cases[] = {
        /* DiWi's Figure 9c: without b = 0, b stays 1, which is what the mutant's b = 1 does too. */
        {"constant + 1", "int b; void f(void) { b = 0; }", EFFECT_DROP, "int b; void f(void) { ; }",
         "int b; void f(void) { ; }"},
        {"constant + 1", "int b; void f(void) { b = 0; }", EFFECT_PERTURB, "int b; void f(void) { b = ((0) ^ 1); }",
         "int b; void f(void) { b = ((1) ^ 1); }"},
        {"replace + by *", "void f(int a) { if (a + a) a = f; }", EFFECT_DROP, "void f(int a) { ; }",
         "void f(int a) { ; }"},
        {"replace + by *", "void f(int a) { if (a + a) a = f; }", EFFECT_PERTURB,
         "void f(int a) { if (((a + a) ^ 1)) a = f; }", "void f(int a) { if (((a * a) ^ 1)) a = f; }"},
        {"insert goto", "int x; void f(void) { x = 1; x = 2; }", EFFECT_DROP, "int x; void f(void) { ; x = 2; }",
         "int x; void f(void) { goto skip; ; skip: x = 2; }"},
        {"insert goto", "int x; void f(void) { x = 1; x = 2; }", EFFECT_PERTURB, NULL, NULL},
        {"insert volatile", "int b;", EFFECT_DROP, NULL, NULL},
        {"insert volatile", "int b;", EFFECT_PERTURB, NULL, NULL},
        {"constant + 1", "int b = 3;", EFFECT_PERTURB, NULL, NULL},
        {"constant + 1", "int f(void) { return 3; }", EFFECT_DROP, NULL, NULL},
        {"remove postfix ++", "void f(int a) { a++; }", EFFECT_DROP, "void f(int a) { ; }", "void f(int a) { ; }"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(mutator_freep) Mutator *mutator = mutator_of(cases[i].before, NULL);
        CLEANUP(str_release) Str text = {0};
        CLEANUP(str_release) Str original = {0};
        CLEANUP(str_release) Str mutant = {0};
        CLEANUP(mutation_release) Mutation mutation = {0};
        Rng rng = rng_from_seed(1);
        assert_true(mutator_apply(mutator, rule_named(cases[i].rule), &rng, &text, &mutation));
        bool made = effect_probe(mutator, &mutation, cases[i].probe, &original, &mutant);
        assert_int_equal(made, cases[i].original != NULL);
        if (made) {
            assert_string_equal(str_text(&original), cases[i].original);
            assert_string_equal(str_text(&mutant), cases[i].mutant);
        }
    }
}

static void test_probes_compile(void **unused) {
    (void)unused;
    CLEANUP(ingredients_freep) Ingredients *pool = own_pool();
    CLEANUP(mutator_freep) Mutator *mutator = golden_mutator("mixed.c", pool);
    CLEANUP(str_release) Str text = {0};
    CLEANUP(str_release) Str original = {0};
    CLEANUP(str_release) Str mutant = {0};
    CLEANUP(mutation_release) Mutation mutation = {0};
    Rng rng = rng_from_seed(8);
    size_t probes = 0;
    for (size_t rule = 0; rule < mutation_rule_count; rule++)
        for (EffectProbe probe = 0; probe < EFFECT_PROBES; probe++)
            if (mutator_apply(mutator, rule, &rng, &text, &mutation) &&
                effect_probe(mutator, &mutation, probe, &original, &mutant)) {
                probes++;
                if (errors_in(&original) || errors_in(&mutant))
                    fail_msg("%s:\n%s", str_text(&mutation.summary), str_text(&mutant));
            }
    assert_true(probes > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mutants_compile),
        cmocka_unit_test(test_oracles_stay),
        cmocka_unit_test(test_equal_seeds_give_equal_mutants),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_higher_orders),
        cmocka_unit_test(test_hopeless_texts),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_probes_compile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
