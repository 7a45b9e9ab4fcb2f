/* Vectors: many points of one space, rows of floats in one block.
 *
 * Rows are padded with zeros to whole SIMD registers and aligned to them, so that loops over a row need neither a tail nor
 * unaligned loads; padding stays zero because every operation is linear.
 */
#ifndef LEARN_VECTORS_H
#define LEARN_VECTORS_H

#include "base/base.h"
#include "base/rng.h"

/* One register's worth; the compiler splits it on machines whose registers are narrower, with the same results. */
typedef float Lane __attribute__((vector_size(64), may_alias));
#define LANE_FLOATS (sizeof(Lane) / sizeof(float))

/* Kernels are compiled for each width of registers and chosen at start-up. Contraction into fused operations is off in
 * C17 mode, so that all of them compute the same bits. */
#ifdef __SANITIZE_ADDRESS__
#define FOR_EACH_WIDTH /* the choice runs before the sanitizer is ready */
#else
#define FOR_EACH_WIDTH __attribute__((target_clones("avx512f", "avx2", "default")))
#endif

typedef struct Vectors {
    Lane *lanes;
    size_t rows, columns;
    size_t lanes_per_row;
} Vectors;

void vectors_init(Vectors *vectors, size_t rows, size_t columns); /* all zero */
void vectors_init_copy(Vectors *vectors, const Vectors *other);
void vectors_release(Vectors *vectors);
void vectors_randomise(Vectors *vectors, Rng *rng); /* uniform in (-1, 1) / columns, as Gensim starts */

static inline Lane *vectors_lanes(const Vectors *vectors, size_t row) {
    return vectors->lanes + row * vectors->lanes_per_row;
}
static inline float *vectors_row(const Vectors *vectors, size_t row) { return (float *)vectors_lanes(vectors, row); }

/* The sum of a lane's floats, always in the same order. */
static inline __attribute__((always_inline)) float lane_sum(const Lane *lane) {
    const float *f = (const float *)lane;
    float sum[4];
    for (size_t i = 0; i < 4; i++)
        sum[i] = (f[i] + f[i + 8]) + (f[i + 4] + f[i + 12]);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static inline __attribute__((always_inline)) float lanes_dot(const Lane *a, const Lane *b, size_t count) {
    Lane sum = a[0] * b[0];
    for (size_t i = 1; i < count; i++)
        sum += a[i] * b[i];
    return lane_sum(&sum);
}

static inline __attribute__((always_inline)) float lanes_distance_squared(const Lane *a, const Lane *b, size_t count) {
    Lane difference = a[0] - b[0], sum = difference * difference;
    for (size_t i = 1; i < count; i++) {
        difference = a[i] - b[i];
        sum += difference * difference;
    }
    return lane_sum(&sum);
}

/* Euclidean, squared. */
float vectors_distance_squared(const Vectors *vectors, size_t a, size_t b);
/* The same from every row of [first, first + count) to one point, a row of another set. */
void vectors_distances_squared(const Vectors *vectors, size_t first, size_t count, const Lane *point,
                               float *ret_distances);
void vectors_mean(const Vectors *vectors, Lane *ret_mean);

#endif
