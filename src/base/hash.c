#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>

Hash hash_bytes(const void *bytes, size_t len) {
    XXH128_hash_t hash = XXH3_128bits(bytes, len);
    return (Hash){hash.low64, hash.high64};
}

Hash hash_combine(Hash a, Hash b) {
    uint64_t both[4] = {a.low, a.high, b.low, b.high};
    return hash_bytes(both, sizeof both);
}

uint64_t hash_u64(const void *bytes, size_t len) { return XXH3_64bits(bytes, len); }

bool hash_equal(Hash a, Hash b) { return a.low == b.low && a.high == b.high; }

void hash_text(Hash hash, char ret_text[static HASH_TEXT_SIZE]) {
    snprintf(ret_text, HASH_TEXT_SIZE, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}
