/* Step 1 of CTOS: which programs and sequences represent all of them? Chosen anew for each round of tests.
 *
 * A round is a run of test numbers; its programs and sequences follow from the campaign's seed and the round's number alone,
 * so that a resumed campaign chooses the same. Making one is a list of tasks (seq_choose.h) that workers share: whoever needs
 * a round that is not there helps to make it, and where there are several workers each test first does its part of the next
 * round, which is made when four fifths of this one have begun. So no worker waits for another, but for the last tasks of
 * the first round.
 */
#ifndef CAMPAIGN_SEQ_ROUND_H
#define CAMPAIGN_SEQ_ROUND_H

#include <pthread.h>
#include <stdatomic.h>

#include "campaign/seq_choose.h"

typedef struct SeqRound {
    uint64_t number;
    SeqChoice *choice;    /* while it is being made */
    size_t begun, done;   /* tasks; those put back do not count as begun */
    size_t next;          /* task that nobody had yet */
    Vec(size_t) put_back; /* tasks that failed: an interrupt, for example */
    size_t users;         /* workers that look at it */
    SeqSeeds seeds;       /* of the programs */
    Corpus *sequences;    /* for each LLVM */
} SeqRound;

typedef struct SeqRounds {
    const SeqSettings *settings;
    const Generator *generator;
    bool ahead; /* tests do their part of the next round */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_size_t waiting; /* workers that cannot go on without a round */
    Vec(SeqRound *) rounds;
} SeqRounds;

void seq_rounds_init(SeqRounds *rounds, const SeqSettings *settings, const Generator *generator, bool ahead);
void seq_rounds_release(SeqRounds *rounds);

/* The program's seed and, for each LLVM, the sequences of a test: copies, added to ret_sequences[llvm]. */
bool seq_rounds_take(SeqRounds *rounds, Runner *runner, const char *scratch_dir, uint64_t test, uint64_t *ret_seed,
                     Corpus *ret_sequences, Error *err);

#endif
