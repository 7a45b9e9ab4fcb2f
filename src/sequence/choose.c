#include "sequence/choose.h"

#include "learn/select.h"
#include "learn/xmeans.h"

size_t choose_representatives(const Vectors *points, size_t count, size_t threads, Rng *rng, size_t *ret_selected) {
    Clusters clusters;
    XMeansOptions options = xmeans_defaults();
    options.kmeans.threads = threads;
    xmeans(points, &options, rng, &clusters);
    size_t given = clusters.centers.rows;
    clusters_medoids(&clusters, points, ret_selected);
    clusters_release(&clusters);
    return given < count ? select_representatives(points, ret_selected, given, count) : given;
}
