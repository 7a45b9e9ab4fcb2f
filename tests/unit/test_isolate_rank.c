/* The eight formulas against values by hand, group means against a naive model, worst ranks on ties. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "base/rng.h"
#include "isolate/rank.h"

static void assert_close(double got, double want) {
    if (!(fabs(got - want) <= 1e-12))
        fail_msg("got %.15g, want %.15g", got, want);
}

static const struct {
    Formula formula;
    double ep, np, want;
} scores[] = {
    {FORMULA_OCHIAI, 0, 4, 1},      {FORMULA_OCHIAI, 3, 1, 0.5},
    {FORMULA_TARANTULA, 0, 0, 1},   {FORMULA_TARANTULA, 2, 2, 1 / 1.5},
    {FORMULA_JACCARD, 0, 9, 1},     {FORMULA_JACCARD, 3, 0, 0.25},
    {FORMULA_OCHIAI2, 0, 4, 1},     {FORMULA_OCHIAI2, 0, 0, 0},
    {FORMULA_OCHIAI2, 4, 0, 0},     {FORMULA_OCHIAI2, 1, 1, 0.5},
    {FORMULA_SBI, 0, 3, 1},         {FORMULA_SBI, 4, 3, 0.2},
    {FORMULA_KULCZYNSKI2, 0, 1, 1}, {FORMULA_KULCZYNSKI2, 1, 0, 0.75},
    {FORMULA_OP2, 0, 7, 1},         {FORMULA_OP2, 3, 1, 0.4},
    {FORMULA_D2, 0, 5, 2},          {FORMULA_D2, 1, 5, 1},
    {FORMULA_D2, 4, 0, 0.25},
};

static void test_formulas_by_hand(void **unused) {
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(scores); i++)
        assert_close(formula_score(scores[i].formula, 1, 0, scores[i].ep, scores[i].np), scores[i].want);
}

static void test_formulas_are_finite_and_fall_with_ep(void **unused) {
    (void)unused;
    for (Formula f = 0; f < FORMULA_COUNT; f++) {
        for (int passing = 0; passing < 20; passing++) {
            double last = INFINITY;
            for (int ep = 0; ep <= passing; ep++) {
                double score = formula_score(f, 1, 0, ep, passing - ep);
                assert_true(isfinite(score));
                assert_true(score <= last);
                last = score;
            }
        }
    }
}

static void test_formula_names_round_trip(void **unused) {
    (void)unused;
    for (Formula f = 0; f < FORMULA_COUNT; f++) {
        Formula parsed = FORMULA_COUNT;
        assert_true(formula_parse(formula_name(f), &parsed, NULL));
        assert_int_equal(parsed, f);
    }
    Formula parsed;
    assert_false(formula_parse("oracle", &parsed, NULL));
}

/* Passing runs that cover each statement so many times. */
static void set_spectrum(Spectrum *spectrum, const Bitset *failing, const uint32_t *ep, size_t passing) {
    spectrum_init(spectrum, failing);
    for (size_t run = 0; run < passing; run++) {
        Bitset covered;
        bitset_init(&covered, failing->bits);
        for (size_t s = 0; s < failing->bits; s++)
            if (run < ep[s])
                bitset_set(&covered, s);
        spectrum_add_passing(spectrum, WITNESS_MUTANT, &covered);
        bitset_release(&covered);
    }
}

/* Formulae 9 to 11 on six statements: file 0 has {0,1}, file 1 has {2,3}, file 2 only what the failing one lacks. */
static void test_files_by_hand(void **unused) {
    (void)unused;
    const uint32_t group_of[] = {0, 0, 1, 1, 2, RANK_NO_GROUP}, ep[] = {0, 3, 3, 8, 0, 0};
    double statement[6];
    RankedList list = {0};
    Bitset failing;
    bitset_init(&failing, 6);
    for (size_t s = 0; s < 6; s++)
        if (s != 4)
            bitset_set(&failing, s);
    Spectrum spectrum;
    set_spectrum(&spectrum, &failing, ep, 8);
    rank_statements(FORMULA_OCHIAI, &spectrum, WITNESS_MUTANT, statement);
    spectrum_release(&spectrum);
    rank_groups(statement, &failing, group_of, 3, NULL, AGGREGATE_MEAN, &list);
    assert_int_equal(list.len, 2);
    assert_close(list.items[0].score, (1 + 0.5) / 2);
    assert_close(list.items[1].score, (0.5 + 1 / 3.0) / 2);
    assert_int_equal(list.items[0].group, 0);
    assert_int_equal(rank_of(&list, 2, 99), 99);
    assert_int_equal(rank_of(&list, 1, 99), 2);
    vec_clear(&list);
    rank_groups(statement, &failing, group_of, 3, NULL, AGGREGATE_GEOMETRIC, &list);
    assert_close(list.items[0].score, 1.5 / sqrt(2));
    vec_clear(&list);
    rank_groups(statement, &failing, group_of, 3, NULL, AGGREGATE_LENGTH, &list);
    assert_close(list.items[0].score, sqrt(1 + 0.25));
    vec_release(&list);
    bitset_release(&failing);
}

static void test_ties_take_the_worst_rank(void **unused) {
    (void)unused;
    RankedList list = {0};
    const double score[] = {0.5, 0.9, 0.5, 0.5 + 1e-17, 0.1, 0.9};
    const size_t want[] = {5, 2, 5, 5, 6, 2};
    for (uint32_t g = 0; g < ARRAY_LEN(score); g++)
        vec_push(&list, (Ranked){.group = g, .score = score[g]});
    rank_sort(&list);
    for (uint32_t g = 0; g < ARRAY_LEN(score); g++)
        assert_int_equal(rank_of(&list, g, 0), want[g]);
    vec_release(&list);
}

/* Random spectra against the definition, written the slow way. */
static void check_random_spectrum(Rng *rng) {
    enum { UNITS = 200, GROUPS = 12, PASSING = 9 };
    uint32_t ep[UNITS], group_of[UNITS];
    double statement[UNITS];
    RankedList list = {0};
    Bitset failing;
    bitset_init(&failing, UNITS);
    for (size_t s = 0; s < UNITS; s++) {
        ep[s] = (uint32_t)rng_below(rng, PASSING + 1);
        group_of[s] = (uint32_t)rng_below(rng, GROUPS);
        if (rng_chance(rng, 40))
            bitset_set(&failing, s);
    }
    Spectrum spectrum;
    set_spectrum(&spectrum, &failing, ep, PASSING);
    rank_statements(FORMULA_OCHIAI, &spectrum, WITNESS_MUTANT, statement);
    spectrum_release(&spectrum);
    rank_groups(statement, &failing, group_of, GROUPS, NULL, AGGREGATE_MEAN, &list);
    for (size_t i = 0; i < list.len; i++) {
        double sum = 0, count = 0, better_or_equal = 0;
        for (size_t s = 0; s < UNITS; s++)
            if (group_of[s] == list.items[i].group && bitset_get(&failing, s))
                sum += 1 / sqrt(1 + ep[s]), count++;
        assert_close(list.items[i].score, sum / count);
        for (size_t k = 0; k < list.len; k++)
            better_or_equal += list.items[k].score >= list.items[i].score - 1e-13;
        assert_int_equal(list.items[i].rank, better_or_equal);
    }
    vec_release(&list);
    bitset_release(&failing);
}

static void test_against_naive_model(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(11);
    for (int round = 0; round < 200; round++)
        check_random_spectrum(&rng);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas_by_hand),         cmocka_unit_test(test_formulas_are_finite_and_fall_with_ep),
        cmocka_unit_test(test_formula_names_round_trip), cmocka_unit_test(test_files_by_hand),
        cmocka_unit_test(test_ties_take_the_worst_rank), cmocka_unit_test(test_against_naive_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
