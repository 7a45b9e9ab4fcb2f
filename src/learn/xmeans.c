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
 * That is the paper's formula. pyclustering subtracts the parameters' part once for every cluster instead of once, so that it
 * splits less.
 *
 * Both work on points relative to a centre, the one of all points and the one of the cluster to split, where k-means is
 * fastest. A cluster that was better left whole is not tried again while its points are the same.
 */
#include "learn/xmeans.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

XMeansOptions xmeans_defaults(void) {
    return (XMeansOptions){.least = 2, .most = 20, .kmeans = {.tolerance = 0.001, .iterations = 100, .threads = 1}};
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

/* --- Points relative to a centre --- */

FOR_EACH_WIDTH
static void copy_relative(const Vectors *points, const size_t *indices, const Lane *center, Vectors *copies) {
    for (size_t i = 0; i < copies->rows; i++) {
        const Lane *from = vectors_lanes(points, indices ? indices[i] : i);
        Lane *to = vectors_lanes(copies, i);
        for (size_t n = 0; n < copies->lanes_per_row; n++)
            to[n] = from[n] - center[n];
    }
}

static void add_center(Vectors *points, const Lane *center) {
    for (size_t i = 0; i < points->rows; i++)
        for (size_t n = 0; n < points->lanes_per_row; n++)
            vectors_lanes(points, i)[n] += center[n];
}

/* --- Splitting --- */

typedef struct Splitter {
    const Vectors *points;
    const XMeansOptions *options;
    Rng *rng;
    Vec(uint64_t) whole; /* hashes of the clusters' members that are better left whole */
} Splitter;

static void count_sizes(const uint32_t *of, size_t count, size_t *ret_sizes) {
    for (size_t i = 0; i < count; i++)
        ret_sizes[of[i]]++;
}

/* Finds the centres of the two halves of some points, and whether they are the better description of them. */
static bool find_halves(Splitter *splitter, const size_t *members, size_t count, const Lane *center,
                        Vectors *ret_halves) {
    CLEANUP(mem_freep) uint32_t *of = mem_zalloc(count, sizeof *of);
    CLEANUP(mem_freep) float *distances = mem_zalloc(count, sizeof *distances);
    Vectors part, origin;
    size_t sizes[2] = {0}, columns = splitter->points->columns;
    double spread = 0;
    vectors_init(&part, count, columns);
    vectors_init(&origin, 1, columns);
    copy_relative(splitter->points, members, center, &part);
    vectors_distances_squared(&part, 0, count, origin.lanes, distances);
    for (size_t i = 0; i < count; i++)
        spread += (double)distances[i];
    kmeans_choose_centers(&part, 2, splitter->rng, ret_halves);
    bool better = ret_halves->rows == 2;
    if (better) {
        double inertia = kmeans_improve(&part, &splitter->options->kmeans, ret_halves, of);
        count_sizes(of, count, sizes);
        better = clusters_bic(2, sizes, columns, inertia) > clusters_bic(1, &count, columns, spread);
    }
    add_center(ret_halves, center);
    vectors_release(&part);
    vectors_release(&origin);
    return better;
}

/* Appends the centres that stand for one cluster: its own, or those of its two halves. */
static void split_cluster(Splitter *splitter, const size_t *members, size_t count, const Lane *center,
                          Vectors *centers) {
    size_t row = centers->lanes_per_row * sizeof(Lane);
    uint64_t name = hash_u64(members, count * sizeof *members);
    Vectors halves = {0};
    bool may_split = count > 2;
    for (size_t i = 0; i < splitter->whole.len; i++)
        may_split = may_split && splitter->whole.items[i] != name;
    if (may_split && find_halves(splitter, members, count, center, &halves)) {
        memcpy(vectors_lanes(centers, centers->rows), halves.lanes, 2 * row);
        centers->rows += 2;
    } else {
        memcpy(vectors_lanes(centers, centers->rows++), center, row);
        if (may_split)
            vec_push(&splitter->whole, name);
    }
    vectors_release(&halves);
}

/* One step of "improve structure"; the new centres are as many as before if nothing was split. */
static void improve_structure(Splitter *splitter, const Vectors *centers, const uint32_t *of, Vectors *ret_centers) {
    size_t k = centers->rows, rows = splitter->points->rows;
    CLEANUP(mem_freep) size_t *members = mem_zalloc(rows + 1, sizeof *members);
    CLEANUP(mem_freep) size_t *ends = mem_zalloc(k + 1, sizeof *ends);
    count_sizes(of, rows, ends);
    for (size_t c = 1; c <= k; c++)
        ends[c] += ends[c - 1];
    for (size_t i = rows; i-- > 0;)
        members[--ends[of[i]]] = i;
    vectors_init(ret_centers, 2 * k, centers->columns);
    ret_centers->rows = 0;
    for (size_t c = 0; c < k; c++) {
        bool may_split = ret_centers->rows + (k - c) < splitter->options->most;
        size_t count = may_split ? ends[c + 1] - ends[c] : 0;
        split_cluster(splitter, members + ends[c], count, vectors_lanes(centers, c), ret_centers);
    }
}

static void give(const Vectors *points, Vectors *centers, uint32_t *of, double inertia, Clusters *ret_clusters) {
    CLEANUP(mem_freep) size_t *sizes = mem_zalloc(centers->rows, sizeof *sizes);
    count_sizes(of, points->rows, sizes);
    *ret_clusters = (Clusters){.centers = *centers,
                               .of = of,
                               .inertia = inertia,
                               .bic = clusters_bic(centers->rows, sizes, centers->columns, inertia)};
}

void kmeans(const Vectors *points, size_t k, const KMeansOptions *options, Rng *rng, Clusters *ret_clusters) {
    uint32_t *of = mem_zalloc(points->rows, sizeof *of);
    Vectors centers;
    kmeans_choose_centers(points, MIN_OF(k, points->rows), rng, &centers);
    double inertia = kmeans_improve(points, options, &centers, of);
    give(points, &centers, of, inertia, ret_clusters);
}

void xmeans(const Vectors *points, const XMeansOptions *options, Rng *rng, Clusters *ret_clusters) {
    uint32_t *of = mem_zalloc(points->rows, sizeof *of);
    Vectors near, mean, centers;
    vectors_init(&near, points->rows, points->columns);
    vectors_init(&mean, 1, points->columns);
    vectors_mean(points, mean.lanes);
    copy_relative(points, NULL, mean.lanes, &near);
    Splitter splitter = {.points = &near, .options = options, .rng = rng};
    kmeans_choose_centers(&near, MIN_OF(MAX_OF(options->least, (size_t)1), points->rows), rng, &centers);
    while (true) {
        Vectors split;
        double inertia = kmeans_improve(&near, &options->kmeans, &centers, of);
        improve_structure(&splitter, &centers, of, &split);
        if (split.rows == centers.rows) {
            add_center(&centers, mean.lanes);
            give(points, &centers, of, inertia, ret_clusters);
            vectors_release(&split);
            break;
        }
        vectors_release(&centers);
        centers = split;
    }
    vec_release(&splitter.whole);
    vectors_release(&near);
    vectors_release(&mean);
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
