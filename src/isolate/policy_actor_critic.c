/* RecBi's policy: an operator by the actor network (learn/actor_critic.c), then a rule and a place uniformly within it.
 *
 * State   s_t      how often each of the ten operators was selected and gave a passing program, as a share of all that did.
 * Action  a_t      an operator that applies to the seed; the others are masked.
 * Reward_t         Formula 6: sum over the steps i <= t that used this operator of delta Q_i, divided by T(m), how often
 *                  the operator was selected. A mutant that does not pass has delta Q = 0 but counts in T(m); a passing
 *                  one that was not accepted counts with its delta Q, which is what the set would have lost.
 *
 * With several workers, lessons arrive in the order in which tests finish; a step keeps the state it was chosen in.
 */
#include <string.h>

#include "isolate/method.h"
#include "learn/actor_critic.h"

enum { STEPS_UNDER_WAY = 256 }; /* more than there are ever workers */

typedef struct PendingStep {
    double state[MUTATION_OPERATORS];
    bool allowed[MUTATION_OPERATORS];
    size_t action;
} PendingStep;

typedef struct ActorPolicy {
    ActorCritic *ac;                       /* NULL: operators uniformly */
    uint64_t selected[MUTATION_OPERATORS]; /* T(m) */
    uint64_t passed[MUTATION_OPERATORS], all_passed;
    double quality[MUTATION_OPERATORS]; /* sum of delta Q */
    uint64_t steps;
    PendingStep pending[STEPS_UNDER_WAY];
} ActorPolicy;

static void *uniform_create(const PolicyOptions *options, Rng *rng) {
    (void)options;
    (void)rng;
    return mem_zalloc(1, sizeof(ActorPolicy));
}

static void *actor_create(const PolicyOptions *options, Rng *rng) {
    ActorPolicy *policy = uniform_create(options, rng);
    ActorCriticConfig config = actor_critic_defaults(MUTATION_OPERATORS, MUTATION_OPERATORS);
    if (options->horizon)
        config.u = options->horizon;
    policy->ac = actor_critic_new(&config, rng);
    return policy;
}

static void actor_destroy(void *state) {
    ActorPolicy *policy = state;
    actor_critic_free(policy->ac);
    free(policy);
}

static void observe(const ActorPolicy *policy, double *ret_state) {
    for (size_t i = 0; i < MUTATION_OPERATORS; i++)
        ret_state[i] = policy->all_passed ? (double)policy->passed[i] / (double)policy->all_passed : 0;
}

void policy_actor_critic_state(const void *state, double ret_state[MUTATION_OPERATORS]) { observe(state, ret_state); }

static bool actor_mutate(void *state, Mutator *mutator, Rng *rng, Str *ret_text, Mutation *ret_mutation,
                         uint64_t *ret_token) {
    ActorPolicy *policy = state;
    PendingStep step = {0};
    size_t applicable = 0;
    for (MutationOperator op = 0; op < MUTATION_OPERATORS; op++)
        applicable += step.allowed[op] = mutator_operator_applies(mutator, op);
    if (applicable == 0)
        return false;
    observe(policy, step.state);
    step.action = policy->ac ? actor_critic_choose(policy->ac, step.state, step.allowed, rng)
                             : rng_allowed(rng, step.allowed, applicable);
    if (!mutator_apply_operator(mutator, (MutationOperator)step.action, rng, ret_text, ret_mutation))
        return false;
    *ret_token = policy->steps % STEPS_UNDER_WAY;
    policy->pending[*ret_token] = step;
    policy->steps++;
    policy->selected[step.action]++;
    return true;
}

static void actor_learn(void *state, const Lesson *lesson, uint64_t token) {
    ActorPolicy *policy = state;
    if (!policy->ac)
        return;
    const PendingStep *step = &policy->pending[token];
    policy->passed[step->action] += lesson->passed;
    policy->all_passed += lesson->passed;
    policy->quality[step->action] += lesson->passed ? lesson->change.delta_quality : 0;
    double reward = policy->quality[step->action] / (double)policy->selected[step->action];
    double next_state[MUTATION_OPERATORS];
    observe(policy, next_state);
    actor_critic_learn(policy->ac, step->state, step->allowed, step->action, reward, next_state);
}

const Policy policy_actor_critic = {actor_create, actor_destroy, actor_mutate, actor_learn};
const Policy policy_random_operator = {uniform_create, actor_destroy, actor_mutate, actor_learn};
