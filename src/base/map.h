/* Map: byte-string keys to 64-bit values or pointers; open addressing, insertion order kept for iteration.
 *
 * Keys are copied. A zeroed Map is empty and ready. Iteration visits the entries in the order of their first insertion,
 * so that nothing in culprit depends on hash values:
 *
 *     for (size_t i = 0; i < map.len; i++) use(map.entries[i].key, map.entries[i].value);
 *
 * Removed entries are not supported: no user needs them, and their absence keeps iteration a plain loop.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"

typedef struct MapEntry {
    const char *key; /* NUL-terminated copy */
    size_t key_len;
    uint64_t hash;
    union {
        uint64_t value;
        void *pointer;
    };
} MapEntry;

typedef struct Map {
    MapEntry *entries; /* `len` of them, in order of insertion */
    size_t len, cap;
    uint32_t *slots; /* index + 1 into entries, 0 when free; a power of two of them */
    size_t slot_count;
    Arena keys;
} Map;

/* The entry of the key, or NULL. Valid until the next insertion. */
MapEntry *map_find(const Map *map, const void *key, size_t key_len);
/* The entry of the key; a new one has value 0, and *ret_is_new (may be NULL) tells. */
MapEntry *map_insert(Map *map, const void *key, size_t key_len, bool *ret_is_new);
void map_release(Map *map);

/* The same for C strings. */
MapEntry *map_find_str(const Map *map, const char *key);
MapEntry *map_insert_str(Map *map, const char *key, bool *ret_is_new);

#endif
