/* Selection of representative instances: few of many, far from each other and from the middle (CTOS, Algorithm 3). */
#ifndef LEARN_SELECT_H
#define LEARN_SELECT_H

#include "learn/vectors.h"

/* Extends a selection to `want` different rows of `points`, in the order they were chosen. The first `given` entries of
 * `selected`, the centres of clusters, are there already. Returns how many there are: fewer if the rest are copies of what
 * was selected, or lie in the very centre. */
size_t select_representatives(const Vectors *points, size_t *selected, size_t given, size_t want);

#endif
