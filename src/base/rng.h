/* Rng: xoshiro256** (Blackman and Vigna, 2018), seeded through splitmix64, the same on every machine.
 *
 * Every random choice in culprit takes an Rng, and the stored seed replays the run. Streams are split, not shared: a
 * worker or a part of a program gets its own stream from its parent's seed and a number or name of its own, so that
 * neither the number of workers nor a change in one part disturbs the draws of another. Splitting does not advance the
 * parent. Only integers decide; rng_real is for arithmetic that is stored nowhere.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include "base/base.h"

typedef struct Rng {
    uint64_t state[4];
    uint64_t seed; /* what the stream was made from; splitting derives from it */
} Rng;

Rng rng_from_seed(uint64_t seed);
Rng rng_split(const Rng *parent, uint64_t stream);
Rng rng_split_named(const Rng *parent, const char *name);

uint64_t rng_next(Rng *rng);
uint64_t rng_below(Rng *rng, uint64_t limit);           /* uniform in [0, limit), unbiased; limit > 0 */
int64_t rng_range(Rng *rng, int64_t low, int64_t high); /* uniform in [low, high] */
bool rng_chance(Rng *rng, uint32_t percent);            /* true in `percent` of 100 draws */
/* Uniform among the indices of `allowed` that are true; there are `count` > 0 of them. */
size_t rng_allowed(Rng *rng, const bool *allowed, size_t count);
double rng_real(Rng *rng); /* uniform in [0, 1), 53 bits */

uint64_t rng_mix(uint64_t value); /* splitmix64's finaliser: a good 64-bit hash of an integer */

#endif
