/* Step 1 of CTOS: which programs and sequences represent all of them? Chosen anew for each round of tests.
 *
 * A round is a run of test numbers; its programs and sequences follow from the campaign's seed and the round's number alone,
 * so that a resumed campaign chooses the same. Workers share the rounds; the first that needs one makes it while the others
 * wait.
 */
#ifndef CAMPAIGN_SEQ_ROUND_H
#define CAMPAIGN_SEQ_ROUND_H

#include <pthread.h>
#include <stdatomic.h>

#include "campaign/seq_settings.h"
#include "learn/doc2vec.h"

#define ROUNDS_KEPT 3 /* a worker may still be with the last one */

typedef struct SeqRound {
    bool made;
    uint64_t number;
    Vec(uint64_t) seeds; /* of the programs */
    Corpus *sequences;   /* for each LLVM */
} SeqRound;

typedef struct SeqRounds {
    const SeqSettings *settings;
    const Generator *generator;
    pthread_mutex_t lock;
    atomic_bool choosing; /* a round is being made */
    SeqRound rounds[ROUNDS_KEPT];
    size_t next; /* to be replaced */
} SeqRounds;

void seq_rounds_init(SeqRounds *rounds, const SeqSettings *settings, const Generator *generator);
void seq_rounds_release(SeqRounds *rounds);

/* The program's seed and, for each LLVM, the sequences of a test: copies, added to ret_sequences[llvm]. */
bool seq_rounds_take(SeqRounds *rounds, Runner *runner, const char *scratch_dir, uint64_t test, uint64_t *ret_seed,
                     Corpus *ret_sequences, Error *err);

/* The front end's command: sources to a module without optimisation, as both step 1 and step 2 need it. */
void seq_front_command(const SeqLlvm *llvm, const Program *program, const char *folder, const StrList *flags,
                       StrList *ret_command);
#define SEQ_MODULE "test.bc"

#endif
