/* From a failing sequence to a bug: repeat it, minimise it, confirm it with plain opt and clang, ask who can meet it. */
#ifndef CAMPAIGN_SEQ_FIND_H
#define CAMPAIGN_SEQ_FIND_H

#include "campaign/seq_test.h"

/* A sequence that failed, with all that is needed to ask again. */
typedef struct SeqSuspect {
    SeqTest *test;
    size_t llvm;
    SequenceRun run; /* how to ask: limits, module */
    Pipeline passes;
    PipelineStyle style;
    bool in_tree; /* LLVM's analyses were dropped after every pass */
    int level;    /* of the back end */
    SequenceResult seen;
    const SequenceAnswer *answer;
    int64_t slow_us; /* above which passes count as hanging */
} SeqSuspect;

/* Adds a finding to the test, or counts the failure as one that was found already. False only where the machine fails. */
bool seq_find(SeqSuspect *suspect, Error *err);

void seq_finding_free(SeqFinding *finding);

/* Whether `part` is a subsequence of `whole`. */
bool seq_contains(const Pipeline *whole, const Pipeline *part);

#endif
