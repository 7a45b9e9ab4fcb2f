/* Metrics: how well rankings meet known answers (DiWi, section 5.3; RecBi, section 4.4).
 *
 *     Top-n   bugs whose first guilty file stands at position n or better
 *     MFR     mean over bugs of the first guilty file's rank
 *     MAR     mean over bugs of the mean rank of all its guilty files
 *
 * A guilty file that the ranking lacks counts as one place behind all covered files. Runs of one bug with different
 * seeds are merged by their medians before bugs are averaged.
 */
#ifndef EVALUATE_METRICS_H
#define EVALUATE_METRICS_H

#include "base/base.h"

/* The outcome of one run, and, merged, of one bug. */
typedef struct BugRank {
    double first, average;
} BugRank;

enum { METRICS_TOPS = 4 };
extern const size_t metrics_top[METRICS_TOPS]; /* 1 5 10 20 */

typedef struct Metrics {
    size_t bugs;
    size_t top[METRICS_TOPS];
    double mfr, mar; /* 0 if there are no bugs */
} Metrics;

/* `ranks` of the guilty files; 0 stands for a file that the ranking lacks. At least one. */
BugRank metrics_bug(const size_t *ranks, size_t count, size_t covered_files);
BugRank metrics_median(const BugRank *seeds, size_t count); /* at least one */
void metrics_add(Metrics *metrics, const BugRank *bug);

double median(double *values, size_t count); /* sorts them; the mean of the two in the middle; 0 for none */

#endif
