/* Content hashes: the names of cached results, bug fingerprints. XXH3, 128 bits; not for use against an adversary. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/base.h"

typedef struct Hash {
    uint64_t low, high;
} Hash;

#define HASH_TEXT_SIZE 33

Hash hash_bytes(const void *bytes, size_t len);
Hash hash_combine(Hash a, Hash b); /* order matters */
uint64_t hash_u64(const void *bytes, size_t len);
bool hash_equal(Hash a, Hash b);
void hash_text(Hash hash, char ret_text[static HASH_TEXT_SIZE]); /* 32 hexadecimal digits */

#endif
