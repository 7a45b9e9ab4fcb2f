/* One test of a campaign of pass sequences: a program, a batch of sequences on every LLVM, and what that says about passes. */
#ifndef CAMPAIGN_SEQ_TEST_H
#define CAMPAIGN_SEQ_TEST_H

#include "campaign/bugdir.h"
#include "campaign/seq_round.h"
#include "sequence/exclude.h"
#include "sequence/judge.h"

/* What all tests of a campaign share; threads only read it, but for the rounds, which have a lock. */
typedef struct SeqPlan {
    const SeqSettings *settings;
    const Generator *generator;
    SeqRounds *rounds;
    ExecuteOptions execute; /* limits of the plain commands */
    unsigned repeats;
} SeqPlan;

/* What is known about an LLVM when a test starts; lives in the test's arena. */
typedef struct SeqKnown {
    Exclusions exclusions;
    Vec(Pipeline) reduced; /* sequences that showed bugs before */
    StrList often;         /* keys of bugs that were looked into EXCLUDE_AFTER times */
} SeqKnown;

/* A bug of one LLVM, minimised and confirmed. */
typedef struct SeqFinding {
    size_t llvm;
    Verdict verdict; /* VERDICT_FLAKY: it does not repeat, or plain opt does not show it */
    const char *key, *reason, *sequence;
    Pipeline reduced;
    Basis basis;
    const char *command; /* of opt, for people */
    BugDraft draft;
    Str messages, actual, expected; /* what the draft points at */
} SeqFinding;

typedef struct SeqTest {
    CampaignTest base;
    const SeqPlan *plan;
    SeqKnown *known; /* per LLVM */

    uint64_t program_seed;
    Generated generated;
    Vec(SeqFinding *) findings;
    StoreVerdict *verdicts; /* per LLVM: the worst one, and CPU time */
    uint64_t sequences;     /* tested */
    uint64_t unconfirmed;   /* failures that the fork server alone shows */
    uint64_t set_aside;     /* failures that were not looked into, since there were so many or the bug is known well */
    uint64_t refused;       /* pipelines that LLVM did not take: a mistake of ours */
    const char *refusal;    /* the last of them */
    int64_t repeat_us;      /* CPU time of verification, minimisation and confirmation */
} SeqTest;

SeqTest *seq_test_new(const SeqPlan *plan);
void seq_test_free(SeqTest *test); /* but for its base */
void seq_test_run(SeqTest *test, Runner *runner, Scratch *scratch);

#endif
