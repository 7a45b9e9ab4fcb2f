/* What every file may use without asking: allocation that cannot fail, broken-invariant reports, cleanup attributes.
 *
 * Memory: culprit gives up when the machine has no memory left, so these functions never return NULL. BUG() is for
 * states that our own code must never reach; what a user, a compiler or a disk does wrong is an Error (error.h).
 *
 *     CLEANUP(str_release) Str text = {0};             released when the scope ends, on every path
 *     CLEANUP(json_freep) Json *json = json_parse(…);  the same for heap objects, through DEFINE_FREEP
 */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLEANUP(release) __attribute__((cleanup(release)))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define NORETURN __attribute__((noreturn))

/* Declares fn##p(Type **), which CLEANUP() wants for a variable of type `Type *`. */
#define DEFINE_FREEP(Type, fn) \
    static inline void fn##p(Type **object) { fn(*object); }

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))
/* One of the arguments is evaluated twice. */
#define MIN_OF(a, b) ((a) < (b) ? (a) : (b))
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))

/* The pointer, with NULL left behind: hands on what CLEANUP() would free. */
#define TAKE(pointer)                           \
    ({                                          \
        __typeof__(pointer) taken_ = (pointer); \
        (pointer) = NULL;                       \
        taken_;                                 \
    })

#define BUG(...) bug_report(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_ON(condition)                                   \
    do {                                                    \
        if (condition)                                      \
            BUG("this must never be true: %s", #condition); \
    } while (0)

NORETURN void bug_report(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);

void *mem_alloc(size_t size);                /* uninitialised */
void *mem_zalloc(size_t count, size_t size); /* zeroed; the product may not overflow */
void *mem_realloc(void *memory, size_t count, size_t size);
void *mem_dup(const void *memory, size_t size);
char *mem_strdup(const char *text);       /* NULL gives NULL */
void mem_freep(void *pointer_to_pointer); /* for CLEANUP on plain heap pointers */

#endif
