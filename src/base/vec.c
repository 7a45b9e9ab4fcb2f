#include "base/vec.h"

void *vec_grow(void *items, size_t len, size_t *cap, size_t extra, size_t item_size) {
    size_t needed = len + extra;
    BUG_ON(needed < extra);
    if (needed <= *cap)
        return items;
    size_t grown = MAX_OF(needed, MAX_OF(*cap * 2, (size_t)8));
    *cap = grown;
    return mem_realloc(items, grown, item_size);
}
