/* Few that stand for many: X-means, the medoids of its clusters, then CTOS' Algorithm 3, for sequences and for programs. */
#ifndef SEQUENCE_CHOOSE_H
#define SEQUENCE_CHOOSE_H

#include "learn/vectors.h"

/* Rows of `points` in the order they were chosen, into ret_selected, which has room for all of them: `count`, or as many
 * as there are clusters if those are more; fewer if there are not so many different ones. */
size_t choose_representatives(const Vectors *points, size_t count, size_t threads, Rng *rng, size_t *ret_selected);

#endif
