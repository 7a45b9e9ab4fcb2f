/* DiWi's policy: the rule book of rulebook.c, asked for one rule at a time. Also the policy without any guidance. */
#include "isolate/method.h"
#include "isolate/rulebook.h"

typedef struct RulePolicy {
    RuleBook *book; /* NULL: uniform */
    size_t rule_count;
    bool *usable;
} RulePolicy;

static RulePolicy *rule_policy_new(const PolicyOptions *options) {
    RulePolicy *policy = mem_zalloc(1, sizeof *policy);
    policy->rule_count = options->rule_count;
    policy->usable = mem_zalloc(policy->rule_count, sizeof *policy->usable);
    return policy;
}

static void *metropolis_create(const PolicyOptions *options, Rng *rng) {
    RulePolicy *policy = rule_policy_new(options);
    policy->book = rulebook_new(policy->rule_count, rng);
    return policy;
}

static void *random_create(const PolicyOptions *options, Rng *rng) {
    (void)rng;
    return rule_policy_new(options);
}

static void rule_destroy(void *state) {
    RulePolicy *policy = state;
    rulebook_free(policy->book);
    free(policy->usable);
    free(policy);
}

/* A rule without a hole in this program cannot be proposed: the paper's rules all have holes in its example. */
static size_t find_usable(RulePolicy *policy, const Mutator *mutator) {
    size_t count = 0;
    for (size_t rule = 0; rule < policy->rule_count; rule++)
        count += policy->usable[rule] = mutator_holes(mutator, rule) > 0;
    return count;
}

static size_t uniform_rule(const RulePolicy *policy, size_t usable_count, Rng *rng) {
    size_t skip = rng_below(rng, usable_count), rule = 0;
    for (;; rule++)
        if (policy->usable[rule] && skip-- == 0)
            return rule;
}

static bool rule_mutate(void *state, Mutator *mutator, Rng *rng, Str *ret_text, Mutation *ret_mutation,
                        uint64_t *ret_token) {
    RulePolicy *policy = state;
    size_t usable_count = find_usable(policy, mutator);
    if (usable_count == 0)
        return false;
    size_t rule =
        policy->book ? rulebook_next(policy->book, policy->usable, rng) : uniform_rule(policy, usable_count, rng);
    *ret_token = rule;
    return mutator_apply(mutator, rule, rng, ret_text, ret_mutation);
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
const Policy policy_random_rule = {random_create, rule_destroy, rule_mutate, learn_nothing};
