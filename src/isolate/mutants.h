/* Mutants of the failing program, and of failing mutants: Algorithm 1 of DiWi, as a part of strategies. */
#ifndef ISOLATE_MUTANTS_H
#define ISOLATE_MUTANTS_H

#include "base/map.h"
#include "isolate/search.h"

typedef Vec(Seed) SeedList;

/* Zeroed is closed. */
typedef struct Mutants {
    MutatorConfig config;
    StrList sources; /* config has the name of the first */
    Ingredients *ingredients;
    SeedList seeds;        /* S: failing programs of order n-1 */
    SeedList next_seeds;   /* S': those of order n */
    uint64_t failing_seen; /* how many could have become next_seeds */
    void *policy;          /* its state */
    Map seen;              /* texts that were tested or are under test */
    uint64_t accepted;     /* as witnesses */
    unsigned fruitless;    /* proposals in a row that gave nothing new */
    bool over;             /* there are none, or none any more */
} Mutants;

/* `ingredients`: the pool's code is collected for insertion. Starts with the failing program. */
bool mutants_open(Mutants *mutants, Search *search, bool ingredients, Error *err);
/* Can the failing program be mutated at all? An Error, that says what to do, if not. */
bool mutants_check(const Mutants *mutants, const Search *search, Error *err);
void mutants_close(Mutants *mutants, const Search *search);

/* Goes on to the next order when this one is used up without a witness; false at the end of all. */
bool mutants_go_on(Mutants *mutants, Search *search);
/* A mutant that is new; NULL when this attempt gave none. The caller counts those in `fruitless`. */
Candidate *mutants_mutate(Mutants *mutants, Search *search);
/* All of the above. */
Candidate *mutants_propose(Mutants *mutants, Search *search);
/* Tells the policy what came of a mutant and keeps failing ones for the next order. */
void mutants_learn(Mutants *mutants, Search *search, const Lesson *lesson, const Candidate *c);
/* What a mutant was made from, for its probes; NULL when it is gone. */
const Seed *mutants_seed(const Mutants *mutants, const Search *search, const Candidate *c);

Mutator *seed_mutator(Seed *seed, const MutatorConfig *config); /* NULL when it cannot be parsed */
Seed seed_of(const Candidate *c);
bool mutants_note(Mutants *mutants, const Str *text); /* whether the text is new */
void seeds_release(SeedList *seeds);

#endif
