/* Bitset: a fixed number of bits, worked on a word at a time; coverage runs are bitsets of a million bits.
 *
 * Bits past `bits` in the last word are always zero. Binary operations require equal sizes.
 */
#ifndef BASE_BITSET_H
#define BASE_BITSET_H

#include "base/base.h"

typedef struct Bitset {
    uint64_t *words;
    size_t bits;
} Bitset;

#define BITSET_WORDS(bits) (((bits) + 63) / 64)

void bitset_init(Bitset *set, size_t bits); /* all zero */
void bitset_init_copy(Bitset *set, const Bitset *other);
void bitset_release(Bitset *set);

static inline bool bitset_get(const Bitset *set, size_t i) { return set->words[i / 64] >> (i % 64) & 1; }
static inline void bitset_set(Bitset *set, size_t i) { set->words[i / 64] |= (uint64_t)1 << (i % 64); }
static inline void bitset_unset(Bitset *set, size_t i) { set->words[i / 64] &= ~((uint64_t)1 << (i % 64)); }

void bitset_clear(Bitset *set);
void bitset_copy(Bitset *set, const Bitset *other);
void bitset_and(Bitset *set, const Bitset *other);
void bitset_or(Bitset *set, const Bitset *other);
void bitset_andnot(Bitset *set, const Bitset *other);
bool bitset_equal(const Bitset *a, const Bitset *b);
size_t bitset_count(const Bitset *set);
size_t bitset_count_and(const Bitset *a, const Bitset *b);
size_t bitset_count_or(const Bitset *a, const Bitset *b);

/* The first set bit at or after `from`, or set->bits:
 *     for (size_t i = bitset_next(s, 0); i < s->bits; i = bitset_next(s, i + 1)) … */
size_t bitset_next(const Bitset *set, size_t from);

#endif
