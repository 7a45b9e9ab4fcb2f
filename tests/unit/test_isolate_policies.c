/* Policies: what they choose among, and what they learn from. */
#include "isolate/method.h"
#include "mutate_helpers.h"

/* Every operator has a hole here. */
static const char program[] = "int printf(const char *, ...);\n"
                              "int a = 3, b = 4; unsigned long c; volatile int d; int *p = &b;\n"
                              "static int f(int x) { int y = -x; y++; if (x > 2) y += x * 7; return y - ~x; }\n"
                              "int main(void) { a = f(b) << 1; c ^= a; d = *p; b = a; a = d; return 0; }\n";

typedef struct Draws {
    size_t operators[MUTATION_OPERATORS], all;
} Draws;

/* Draws of a method's policy that never hears of a success. */
static Draws draw(const char *method_name, int rounds) {
    const Method *method = method_find(method_name, NULL);
    CLEANUP(ingredients_freep) Ingredients *pool = ingredients_load("src/mutate/pool", NULL, NULL, NULL);
    MutatorConfig config = {.rule_count = method_rule_count(method), .ingredients = pool};
    CLEANUP(mutator_freep) Mutator *mutator = mutator_new(program, strlen(program), &config, NULL);
    CLEANUP(str_release) Str text = {0};
    CLEANUP(mutation_release) Mutation mutation = {0};
    Rng rng = rng_from_seed(5);
    PolicyOptions options = {.rule_count = config.rule_count};
    void *policy = method->policy->create(&options, &rng);
    Draws draws = {0};
    for (int i = 0; i < rounds; i++) {
        uint64_t token = 0;
        if (!method->policy->mutate(policy, mutator, &rng, &text, &mutation, &token))
            continue;
        method->policy->learn(policy, &(Lesson){0}, token);
        draws.operators[mutation_rules[mutation.rule].operator]++;
        draws.all++;
    }
    method->policy->destroy(policy);
    return draws;
}

/* RecBi's variants differ in how they choose, not in what they choose among: ten operators, alike while nothing is known. */
static void test_recbi_chooses_among_operators(void **unused) {
    (void)unused;
    static const char *const names[] = {"recbi-mh", "recbi-rand", "recbi-filter"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        Draws draws = draw(names[i], 4000);
        size_t applicable = 0;
        for (size_t op = 0; op < MUTATION_OPERATORS; op++)
            applicable += draws.operators[op] > 0;
        assert_true(applicable >= 9);
        double share = (double)draws.operators[MUTATION_BINARY] / (double)draws.all * (double)applicable;
        if (share < 0.8 || share > 1.3)
            fail_msg("%s draws binary operators %.2f times as often as others", names[i], share);
    }
}

/* DiWi's choose among rules, and most of those are about binary operators. */
static void test_diwi_chooses_among_rules(void **unused) {
    (void)unused;
    static const char *const names[] = {"diwi", "diwi-rand"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        Draws draws = draw(names[i], 4000);
        for (MutationOperator op = MUTATION_INSERT_IF; op <= MUTATION_INSERT_GOTO; op++)
            assert_int_equal(draws.operators[op], 0);
        assert_true(draws.operators[MUTATION_BINARY] > draws.operators[MUTATION_CONSTANT] * 3);
    }
}

/* Section 3.2: a state is how often each operator was selected to generate passing programs; failing ones leave it. */
static void test_recbis_state_counts_passing_programs(void **unused) {
    (void)unused;
    const Method *method = method_find("recbi", NULL);
    CLEANUP(mutator_freep) Mutator *mutator = mutator_of(program, NULL);
    CLEANUP(str_release) Str text = {0};
    CLEANUP(mutation_release) Mutation mutation = {0};
    Rng rng = rng_from_seed(6);
    void *policy = method->policy->create(&(PolicyOptions){.rule_count = mutation_recbi_rule_count}, &rng);
    size_t passed[MUTATION_OPERATORS] = {0}, all = 0;
    for (int i = 0; i < 200; i++) {
        uint64_t token = 0;
        if (!method->policy->mutate(policy, mutator, &rng, &text, &mutation, &token))
            continue;
        bool passes = rng_chance(&rng, 30);
        method->policy->learn(policy, &(Lesson){.passed = passes}, token);
        passed[mutation_rules[mutation.rule].operator] += passes;
        all += passes;
        double state[MUTATION_OPERATORS];
        policy_actor_critic_state(policy, state);
        for (size_t op = 0; op < MUTATION_OPERATORS; op++)
            assert_true(state[op] == (all ? (double)passed[op] / (double)all : 0));
    }
    assert_true(all > 20);
    method->policy->destroy(policy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recbi_chooses_among_operators),
        cmocka_unit_test(test_diwi_chooses_among_rules),
        cmocka_unit_test(test_recbis_state_counts_passing_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
