/* xoshiro256** 1.0 and splitmix64, by David Blackman and Sebastiano Vigna (2018; both in the public domain);
 * written here from their published definitions. */
#include "base/rng.h"

#include "base/hash.h"

#include <string.h>

uint64_t rng_mix(uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio: splitmix64's step */

Rng rng_from_seed(uint64_t seed) {
    Rng rng = {.seed = seed};
    for (int i = 0; i < 4; i++)
        rng.state[i] = rng_mix(seed += golden);
    return rng;
}

Rng rng_split(const Rng *parent, uint64_t stream) {
    return rng_from_seed(rng_mix(parent->seed + golden) ^ rng_mix(~stream * golden));
}

Rng rng_split_named(const Rng *parent, const char *name) { return rng_split(parent, hash_u64(name, strlen(name))); }

static uint64_t rotate_left(uint64_t value, int by) { return value << by | value >> (64 - by); }

uint64_t rng_next(Rng *rng) {
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* Lemire (2019), "Fast random integer generation in an interval": the high word of a 128-bit product, redrawn in the
 * rare case that would be biased. */
uint64_t rng_below(Rng *rng, uint64_t limit) {
    BUG_ON(limit == 0);
    unsigned __int128 product = (unsigned __int128)rng_next(rng) * limit;
    if ((uint64_t)product < limit) {
        uint64_t threshold = -limit % limit;
        while ((uint64_t)product < threshold)
            product = (unsigned __int128)rng_next(rng) * limit;
    }
    return (uint64_t)(product >> 64);
}

int64_t rng_range(Rng *rng, int64_t low, int64_t high) {
    BUG_ON(low > high);
    uint64_t span = (uint64_t)high - (uint64_t)low + 1; /* 0 stands for 2^64 */
    return (int64_t)((uint64_t)low + (span ? rng_below(rng, span) : rng_next(rng)));
}

bool rng_chance(Rng *rng, uint32_t percent) { return rng_below(rng, 100) < percent; }

size_t rng_allowed(Rng *rng, const bool *allowed, size_t count) {
    uint64_t skip = rng_below(rng, count);
    for (size_t i = 0;; i++)
        if (allowed[i] && skip-- == 0)
            return i;
}

double rng_real(Rng *rng) { return (double)(rng_next(rng) >> 11) * 0x1p-53; }
