/* The search for witnesses: one loop for all methods. Private to this folder; isolate.c calls it. */
#ifndef ISOLATE_SEARCH_H
#define ISOLATE_SEARCH_H

#include "base/map.h"
#include "isolate/configs.h"
#include "isolate/isolate.h"
#include "isolate/source.h"
#include "mutate/effect.h"
#include "proc/pool.h"

/* A program that mutants are made from. */
typedef struct Seed {
    char *text;
    size_t len;
    Mutator *mutator; /* made when first needed */
    bool unusable;    /* it cannot be parsed */
} Seed;

typedef Vec(Seed) SeedList;

/* What a witness' probes are, see mutate/effect.h; absent ones are NULL. */
typedef struct ProbeTexts {
    char *seed_text;
    char *seed[EFFECT_PROBES], *mutant[EFFECT_PROBES];
} ProbeTexts;

typedef struct Search {
    /* Given: */
    const IsolateOptions *options;
    const TesterConfig *tester_config;
    MutatorConfig mutator_config;
    Console *console;
    Isolation *isolation; /* witnesses, set and statistics are filled */
    Rng rng;
    Source *source; /* of programs that are no mutants; NULL for mutation */
    /* The state of Algorithm 1: */
    SeedList seeds;        /* S: failing programs of order n-1 */
    SeedList next_seeds;   /* S': those of order n */
    uint64_t failing_seen; /* how many could have become next_seeds */
    unsigned order;        /* n */
    void *policy;          /* the method's state */
    Map seen;              /* texts that were tested or are under test */
    unsigned fruitless;    /* proposals in a row that gave nothing new */
    bool exhausted;        /* nothing left to propose */
    /* synth: DiWi's own witnesses, and which of them is being blended. */
    WitnessSet plain;
    SeedList plain_seeds;
    size_t blending, blend_attempts;
    /* dual: options still to be tried, see configs.h. */
    OptionQueue queue;
    bool option_was_last;
    /* Work under way: */
    Pool *pool;
    Tester **testers; /* one per worker, made by its first job */
    int64_t start_ms;
    uint64_t submitted;
    unsigned errors_in_row;
    Vec(ProbeTexts) probes; /* one per witness */
} Search;

/* Runs until a limit. False only where the machine fails. */
bool search_run(Search *search, Error *err);
void search_release(Search *search);

/* fakes.c: marks the witnesses whose output does not depend on the mutated code any more. */
void search_mark_fakes(Search *search);
/* For fakes.c: the tester of a worker, made on its first use; NULL with err where it cannot be made. */
Tester *search_tester(Search *search, Runner *runner, size_t worker, Error *err);

#endif
