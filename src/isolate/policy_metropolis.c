/* DiWi's policy: the rule book of rulebook.c, asked for one rule at a time. Also the policy without any guidance.
 *
 * RecBi's variant of it chooses among the ten operators, as all of RecBi's methods do: the book has ten entries, and the
 * rule and the place are drawn uniformly within the operator. */
#include "isolate/method.h"
#include "isolate/rulebook.h"

typedef struct RulePolicy {
    RuleBook *book;    /* NULL: uniform */
    bool by_operator;  /* what is chosen: operators, or rules */
    size_t item_count; /* of them */
    bool *usable;
} RulePolicy;

static RulePolicy *rule_policy_new(const PolicyOptions *options, bool by_operator) {
    RulePolicy *policy = mem_zalloc(1, sizeof *policy);
    policy->by_operator = by_operator;
    policy->item_count = by_operator ? (size_t)MUTATION_OPERATORS : options->rule_count;
    policy->usable = mem_zalloc(policy->item_count, sizeof *policy->usable);
    return policy;
}

static void *metropolis_create(const PolicyOptions *options, Rng *rng) {
    RulePolicy *policy = rule_policy_new(options, false);
    policy->book = rulebook_new(policy->item_count, rng);
    return policy;
}

static void *metropolis_operator_create(const PolicyOptions *options, Rng *rng) {
    RulePolicy *policy = rule_policy_new(options, true);
    policy->book = rulebook_new(policy->item_count, rng);
    return policy;
}

static void *random_create(const PolicyOptions *options, Rng *rng) {
    (void)rng;
    return rule_policy_new(options, false);
}

static void rule_destroy(void *state) {
    RulePolicy *policy = state;
    rulebook_free(policy->book);
    free(policy->usable);
    free(policy);
}

/* What has no hole in this program cannot be proposed: the paper's rules all have holes in its example. */
static size_t find_usable(RulePolicy *policy, const Mutator *mutator) {
    size_t count = 0;
    for (size_t i = 0; i < policy->item_count; i++)
        count += policy->usable[i] = policy->by_operator ? mutator_operator_applies(mutator, (MutationOperator)i)
                                                         : mutator_holes(mutator, i) > 0;
    return count;
}

static bool rule_mutate(void *state, Mutator *mutator, Rng *rng, Str *ret_text, Mutation *ret_mutation,
                        uint64_t *ret_token) {
    RulePolicy *policy = state;
    size_t usable_count = find_usable(policy, mutator);
    if (usable_count == 0)
        return false;
    size_t item = policy->book ? rulebook_next(policy->book, policy->usable, rng)
                               : rng_allowed(rng, policy->usable, usable_count);
    *ret_token = item;
    return policy->by_operator ? mutator_apply_operator(mutator, (MutationOperator)item, rng, ret_text, ret_mutation)
                               : mutator_apply(mutator, item, rng, ret_text, ret_mutation);
}

static void metropolis_learn(void *state, const Lesson *lesson, uint64_t token) {
    RulePolicy *policy = state;
    rulebook_update(policy->book, token, lesson->accepted, lesson->change.mean_distance);
}

static void learn_nothing(void *state, const Lesson *lesson, uint64_t token) {
    (void)state;
    (void)lesson;
    (void)token;
}

const Policy policy_metropolis = {metropolis_create, rule_destroy, rule_mutate, metropolis_learn};
const Policy policy_metropolis_operator = {metropolis_operator_create, rule_destroy, rule_mutate, metropolis_learn};
const Policy policy_random_rule = {random_create, rule_destroy, rule_mutate, learn_nothing};
