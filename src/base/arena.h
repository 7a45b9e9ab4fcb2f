/* Arena: many small objects with one lifetime (a program, a run, a campaign), freed together.
 *
 * A zeroed Arena is empty and ready. Memory is zeroed and aligned for any object. arena_clear keeps the newest chunk
 * for reuse, so that a loop that clears its arena every round stops allocating.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/base.h"

typedef struct Arena {
    struct ArenaChunk *chunks; /* newest first */
    char *next, *end;          /* the free rest of the newest chunk */
} Arena;

void *arena_alloc(Arena *arena, size_t size);
void *arena_dup(Arena *arena, const void *memory, size_t size);
char *arena_strdup(Arena *arena, const char *text); /* NULL gives NULL */
char *arena_strndup(Arena *arena, const char *text, size_t len);
char *arena_printf(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
size_t arena_bytes(const Arena *arena); /* memory held, for limits and statistics */
void arena_clear(Arena *arena);
void arena_release(Arena *arena);

#define arena_new(arena, Type) ((Type *)arena_alloc(arena, sizeof(Type)))
#define arena_array(arena, Type, count) ((Type *)arena_alloc(arena, sizeof(Type) * (count)))

#endif
