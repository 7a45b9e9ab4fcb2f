/* Arrays whose items start with a uint64_t, their address, and are sorted by it: functions, rows of line tables, blocks. */
#ifndef BINARY_ADDRESSES_H
#define BINARY_ADDRESSES_H

#include <stdint.h>

#include "base/vec.h"

typedef Vec(uint64_t) Addresses;

/* For qsort. */
static inline int by_address(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* How many of `count` items, of `size` bytes each, start at or before the address: the index of the first behind it. */
static inline size_t addresses_up_to(const void *items, size_t count, size_t size, uint64_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)((const char *)items + middle * size) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
