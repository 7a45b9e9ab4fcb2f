/* Rank tests.
 *
 * Wilcoxon, Individual comparisons by ranking methods, 1945. The absolute differences d_i = a_i - b_i are ranked, equal
 * ones by the mean of their places:
 *
 *     W+ = sum of rank_i over d_i > 0       mean n(n+1)/4       variance n(n+1)(2n+1)/24 - sum over ties (t^3 - t)/48
 *
 * Mann and Whitney, On a test of whether one of two random variables is stochastically larger, 1947. All values together
 * are ranked; with N = na + nb:
 *
 *     U = R_a - na(na+1)/2      mean na nb/2      variance na nb/12 (N+1 - sum over ties (t^3 - t)/(N(N-1)))
 *
 * Vargha and Delaney, A critique and improvement of the CL common language effect size, 2000: A12 = U / (na nb).
 *
 * Without ties the ranks are 1..n whatever the data, and the null distribution is counted: how many of all choices of ranks
 * have each sum. The same count serves both tests: any subset for Wilcoxon, subsets of na ranks for Mann-Whitney.
 * Statistics are half integers at most, so they are counted in doubles without loss. */
#include "evaluate/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

/* Beyond it the normal approximation is right to three digits; R and SciPy draw the line at 50 too. */
enum { EXACT_MAX = 50 };

typedef struct Ranked {
    double value, rank;
    bool counts; /* its rank belongs to the statistic */
} Ranked;

static int by_value(const void *a, const void *b) {
    double x = ((const Ranked *)a)->value, y = ((const Ranked *)b)->value;
    return (x > y) - (x < y);
}

/* Sorts, gives equal values the mean of their places, sums the ranks that count, and returns the sum over ties of t^3 - t. */
static double rank_values(Ranked *items, size_t n, double *ret_sum) {
    double ties = 0, sum = 0;
    qsort(items, n, sizeof *items, by_value);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && items[end].value == items[i].value; end++) {
        }
        double t = (double)(end - i);
        ties += t * t * t - t;
        for (size_t k = i; k < end; k++) {
            items[k].rank = ((double)i + 1 + (double)end) / 2;
            sum += items[k].counts ? items[k].rank : 0;
        }
    }
    *ret_sum = sum;
    return ties;
}

/* P(|Z| >= z) with the correction for continuity: the statistic moves half a step towards its mean. */
static double normal_p(double statistic, double mean, double variance) {
    if (variance <= 0)
        return 1;
    double distance = MAX_OF(fabs(statistic - mean) - 0.5, 0.0);
    return erfc(distance / sqrt(variance) / sqrt(2));
}

/* Of all subsets of {1..n} (of `size` elements; n + 1: of any size), the share whose sum is at least as far from the mean as
 * `sum`. ways[k][s] counts subsets of k elements with sum s; for any size one row is enough. */
static double exact_p(size_t n, size_t size, double sum) {
    bool any = size > n;
    size_t rows = any ? 1 : size + 1, width = n * (n + 1) / 2 + 1;
    double *ways = mem_zalloc(rows * width, sizeof *ways), below = 0, above = 0, all = 0;
    ways[0] = 1;
    for (size_t rank = 1; rank <= n; rank++)
        for (size_t k = any ? 1 : MIN_OF(rank, size); k > 0; k--) {
            double *to = any ? ways : ways + k * width, *from = any ? ways : to - width;
            for (size_t s = width - 1; s >= rank; s--)
                to[s] += from[s - rank];
        }
    for (size_t s = 0; s < width; s++) {
        double count = ways[(rows - 1) * width + s];
        all += count;
        below += (double)s <= sum ? count : 0;
        above += (double)s >= sum ? count : 0;
    }
    free(ways);
    return MIN_OF(2 * MIN_OF(below, above) / all, 1.0);
}

RankTest wilcoxon_signed_rank(const double *a, const double *b, size_t count) {
    Ranked *items = mem_zalloc(count + 1, sizeof *items);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            items[n++] = (Ranked){.value = fabs(a[i] - b[i]), .counts = a[i] > b[i]};
    RankTest result = {.n = n, .p = 1};
    double ties = rank_values(items, n, &result.statistic), m = (double)n;
    free(items);
    result.exact = ties == 0 && n <= EXACT_MAX;
    if (n > 0)
        result.p = result.exact
                       ? exact_p(n, n + 1, result.statistic)
                       : normal_p(result.statistic, m * (m + 1) / 4, m * (m + 1) * (2 * m + 1) / 24 - ties / 48);
    return result;
}

/* R_a, the sum of a's ranks among all values; returns the sum over ties. */
static double rank_both(const double *a, size_t na, const double *b, size_t nb, double *ret_sum) {
    Ranked *items = mem_zalloc(na + nb + 1, sizeof *items);
    for (size_t i = 0; i < na + nb; i++)
        items[i] = (Ranked){.value = i < na ? a[i] : b[i - na], .counts = i < na};
    double ties = rank_values(items, na + nb, ret_sum);
    free(items);
    return ties;
}

RankTest mann_whitney_u(const double *a, size_t na, const double *b, size_t nb) {
    RankTest result = {.n = na + nb, .p = 1, .exact = true};
    if (na == 0 || nb == 0)
        return result;
    double sum, ties = rank_both(a, na, b, nb, &sum), x = (double)na, y = (double)nb, all = x + y;
    result.statistic = sum - x * (x + 1) / 2;
    result.exact = ties == 0 && na <= EXACT_MAX && nb <= EXACT_MAX;
    result.p = result.exact ? exact_p(na + nb, na, sum)
                            : normal_p(result.statistic, x * y / 2, x * y / 12 * (all + 1 - ties / (all * (all - 1))));
    return result;
}

double vargha_delaney_a12(const double *a, size_t na, const double *b, size_t nb) {
    if (na == 0 || nb == 0)
        return 0.5;
    double sum, x = (double)na;
    rank_both(a, na, b, nb, &sum);
    return (sum - x * (x + 1) / 2) / (x * (double)nb);
}

const char *vargha_delaney_word(double a12) {
    double distance = fabs(a12 - 0.5);
    return distance < 0.06 ? "negligible" : distance < 0.14 ? "small" : distance < 0.21 ? "medium" : "large";
}
