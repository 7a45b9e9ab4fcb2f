/* X-means: k-means that finds the number of clusters itself (Pelleg and Moore, 2000). */
#ifndef LEARN_XMEANS_H
#define LEARN_XMEANS_H

#include "learn/kmeans.h"

typedef struct XMeansOptions {
    size_t least, most; /* clusters */
    KMeansOptions kmeans;
} XMeansOptions;

XMeansOptions xmeans_defaults(void); /* pyclustering's: 2 to 20 clusters, tolerance 0.001 */

typedef struct Clusters {
    Vectors centers;
    uint32_t *of;   /* per point: its cluster */
    double inertia; /* the sum of squared distances to the centres */
    double bic;     /* of the whole clustering; larger is better */
} Clusters;

/* `points` must have rows. The result depends on the stream alone, not on the number of threads. */
void xmeans(const Vectors *points, const XMeansOptions *options, Rng *rng, Clusters *ret_clusters);
/* Plain k-means from k-means++ centres, the first half of it. At most points->rows clusters come back. */
void kmeans(const Vectors *points, size_t k, const KMeansOptions *options, Rng *rng, Clusters *ret_clusters);
void clusters_release(Clusters *clusters);

/* The point nearest to each centre, one per cluster. */
void clusters_medoids(const Clusters *clusters, const Vectors *points, size_t *ret_points);
/* The criterion by which clusters are split; see xmeans.c. `sizes` are the points of each of k clusters. */
double clusters_bic(size_t k, const size_t *sizes, size_t columns, double inertia);

#endif
