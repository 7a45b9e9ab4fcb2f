/* How a round of a campaign of pass sequences is made: a list of tasks that any worker may do, in any order and several at once.
 *
 * A pool of programs is read, a task each; sequences are chosen, a task for each LLVM; the last task, which needs all others to be
 * done, chooses from the programs. What comes out depends on the round's number and the campaign's seed alone.
 */
#ifndef CAMPAIGN_SEQ_CHOOSE_H
#define CAMPAIGN_SEQ_CHOOSE_H

#include "campaign/seq_settings.h"
#include "learn/doc2vec.h"

typedef struct SeqChoice SeqChoice;

SeqChoice *seq_choice_new(const SeqSettings *settings, const Generator *generator, uint64_t round);
void seq_choice_free(SeqChoice *choice);

/* Tasks have the numbers below this; the last one runs alone, after all others. */
size_t seq_choice_tasks(const SeqChoice *choice);
/* Does one. `dir` is the caller's own, and is emptied. A task that failed can be done again. */
bool seq_choice_do(SeqChoice *choice, size_t task, Runner *runner, const char *dir, Error *err);

typedef Vec(uint64_t) SeqSeeds;
/* After the last task: what was chosen. Both are the caller's from now on, ret_sequences[llvm] and the seeds of programs. */
void seq_choice_take(SeqChoice *choice, SeqSeeds *ret_seeds, Corpus *ret_sequences);

/* The front end's command: sources to a module without optimisation, as both step 1 and step 2 need it; opt's, if
 * the program is a module. `seed` is the program's. */
void seq_front_command(const SeqLlvm *llvm, const Program *program, uint64_t seed, const char *folder,
                       const StrList *flags, StrList *ret_command);
#define SEQ_MODULE "test.bc"

#endif
