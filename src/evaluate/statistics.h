/* Statistics: is one sample better than another, and by how much?
 *
 *     paired values (two methods on the same bugs)       Wilcoxon's signed-rank test
 *     unpaired values (repeats of two campaigns)         the Mann-Whitney U test, and Vargha and Delaney's A12
 *
 * All tests are two-sided and make no assumption on the distribution. p is exact where the samples are small and have no
 * ties; otherwise it is the normal approximation with the correction for ties and for continuity. NaN is not allowed.
 */
#ifndef EVALUATE_STATISTICS_H
#define EVALUATE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct RankTest {
    double
        statistic; /* Wilcoxon: W+, the sum of ranks where a > b. Mann-Whitney: U of a, the pairs with a > b, ties half */
    double p;      /* two-sided; 1 if there is nothing to compare */
    size_t n;      /* pairs that differ; Mann-Whitney: values in all */
    bool exact;
} RankTest;

/* Pairs without a difference are dropped, as Wilcoxon did. */
RankTest wilcoxon_signed_rank(const double *a, const double *b, size_t n);
RankTest mann_whitney_u(const double *a, size_t na, const double *b, size_t nb);

/* How likely a value of `a` is larger than one of `b`, equal ones half: 0.5 means no difference. 0.5 if one is empty. */
double vargha_delaney_a12(const double *a, size_t na, const double *b, size_t nb);
/* "negligible", "small", "medium" or "large": their thresholds 0.56, 0.64 and 0.71, on either side of 0.5. */
const char *vargha_delaney_word(double a12);

#endif
