/* X-means: starts with few clusters and splits those that are better described by two (Pelleg and Moore, 2000).
 *
 *   repeat  1. improve parameters: k-means over all points from the present centres
 *           2. improve structure: 2-means inside each cluster; the two halves replace it if they have the larger BIC
 *   until no cluster was split, or there are as many as allowed
 *
 * BIC of R points in K clusters of M dimensions, with R_n points in cluster n (spherical Gaussians of one variance):
 *
 *     sigma^2 = sum of squared distances to the centres / (R - K)
 *     l(D_n)  = R_n log R_n - R_n log R - R_n / 2 log(2 pi) - R_n M / 2 log(sigma^2) - (R_n - K) / 2
 *     BIC     = sum over n of l(D_n)  -  p / 2 log R              p = (K - 1) + M K + 1 free parameters
 *
 * That is the paper's formula, as pyclustering computes it.
 *
 * k-means is Lloyd's with Hamerly's bounds (2010): each point keeps an upper bound of the distance to its centre and a lower
 * bound to every other; both move with the centres, and while they do not cross, the point is not looked at. Points are
 * worked on in chunks of fixed size whose sums are added in order, so that threads do not change the result.
 */
#include "learn/xmeans.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 2048 /* points */

XMeansOptions xmeans_defaults(void) {
    return (XMeansOptions){.least = 2, .most = 20, .tolerance = 0.001, .iterations = 100, .threads = 1};
}

void clusters_release(Clusters *clusters) {
    vectors_release(&clusters->centers);
    free(clusters->of);
    *clusters = (Clusters){0};
}

double clusters_bic(size_t k, const size_t *sizes, size_t columns, double inertia) {
    double r = 0, bic = 0;
    for (size_t n = 0; n < k; n++)
        r += (double)sizes[n];
    if (r <= (double)k)
        return -INFINITY;
    double variance = MAX_OF(inertia / (r - (double)k), DBL_MIN); /* of equal points: as good as can be */
    double parameters = (double)(k - 1) + (double)(columns * k) + 1;
    for (size_t n = 0; n < k; n++) {
        double rn = (double)sizes[n];
        if (rn > 0)
            bic += rn * log(rn) - rn * log(r) - rn / 2 * log(2 * M_PI) - rn * (double)columns / 2 * log(variance) -
                   (rn - (double)k) / 2;
    }
    return bic - parameters / 2 * log(r);
}

/* --- k-means --- */

/* The points that take part: all, or those of one cluster. */
typedef struct Subset {
    const Vectors *points;
    const size_t *indices; /* NULL: all */
    size_t count;
} Subset;

static inline const Lane *subset_point(const Subset *subset, size_t i) {
    return vectors_lanes(subset->points, subset->indices ? subset->indices[i] : i);
}

typedef struct Lloyd {
    Subset subset;
    size_t k, threads;
    Vectors centers;
    uint32_t *of;
    float *upper, *lower; /* distances, not squared */
    float *moved;         /* per centre, in the last step */
    float farthest, second_farthest;
    size_t farthest_center;
    float *half_gap; /* per centre: half of the distance to its nearest other centre */
    bool exact;      /* look at every point: bounds are not known yet */
    double *sums;    /* per chunk: k rows of columns, then k counts */
    double *inertia; /* per chunk */
    atomic_size_t next_chunk;
} Lloyd;

static size_t chunk_count(const Lloyd *lloyd) { return (lloyd->subset.count + CHUNK - 1) / CHUNK; }
static size_t sums_per_chunk(const Lloyd *lloyd) { return lloyd->k * (lloyd->centers.columns + 1); }

static inline __attribute__((always_inline)) void find_nearest(Lloyd *lloyd, const Lane *point, size_t i) {
    float best = INFINITY, second = INFINITY;
    uint32_t nearest = 0;
    for (size_t c = 0; c < lloyd->k; c++) {
        float d = lanes_distance_squared(point, vectors_lanes(&lloyd->centers, c), lloyd->centers.lanes_per_row);
        if (d < best) {
            second = best;
            best = d;
            nearest = (uint32_t)c;
        } else if (d < second) {
            second = d;
        }
    }
    lloyd->of[i] = nearest;
    lloyd->upper[i] = sqrtf(best);
    lloyd->lower[i] = sqrtf(second);
}

FOR_EACH_WIDTH
static void assign_chunk(Lloyd *lloyd, size_t chunk) {
    size_t from = chunk * CHUNK, past = MIN_OF(from + CHUNK, lloyd->subset.count), columns = lloyd->centers.columns;
    double *sums = lloyd->sums + chunk * sums_per_chunk(lloyd), *counts = sums + lloyd->k * columns;
    memset(sums, 0, sums_per_chunk(lloyd) * sizeof *sums);
    for (size_t i = from; i < past; i++) {
        const Lane *point = subset_point(&lloyd->subset, i);
        if (lloyd->exact) {
            find_nearest(lloyd, point, i);
        } else {
            uint32_t own = lloyd->of[i];
            lloyd->upper[i] += lloyd->moved[own];
            lloyd->lower[i] -= own == lloyd->farthest_center ? lloyd->second_farthest : lloyd->farthest;
            float bound = MAX_OF(lloyd->lower[i], lloyd->half_gap[own]);
            if (lloyd->upper[i] > bound) {
                lloyd->upper[i] = sqrtf(
                    lanes_distance_squared(point, vectors_lanes(&lloyd->centers, own), lloyd->centers.lanes_per_row));
                if (lloyd->upper[i] > bound)
                    find_nearest(lloyd, point, i);
            }
        }
        double *sum = sums + lloyd->of[i] * columns;
        const float *row = (const float *)point;
        for (size_t c = 0; c < columns; c++)
            sum[c] += (double)row[c];
        counts[lloyd->of[i]]++;
    }
}

FOR_EACH_WIDTH
static void measure_chunk(Lloyd *lloyd, size_t chunk) {
    size_t from = chunk * CHUNK, past = MIN_OF(from + CHUNK, lloyd->subset.count);
    double sum = 0;
    for (size_t i = from; i < past; i++)
        sum +=
            (double)lanes_distance_squared(subset_point(&lloyd->subset, i),
                                           vectors_lanes(&lloyd->centers, lloyd->of[i]), lloyd->centers.lanes_per_row);
    lloyd->inertia[chunk] = sum;
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

/* Moves the centres to the means of their points, and notes how far. A centre without points stays. */
static void move_centers(Lloyd *lloyd) {
    size_t columns = lloyd->centers.columns, per_chunk = sums_per_chunk(lloyd);
    for (size_t chunk = 1; chunk < chunk_count(lloyd); chunk++)
        for (size_t i = 0; i < per_chunk; i++)
            lloyd->sums[i] += lloyd->sums[chunk * per_chunk + i];
    const double *counts = lloyd->sums + lloyd->k * columns;
    lloyd->farthest = lloyd->second_farthest = 0;
    for (size_t c = 0; c < lloyd->k; c++) {
        double squared = 0;
        float *center = vectors_row(&lloyd->centers, c);
        for (size_t i = 0; i < columns && counts[c] > 0; i++) {
            float mean = (float)(lloyd->sums[c * columns + i] / counts[c]);
            squared += (double)(mean - center[i]) * (double)(mean - center[i]);
            center[i] = mean;
        }
        lloyd->moved[c] = nextafterf((float)sqrt(squared), INFINITY);
        if (lloyd->moved[c] > lloyd->farthest) {
            lloyd->second_farthest = lloyd->farthest;
            lloyd->farthest = lloyd->moved[c];
            lloyd->farthest_center = c;
        } else {
            lloyd->second_farthest = MAX_OF(lloyd->second_farthest, lloyd->moved[c]);
        }
    }
    for (size_t c = 0; c < lloyd->k; c++) {
        float nearest = INFINITY;
        for (size_t other = 0; other < lloyd->k; other++)
            if (other != c)
                nearest = MIN_OF(nearest, vectors_distance_squared(&lloyd->centers, c, other));
        lloyd->half_gap[c] = sqrtf(nearest) / 2;
    }
}

static void lloyd_init(Lloyd *lloyd, const Subset *subset, const Vectors *centers, size_t threads) {
    size_t chunks;
    *lloyd = (Lloyd){.subset = *subset, .k = centers->rows, .threads = threads, .exact = true};
    chunks = chunk_count(lloyd);
    vectors_init_copy(&lloyd->centers, centers);
    lloyd->of = mem_zalloc(subset->count + 1, sizeof *lloyd->of);
    lloyd->upper = mem_zalloc(subset->count + 1, sizeof *lloyd->upper);
    lloyd->lower = mem_zalloc(subset->count + 1, sizeof *lloyd->lower);
    lloyd->moved = mem_zalloc(lloyd->k, sizeof *lloyd->moved);
    lloyd->half_gap = mem_zalloc(lloyd->k, sizeof *lloyd->half_gap);
    lloyd->sums = mem_zalloc(chunks * sums_per_chunk(lloyd) + 1, sizeof *lloyd->sums);
    lloyd->inertia = mem_zalloc(chunks + 1, sizeof *lloyd->inertia);
}

static void lloyd_release(Lloyd *lloyd) {
    vectors_release(&lloyd->centers);
    void *const blocks[] = {lloyd->of,       lloyd->upper, lloyd->lower,  lloyd->moved,
                            lloyd->half_gap, lloyd->sums,  lloyd->inertia};
    for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
        free(blocks[i]);
}

static double lloyd_run(Lloyd *lloyd, const XMeansOptions *options) {
    for (size_t n = 0; n < options->iterations; n++) {
        for_each_chunk(lloyd, assign_chunk);
        move_centers(lloyd);
        lloyd->exact = false;
        if ((double)lloyd->farthest <= options->tolerance)
            break;
    }
    lloyd->exact = true;
    for_each_chunk(lloyd, assign_chunk); /* to the centres as they are now */
    for_each_chunk(lloyd, measure_chunk);
    double inertia = 0;
    for (size_t chunk = 0; chunk < chunk_count(lloyd); chunk++)
        inertia += lloyd->inertia[chunk];
    return inertia;
}

/* k-means++ (Arthur and Vassilvitskii, 2007): each further centre is a point drawn in proportion to its squared distance to
 * the nearest centre there is. Fewer than k come back if there are fewer different points. */
static void choose_centers(const Subset *subset, size_t k, Rng *rng, Vectors *ret_centers) {
    CLEANUP(mem_freep) float *nearest = mem_zalloc(subset->count + 1, sizeof *nearest);
    vectors_init(ret_centers, k, subset->points->columns);
    size_t row = ret_centers->lanes_per_row * sizeof(Lane), chosen = rng_below(rng, subset->count);
    for (size_t i = 0; i < subset->count; i++)
        nearest[i] = INFINITY;
    for (size_t c = 0; c < k; c++) {
        double sum = 0;
        memcpy(vectors_lanes(ret_centers, c), subset_point(subset, chosen), row);
        for (size_t i = 0; i < subset->count; i++) {
            float d = lanes_distance_squared(subset_point(subset, i), vectors_lanes(ret_centers, c),
                                             ret_centers->lanes_per_row);
            nearest[i] = MIN_OF(nearest[i], d);
            sum += (double)nearest[i];
        }
        ret_centers->rows = c + 1;
        if (!(sum > 0))
            return;
        double at = rng_real(rng) * sum;
        for (chosen = 0; chosen + 1 < subset->count && (at -= (double)nearest[chosen]) >= 0;)
            chosen++;
    }
}

/* --- Splitting --- */

static void count_sizes(const uint32_t *of, size_t count, size_t *ret_sizes) {
    for (size_t i = 0; i < count; i++)
        ret_sizes[of[i]]++;
}

/* Appends the centres that stand for one cluster: its own, or those of its two halves. */
static void split_cluster(const Subset *subset, const Lane *center, const XMeansOptions *options, bool may_split,
                          Rng *rng, Vectors *centers) {
    size_t row = centers->lanes_per_row * sizeof(Lane);
    Vectors start = {0}, own = {.lanes = (Lane *)center,
                                .rows = 1,
                                .columns = centers->columns,
                                .lanes_per_row = centers->lanes_per_row};
    if (may_split && subset->count > 2)
        choose_centers(subset, 2, rng, &start);
    if (start.rows == 2) {
        Lloyd whole, halves;
        size_t sizes[2] = {0};
        lloyd_init(&whole, subset, &own, options->threads);
        lloyd_init(&halves, subset, &start, options->threads);
        for_each_chunk(&whole, measure_chunk);
        double spread = 0, inertia = lloyd_run(&halves, options);
        for (size_t chunk = 0; chunk < chunk_count(&whole); chunk++)
            spread += whole.inertia[chunk];
        count_sizes(halves.of, subset->count, sizes);
        if (clusters_bic(2, sizes, centers->columns, inertia) >
            clusters_bic(1, &subset->count, centers->columns, spread)) {
            memcpy(vectors_lanes(centers, centers->rows), halves.centers.lanes, 2 * row);
            centers->rows += 2;
        } else {
            start.rows = 0;
        }
        lloyd_release(&whole);
        lloyd_release(&halves);
    }
    if (start.rows != 2)
        memcpy(vectors_lanes(centers, centers->rows++), center, row);
    vectors_release(&start);
}

/* One step of "improve structure"; the new centres are as many as before if nothing was split. */
static void improve_structure(const Vectors *points, const Lloyd *lloyd, const XMeansOptions *options, Rng *rng,
                              Vectors *ret_centers) {
    CLEANUP(mem_freep) size_t *members = mem_zalloc(points->rows + 1, sizeof *members);
    CLEANUP(mem_freep) size_t *ends = mem_zalloc(lloyd->k + 1, sizeof *ends);
    count_sizes(lloyd->of, points->rows, ends);
    for (size_t c = 1; c < lloyd->k; c++)
        ends[c] += ends[c - 1];
    for (size_t i = points->rows; i-- > 0;)
        members[--ends[lloyd->of[i]]] = i;
    vectors_init(ret_centers, 2 * lloyd->k, points->columns);
    ret_centers->rows = 0;
    for (size_t c = 0; c < lloyd->k; c++) {
        size_t past = c + 1 < lloyd->k ? ends[c + 1] : points->rows;
        Subset subset = {.points = points, .indices = members + ends[c], .count = past - ends[c]};
        bool may_split = ret_centers->rows + (lloyd->k - c) < options->most;
        split_cluster(&subset, vectors_lanes(&lloyd->centers, c), options, may_split, rng, ret_centers);
    }
}

static void give(Lloyd *lloyd, double inertia, Clusters *ret_clusters) {
    CLEANUP(mem_freep) size_t *sizes = mem_zalloc(lloyd->k, sizeof *sizes);
    count_sizes(lloyd->of, lloyd->subset.count, sizes);
    *ret_clusters = (Clusters){.centers = lloyd->centers,
                               .of = lloyd->of,
                               .inertia = inertia,
                               .bic = clusters_bic(lloyd->k, sizes, lloyd->centers.columns, inertia)};
    lloyd->centers = (Vectors){0};
    lloyd->of = NULL;
}

void kmeans(const Vectors *points, size_t k, const XMeansOptions *options, Rng *rng, Clusters *ret_clusters) {
    Subset all = {.points = points, .count = points->rows};
    Vectors centers;
    Lloyd lloyd;
    choose_centers(&all, MIN_OF(k, points->rows), rng, &centers);
    lloyd_init(&lloyd, &all, &centers, options->threads);
    give(&lloyd, lloyd_run(&lloyd, options), ret_clusters);
    lloyd_release(&lloyd);
    vectors_release(&centers);
}

void xmeans(const Vectors *points, const XMeansOptions *options, Rng *rng, Clusters *ret_clusters) {
    Subset all = {.points = points, .count = points->rows};
    Vectors centers;
    choose_centers(&all, MIN_OF(MAX_OF(options->least, (size_t)1), points->rows), rng, &centers);
    while (true) {
        Lloyd lloyd;
        Vectors split;
        lloyd_init(&lloyd, &all, &centers, options->threads);
        double inertia = lloyd_run(&lloyd, options);
        improve_structure(points, &lloyd, options, rng, &split);
        bool done = split.rows == lloyd.k;
        if (done)
            give(&lloyd, inertia, ret_clusters);
        vectors_release(&centers);
        centers = split;
        lloyd_release(&lloyd);
        if (done)
            break;
    }
    vectors_release(&centers);
}

void clusters_medoids(const Clusters *clusters, const Vectors *points, size_t *ret_points) {
    CLEANUP(mem_freep) float *best = mem_zalloc(clusters->centers.rows, sizeof *best);
    for (size_t c = 0; c < clusters->centers.rows; c++)
        best[c] = INFINITY;
    for (size_t i = 0; i < points->rows; i++) {
        uint32_t c = clusters->of[i];
        float d = lanes_distance_squared(vectors_lanes(points, i), vectors_lanes(&clusters->centers, c),
                                         points->lanes_per_row);
        if (d < best[c]) {
            best[c] = d;
            ret_points[c] = i;
        }
    }
}
