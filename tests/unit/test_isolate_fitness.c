/* LocSeq's fitness by hand: formulae (3) to (5), and where all files are equal. */
#include <math.h>

#include "isolate/fitness.h"
#include "unit.h"

/* Files a, b, c and d have two lines each. */
enum { FILES = 4, UNITS = 2 * FILES };

static void set_up(UnitTable *table) {
    UnitBuilder builder = {0};
    for (uint32_t i = 0; i < UNITS; i++) {
        char name[] = {(char)('a' + i / 2), '.', 'c', 0};
        unit_builder_add(&builder, unit_builder_file(&builder, name, NULL), 1 + i % 2, "f", 100);
    }
    unit_builder_finish(&builder, table, NULL);
}

static void set_run(Bitset *run, const char *covered) {
    bitset_init(run, UNITS);
    for (size_t s = 0; s < UNITS; s++)
        if (covered[s] == '1')
            bitset_set(run, s);
}

typedef struct Case {
    const char *failing, *run; /* lines of a a b b c c d d */
    double paper, continuous;
} Case;

/* Sim_s compares what the run covers in the failing run's files with all that the failing run covers. */
static const Case cases[] = {
    /* c is not covered by both: 3 of 4 statements, 2 of 3 files: (3/4) / (1 - 2/3) */
    {"11110000", "11101100", 0.75 * 3, 0.75 * 3},
    /* a file of the failing run that is not covered counts in both: (2/4) / (1 - 1/2) */
    {"11110000", "11000000", 1, 1},
    /* more statements in common files: (1/2) / (1 - 1/2) */
    {"10000000", "11001000", 1, 1},
    /* the same files: 3/4, and as if there were three files */
    {"11110000", "11100000", 0.75, 0.75 * 3},
    {"11110000", "11110000", 1, 3},
    /* nothing in common */
    {"11000000", "00001100", 0, 0},
    {"11000000", "00000000", 0, 0},
};

static void test_formulae(void **unused) {
    (void)unused;
    UnitTable table;
    set_up(&table);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (FitnessKind kind = 0; kind < FITNESS_KINDS; kind++) {
            Bitset failing, run;
            FitnessBase base;
            set_run(&failing, cases[i].failing);
            set_run(&run, cases[i].run);
            fitness_init(&base, &table, &failing, kind);
            double want = kind == FITNESS_PAPER ? cases[i].paper : cases[i].continuous;
            double got = fitness_of(&base, &run);
            if (fabs(got - want) > 1e-12)
                fail_msg("case %zu, %s: %g, expected %g", i, fitness_name(kind), got, want);
            fitness_release(&base);
            bitset_release(&failing);
            bitset_release(&run);
        }
    unit_table_release(&table);
}

/* A run with one file more is never fitter than the same run without, by the continuous fitness. */
static void test_continuous_at_equal_files(void **unused) {
    (void)unused;
    UnitTable table;
    Bitset failing, equal, more;
    FitnessBase base;
    set_up(&table);
    set_run(&failing, "11111100");
    set_run(&equal, "11111000");
    set_run(&more, "11111010");
    fitness_init(&base, &table, &failing, FITNESS_CONTINUOUS);
    assert_true(fitness_of(&base, &equal) >= fitness_of(&base, &more));
    base.kind = FITNESS_PAPER;
    assert_true(fitness_of(&base, &equal) < fitness_of(&base, &more));
    fitness_release(&base);
    bitset_release(&failing);
    bitset_release(&equal);
    bitset_release(&more);
    unit_table_release(&table);
}

static void test_names(void **unused) {
    (void)unused;
    Error err;
    FitnessKind kind;
    assert_ok(fitness_parse("paper", &kind, &err), err);
    assert_int_equal(kind, FITNESS_PAPER);
    assert_fails(fitness_parse("best", &kind, &err), err, "continuous|paper");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulae),
                                       cmocka_unit_test(test_continuous_at_equal_files), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
