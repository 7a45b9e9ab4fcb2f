/* The actor-critic networks: gradients against differences, Formula 7 by hand, masks, and that they learn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/actor_critic.h"

enum { INPUTS = 4, ACTIONS = 5 };

static ActorCritic *small_network(Rng *rng) {
    ActorCriticConfig config = actor_critic_defaults(INPUTS, ACTIONS);
    config.hidden = 6;
    return actor_critic_new(&config, rng);
}

static void random_state(double *state, Rng *rng) {
    for (size_t i = 0; i < INPUTS; i++)
        state[i] = rng_real(rng);
}

static double log_probability(ActorCritic *ac, const double *state, const bool *allowed, size_t action) {
    double probability[ACTIONS];
    actor_critic_policy(ac, state, allowed, probability);
    return log(probability[action]);
}

static void assert_close(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("got %.12g, want %.12g", got, want);
}

static void test_actor_gradient_equals_differences(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(1);
    CLEANUP(actor_critic_freep) ActorCritic *ac = small_network(&rng);
    double state[INPUTS], *weights, gradient[200];
    const bool allowed[ACTIONS] = {true, false, true, true, true};
    random_state(state, &rng);
    size_t count = actor_critic_actor_weights(ac, &weights);
    actor_critic_actor_gradient(ac, state, allowed, 3, gradient);
    for (size_t i = 0; i < count; i++) {
        double saved = weights[i], step = 1e-6;
        weights[i] = saved + step;
        double above = log_probability(ac, state, allowed, 3);
        weights[i] = saved - step;
        double below = log_probability(ac, state, allowed, 3);
        weights[i] = saved;
        assert_close(gradient[i], (above - below) / (2 * step), 1e-7);
    }
}

static void test_critic_gradient_equals_differences(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(2);
    CLEANUP(actor_critic_freep) ActorCritic *ac = small_network(&rng);
    double state[INPUTS], *weights, gradient[200];
    random_state(state, &rng);
    size_t count = actor_critic_critic_weights(ac, &weights);
    actor_critic_critic_gradient(ac, state, gradient);
    for (size_t i = 0; i < count; i++) {
        double saved = weights[i], step = 1e-6;
        weights[i] = saved + step;
        double above = actor_critic_value(ac, state);
        weights[i] = saved - step;
        double below = actor_critic_value(ac, state);
        weights[i] = saved;
        assert_close(gradient[i], (above - below) / (2 * step), 1e-7);
    }
}

static void test_advantage_is_formula_7(void **unused) {
    (void)unused;
    const double rewards[] = {1, 2, 4};
    /* u = 2, gamma = 0.5: 1 + 0.5*2 + 0.25*4 + 0.125*8 - 3 */
    assert_close(actor_critic_advantage(rewards, 2, 0.5, 8, 3), 1, 1e-12);
    assert_close(actor_critic_advantage(rewards, 0, 0.9, 10, 2), 1 + 9 - 2, 1e-12);
}

/* One update must move the weights by exactly what Formulae 7 and 8 say, computed here from the public pieces. */
static void test_update_is_formula_8(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(3);
    CLEANUP(actor_critic_freep) ActorCritic *ac = small_network(&rng);
    double states[7][INPUTS], rewards[6], *weights, gradient[200], want[200];
    for (size_t t = 0; t < 7; t++)
        random_state(states[t], &rng);
    for (size_t t = 0; t < 6; t++)
        rewards[t] = rng_real(&rng);
    size_t count = actor_critic_actor_weights(ac, &weights);
    double advantage =
        actor_critic_advantage(rewards, 5, 0.9, actor_critic_value(ac, states[6]), actor_critic_value(ac, states[0]));
    actor_critic_actor_gradient(ac, states[0], NULL, 2, gradient);
    for (size_t i = 0; i < count; i++)
        want[i] = weights[i] + 0.01 * advantage * gradient[i];
    for (size_t t = 0; t < 6; t++)
        actor_critic_learn(ac, states[t], NULL, 2, rewards[t], states[t + 1]);
    for (size_t i = 0; i < count; i++)
        assert_close(weights[i], want[i], 1e-12);
}

static void test_nothing_is_learnt_before_u_steps(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(4);
    CLEANUP(actor_critic_freep) ActorCritic *ac = small_network(&rng);
    double state[INPUTS] = {0}, *weights, before[200];
    size_t count = actor_critic_actor_weights(ac, &weights);
    memcpy(before, weights, count * sizeof *weights);
    for (size_t t = 0; t < 5; t++)
        actor_critic_learn(ac, state, NULL, 1, 1, state);
    assert_memory_equal(before, weights, count * sizeof *weights);
    actor_critic_learn(ac, state, NULL, 1, 1, state);
    assert_memory_not_equal(before, weights, count * sizeof *weights);
}

static void test_masked_actions_are_never_chosen(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(5);
    CLEANUP(actor_critic_freep) ActorCritic *ac = small_network(&rng);
    double state[INPUTS];
    for (size_t round = 0; round < 2000; round++) {
        bool allowed[ACTIONS] = {false};
        allowed[rng_below(&rng, ACTIONS)] = allowed[rng_below(&rng, ACTIONS)] = true;
        random_state(state, &rng);
        size_t action = actor_critic_choose(ac, state, allowed, &rng);
        assert_true(allowed[action]);
        actor_critic_learn(ac, state, allowed, action, rng_real(&rng), state);
    }
}

/* A bandit: action 3 alone is rewarded, so the policy must come to prefer it clearly. */
static void test_learns_the_rewarded_action(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(6);
    CLEANUP(actor_critic_freep) ActorCritic *ac = small_network(&rng);
    double state[INPUTS] = {0.2, 0.4, 0.1, 0.3}, probability[ACTIONS];
    for (size_t round = 0; round < 4000; round++) {
        size_t action = actor_critic_choose(ac, state, NULL, &rng);
        actor_critic_learn(ac, state, NULL, action, action == 3 ? 1 : 0, state);
    }
    actor_critic_policy(ac, state, NULL, probability);
    if (probability[3] < 0.5)
        fail_msg("P(rewarded action) = %g, want above 0.5", probability[3]);
}

static void test_critic_learns_the_return(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(7);
    CLEANUP(actor_critic_freep) ActorCritic *ac = small_network(&rng);
    double state[INPUTS] = {0.5, 0.5, 0, 0};
    for (size_t round = 0; round < 6000; round++)
        actor_critic_learn(ac, state, NULL, 0, 0.1, state);
    assert_close(actor_critic_value(ac, state), 0.1 / (1 - 0.9), 0.05); /* the endless sum of 0.9^i * 0.1 */
}

static void test_large_outputs_stay_finite(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(8);
    CLEANUP(actor_critic_freep) ActorCritic *ac = small_network(&rng);
    double state[INPUTS] = {1, 1, 1, 1}, *weights, probability[ACTIONS];
    size_t count = actor_critic_actor_weights(ac, &weights);
    for (size_t i = 0; i < count; i++)
        weights[i] *= 1e4;
    actor_critic_policy(ac, state, NULL, probability);
    double sum = 0;
    for (size_t a = 0; a < ACTIONS; a++)
        sum += probability[a];
    assert_close(sum, 1, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actor_gradient_equals_differences),
        cmocka_unit_test(test_critic_gradient_equals_differences),
        cmocka_unit_test(test_advantage_is_formula_7),
        cmocka_unit_test(test_update_is_formula_8),
        cmocka_unit_test(test_nothing_is_learnt_before_u_steps),
        cmocka_unit_test(test_masked_actions_are_never_chosen),
        cmocka_unit_test(test_learns_the_rewarded_action),
        cmocka_unit_test(test_critic_learns_the_return),
        cmocka_unit_test(test_large_outputs_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
