/* Open addressing with linear probing over indices into the entries, which stay in order of insertion; at most half of
 * the slots are used, so a probe looks at two on average. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

/* The slot that holds the key, or the free one where it belongs. */
static size_t probe(const Map *map, uint64_t hash, const void *key, size_t key_len) {
    size_t mask = map->slot_count - 1;
    size_t slot = (size_t)hash & mask;
    for (; map->slots[slot]; slot = (slot + 1) & mask) {
        const MapEntry *entry = &map->entries[map->slots[slot] - 1];
        if (entry->hash == hash && entry->key_len == key_len && memcmp(entry->key, key, key_len) == 0)
            break;
    }
    return slot;
}

static void double_slots(Map *map) {
    map->slot_count = map->slot_count ? map->slot_count * 2 : 16;
    free(map->slots);
    map->slots = mem_zalloc(map->slot_count, sizeof *map->slots);
    for (size_t i = 0; i < map->len; i++) {
        const MapEntry *entry = &map->entries[i];
        map->slots[probe(map, entry->hash, entry->key, entry->key_len)] = (uint32_t)(i + 1);
    }
}

MapEntry *map_find(const Map *map, const void *key, size_t key_len) {
    if (!map->len)
        return NULL;
    uint32_t index = map->slots[probe(map, hash_u64(key, key_len), key, key_len)];
    return index ? &map->entries[index - 1] : NULL;
}

MapEntry *map_insert(Map *map, const void *key, size_t key_len, bool *ret_is_new) {
    if (map->len * 2 >= map->slot_count)
        double_slots(map);
    uint64_t hash = hash_u64(key, key_len);
    size_t slot = probe(map, hash, key, key_len);
    bool is_new = !map->slots[slot];
    if (is_new) {
        BUG_ON(map->len >= UINT32_MAX - 1);
        map->entries = vec_grow(map->entries, map->len, &map->cap, 1, sizeof *map->entries);
        map->entries[map->len++] =
            (MapEntry){.key = arena_strndup(&map->keys, key, key_len), .key_len = key_len, .hash = hash};
        map->slots[slot] = (uint32_t)map->len;
    }
    if (ret_is_new)
        *ret_is_new = is_new;
    return &map->entries[map->slots[slot] - 1];
}

void map_release(Map *map) {
    free(map->entries);
    free(map->slots);
    arena_release(&map->keys);
    *map = (Map){0};
}

MapEntry *map_find_str(const Map *map, const char *key) { return map_find(map, key, strlen(key)); }

MapEntry *map_insert_str(Map *map, const char *key, bool *ret_is_new) {
    return map_insert(map, key, strlen(key), ret_is_new);
}
