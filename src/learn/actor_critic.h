/* ActorCritic: advantage actor-critic learning over a handful of actions; the two small networks behind RecBi.
 *
 * A step is: choose an action in a state, do it, learn the reward it earned. Learning lags u steps behind, because the
 * advantage of a step needs the rewards of the u steps after it. States are vectors of numbers about 0 to 1; the caller
 * normalises. Actions that cannot be taken now are masked: they have probability 0 and get no gradient.
 *
 *     ActorCritic *ac = actor_critic_new(&config, &rng);
 *     size_t action = actor_critic_choose(ac, state, allowed, &rng);
 *     … act, observe …
 *     actor_critic_learn(ac, state, allowed, action, reward, next_state);
 */
#ifndef LEARN_ACTOR_CRITIC_H
#define LEARN_ACTOR_CRITIC_H

#include "base/rng.h"

typedef struct ActorCriticConfig {
    size_t inputs;  /* length of a state */
    size_t actions; /* how many there are */
    size_t hidden;  /* units of the one hidden layer of each network */
    size_t u;       /* future steps in an advantage */
    double gamma;   /* weight of the future */
    double beta;    /* learning rate */
} ActorCriticConfig;

/* RecBi's settings: u = 5, gamma = 0.9, beta = 0.01; the paper gives no width, ours is 32. */
ActorCriticConfig actor_critic_defaults(size_t inputs, size_t actions);

typedef struct ActorCritic ActorCritic;

ActorCritic *actor_critic_new(const ActorCriticConfig *config, Rng *rng);
void actor_critic_free(ActorCritic *ac);
DEFINE_FREEP(ActorCritic, actor_critic_free)

/* The actor's distribution over the allowed actions (NULL: all); at least one must be allowed. */
void actor_critic_policy(ActorCritic *ac, const double *state, const bool *allowed, double *ret_probability);
size_t actor_critic_choose(ActorCritic *ac, const double *state, const bool *allowed, Rng *rng);
double actor_critic_value(ActorCritic *ac, const double *state); /* PR: the critic's predicted reward */

/* Notes the step; once u later steps are known, learns from the oldest one. */
void actor_critic_learn(ActorCritic *ac, const double *state, const bool *allowed, size_t action, double reward,
                        const double *next_state);

/* The weights of both networks in one flat vector each, and the gradients that learning follows, for their check
 * against differences: of log P(action | state) and of PR(state). */
size_t actor_critic_actor_weights(ActorCritic *ac, double **ret_weights);
size_t actor_critic_critic_weights(ActorCritic *ac, double **ret_weights);
void actor_critic_actor_gradient(ActorCritic *ac, const double *state, const bool *allowed, size_t action,
                                 double *ret_gradient);
void actor_critic_critic_gradient(ActorCritic *ac, const double *state, double *ret_gradient);

/* Formula 7 over rewards[0..u], the advantage that a step is judged by. */
double actor_critic_advantage(const double *rewards, size_t u, double gamma, double value_after, double value_now);

#endif
