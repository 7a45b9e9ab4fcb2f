/* Methods of isolation: where witnesses come from, how the next rule is chosen, which witnesses are kept.
 *
 * All methods share one search loop (search.c): choose a seed, choose a rule, mutate, test, cover, accept. A Method is
 * data; what differs in code is the Policy, three functions around the choice of a rule.
 */
#ifndef ISOLATE_METHOD_H
#define ISOLATE_METHOD_H

#include "isolate/rank.h"
#include "isolate/witnesses.h"
#include "mutate/mutator.h"

/* What the loop tells the policy about a mutant that was tested. */
typedef struct Lesson {
    bool passed, accepted;
    WitnessChange change; /* of a passing mutant */
} Lesson;

typedef struct Policy {
    void *(*create)(bool structural, Rng *rng);
    void (*destroy)(void *state);
    /* Chooses a rule that applies and mutates with it. False where nothing came of it; the loop asks again. `ret_token`
     * comes back with the lesson: 64 bits that the policy may use as it likes. */
    bool (*mutate)(void *state, Mutator *mutator, Rng *rng, Str *ret_text, Mutation *ret_mutation, uint64_t *ret_token);
    void (*learn)(void *state, const Lesson *lesson, uint64_t token);
} Policy;

extern const Policy policy_metropolis;   /* DiWi: a rule by Metropolis-Hastings */
extern const Policy policy_actor_critic; /* RecBi: an operator by the actor network */
extern const Policy policy_random_rule;  /* a rule, uniformly */
extern const Policy policy_random_operator;

typedef enum WitnessSource {
    SOURCE_MUTATION,
    SOURCE_POOL,      /* the programs of --pool, in random order */
    SOURCE_GENERATOR, /* random programs */
} WitnessSource;

typedef enum Acceptance {
    ACCEPT_ALL,      /* every passing program */
    ACCEPT_DISTINCT, /* coverage unlike every other witness' (DiWi) */
    ACCEPT_IMPROVES, /* delta Q > 0 (RecBi) */
    ACCEPT_NO_WORSE, /* delta Q >= 0 (RecBi-filter) */
} Acceptance;

typedef struct Method {
    const char *name;
    const char *summary; /* for help and tables */
    WitnessSource source;
    const Policy *policy; /* NULL unless SOURCE_MUTATION */
    bool structural;      /* RecBi's four rules too, not DiWi's alone */
    Acceptance acceptance;
    bool fused; /* all kinds of evidence: options, ordinary programs of the pool, failing runs */
    Aggregation aggregation;
    bool file_level; /* the spectrum counts files, not statements */
    bool blend;      /* witnesses are blended with ingredients of the pool before they count (DiWi, 5.6.4) */
} Method;

extern const Method methods[]; /* ends with a NULL name */
const Method *method_find(const char *name, Error *err);
bool method_accepts(const Method *method, const WitnessChange *change);

#endif
