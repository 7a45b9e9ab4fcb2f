/* Plain loops over words: the compiler vectorises them, and a million bits are 16 thousand words. */
#include "base/bitset.h"

#include <stdlib.h>
#include <string.h>

static size_t words_of(const Bitset *set) { return BITSET_WORDS(set->bits); }

void bitset_init(Bitset *set, size_t bits) {
    set->bits = bits;
    set->words = mem_zalloc(MAX_OF(BITSET_WORDS(bits), (size_t)1), sizeof *set->words);
}

void bitset_init_copy(Bitset *set, const Bitset *other) {
    set->bits = other->bits;
    set->words = mem_dup(other->words, MAX_OF(words_of(other), (size_t)1) * sizeof *set->words);
}

void bitset_release(Bitset *set) {
    free(set->words);
    *set = (Bitset){0};
}

void bitset_clear(Bitset *set) {
    if (set->words)
        memset(set->words, 0, words_of(set) * sizeof *set->words);
}

#define FOR_EACH_WORD(set, other)         \
    BUG_ON((set)->bits != (other)->bits); \
    for (size_t i = 0, n = words_of(set); i < n; i++)

void bitset_copy(Bitset *set, const Bitset *other) {
    BUG_ON(set->bits != other->bits);
    memcpy(set->words, other->words, words_of(set) * sizeof *set->words);
}

void bitset_and(Bitset *set, const Bitset *other) {
    FOR_EACH_WORD(set, other)
    set->words[i] &= other->words[i];
}

void bitset_or(Bitset *set, const Bitset *other) {
    FOR_EACH_WORD(set, other)
    set->words[i] |= other->words[i];
}

void bitset_andnot(Bitset *set, const Bitset *other) {
    FOR_EACH_WORD(set, other)
    set->words[i] &= ~other->words[i];
}

bool bitset_equal(const Bitset *a, const Bitset *b) {
    return a->bits == b->bits && memcmp(a->words, b->words, words_of(a) * sizeof *a->words) == 0;
}

/* Bits set in a word, without the instruction that the oldest x86-64 machines lack; vectorises well.
 * Pairs, nibbles, bytes are summed in parallel (Warren, Hacker's Delight, 5-1). */
static inline uint64_t popcount(uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return word * 0x0101010101010101u >> 56;
}

size_t bitset_count(const Bitset *set) { return bitset_count_and(set, set); }

size_t bitset_count_and(const Bitset *a, const Bitset *b) {
    uint64_t count = 0;
    FOR_EACH_WORD(a, b)
    count += popcount(a->words[i] & b->words[i]);
    return count;
}

size_t bitset_count_or(const Bitset *a, const Bitset *b) {
    uint64_t count = 0;
    FOR_EACH_WORD(a, b)
    count += popcount(a->words[i] | b->words[i]);
    return count;
}

size_t bitset_next(const Bitset *set, size_t from) {
    if (from >= set->bits)
        return set->bits;
    size_t i = from / 64;
    uint64_t word = set->words[i] >> (from % 64) << (from % 64);
    for (size_t n = words_of(set); !word; word = set->words[i])
        if (++i == n)
            return set->bits;
    return i * 64 + (size_t)__builtin_ctzll(word);
}
