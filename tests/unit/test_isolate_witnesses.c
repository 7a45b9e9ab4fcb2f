/* Distance, similarity, diversity and quality of witness sets against their definitions; DiWi's rule choice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "isolate/rulebook.h"
#include "isolate/witnesses.h"

enum { UNITS = 130, RUNS = 12 };

static void assert_close(double got, double want) {
    if (!(fabs(got - want) <= 1e-9))
        fail_msg("got %.15g, want %.15g", got, want);
}

static void random_run(Bitset *run, Rng *rng) {
    bitset_init(run, UNITS);
    for (size_t s = 0; s < UNITS; s++)
        if (rng_chance(rng, 60))
            bitset_set(run, s);
}

static double naive_distance(const Bitset *a, const Bitset *b) {
    double both = 0, either = 0;
    for (size_t s = 0; s < UNITS; s++) {
        both += bitset_get(a, s) && bitset_get(b, s);
        either += bitset_get(a, s) || bitset_get(b, s);
    }
    return 1 - both / either;
}

/* Formulae 1, 2 and 4 over the first n runs. */
static double naive_quality(const Bitset *runs, size_t n, const Bitset *failing, double alpha) {
    double sim = 0, div = 0;
    for (size_t i = 0; i < n; i++) {
        sim += (1 - naive_distance(&runs[i], failing)) / (double)n;
        for (size_t j = i + 1; j < n; j++)
            div += naive_distance(&runs[i], &runs[j]) / ((double)n * (double)(n - 1) / 2);
    }
    return (double)n * (alpha * div + (1 - alpha) * sim);
}

static void test_quality_is_formulae_1_to_5(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(21);
    Bitset runs[RUNS], failing;
    WitnessSet set;
    random_run(&failing, &rng);
    witness_set_init(&set, &failing, 0.8);
    for (size_t n = 0; n < RUNS; n++) {
        random_run(&runs[n], &rng);
        WitnessChange change = witness_set_try(&set, &runs[n]);
        assert_close(change.delta_quality,
                     naive_quality(runs, n + 1, &failing, 0.8) - naive_quality(runs, n, &failing, 0.8));
        if (n >= 2)
            assert_close(change.delta_quality,
                         0.8 * (2 * change.mean_distance - witness_set_diversity(&set)) + 0.2 * change.similarity);
        witness_set_add(&set, &runs[n], &change);
        assert_close(witness_set_quality(&set), naive_quality(runs, n + 1, &failing, 0.8));
    }
    for (size_t n = 0; n < RUNS; n++)
        bitset_release(&runs[n]);
    bitset_release(&failing);
    witness_set_release(&set);
}

static void test_first_witness(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(22);
    Bitset run, failing;
    WitnessSet set;
    random_run(&failing, &rng);
    random_run(&run, &rng);
    witness_set_init(&set, &failing, 0.8);
    WitnessChange change = witness_set_try(&set, &run);
    assert_close(change.mean_distance, 1);
    assert_close(change.delta_quality, 0.2 * (1 - naive_distance(&run, &failing)));
    witness_set_add(&set, &run, &change);
    assert_close(witness_set_diversity(&set), 0);
    assert_close(witness_set_try(&set, &run).least_distance, 0); /* the same coverage again is no news */
    bitset_release(&run);
    bitset_release(&failing);
    witness_set_release(&set);
}

/* DiWi's diversity, section 5.6.3, against the definition. */
static void test_least_distances(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(27);
    Bitset runs[RUNS], failing;
    WitnessSet set;
    random_run(&failing, &rng);
    witness_set_init(&set, &failing, 0.8);
    for (size_t n = 0; n < RUNS; n++) {
        random_run(&runs[n], &rng);
        WitnessChange change = witness_set_try(&set, &runs[n]);
        witness_set_add(&set, &runs[n], &change);
        double sum = 0;
        for (size_t i = 0; i <= n; i++) {
            double least = 1;
            for (size_t k = 0; k <= n; k++)
                least = i == k ? least : MIN_OF(least, naive_distance(&runs[i], &runs[k]));
            sum += least;
        }
        assert_close(witness_set_least_distance(&set), n == 0 ? 0 : sum / (double)(n + 1));
    }
    for (size_t n = 0; n < RUNS; n++)
        bitset_release(&runs[n]);
    bitset_release(&failing);
    witness_set_release(&set);
}

static void test_p_of_the_paper(void **unused) {
    (void)unused;
    assert_close(rulebook_p(132), 0.023);
    for (size_t n = 5; n < 400; n++) {
        double p = rulebook_p(n), rest = pow(1 - p, (double)n);
        assert_true(1 - rest >= 0.95 && p >= 1.0 / (double)n && rest / (1 - p) * p < 0.0015);
    }
}

static void test_acceptance(void **unused) {
    (void)unused;
    assert_close(rulebook_acceptance(0.023, 5, 5), 1);
    assert_close(rulebook_acceptance(0.023, 9, 2), 1);
    assert_close(rulebook_acceptance(0.023, 2, 9), pow(0.977, 7));
}

static void test_scores_and_positions(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(23);
    CLEANUP(rulebook_freep) RuleBook *book = rulebook_new(4, &rng);
    rulebook_update(book, 2, true, 1);   /* 1 * 1/1 */
    rulebook_update(book, 3, true, 0.5); /* 0.5 * 1/1 */
    rulebook_update(book, 2, false, 0);  /* 1 * 1/2: equal to rule 3, and so is its position */
    rulebook_update(book, 1, false, 0);  /* 0 */
    assert_close(rulebook_score(book, 2), 0.5);
    assert_int_equal(rulebook_position(book, 2), 1);
    assert_int_equal(rulebook_position(book, 3), 1);
    assert_int_equal(rulebook_position(book, 0), 3);
    assert_int_equal(rulebook_position(book, 1), 3);
    rulebook_update(book, 2, false, 0); /* 1/3 */
    assert_int_equal(rulebook_position(book, 3), 1);
    rulebook_update(book, 2, true, 0.1); /* the latest witness' distance: 0.1 * 2/4 */
    assert_close(rulebook_score(book, 2), 0.05);
}

static int by_descending_score(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Positions must be those of a full sort by descending score, in which equals share the first place of their group. */
static void test_positions_against_sort(void **unused) {
    (void)unused;
    enum { RULES = 30 };
    Rng rng = rng_from_seed(24);
    CLEANUP(rulebook_freep) RuleBook *book = rulebook_new(RULES, &rng);
    for (int round = 0; round < 3000; round++) {
        rulebook_update(book, rng_below(&rng, RULES), rng_chance(&rng, 30), rng_real(&rng));
        double sorted[RULES];
        for (size_t r = 0; r < RULES; r++)
            sorted[r] = rulebook_score(book, r);
        qsort(sorted, RULES, sizeof *sorted, by_descending_score);
        for (size_t r = 0; r < RULES; r++) {
            size_t k = rulebook_position(book, r);
            assert_true(sorted[k - 1] == rulebook_score(book, r) && (k == 1 || sorted[k - 2] > sorted[k - 1]));
        }
    }
}

/* While all scores are equal no rule is better than another, wherever it stands in the table. */
static void test_equal_scores_tie(void **unused) {
    (void)unused;
    enum { RULES = 132, DRAWS = RULES * 400 };
    Rng rng = rng_from_seed(26);
    CLEANUP(rulebook_freep) RuleBook *book = rulebook_new(RULES, &rng);
    bool usable[RULES];
    size_t last_four = 0;
    for (size_t r = 0; r < RULES; r++)
        usable[r] = true;
    for (int n = 0; n < DRAWS; n++)
        last_four += rulebook_next(book, usable, &rng) >= RULES - 4;
    assert_in_range(last_four, 1600 - 200,
                    1600 + 200); /* five standard deviations of 400 * 4; 500 by order of the table */
}

/* A good rule must be drawn more often than a bad one, but every usable one is drawn, and no unusable one ever. */
static void test_choice_prefers_good_rules(void **unused) {
    (void)unused;
    enum { RULES = 132 };
    Rng rng = rng_from_seed(25);
    CLEANUP(rulebook_freep) RuleBook *book = rulebook_new(RULES, &rng);
    bool usable[RULES];
    size_t drawn[RULES] = {0};
    for (size_t r = 0; r < RULES; r++) {
        usable[r] = r != 7;
        rulebook_update(book, r, true, 1 - (double)r / RULES);
    }
    for (int round = 0; round < 60000; round++)
        drawn[rulebook_next(book, usable, &rng)]++;
    assert_int_equal(drawn[7], 0);
    assert_true(drawn[0] > 4 * drawn[RULES - 1]);
    for (size_t r = 0; r < RULES; r++)
        assert_true(drawn[r] > 0 || r == 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quality_is_formulae_1_to_5),
        cmocka_unit_test(test_first_witness),
        cmocka_unit_test(test_least_distances),
        cmocka_unit_test(test_p_of_the_paper),
        cmocka_unit_test(test_acceptance),
        cmocka_unit_test(test_scores_and_positions),
        cmocka_unit_test(test_positions_against_sort),
        cmocka_unit_test(test_equal_scores_tie),
        cmocka_unit_test(test_choice_prefers_good_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
