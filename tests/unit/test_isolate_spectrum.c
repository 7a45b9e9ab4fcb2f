/* The live spectrum against counts made the slow way: failing runs, and passing ones of every kind, some taken out again. */
#include "unit.h"

#include "base/rng.h"
#include "isolate/spectrum.h"

enum { UNITS = 1000, RUNS = 60, FAILING = 5 };

static void random_run(Bitset *run, Rng *rng) {
    bitset_init(run, UNITS);
    for (size_t s = 0; s < UNITS; s++)
        if (rng_chance(rng, 20))
            bitset_set(run, s);
}

static void counts_are_those_of_the_runs(void **state) {
    (void)state;
    Rng rng = rng_from_seed(9);
    Spectrum spectrum, copy;
    Bitset runs[RUNS];
    for (size_t i = 0; i < RUNS; i++)
        random_run(&runs[i], &rng);
    spectrum_init(&spectrum, &runs[0]);
    for (size_t i = 1; i < FAILING; i++)
        spectrum_add_failing(&spectrum, &runs[i]);
    for (size_t i = FAILING; i < RUNS; i++)
        spectrum_add_passing(&spectrum, (WitnessKind)(i % WITNESS_KINDS), &runs[i]);
    spectrum_init_copy(&copy, &spectrum);
    for (size_t i = FAILING; i < RUNS; i += 2)
        spectrum_remove_passing(&spectrum, (WitnessKind)(i % WITNESS_KINDS), &runs[i]);
    for (size_t s = 0; s < UNITS; s++) {
        uint32_t failed = 0, all[WITNESS_KINDS] = {0}, left[WITNESS_KINDS] = {0};
        for (size_t i = 0; i < RUNS && bitset_get(&runs[0], s); i++) {
            bool ran = bitset_get(&runs[i], s);
            failed += ran && i < FAILING;
            all[i % WITNESS_KINDS] += ran && i >= FAILING;
            left[i % WITNESS_KINDS] += ran && i >= FAILING && (i - FAILING) % 2;
        }
        assert_int_equal(spectrum.failed[s], failed);
        assert_int_equal(copy.failed[s], failed);
        for (int kind = 0; kind < WITNESS_KINDS; kind++) {
            assert_int_equal(spectrum.passed[kind][s], left[kind]);
            assert_int_equal(copy.passed[kind][s], all[kind]);
        }
    }
    size_t passing = 0, passing_copy = 0;
    for (int kind = 0; kind < WITNESS_KINDS; kind++) {
        passing += spectrum.passing_runs[kind];
        passing_copy += copy.passing_runs[kind];
    }
    assert_int_equal(spectrum.failing_runs, FAILING);
    assert_int_equal(passing_copy, RUNS - FAILING);
    assert_int_equal(passing, (RUNS - FAILING) / 2);
    for (size_t i = 0; i < RUNS; i++)
        bitset_release(&runs[i]);
    spectrum_release(&spectrum);
    spectrum_release(&copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
