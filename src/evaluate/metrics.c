#include "evaluate/metrics.h"

#include <stdlib.h>

const size_t metrics_top[METRICS_TOPS] = {1, 5, 10, 20};

BugRank metrics_bug(const size_t *ranks, size_t count, size_t covered_files) {
    BUG_ON(count == 0);
    double first = (double)covered_files + 1, sum = 0;
    for (size_t i = 0; i < count; i++) {
        double rank = ranks[i] ? (double)ranks[i] : (double)covered_files + 1;
        first = MIN_OF(first, rank);
        sum += rank;
    }
    return (BugRank){first, sum / (double)count};
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, size_t count) {
    if (count == 0)
        return 0;
    qsort(values, count, sizeof *values, by_value);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

BugRank metrics_median(const BugRank *seeds, size_t count) {
    BUG_ON(count == 0);
    double *first = mem_alloc(count * sizeof *first), *average = mem_alloc(count * sizeof *average);
    for (size_t i = 0; i < count; i++) {
        first[i] = seeds[i].first;
        average[i] = seeds[i].average;
    }
    BugRank merged = {median(first, count), median(average, count)};
    free(first);
    free(average);
    return merged;
}

void metrics_add(Metrics *metrics, const BugRank *bug) {
    double before = (double)metrics->bugs++, after = (double)metrics->bugs;
    metrics->mfr = (metrics->mfr * before + bug->first) / after;
    metrics->mar = (metrics->mar * before + bug->average) / after;
    for (size_t i = 0; i < METRICS_TOPS; i++)
        metrics->top[i] += bug->first <= (double)metrics_top[i];
}
