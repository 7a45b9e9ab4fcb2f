#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chunks double from 4 KiB to 1 MiB: small arenas stay small, large ones make few allocations. */
enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

typedef struct ArenaChunk {
    struct ArenaChunk *older;
    size_t size; /* bytes behind this header */
    _Alignas(max_align_t) char bytes[];
} ArenaChunk;

static void add_chunk(Arena *arena, size_t at_least) {
    size_t size = arena->chunks ? MIN_OF(arena->chunks->size * 2, (size_t)LARGEST_CHUNK) : FIRST_CHUNK;
    size = MAX_OF(size, at_least);
    ArenaChunk *chunk = mem_alloc(sizeof *chunk + size);
    chunk->older = arena->chunks;
    chunk->size = size;
    arena->chunks = chunk;
    arena->next = chunk->bytes;
    arena->end = chunk->bytes + size;
}

void *arena_alloc(Arena *arena, size_t size) {
    enum { ALIGNMENT = _Alignof(max_align_t) };
    BUG_ON(size > SIZE_MAX / 2);
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!arena->chunks || (size_t)(arena->end - arena->next) < size)
        add_chunk(arena, size);
    void *memory = arena->next;
    arena->next += size;
    return memset(memory, 0, size);
}

void *arena_dup(Arena *arena, const void *memory, size_t size) {
    void *copy = arena_alloc(arena, size);
    return size ? memcpy(copy, memory, size) : copy;
}

char *arena_strndup(Arena *arena, const char *text, size_t len) {
    char *copy = arena_alloc(arena, len + 1);
    if (len)
        memcpy(copy, text, len);
    return copy;
}

char *arena_strdup(Arena *arena, const char *text) { return text ? arena_strndup(arena, text, strlen(text)) : NULL; }

char *arena_printf(Arena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    BUG_ON(len < 0);
    char *text = arena_alloc(arena, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, again);
    va_end(again);
    return text;
}

size_t arena_bytes(const Arena *arena) {
    size_t bytes = 0;
    for (const ArenaChunk *chunk = arena->chunks; chunk; chunk = chunk->older)
        bytes += sizeof *chunk + chunk->size;
    return bytes;
}

void arena_clear(Arena *arena) {
    if (!arena->chunks)
        return;
    /* The newest chunk is the largest, so it is the one worth keeping. */
    ArenaChunk *kept = arena->chunks;
    for (ArenaChunk *chunk = kept->older, *older; chunk; chunk = older) {
        older = chunk->older;
        free(chunk);
    }
    kept->older = NULL;
    arena->next = kept->bytes;
    arena->end = kept->bytes + kept->size;
}

void arena_release(Arena *arena) {
    arena_clear(arena);
    free(arena->chunks);
    *arena = (Arena){0};
}
