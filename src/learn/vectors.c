#include "learn/vectors.h"

#include <stdlib.h>
#include <string.h>

void vectors_init(Vectors *vectors, size_t rows, size_t columns) {
    size_t lanes = MAX_OF((columns + LANE_FLOATS - 1) / LANE_FLOATS, (size_t)1);
    size_t bytes;
    if (__builtin_mul_overflow(MAX_OF(rows, (size_t)1), lanes * sizeof(Lane), &bytes))
        BUG("%zu vectors of %zu numbers", rows, columns);
    *vectors = (Vectors){
        .lanes = aligned_alloc(sizeof(Lane), bytes), .rows = rows, .columns = columns, .lanes_per_row = lanes};
    if (!vectors->lanes)
        BUG("out of memory for %zu vectors of %zu numbers", rows, columns);
    memset(vectors->lanes, 0, bytes);
}

void vectors_init_copy(Vectors *vectors, const Vectors *other) {
    vectors_init(vectors, other->rows, other->columns);
    memcpy(vectors->lanes, other->lanes, other->rows * other->lanes_per_row * sizeof(Lane));
}

void vectors_release(Vectors *vectors) {
    free(vectors->lanes);
    *vectors = (Vectors){0};
}

void vectors_randomise(Vectors *vectors, Rng *rng) {
    for (size_t r = 0; r < vectors->rows; r++)
        for (size_t c = 0; c < vectors->columns; c++)
            vectors_row(vectors, r)[c] = (float)((rng_real(rng) * 2 - 1) / (double)vectors->columns);
}

FOR_EACH_WIDTH
float vectors_distance_squared(const Vectors *vectors, size_t a, size_t b) {
    return lanes_distance_squared(vectors_lanes(vectors, a), vectors_lanes(vectors, b), vectors->lanes_per_row);
}

FOR_EACH_WIDTH
void vectors_distances_squared(const Vectors *vectors, size_t first, size_t count, const Lane *point,
                               float *ret_distances) {
    for (size_t i = 0; i < count; i++)
        ret_distances[i] = lanes_distance_squared(vectors_lanes(vectors, first + i), point, vectors->lanes_per_row);
}

void vectors_mean(const Vectors *vectors, Lane *ret_mean) {
    CLEANUP(mem_freep) double *sums = mem_zalloc(vectors->columns + 1, sizeof *sums);
    for (size_t r = 0; r < vectors->rows; r++)
        for (size_t c = 0; c < vectors->columns; c++)
            sums[c] += (double)vectors_row(vectors, r)[c];
    memset(ret_mean, 0, vectors->lanes_per_row * sizeof(Lane));
    for (size_t c = 0; c < vectors->columns && vectors->rows; c++)
        ((float *)ret_mean)[c] = (float)(sums[c] / (double)vectors->rows);
}
