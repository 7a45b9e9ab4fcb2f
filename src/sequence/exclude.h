/* Subsequences that found a bug often enough: CTOS' Table 3, made without a person.
 *
 * "These optimization subsequences are the most frequent pairs of optimizations in the reduced optimization sequences that
 * triggered a mass of duplicate bugs." A row here is the pair that most reduced sequences of one bug have in that order, or
 * the single pass where one is enough. Sequences that are tested afterwards must not contain it (`.*loop-unroll.*licm.*`):
 * where the paper leaves such sequences out, one of the two passes is dropped, so that the rest is tested.
 */
#ifndef SEQUENCE_EXCLUDE_H
#define SEQUENCE_EXCLUDE_H

#include "base/rng.h"
#include "llvm/pipeline.h"

#define EXCLUDE_AFTER 5 /* duplicates of one bug with the same pair */

/* Names of passes without parameters; second is NULL for a single pass. Texts are borrowed. */
typedef struct Exclusion {
    const char *first, *second;
    size_t hits; /* reduced sequences that have it */
} Exclusion;

typedef Vec(Exclusion) Exclusions;

/* The row for one bug, from its reduced sequences; false while no pair has `after` hits. Its texts are in the arena. */
bool exclusion_find(const Pipeline *reduced, size_t count, size_t after, Arena *arena, Exclusion *ret_exclusion);

/* Whether the sequence has it, as a subsequence. */
bool exclusion_matches(const Exclusion *exclusion, const Pipeline *sequence);

/* Drops passes until no row matches: of a pair, by a coin, the second pass behind the first or the first one before the
 * second. */
void exclusions_apply(const Exclusions *exclusions, Rng *rng, Pipeline *sequence);

#endif
