/* Vec(T): a growing array of any type.
 *
 *     Vec(int) numbers = {0};
 *     vec_push(&numbers, 42);
 *     for (size_t i = 0; i < numbers.len; i++) use(numbers.items[i]);
 *     vec_release(&numbers);
 *
 * Name the type with a typedef where it crosses functions: `typedef Vec(char *) StringList;`. Items move when the vector
 * grows: keep indices, not pointers.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define Vec(T)           \
    struct {             \
        T *items;        \
        size_t len, cap; \
    }

#define vec_reserve(vec, extra) \
    ((vec)->items = vec_grow((vec)->items, (vec)->len, &(vec)->cap, (extra), sizeof(*(vec)->items)))
#define vec_push(vec, ...) (vec_reserve(vec, 1), (void)((vec)->items[(vec)->len++] = (__VA_ARGS__)))
#define vec_pop(vec) ((vec)->items[--(vec)->len])
#define vec_last(vec) ((vec)->items[(vec)->len - 1])
#define vec_remove(vec, i)                                                                                  \
    ((void)memmove(&(vec)->items[i], &(vec)->items[(i) + 1], ((vec)->len - (i)-1) * sizeof(*(vec)->items)), \
     (void)(vec)->len--)
/* As qsort, which wants no NULL even for nothing. */
#define vec_sort(vec, compare) \
    ((vec)->len > 0 ? qsort((vec)->items, (vec)->len, sizeof(*(vec)->items), (compare)) : (void)0)
#define vec_clear(vec) ((void)((vec)->len = 0))
#define vec_release(vec) (free((vec)->items), (void)((vec)->items = NULL), (void)((vec)->len = (vec)->cap = 0))

/* Returns `items` with room for `extra` more; used through the macros. */
void *vec_grow(void *items, size_t len, size_t *cap, size_t extra, size_t item_size);

#endif
