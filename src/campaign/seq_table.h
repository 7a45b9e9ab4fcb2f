/* The campaign's Table 3: subsequences of passes that its tests do without (sequence/exclude.h), kept in the store.
 *
 * A row comes when one bug has enough hits with the same pair of passes on one LLVM. It ends when that LLVM has another
 * version, or when its bug, tried again now and then, no longer shows; the subsequence is then tested again.
 */
#ifndef CAMPAIGN_SEQ_TABLE_H
#define CAMPAIGN_SEQ_TABLE_H

#include "campaign/seq_test.h"

/* After a hit of the bug on the LLVM was recorded: adds or updates its row, and tells the user of a new one. */
bool seq_table_learn(Campaign *campaign, const SeqLlvm *llvm, const char *key, const char *kind, Error *err);

/* Ends rows whose LLVM has changed or whose bug is gone; runs each row's bug. */
bool seq_table_retry(Campaign *campaign, const SeqSettings *settings, Error *err);

/* The rows that hold for the LLVM, and sequences that showed bugs of it lately, for a new test. */
bool seq_table_copy(Campaign *campaign, const SeqLlvm *llvm, Arena *arena, SeqKnown *ret_known, Error *err);

#endif
