/* Rank tests against published results, against enumeration of every case, and against the formulas worked out by hand. */
#include "unit.h"

#include <math.h>

#include "base/base.h"
#include "base/rng.h"
#include "evaluate/statistics.h"

static void assert_close(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("got %.15g, want %.15g", got, want);
}

/* SciPy's manual, scipy.stats.wilcoxon: heights of cross- and self-fertilised corn plants (statistic 24 is the smaller of
 * W+ = 96 and W- = 24). R's manual, wilcox.test: depression scale factors, one-sided p = 0.01953. */
static void test_wilcoxon_published(void **unused) {
    (void)unused;
    const double d[] = {6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}, zero[15] = {0};
    RankTest corn = wilcoxon_signed_rank(d, zero, 15);
    assert_true(corn.exact);
    assert_close(corn.statistic, 96, 0);
    assert_close(corn.p, 0.041259765625, 1e-15);
    const double x[] = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
    const double y[] = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
    RankTest depression = wilcoxon_signed_rank(x, y, 9);
    assert_close(depression.statistic, 40, 0);
    assert_close(depression.p, 2 * 0.01953125, 1e-15);
}

/* SciPy's manual, scipy.stats.mannwhitneyu: ages at the diagnosis of diabetes. R's manual: permeability constants of the
 * chorioamnion, W = 35, one-sided p = 0.1272. */
static void test_mann_whitney_published(void **unused) {
    (void)unused;
    const double males[] = {19, 22, 16, 29, 24}, females[] = {20, 11, 17, 12};
    RankTest ages = mann_whitney_u(males, 5, females, 4);
    assert_true(ages.exact);
    assert_close(ages.statistic, 17, 0);
    assert_close(ages.p, 1 / 9.0, 1e-15);
    assert_close(vargha_delaney_a12(males, 5, females, 4), 0.85, 1e-15);
    const double at_term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double early[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    RankTest permeability = mann_whitney_u(at_term, 10, early, 5);
    assert_close(permeability.statistic, 35, 0);
    assert_close(permeability.p, 2 * 0.1272, 1e-4);
}

/* |d| = 1 1 1 2 3 has ranks 2 2 2 4 5: W+ = 13, mean 7.5, variance 13.75 - 24/48. 1 | 2 2 2 | 3 has ranks 1, 3, 5: U = 1,
 * mean 3, variance 6/12 (6 - 24/20). */
static void test_ties_take_the_corrected_approximation(void **unused) {
    (void)unused;
    const double a[] = {1, 1, 0, 2, 3, 8}, b[] = {0, 0, 1, 0, 0, 8};
    RankTest paired = wilcoxon_signed_rank(a, b, 6);
    assert_false(paired.exact);
    assert_int_equal(paired.n, 5);
    assert_close(paired.statistic, 13, 0);
    assert_close(paired.p, 0.1695641451905634, 1e-12);
    const double c[] = {1, 2, 2}, d[] = {2, 3};
    RankTest unpaired = mann_whitney_u(c, 3, d, 2);
    assert_false(unpaired.exact);
    assert_close(unpaired.statistic, 1, 0);
    assert_close(unpaired.p, 0.33292160806556603, 1e-12);
    assert_close(vargha_delaney_a12(c, 3, d, 2), 1 / 6.0, 1e-15);
}

static void test_nothing_to_compare(void **unused) {
    (void)unused;
    const double same[] = {3, 4, 5};
    assert_close(wilcoxon_signed_rank(same, same, 3).p, 1, 0);
    assert_close(wilcoxon_signed_rank(NULL, NULL, 0).p, 1, 0);
    assert_close(mann_whitney_u(same, 3, NULL, 0).p, 1, 0);
    assert_close(mann_whitney_u((double[]){2, 2}, 2, (double[]){2, 2}, 2).p, 1, 0);
    assert_close(vargha_delaney_a12(same, 3, same, 3), 0.5, 0);
    assert_close(vargha_delaney_a12(NULL, 0, same, 3), 0.5, 0);
}

/* Every subset of ranks 1..n is equally likely (of `size` elements; 0: of any): the share at least as extreme. */
static double enumerated_p(size_t n, size_t size, double sum) {
    size_t all = 0, below = 0, above = 0;
    for (unsigned subset = 0; subset < 1u << n; subset++) {
        double s = 0;
        for (size_t i = 0; i < n; i++)
            s += subset >> i & 1 ? (double)i + 1 : 0;
        if (size && (size_t)__builtin_popcount(subset) != size)
            continue;
        all++;
        below += s <= sum;
        above += s >= sum;
    }
    return MIN_OF(2.0 * (double)MIN_OF(below, above) / (double)all, 1.0);
}

static void test_exact_values_are_those_of_enumeration(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(11);
    for (int round = 0; round < 200; round++) {
        double a[12], zero[12] = {0}, sum = 0;
        size_t n = 2 + rng_below(&rng, 10), size = 1 + rng_below(&rng, n - 1);
        for (size_t i = 0; i < n; i++) /* the ranks themselves, with signs */
            a[i] = ((double)i + 1) * (rng_below(&rng, 2) ? 1 : -1);
        RankTest paired = wilcoxon_signed_rank(a, zero, n);
        assert_close(paired.p, enumerated_p(n, 0, paired.statistic), 1e-12);
        for (size_t i = 0; i < n; i++) {
            size_t k = i + rng_below(&rng, n - i);
            double swap = a[i];
            a[i] = a[k];
            a[k] = swap;
            a[i] = fabs(a[i]);
            sum += i < size ? a[i] : 0;
        }
        RankTest unpaired = mann_whitney_u(a, size, a + size, n - size);
        assert_close(unpaired.p, enumerated_p(n, size, sum), 1e-12);
    }
}

/* Past the limit of exact counts the approximation takes over without a jump. */
static void test_approximation_continues_the_exact_values(void **unused) {
    (void)unused;
    double a[51], zero[51] = {0};
    for (size_t i = 0; i < 51; i++)
        a[i] = ((double)i + 1) * (i % 3 ? 1 : -1);
    RankTest exact = wilcoxon_signed_rank(a, zero, 50), approximate = wilcoxon_signed_rank(a, zero, 51);
    assert_true(exact.exact && !approximate.exact);
    assert_close(exact.p, approximate.p, 0.02);
    assert_string_equal(vargha_delaney_word(0.5), "negligible");
    assert_string_equal(vargha_delaney_word(0.4), "small");
    assert_string_equal(vargha_delaney_word(0.65), "medium");
    assert_string_equal(vargha_delaney_word(0), "large");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wilcoxon_published),
        cmocka_unit_test(test_mann_whitney_published),
        cmocka_unit_test(test_ties_take_the_corrected_approximation),
        cmocka_unit_test(test_nothing_to_compare),
        cmocka_unit_test(test_exact_values_are_those_of_enumeration),
        cmocka_unit_test(test_approximation_continues_the_exact_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
