/* Methods of isolation: rows of a table. A method is a Strategy (strategy.h: what is tested next, what is kept of a result, how
 * statements are scored) and, if it mutates programs, a Policy that chooses the rules and a rule of acceptance. */
#ifndef ISOLATE_METHOD_H
#define ISOLATE_METHOD_H

#include "isolate/rank.h"
#include "isolate/witnesses.h"
#include "mutate/mutator.h"

/* What the search tells the policy about a mutant that was tested. */
typedef struct Lesson {
    bool passed, accepted;
    WitnessChange change; /* of a passing mutant */
} Lesson;

typedef struct PolicyOptions {
    size_t rule_count; /* the method's: the first so many rules of the table */
    size_t horizon;    /* of the actor-critic policy: future steps in an advantage; 0: RecBi's */
} PolicyOptions;

typedef struct Policy {
    void *(*create)(const PolicyOptions *options, Rng *rng);
    void (*destroy)(void *state);
    /* Chooses a rule that applies and mutates with it. False if nothing came of it; the search asks again. `ret_token`
     * comes back with the lesson: 64 bits that the policy may use as it likes. */
    bool (*mutate)(void *state, Mutator *mutator, Rng *rng, Str *ret_text, Mutation *ret_mutation, uint64_t *ret_token);
    void (*learn)(void *state, const Lesson *lesson, uint64_t token);
} Policy;

extern const Policy policy_metropolis;          /* DiWi: a rule by Metropolis-Hastings */
extern const Policy policy_metropolis_operator; /* RecBi_mh: an operator by Metropolis-Hastings */
extern const Policy policy_actor_critic;        /* RecBi: an operator by the actor network */
extern const Policy policy_random_rule;         /* a rule, uniformly */
extern const Policy policy_random_operator;

/* What the networks of policy_actor_critic see: shares of the operators in the passing programs so far. */
void policy_actor_critic_state(const void *state, double ret_state[MUTATION_OPERATORS]);

typedef enum Acceptance {
    ACCEPT_ALL,      /* every passing program */
    ACCEPT_DISTINCT, /* coverage unlike every other witness' (DiWi) */
    ACCEPT_IMPROVES, /* delta Q > 0 (RecBi) */
    ACCEPT_NO_WORSE, /* delta Q >= 0 (RecBi-filter) */
} Acceptance;

typedef struct Strategy Strategy;

typedef struct Method {
    const char *name;
    const char *summary; /* for help and tables */
    const Strategy *strategy;
    const Policy *policy; /* NULL: programs are not mutated */
    bool distinct;        /* witnesses of equal coverage count once */
    uint64_t stable;      /* ends when the ranking has not moved for so many programs; 0: goes on until its limits */
    bool takes_clues;     /* what is known beside coverage */
    bool structural;      /* RecBi's four rules too, not DiWi's alone */
    bool additions;       /* and our own */
    bool whole_suite;     /* the programs of --pool are, by default, all tests of the compiler's developers */
    Acceptance acceptance;
    Aggregation aggregation;
} Method;

extern const Method methods[]; /* ends with a NULL name */
const Method *method_find(const char *name, Error *err);
size_t method_rule_count(const Method *method); /* its rules are the first so many of the table */
bool method_accepts(const Method *method, const WitnessChange *change);

#endif
