/* The ranking of an isolation made by hand: kinds of evidence multiply, one kind alone gives the papers' formula. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "isolate/recording.h"
#include "isolate_helpers.h"

static void assert_close(double got, double want) {
    if (fabs(got - want) > 1e-12)
        fail_msg("%.15g, expected %.15g", got, want);
}

static void assert_scores(const Isolation *isolation, const double *want) {
    for (size_t s = 0; s < UNITS; s++)
        assert_close(isolation->scores[s], want[s]);
}

static void test_one_kind_is_the_papers_formula(void **unused) {
    (void)unused;
    UnitTable table;
    Isolation isolation;
    set_up(&isolation, &table);
    IsolateOptions options = isolate_defaults();
    isolate_use_method(&options, method_find("diwi", NULL));
    add(&isolation, WITNESS_MUTANT, "1100");
    add(&isolation, WITNESS_MUTANT, "1000");
    isolation_rank(&isolation, &options);
    assert_scores(&isolation, (double[]){1 / sqrt(3), 1 / sqrt(2), 1, 1});
    assert_string_equal(unit_file_name(&table, isolation.files.items[0].group), "b.c");
    assert_null(isolation.evidence[WITNESS_OPTION]);
    isolation_release(&isolation);
    unit_table_release(&table);
}

/* Mutants clear nothing of b.c's second line, but the ordinary program does; a failing run without a.c's first line too. What
 * all runs cover has nothing against it. */
static void test_kinds_multiply(void **unused) {
    (void)unused;
    UnitTable table;
    Isolation isolation;
    double evidence[EVIDENCE_KINDS];
    set_up(&isolation, &table);
    IsolateOptions options = isolate_defaults();
    add(&isolation, WITNESS_MUTANT, "1010");
    add(&isolation, WITNESS_OPTION, "1110");
    add(&isolation, WITNESS_ORDINARY, "1001");
    Bitset failing;
    set_run(&failing, "0111");
    spectrum_add_failing(&isolation.spectrum, &failing);
    bitset_release(&failing);
    isolation_rank(&isolation, &options);
    /* m: two failing mutants cover it, and a passing one; three runs are worth 3 / (1 + 2/40). */
    double r = sqrt(0.5), m = pow(0.25, 0.125 / 1.05), cleared = m * r * r;
    assert_scores(&isolation, (double[]){0, r - cleared, m * r - cleared, r - cleared});
    assert_string_equal(unit_file_name(&table, isolation.files.items[0].group), "b.c");
    double first = m * r - cleared, second = r - cleared;
    assert_close(isolation.files.items[0].score, sqrt(first * first + second * second));
    isolation_evidence(&isolation, isolation.files.items[0].group, evidence);
    assert_close(evidence[EVIDENCE_FAILING], 1);
    assert_close(evidence[WITNESS_MUTANT], (first * m + second) / (first + second));
    isolation_release(&isolation);
    unit_table_release(&table);
}

/* A fake is taken out again, unless nothing else is left; ranking does not change the spectrum. */
static void test_fakes_are_dropped(void **unused) {
    (void)unused;
    UnitTable table;
    Isolation isolation;
    set_up(&isolation, &table);
    IsolateOptions options = isolate_defaults();
    isolate_use_method(&options, method_find("diwi", NULL));
    options.fakes = FAKES_DROP;
    add(&isolation, WITNESS_MUTANT, "1100");
    isolation.witnesses.items[0].fake = true;
    isolation_rank(&isolation, &options);
    assert_scores(&isolation, (double[]){1 / sqrt(2), 1 / sqrt(2), 1, 1});
    add(&isolation, WITNESS_MUTANT, "1000");
    isolation_rank(&isolation, &options);
    assert_scores(&isolation, (double[]){1 / sqrt(2), 1, 1, 1});
    options.fakes = FAKES_KEEP;
    isolation_rank(&isolation, &options);
    assert_scores(&isolation, (double[]){1 / sqrt(3), 1 / sqrt(2), 1, 1});
    isolation_release(&isolation);
    unit_table_release(&table);
}

/* However many mutants there are, they weigh no more than their correlation allows: another kind still decides. */
static void test_many_mutants_do_not_drown_other_kinds(void **unused) {
    (void)unused;
    IsolateOptions options = isolate_defaults();
    double before = 0;
    for (size_t n = 10; n <= 100000; n *= 10) {
        UnitTable table;
        Isolation isolation;
        set_up(&isolation, &table);
        Bitset run;
        set_run(&run, "1011"); /* b.c's lines run in all mutants that pass, a.c's second in none */
        for (size_t i = 0; i < n; i++)
            spectrum_add_passing(&isolation.spectrum, WITNESS_MUTANT, &run);
        bitset_release(&run);
        set_run(&run, "1111");
        for (size_t i = 0; i < n; i++)
            spectrum_add_failing(&isolation.spectrum, &run);
        bitset_release(&run);
        isolation_rank(&isolation, &options);
        double ratio = isolation.evidence[WITNESS_MUTANT][1] / isolation.evidence[WITNESS_MUTANT][0];
        if (n >= 10000) /* it converges */
            assert_true(ratio > before && ratio < before * 1.1);
        before = ratio;
        isolation_release(&isolation);
        unit_table_release(&table);
    }
}

static void test_runs_of_equal_coverage_count_once(void **unused) {
    (void)unused;
    UnitTable table;
    Isolation isolation;
    set_up(&isolation, &table);
    isolation.spectrum.distinct = true;
    add(&isolation, WITNESS_MUTANT, "1010");
    add(&isolation, WITNESS_MUTANT, "1010");
    add(&isolation, WITNESS_MUTANT, "1011");
    add(&isolation, WITNESS_OPTION, "1010");
    assert_int_equal(isolation.spectrum.passing_runs[WITNESS_MUTANT], 2);
    assert_int_equal(isolation.spectrum.passing_runs[WITNESS_OPTION], 1);
    isolation_release(&isolation);
    unit_table_release(&table);
}

/* All else being equal, what triage names comes first; without names nothing changes. */
static void test_named_files_come_first(void **unused) {
    (void)unused;
    UnitTable table;
    Isolation isolation;
    IsolateOptions options = isolate_defaults();
    set_up(&isolation, &table);
    add(&isolation, WITNESS_OPTION, "1010");
    isolation_rank(&isolation, &options);
    assert_int_equal(isolation.files.items[0].rank, 2); /* a tie */
    assert_null(isolation.evidence[EVIDENCE_CLUES + CLUE_NAMED]);
    clues_add(&isolation.clues, CLUE_NAMED, 1, "nowhere.c", NULL, NULL);
    clues_add(&isolation.clues, CLUE_NAMED, 2, "b.c", NULL, NULL);
    isolation_rank(&isolation, &options);
    assert_string_equal(unit_file_name(&table, isolation.files.items[0].group), "b.c");
    assert_int_equal(isolation.files.items[0].rank, 1);
    isolation_release(&isolation);
    unit_table_release(&table);
}

/* What is read is what was written, and any prefix of the runs can be ranked. */
static void test_recordings_replay(void **unused) {
    (void)unused;
    Isolation isolation, again;
    UnitTable table;
    Recording recording;
    Error err;
    char path[] = "/tmp/culprit-recording-XXXXXX";
    close(mkstemp(path));
    IsolateOptions options = isolate_defaults();
    const Bug bug = {.id = "b"};
    const Subject subject = {.name = "s"};
    set_up(&isolation, &table);
    isolation.spectrum.keeps_runs = true;
    isolation.spectrum.tested = 3;
    add(&isolation, WITNESS_MUTANT, "1101");
    isolation.spectrum.tested = 7;
    add(&isolation, WITNESS_OPTION, "0111");
    isolation_rank(&isolation, &options);
    assert_true(recording_write(&isolation, &bug, &subject, &options, path, &err));
    assert_true(recording_read(path, &recording, &err));
    assert_int_equal(recording_programs(&recording), 7);
    recording_replay(&recording, 7, &options, &again);
    assert_scores(&again, isolation.scores);
    isolation_release(&again);
    recording_replay(&recording, 3, &options, &again);
    assert_int_equal(again.spectrum.passing_runs[WITNESS_MUTANT], 1);
    assert_int_equal(again.spectrum.passing_runs[WITNESS_OPTION], 0);
    isolation_release(&again);
    recording_release(&recording);

    CLEANUP(str_release) Str bytes = {0};
    assert_true(file_read(path, &bytes, &err));
    for (size_t len = 0; len < bytes.len; len++) { /* cut anywhere */
        assert_true(file_write(path, bytes.data, len, &err));
        assert_false(recording_read(path, &recording, &err));
    }
    unlink(path);
    isolation_release(&isolation);
    unit_table_release(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fakes_are_dropped),
        cmocka_unit_test(test_one_kind_is_the_papers_formula),
        cmocka_unit_test(test_kinds_multiply),
        cmocka_unit_test(test_recordings_replay),
        cmocka_unit_test(test_many_mutants_do_not_drown_other_kinds),
        cmocka_unit_test(test_runs_of_equal_coverage_count_once),
        cmocka_unit_test(test_named_files_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
