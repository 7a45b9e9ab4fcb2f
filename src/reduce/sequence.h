/* Sequences: which passes of a failing pipeline are needed for the bug, and how plainly can they be written?
 *
 * Pure: the caller knows what "the bug shows" means and is asked about many candidates at once, because a fork server
 * answers a batch at little more than the price of one.
 *
 *     if (!sequence_reduce(&found, ask, context, &smallest, err)) …
 *     if (!sequence_simplify(&smallest, &arena, ask, context, &plain, err)) …
 *
 * No single pass can be removed from what sequence_reduce leaves, nor from what sequence_simplify leaves. Results are new
 * vectors for the caller to release; their texts are those of `pipeline`, or in the arena.
 */
#ifndef REDUCE_SEQUENCE_H
#define REDUCE_SEQUENCE_H

#include "llvm/pipeline.h"

/* For each candidate whether the bug shows in it; ret_shows starts all false. Candidates have one pass at least and are
 * all different. False only where the machine fails. A caller out of time leaves the rest false: the search then ends
 * with the smallest sequence known to show the bug. */
typedef bool SequenceAsk(void *context, const Pipeline *candidates, size_t count, bool *ret_shows, Error *err);

/* `pipeline` itself must show the bug; that is not asked again. */
bool sequence_reduce(const Pipeline *pipeline, SequenceAsk *ask, void *context, Pipeline *ret_smallest, Error *err);

/* Parameters away, all or singly (`simplifycfg<keep-loops>` to `simplifycfg`), and MemorySSA away from loop passes, where
 * the bug shows without. */
bool sequence_simplify(const Pipeline *pipeline, Arena *arena, SequenceAsk *ask, void *context, Pipeline *ret_plain,
                       Error *err);

#endif
