/* The search for witnesses: propose, test, absorb, until a limit; one loop for all strategies. Private to this folder;
 * isolate.c calls it. */
#ifndef ISOLATE_SEARCH_H
#define ISOLATE_SEARCH_H

#include "isolate/isolate.h"
#include "isolate/sequence_server.h"
#include "mutate/effect.h"
#include "proc/pool.h"

typedef enum CandidateKind {
    CANDIDATE_MUTANT,
    CANDIDATE_BLEND,
    CANDIDATE_PROGRAM,   /* that has nothing to do with the bug; `name` says where it is from; only compiled */
    CANDIDATE_TEST,      /* of the compiler's own suite: does what it asks for happen? */
    CANDIDATE_RANDOM,    /* a random program, also run */
    CANDIDATE_OPTION,    /* the bug's own program with more options */
    CANDIDATE_STEP,      /* the same, where they let the compiler go one transformation further or less far */
    CANDIDATE_SEQUENCES, /* a batch: the bug's own program under other sequences of passes */
    CANDIDATE_KINDS,
} CandidateKind;

/* A program on its way through the loop. */
typedef struct Candidate {
    struct Search *search;
    CandidateKind kind;
    Str text, name;
    StrList options; /* of CANDIDATE_OPTION and CANDIDATE_STEP */
    bool one_step;   /* one transformation apart from showing the bug */
    StrList lean;    /* the lean configuration it is tested in, see lean.h; empty: the bug's own */
    Mutation mutation;
    size_t seed;    /* of the strategy's list */
    unsigned order; /* seeds of an earlier order are gone */
    uint64_t token; /* of the policy */
    Bitset cover;
    Outcome outcome;
    struct Sequences *sequences; /* of CANDIDATE_SEQUENCES, whose results are */
    Vec(SequenceRun) runs;
    int64_t wall_ms; /* that a batch took */
    bool ok;
    Error err;
} Candidate;

/* A program that mutants are made from. */
typedef struct Seed {
    char *text;
    size_t len;
    Mutator *mutator; /* made when first needed */
    bool unusable;    /* it cannot be parsed */
} Seed;

/* What a witness' probes are, see mutate/effect.h; absent ones are NULL. */
typedef struct ProbeTexts {
    char *seed_text;
    char *seed[EFFECT_PROBES], *mutant[EFFECT_PROBES];
} ProbeTexts;

typedef struct Search {
    /* Given: */
    const Bug *bug; /* as the user gave it */
    const Subject *subject;
    const IsolateOptions *options;
    TesterConfig *tester_config; /* a strategy may want more of it */
    const char *pool_dir;        /* of other programs; NULL: none are known */
    Console *console;
    Isolation *isolation; /* witnesses, set, spectrum and statistics are filled */
    bool ir;              /* the program is LLVM IR: mutants are ir_mutate's, and there are no rules to learn about */
    Rng rng;
    void *state; /* the strategy's */
    bool idle;   /* nothing can be proposed before a result comes in, if any is under way */
    /* Work under way: */
    Pool *pool;
    Tester **testers; /* one per worker, made by its first job */
    int64_t start_ms;
    uint64_t submitted;
    size_t under_way[CANDIDATE_KINDS];
    unsigned errors_in_row;
    uint32_t first_files[10]; /* of the ranking, when it was last looked at; numbers from 1 */
    uint64_t looked_at;       /* programs tested by then */
    uint64_t moved_at;        /* programs tested when they changed; 0: never */
    Vec(ProbeTexts) probes;   /* one per witness */
} Search;

/* Runs until a limit. False only when the machine fails. */
bool search_run(Search *search, Error *err);
void search_release(Search *search);

Candidate *candidate_new(Search *search, CandidateKind kind);
void candidate_free(Candidate *candidate);
/* Whether a passing candidate is a witness of the set by the method's rule, and what it would change. */
Lesson search_judge(const Search *search, const WitnessSet *set, const Candidate *c);
/* Keeps it among the isolation's witnesses; for fake passes, `seed` (may be NULL) is what it was mutated from. The spectrum
 * is the strategy's business, see Witness.counted. */
Witness *search_keep(Search *search, const Candidate *c, const WitnessChange *change, const Seed *seed);
/* Keeps a run of a batch, of which there may be thousands: its coverage counts in the spectrum, and is not kept. */
void search_keep_sequence(Search *search, const SequenceRun *run);
double search_progress(const Search *search); /* of the limits that are given: 0 at the start, 1 at the end */

/* fakes.c: marks the witnesses whose output does not depend on the mutated code any more. */
void search_mark_fakes(Search *search);
/* For fakes.c: the tester of a worker, made on its first use; NULL with err when it cannot be made. */
Tester *search_tester(Search *search, Runner *runner, size_t worker, Error *err);

#endif
