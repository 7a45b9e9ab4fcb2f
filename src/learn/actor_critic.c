/* Advantage actor-critic as RecBi uses it (Chen, Ma, Zhang: Enhanced Compiler Bug Isolation via Memoized Search,
 * ASE 2020, section 3.2.2).
 *
 * The actor gives P(a | s), the critic PR(s), the reward it expects from s on. Formula 7 is the advantage of step t:
 *
 *     A(t) = sum over i = t..t+u of gamma^(i-t) Reward_i  +  gamma^(u+1) PR_(t+u+1)  -  PR_t
 *
 * and Formula 8 the step of the weights:
 *
 *     w = w + beta * d(log P_w(a_t | s_t) A(t)) / dw
 *
 * The actor follows Formula 8 with A(t) held constant. The critic minimises A(t)^2 with its own later prediction
 * PR_(t+u+1) held constant (the usual semi-gradient): w = w + beta * 2 A(t) * dPR_t / dw.
 *
 * Each network has one hidden layer, as in the paper: inputs -> hidden, tanh -> outputs; the actor's outputs go through
 * a softmax over the allowed actions. The paper gives neither width nor initialisation; we take 32 units and weights
 * uniform in +-sqrt(6 / (fan_in + fan_out)) with zero biases (Glorot and Bengio 2010), so that the first policy is
 * close to uniform. Steps are learnt one by one, each as soon as its u successors are known (the published tool updates
 * once per run). A reward is a mean of delta Q, which lies between -alpha and
 * 1 + alpha (n div_n - (n-1) div_(n-1) is twice the new witness' mean distance minus div_(n-1)), so that the discounted
 * sum of six is below 8.5. The advantage is clipped to +-10 against predictions of the critic that are far off in the
 * beginning, which would saturate a network of this size.
 */
#include "learn/actor_critic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HIDDEN_UNITS = 32 };
static const double ADVANTAGE_LIMIT = 10.0;

/* weights = [hidden][inputs], hidden biases, [outputs][hidden], output biases: one flat vector. */
typedef struct Network {
    size_t inputs, hidden, outputs, weight_count;
    double *weights;
    double *activation; /* tanh of the hidden layer in the latest forward pass */
    double *output;     /* of the latest forward pass */
} Network;

typedef struct Step {
    double *state;
    bool *allowed;
    size_t action;
    double reward;
} Step;

struct ActorCritic {
    ActorCriticConfig config;
    Network actor, critic;
    Step *steps;  /* a ring of u + 1 */
    size_t first; /* the oldest step in the ring */
    size_t len;
    double *gradient;     /* as long as the larger network */
    double *error;        /* d(objective)/d(output), scratch */
    double *probability;  /* scratch */
    double *hidden_error; /* scratch */
    bool *all_allowed;
};

ActorCriticConfig actor_critic_defaults(size_t inputs, size_t actions) {
    return (ActorCriticConfig){
        .inputs = inputs, .actions = actions, .hidden = HIDDEN_UNITS, .u = 5, .gamma = 0.9, .beta = 0.01};
}

static double *doubles(size_t count) { return mem_zalloc(count, sizeof(double)); }

static void fill_uniform(double *weights, size_t count, size_t fan_in, size_t fan_out, Rng *rng) {
    double limit = sqrt(6.0 / (double)(fan_in + fan_out));
    for (size_t i = 0; i < count; i++)
        weights[i] = (2 * rng_real(rng) - 1) * limit;
}

static void network_init(Network *net, size_t inputs, size_t hidden, size_t outputs, Rng *rng) {
    *net = (Network){.inputs = inputs, .hidden = hidden, .outputs = outputs};
    net->weight_count = hidden * (inputs + 1) + outputs * (hidden + 1);
    net->weights = doubles(net->weight_count);
    net->activation = doubles(hidden);
    net->output = doubles(outputs);
    fill_uniform(net->weights, hidden * inputs, inputs, hidden, rng);
    fill_uniform(net->weights + hidden * (inputs + 1), outputs * hidden, hidden, outputs, rng);
}

static void network_release(Network *net) {
    free(net->weights);
    free(net->activation);
    free(net->output);
}

static void network_forward(Network *net, const double *state) {
    const double *in_weights = net->weights, *in_bias = in_weights + net->hidden * net->inputs;
    const double *out_weights = in_bias + net->hidden, *out_bias = out_weights + net->outputs * net->hidden;
    for (size_t h = 0; h < net->hidden; h++) {
        double sum = in_bias[h];
        for (size_t i = 0; i < net->inputs; i++)
            sum += in_weights[h * net->inputs + i] * state[i];
        net->activation[h] = tanh(sum);
    }
    for (size_t o = 0; o < net->outputs; o++) {
        double sum = out_bias[o];
        for (size_t h = 0; h < net->hidden; h++)
            sum += out_weights[o * net->hidden + h] * net->activation[h];
        net->output[o] = sum;
    }
}

/* The gradient of an objective whose derivatives by the outputs are `error`, after network_forward on `state`. */
static void network_backward(const Network *net, const double *state, const double *error, double *hidden_error,
                             double *ret_gradient) {
    double *in_weights = ret_gradient, *in_bias = in_weights + net->hidden * net->inputs;
    double *out_weights = in_bias + net->hidden, *out_bias = out_weights + net->outputs * net->hidden;
    const double *weights_out = net->weights + (out_weights - ret_gradient);
    memset(hidden_error, 0, net->hidden * sizeof *hidden_error);
    for (size_t o = 0; o < net->outputs; o++) {
        out_bias[o] = error[o];
        for (size_t h = 0; h < net->hidden; h++) {
            out_weights[o * net->hidden + h] = error[o] * net->activation[h];
            hidden_error[h] += error[o] * weights_out[o * net->hidden + h];
        }
    }
    for (size_t h = 0; h < net->hidden; h++) {
        in_bias[h] = hidden_error[h] * (1 - net->activation[h] * net->activation[h]);
        for (size_t i = 0; i < net->inputs; i++)
            in_weights[h * net->inputs + i] = in_bias[h] * state[i];
    }
}

ActorCritic *actor_critic_new(const ActorCriticConfig *config, Rng *rng) {
    ActorCritic *ac = mem_zalloc(1, sizeof *ac);
    ac->config = *config;
    network_init(&ac->actor, config->inputs, config->hidden, config->actions, rng);
    network_init(&ac->critic, config->inputs, config->hidden, 1, rng);
    ac->gradient = doubles(MAX_OF(ac->actor.weight_count, ac->critic.weight_count));
    ac->error = doubles(MAX_OF(config->actions, (size_t)1));
    ac->probability = doubles(config->actions);
    ac->hidden_error = doubles(config->hidden);
    ac->all_allowed = mem_alloc(config->actions);
    memset(ac->all_allowed, true, config->actions);
    ac->steps = mem_zalloc(config->u + 1, sizeof *ac->steps);
    for (size_t i = 0; i <= config->u; i++) {
        ac->steps[i].state = doubles(config->inputs);
        ac->steps[i].allowed = mem_alloc(config->actions);
    }
    return ac;
}

void actor_critic_free(ActorCritic *ac) {
    if (!ac)
        return;
    for (size_t i = 0; i <= ac->config.u; i++) {
        free(ac->steps[i].state);
        free(ac->steps[i].allowed);
    }
    free(ac->steps);
    network_release(&ac->actor);
    network_release(&ac->critic);
    free(ac->gradient);
    free(ac->error);
    free(ac->probability);
    free(ac->hidden_error);
    free(ac->all_allowed);
    free(ac);
}

void actor_critic_policy(ActorCritic *ac, const double *state, const bool *allowed, double *ret_probability) {
    if (!allowed)
        allowed = ac->all_allowed;
    network_forward(&ac->actor, state);
    double largest = -INFINITY, sum = 0;
    for (size_t a = 0; a < ac->config.actions; a++)
        if (allowed[a])
            largest = fmax(largest, ac->actor.output[a]);
    BUG_ON(isinf(largest));
    for (size_t a = 0; a < ac->config.actions; a++) {
        ret_probability[a] = allowed[a] ? exp(ac->actor.output[a] - largest) : 0;
        sum += ret_probability[a];
    }
    for (size_t a = 0; a < ac->config.actions; a++)
        ret_probability[a] /= sum;
}

size_t actor_critic_choose(ActorCritic *ac, const double *state, const bool *allowed, Rng *rng) {
    actor_critic_policy(ac, state, allowed, ac->probability);
    double rest = rng_real(rng);
    size_t chosen = 0;
    for (size_t a = 0; a < ac->config.actions; a++) {
        if (ac->probability[a] == 0)
            continue;
        chosen = a; /* rounding may leave a rest behind the last action: it is the last allowed one's */
        rest -= ac->probability[a];
        if (rest < 0)
            break;
    }
    return chosen;
}

double actor_critic_value(ActorCritic *ac, const double *state) {
    network_forward(&ac->critic, state);
    return ac->critic.output[0];
}

/* d log P(action) / d output_a = [a = action] - P(a) over the allowed actions. */
void actor_critic_actor_gradient(ActorCritic *ac, const double *state, const bool *allowed, size_t action,
                                 double *ret_gradient) {
    actor_critic_policy(ac, state, allowed, ac->probability);
    for (size_t a = 0; a < ac->config.actions; a++)
        ac->error[a] = (a == action) - ac->probability[a];
    network_backward(&ac->actor, state, ac->error, ac->hidden_error, ret_gradient);
}

void actor_critic_critic_gradient(ActorCritic *ac, const double *state, double *ret_gradient) {
    network_forward(&ac->critic, state);
    ac->error[0] = 1;
    network_backward(&ac->critic, state, ac->error, ac->hidden_error, ret_gradient);
}

double actor_critic_advantage(const double *rewards, size_t u, double gamma, double value_after, double value_now) {
    double advantage = 0, weight = 1;
    for (size_t i = 0; i <= u; i++, weight *= gamma)
        advantage += weight * rewards[i];
    return advantage + weight * value_after - value_now; /* weight is gamma^(u+1) here */
}

static void add_scaled(double *weights, const double *gradient, size_t count, double factor) {
    for (size_t i = 0; i < count; i++)
        weights[i] += factor * gradient[i];
}

/* Learns from the oldest step, whose u successors are all in the ring and led to `state_after`. */
static void learn_oldest(ActorCritic *ac, const double *state_after) {
    const ActorCriticConfig *config = &ac->config;
    const Step *step = &ac->steps[ac->first];
    double *rewards = doubles(config->u + 1);
    for (size_t i = 0; i <= config->u; i++)
        rewards[i] = ac->steps[(ac->first + i) % (config->u + 1)].reward;
    double advantage = actor_critic_advantage(rewards, config->u, config->gamma, actor_critic_value(ac, state_after),
                                              actor_critic_value(ac, step->state));
    free(rewards);
    advantage = fmax(-ADVANTAGE_LIMIT, fmin(ADVANTAGE_LIMIT, advantage));
    actor_critic_actor_gradient(ac, step->state, step->allowed, step->action, ac->gradient);
    add_scaled(ac->actor.weights, ac->gradient, ac->actor.weight_count, config->beta * advantage);
    actor_critic_critic_gradient(ac, step->state, ac->gradient);
    add_scaled(ac->critic.weights, ac->gradient, ac->critic.weight_count, config->beta * 2 * advantage);
}

void actor_critic_learn(ActorCritic *ac, const double *state, const bool *allowed, size_t action, double reward,
                        const double *next_state) {
    size_t window = ac->config.u + 1;
    BUG_ON(action >= ac->config.actions);
    Step *step = &ac->steps[(ac->first + ac->len) % window];
    memcpy(step->state, state, ac->config.inputs * sizeof *state);
    memcpy(step->allowed, allowed ? allowed : ac->all_allowed, ac->config.actions);
    step->action = action;
    step->reward = reward;
    if (++ac->len < window)
        return;
    learn_oldest(ac, next_state);
    ac->first = (ac->first + 1) % window;
    ac->len--;
}

size_t actor_critic_actor_weights(ActorCritic *ac, double **ret_weights) {
    *ret_weights = ac->actor.weights;
    return ac->actor.weight_count;
}

size_t actor_critic_critic_weights(ActorCritic *ac, double **ret_weights) {
    *ret_weights = ac->critic.weights;
    return ac->critic.weight_count;
}
