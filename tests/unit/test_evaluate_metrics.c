/* Top-n, MFR and MAR on small examples worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "evaluate/metrics.h"

static void assert_close(double got, double want) {
    if (!(fabs(got - want) <= 1e-12))
        fail_msg("got %.15g, want %.15g", got, want);
}

static void test_bug_with_a_missing_file(void **unused) {
    (void)unused;
    const size_t ranks[] = {7, 0, 3};
    BugRank bug = metrics_bug(ranks, 3, 99);
    assert_close(bug.first, 3);
    assert_close(bug.average, (7 + 100 + 3) / 3.0);
    const size_t none[] = {0};
    assert_close(metrics_bug(none, 1, 40).first, 41);
}

static void test_median_of_seeds(void **unused) {
    (void)unused;
    const BugRank seeds[] = {{9, 10}, {1, 30}, {4, 20}};
    BugRank merged = metrics_median(seeds, 3);
    assert_close(merged.first, 4);
    assert_close(merged.average, 20);
    double even[] = {4, 1, 3, 2};
    assert_close(median(even, 4), 2.5);
    assert_close(median(NULL, 0), 0);
}

static void test_top_and_means(void **unused) {
    (void)unused;
    const BugRank bugs[] = {{1, 1}, {5, 7}, {5.5, 6}, {20, 22}, {21, 34}};
    Metrics metrics = {0};
    for (size_t i = 0; i < ARRAY_LEN(bugs); i++)
        metrics_add(&metrics, &bugs[i]);
    const size_t want[METRICS_TOPS] = {1, 2, 3, 4};
    for (size_t i = 0; i < METRICS_TOPS; i++)
        assert_int_equal(metrics.top[i], want[i]);
    assert_close(metrics.mfr, 52.5 / 5);
    assert_close(metrics.mar, 70 / 5.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bug_with_a_missing_file),
        cmocka_unit_test(test_median_of_seeds),
        cmocka_unit_test(test_top_and_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
