/* The search for witnesses: one loop for all methods. Private to this folder; isolate.c calls it. */
#ifndef ISOLATE_SEARCH_H
#define ISOLATE_SEARCH_H

#include "base/map.h"
#include "isolate/isolate.h"
#include "isolate/lean.h"
#include "isolate/source.h"
#include "mutate/effect.h"
#include "mutate/llvm_ir.h"
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

typedef enum CandidateKind {
    CANDIDATE_MUTANT,
    CANDIDATE_BLEND,
    CANDIDATE_PROGRAM, /* that has nothing to do with the bug; `name` says where it is from */
    CANDIDATE_OPTION,  /* the bug's own program with more options */
} CandidateKind;

/* A program on its way through the loop. */
typedef struct Candidate {
    struct Search *search;
    CandidateKind kind;
    Str text, name;
    StrList options; /* of CANDIDATE_OPTION */
    StrList lean;    /* the lean configuration it is tested in, see lean.h; empty: the bug's own */
    Mutation mutation;
    size_t seed;    /* index into seeds, or plain_seeds for blends */
    unsigned order; /* seeds of an earlier order are gone */
    uint64_t token;
    Bitset cover;
    Outcome outcome;
    bool ok;
    Error err;
} Candidate;

typedef struct Search {
    /* Given: */
    const IsolateOptions *options;
    const TesterConfig *tester_config;
    MutatorConfig mutator_config;
    Console *console;
    Isolation *isolation; /* witnesses, set and statistics are filled */
    bool ir;              /* the program is LLVM IR: mutants are ir_mutate's, and there are no rules to learn about */
    Rng rng;
    Source *source; /* of programs that are no mutants; NULL: none are wanted */
    /* The state of Algorithm 1: */
    SeedList seeds;        /* S: failing programs of order n-1 */
    SeedList next_seeds;   /* S': those of order n */
    uint64_t failing_seen; /* how many could have become next_seeds */
    unsigned order;        /* n */
    void *policy;          /* the method's state */
    Map seen;              /* texts that were tested or are under test */
    uint64_t passing_mutants;
    unsigned fruitless;           /* proposals in a row that gave nothing new */
    bool no_mutants, no_programs; /* there are none, or none any more */
    bool idle;                    /* nothing can be proposed before a result comes in, if any is under way */
    /* synth: DiWi's own witnesses, and which of them is being blended. */
    WitnessSet plain;
    SeedList plain_seeds;
    size_t blending, blend_attempts;
    /* fused: the configuration, see lean.h, and whose turn it is. */
    LeanSearch lean;
    bool option_under_way;
    uint64_t ordinary; /* programs proposed */
    uint64_t turn;
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

/* propose.c: the next program to test; NULL where this attempt gave none. Sets `idle` where no attempt will. */
Candidate *search_propose(Search *search);
/* Tells the policy what came of a mutant. */
void search_learn(Search *search, const Lesson *lesson, const Candidate *c);
void candidate_free(Candidate *candidate);
void seeds_release(SeedList *seeds);

/* fakes.c: marks the witnesses whose output does not depend on the mutated code any more. */
void search_mark_fakes(Search *search);
/* For fakes.c: the tester of a worker, made on its first use; NULL with err where it cannot be made. */
Tester *search_tester(Search *search, Runner *runner, size_t worker, Error *err);

#endif
