/* k-means: the nearest of k centres for every point, and every centre the mean of its points, in turns. */
#ifndef LEARN_KMEANS_H
#define LEARN_KMEANS_H

#include "learn/vectors.h"

typedef struct KMeansOptions {
    double tolerance;  /* it ends when no centre moves further than this, squared */
    size_t iterations; /* at most */
    size_t threads;
} KMeansOptions;

/* k-means++ (Arthur and Vassilvitskii, 2007): each further centre is a point drawn in proportion to its squared distance to
 * the nearest centre there is; of 2 + log k that are drawn, the one that leaves the smallest inertia. Fewer than k come back
 * if there are fewer different points. `points` must have rows. */
void kmeans_choose_centers(const Vectors *points, size_t k, Rng *rng, Vectors *ret_centers);

/* Moves the centres until they hardly move. Returns the inertia, the sum of squared distances to them; `ret_of` is each
 * point's nearest centre. The result does not depend on the number of threads. It is fastest on points around the origin. */
double kmeans_improve(const Vectors *points, const KMeansOptions *options, Vectors *centers, uint32_t *ret_of);

#endif
