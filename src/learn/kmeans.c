/* Lloyd's k-means, made fast in four ways that leave its result alone.
 *
 *   1. Distances are dot products: |x - c|^2 = |x|^2 + (|c|^2 - 2 x c). Sixteen centres are asked at once, from a transposed
 *      copy of them, so that sums need no reduction across a register; few centres are asked one by one.
 *   2. That form loses digits where points are far from the origin but near to each other. Its error is at most
 *
 *          e = (columns + 8) 2^-24 (|x| + max |c|)^2
 *
 *      and a point whose two nearest centres differ by less than 2 e is decided by differences, |x - c|^2 as it is defined.
 *   3. Bounds (Hamerly, 2010): a point cannot have another nearest centre before its own has moved away, and all others have
 *      moved nearer, by the gap between its nearest two. Every centre has a counter, how far it has moved in all plus
 *      how far the farthest of the others has; a point's key is the counter's value at which its gap is used up. So a point that
 *      need not be looked at costs one comparison.
 *   4. Sums of clusters are kept, in double precision, and only points that go over to another cluster are added and subtracted.
 *
 * Points are worked on in chunks of fixed size whose changes are added in order, so that threads do not change the result.
 */
#include "learn/kmeans.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 2048, /* points */
    GROUP = 4,    /* points that share a load of centres */
    FEW = 4       /* centres, for which registers of sixteen do not pay */
};

/* Half a register of floats, and the same as doubles. Sums need no alignment. */
typedef float Half __attribute__((vector_size(32), may_alias));
typedef double Wide __attribute__((vector_size(64), aligned(8), may_alias));
#define WIDE_DOUBLES (sizeof(Wide) / sizeof(double))

/* Sums of k clusters; the last, of no cluster, is where points come from at first. */
typedef struct Sums {
    double *rows; /* k + 1 of as many numbers as a padded row of points */
    double *counts;
} Sums;

typedef struct Lloyd {
    const Vectors *points;
    Vectors *centers;
    size_t k, threads;
    uint32_t *of;
    float *norms; /* per point: |x| */
    float *keys;  /* per point: up to which counter of its centre nothing need be asked */

    float *counters; /* per centre, see above; k + 1, none for no centre */
    Lane *transposed, *squares;
    float longest; /* max |c| */

    Sums sums;
    Sums *changes; /* per chunk, since the last step */
    bool *has_changed;
    double *inertia; /* per chunk */
    atomic_size_t next_chunk;
} Lloyd;

static size_t chunk_count(const Lloyd *lloyd) { return (lloyd->points->rows + CHUNK - 1) / CHUNK; }
static size_t block_count(const Lloyd *lloyd) { return (lloyd->k + LANE_FLOATS - 1) / LANE_FLOATS; }
static size_t row_doubles(const Lloyd *lloyd) { return lloyd->centers->lanes_per_row * LANE_FLOATS; }

static float error_factor(const Lloyd *lloyd) { return (float)(lloyd->centers->columns + 8) * 0x1p-24f; }

static void sums_init(Sums *sums, const Lloyd *lloyd) {
    sums->rows = mem_zalloc((lloyd->k + 1) * row_doubles(lloyd), sizeof *sums->rows);
    sums->counts = mem_zalloc(lloyd->k + 1, sizeof *sums->counts);
}

static void sums_clear(Sums *sums, const Lloyd *lloyd) {
    memset(sums->rows, 0, (lloyd->k + 1) * row_doubles(lloyd) * sizeof *sums->rows);
    memset(sums->counts, 0, (lloyd->k + 1) * sizeof *sums->counts);
}

static void sums_release(Sums *sums) {
    free(sums->rows);
    free(sums->counts);
}

/* --- Assigning points --- */

/* The nearest centre and the squared distances to it and to the next. */
typedef struct Nearest {
    float best, second;
    uint32_t center;
} Nearest;

static inline __attribute__((always_inline)) void nearest_add(Nearest *nearest, float d, uint32_t center) {
    float larger = MAX_OF(nearest->best, d);
    nearest->second = MIN_OF(nearest->second, larger);
    nearest->center = d < nearest->best ? center : nearest->center;
    nearest->best = MIN_OF(nearest->best, d);
}

static inline __attribute__((always_inline)) void compare_with_few(const Lloyd *lloyd, const Lane *point,
                                                                   Nearest *nearest) {
    const float *squares = (const float *)lloyd->squares;
    for (uint32_t c = 0; c < lloyd->k; c++) {
        float dot = lanes_dot(point, vectors_lanes(lloyd->centers, c), lloyd->centers->lanes_per_row);
        nearest_add(nearest, squares[c] - 2 * dot, c);
    }
}

static inline __attribute__((always_inline)) void compare_with_block(const Lloyd *lloyd, const float *const *points,
                                                                     size_t block, Nearest *nearest) {
    size_t columns = lloyd->centers->columns, past = MIN_OF(lloyd->k - block * LANE_FLOATS, LANE_FLOATS);
    const Lane *transposed = lloyd->transposed + block * columns;
    Lane dots[GROUP] = {{0}};
    for (size_t column = 0; column < columns; column++)
        for (size_t g = 0; g < GROUP; g++)
            dots[g] += transposed[column] * points[g][column];
    for (size_t g = 0; g < GROUP; g++) {
        Lane scores = lloyd->squares[block] - 2 * dots[g];
        for (size_t c = 0; c < past; c++)
            nearest_add(&nearest[g], ((const float *)&scores)[c], (uint32_t)(block * LANE_FLOATS + c));
    }
}

static inline __attribute__((always_inline)) void compare_by_differences(const Lloyd *lloyd, const Lane *point,
                                                                         Nearest *nearest) {
    *nearest = (Nearest){.best = INFINITY, .second = INFINITY};
    for (uint32_t c = 0; c < lloyd->k; c++)
        nearest_add(nearest,
                    lanes_distance_squared(point, vectors_lanes(lloyd->centers, c), lloyd->centers->lanes_per_row), c);
}

static inline __attribute__((always_inline)) void add_row(double *sum, const float *row, size_t count, double factor) {
    for (size_t i = 0; i < count; i += WIDE_DOUBLES)
        *(Wide *)(sum + i) += factor * __builtin_convertvector(*(const Half *)(row + i), Wide);
}

static inline __attribute__((always_inline)) void move_point(Lloyd *lloyd, size_t chunk, size_t i, uint32_t to) {
    Sums *changes = &lloyd->changes[chunk];
    size_t count = row_doubles(lloyd);
    const float *row = vectors_row(lloyd->points, i);
    if (!lloyd->has_changed[chunk])
        sums_clear(changes, lloyd);
    lloyd->has_changed[chunk] = true;
    add_row(changes->rows + to * count, row, count, 1);
    add_row(changes->rows + lloyd->of[i] * count, row, count, -1);
    changes->counts[to]++;
    changes->counts[lloyd->of[i]]--;
    lloyd->of[i] = to;
}

/* What was found for a point, with distances short of |x|^2: takes it to its nearest centre and sets its key. */
static inline __attribute__((always_inline)) void settle_point(Lloyd *lloyd, size_t chunk, size_t i, Nearest nearest) {
    float norm = lloyd->norms[i], reach = norm + lloyd->longest, factor = error_factor(lloyd);
    float error = factor * reach * reach, upper = nearest.best + norm * norm + error,
          lower = nearest.second + norm * norm - error;
    if (!(upper < lower)) {
        compare_by_differences(lloyd, vectors_lanes(lloyd->points, i), &nearest);
        upper = nearest.best * (1 + factor);
        lower = nearest.second * (1 - factor);
    }
    if (nearest.center != lloyd->of[i])
        move_point(lloyd, chunk, i, nearest.center);
    float gap = sqrtf(MAX_OF(lower, 0.0f)) - sqrtf(MAX_OF(upper, 0.0f));
    lloyd->keys[i] = (lloyd->counters[nearest.center] + gap) * (gap > 0 ? 1 - 0x1p-21f : 0);
}

FOR_EACH_WIDTH
static void assign_chunk(Lloyd *lloyd, size_t chunk) {
    size_t from = chunk * CHUNK, past = MIN_OF(from + CHUNK, lloyd->points->rows), count = 0;
    size_t asked[CHUNK];
    for (size_t i = from; i < past; i++) {
        asked[count] = i;
        count += lloyd->counters[lloyd->of[i]] > lloyd->keys[i];
    }
    for (size_t n = 0; n < count && lloyd->k <= FEW; n++) {
        Nearest nearest = {.best = INFINITY, .second = INFINITY};
        compare_with_few(lloyd, vectors_lanes(lloyd->points, asked[n]), &nearest);
        settle_point(lloyd, chunk, asked[n], nearest);
    }
    for (size_t n = 0; n < count && lloyd->k > FEW; n += GROUP) {
        Nearest nearest[GROUP];
        const float *rows[GROUP];
        for (size_t g = 0; g < GROUP; g++) {
            nearest[g] = (Nearest){.best = INFINITY, .second = INFINITY};
            rows[g] = vectors_row(lloyd->points, asked[MIN_OF(n + g, count - 1)]);
        }
        for (size_t block = 0; block < block_count(lloyd); block++)
            compare_with_block(lloyd, rows, block, nearest);
        for (size_t g = 0; g < GROUP && n + g < count; g++)
            settle_point(lloyd, chunk, asked[n + g], nearest[g]);
    }
}

FOR_EACH_WIDTH
static void measure_chunk(Lloyd *lloyd, size_t chunk) {
    size_t from = chunk * CHUNK, past = MIN_OF(from + CHUNK, lloyd->points->rows);
    double sum = 0;
    for (size_t i = from; i < past; i++)
        sum +=
            (double)lanes_distance_squared(vectors_lanes(lloyd->points, i), vectors_lanes(lloyd->centers, lloyd->of[i]),
                                           lloyd->centers->lanes_per_row);
    lloyd->inertia[chunk] = sum;
}

FOR_EACH_WIDTH
static void measure_norms(Lloyd *lloyd, size_t chunk) {
    size_t from = chunk * CHUNK, past = MIN_OF(from + CHUNK, lloyd->points->rows);
    for (size_t i = from; i < past; i++) {
        const Lane *point = vectors_lanes(lloyd->points, i);
        lloyd->norms[i] = sqrtf(lanes_dot(point, point, lloyd->points->lanes_per_row));
    }
}

typedef struct ChunkJob {
    Lloyd *lloyd;
    void (*work)(Lloyd *lloyd, size_t chunk);
} ChunkJob;

static void *work_chunks(void *argument) {
    ChunkJob *job = argument;
    for (size_t chunk; (chunk = atomic_fetch_add(&job->lloyd->next_chunk, 1)) < chunk_count(job->lloyd);)
        job->work(job->lloyd, chunk);
    return NULL;
}

static void for_each_chunk(Lloyd *lloyd, void (*work)(Lloyd *lloyd, size_t chunk)) {
    ChunkJob job = {lloyd, work};
    size_t threads = MIN_OF(MAX_OF(lloyd->threads, (size_t)1), chunk_count(lloyd));
    pthread_t *others = mem_zalloc(threads + 1, sizeof *others);
    atomic_store(&lloyd->next_chunk, 0);
    for (size_t t = 1; t < threads; t++)
        if (pthread_create(&others[t], NULL, work_chunks, &job) != 0)
            BUG("no thread can be started");
    work_chunks(&job);
    for (size_t t = 1; t < threads; t++)
        pthread_join(others[t], NULL);
    free(others);
}

/* --- Moving centres --- */

static void take_changes(Lloyd *lloyd) {
    size_t numbers = lloyd->k * row_doubles(lloyd);
    for (size_t chunk = 0; chunk < chunk_count(lloyd); chunk++) {
        if (!lloyd->has_changed[chunk])
            continue;
        for (size_t i = 0; i < numbers; i++)
            lloyd->sums.rows[i] += lloyd->changes[chunk].rows[i];
        for (size_t c = 0; c < lloyd->k; c++)
            lloyd->sums.counts[c] += lloyd->changes[chunk].counts[c];
        lloyd->has_changed[chunk] = false;
    }
}

/* Moves a centre to the mean of its points and returns how far that is. A centre without points stays. */
static double move_center(Lloyd *lloyd, size_t c) {
    double squared = 0, count = lloyd->sums.counts[c];
    float *center = vectors_row(lloyd->centers, c);
    for (size_t i = 0; i < lloyd->centers->columns && count > 0; i++) {
        float mean = (float)(lloyd->sums.rows[c * row_doubles(lloyd) + i] / count);
        squared += ((double)mean - (double)center[i]) * ((double)mean - (double)center[i]);
        center[i] = mean;
    }
    return sqrt(squared);
}

/* Returns how far the centre that moved most did. */
static double move_centers(Lloyd *lloyd) {
    CLEANUP(mem_freep) double *moved = mem_zalloc(lloyd->k, sizeof *moved);
    double farthest = 0, second = 0;
    take_changes(lloyd);
    for (size_t c = 0; c < lloyd->k; c++) {
        moved[c] = move_center(lloyd, c);
        second = MAX_OF(second, MIN_OF(farthest, moved[c]));
        farthest = MAX_OF(farthest, moved[c]);
    }
    for (size_t c = 0; c < lloyd->k; c++) {
        double others = moved[c] < farthest ? farthest : second;
        lloyd->counters[c] = nextafterf((float)((double)lloyd->counters[c] + moved[c] + others), INFINITY);
    }
    return farthest;
}

/* What comparing needs to know of the centres where they are now. */
static void prepare_centers(Lloyd *lloyd) {
    float *squares = (float *)lloyd->squares;
    double longest = 0;
    for (size_t c = 0; c < lloyd->k; c++) {
        const float *center = vectors_row(lloyd->centers, c);
        float *transposed = (float *)(lloyd->transposed + c / LANE_FLOATS * lloyd->centers->columns) + c % LANE_FLOATS;
        double square = 0;
        for (size_t i = 0; i < lloyd->centers->columns; i++) {
            square += (double)center[i] * (double)center[i];
            transposed[i * LANE_FLOATS] = center[i];
        }
        squares[c] = (float)square;
        longest = MAX_OF(longest, square);
    }
    lloyd->longest = (float)sqrt(longest);
}

/* --- The method --- */

static Lane *lanes_alloc(size_t count) {
    Lane *lanes = aligned_alloc(sizeof(Lane), MAX_OF(count, (size_t)1) * sizeof(Lane));
    if (!lanes)
        BUG("out of memory for %zu registers", count);
    memset(lanes, 0, count * sizeof(Lane));
    return lanes;
}

static void lloyd_init(Lloyd *lloyd, const Vectors *points, Vectors *centers, size_t threads, uint32_t *of) {
    *lloyd = (Lloyd){.points = points, .centers = centers, .k = centers->rows, .threads = threads, .of = of};
    lloyd->norms = mem_zalloc(points->rows + 1, sizeof *lloyd->norms);
    lloyd->keys = mem_zalloc(points->rows + 1, sizeof *lloyd->keys);
    lloyd->counters = mem_zalloc(lloyd->k + 1, sizeof *lloyd->counters);
    lloyd->transposed = lanes_alloc(block_count(lloyd) * centers->columns);
    lloyd->squares = lanes_alloc(block_count(lloyd));
    lloyd->changes = mem_zalloc(chunk_count(lloyd) + 1, sizeof *lloyd->changes);
    lloyd->has_changed = mem_zalloc(chunk_count(lloyd) + 1, sizeof *lloyd->has_changed);
    lloyd->inertia = mem_zalloc(chunk_count(lloyd) + 1, sizeof *lloyd->inertia);
    sums_init(&lloyd->sums, lloyd);
    for (size_t chunk = 0; chunk < chunk_count(lloyd); chunk++)
        sums_init(&lloyd->changes[chunk], lloyd);
    for (size_t i = 0; i < points->rows; i++) {
        of[i] = (uint32_t)lloyd->k;
        lloyd->keys[i] = -1;
    }
}

static void lloyd_release(Lloyd *lloyd) {
    for (size_t chunk = 0; chunk < chunk_count(lloyd); chunk++)
        sums_release(&lloyd->changes[chunk]);
    sums_release(&lloyd->sums);
    void *const blocks[] = {lloyd->norms,   lloyd->keys,    lloyd->counters,    lloyd->transposed,
                            lloyd->squares, lloyd->changes, lloyd->has_changed, lloyd->inertia};
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        free(blocks[i]);
}

double kmeans_improve(const Vectors *points, const KMeansOptions *options, Vectors *centers, uint32_t *ret_of) {
    Lloyd lloyd;
    double inertia = 0, moved = INFINITY;
    lloyd_init(&lloyd, points, centers, options->threads, ret_of);
    for_each_chunk(&lloyd, measure_norms);
    for (size_t n = 0; n < options->iterations && moved * moved > options->tolerance; n++) {
        prepare_centers(&lloyd);
        for_each_chunk(&lloyd, assign_chunk);
        moved = move_centers(&lloyd);
    }
    prepare_centers(&lloyd);
    for_each_chunk(&lloyd, assign_chunk); /* to the centres as they are now */
    for_each_chunk(&lloyd, measure_chunk);
    for (size_t chunk = 0; chunk < chunk_count(&lloyd); chunk++)
        inertia += lloyd.inertia[chunk];
    lloyd_release(&lloyd);
    return inertia;
}

static size_t draw_by_weight(const float *weights, size_t count, double sum, Rng *rng) {
    double at = rng_real(rng) * sum;
    size_t drawn = 0;
    while (drawn + 1 < count && (at -= (double)weights[drawn]) >= 0)
        drawn++;
    return drawn;
}

/* Squared distances to the nearest centre if `point` becomes one, and their sum. */
static double try_center(const Vectors *points, size_t point, const float *nearest, float *ret_nearest) {
    double sum = 0;
    vectors_distances_squared(points, 0, points->rows, vectors_lanes(points, point), ret_nearest);
    for (size_t i = 0; i < points->rows; i++) {
        ret_nearest[i] = MIN_OF(nearest[i], ret_nearest[i]);
        sum += (double)ret_nearest[i];
    }
    return sum;
}

static void swap_rows(float **a, float **b) {
    float *row = *a;
    *a = *b;
    *b = row;
}

void kmeans_choose_centers(const Vectors *points, size_t k, Rng *rng, Vectors *ret_centers) {
    float *nearest = mem_zalloc(points->rows, sizeof *nearest), *best = mem_zalloc(points->rows, sizeof *best),
          *tried = mem_zalloc(points->rows, sizeof *tried);
    size_t candidates = 2 + (size_t)log((double)MAX_OF(k, (size_t)1));
    double sum = INFINITY;
    vectors_init(ret_centers, k, points->columns);
    for (size_t i = 0; i < points->rows; i++)
        nearest[i] = INFINITY;
    for (size_t c = 0; c < k && sum > 0; c++) {
        double least = INFINITY;
        size_t chosen = 0;
        for (size_t n = 0; n < (c ? candidates : 1); n++) {
            size_t candidate = c ? draw_by_weight(nearest, points->rows, sum, rng) : rng_below(rng, points->rows);
            double left = try_center(points, candidate, nearest, tried);
            if (left < least) {
                least = left;
                chosen = candidate;
                swap_rows(&best, &tried);
            }
        }
        memcpy(vectors_lanes(ret_centers, c), vectors_lanes(points, chosen), points->lanes_per_row * sizeof(Lane));
        ret_centers->rows = c + 1;
        sum = least;
        swap_rows(&nearest, &best);
    }
    free(nearest);
    free(best);
    free(tried);
}
