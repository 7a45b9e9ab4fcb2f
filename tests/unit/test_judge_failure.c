/* When are two failures the same, and when two runs? */
#include "judge/failure.h"
#include "unit.h"

static ProcResult run_of(int exit_code, int signal, const char *output) {
    ProcResult run = {.exit_code = exit_code, .signal = signal};
    str_append(&run.out, output);
    return run;
}

static unsigned difference(const char *output, const char *reference, double tolerance) {
    CLEANUP(proc_result_release) ProcResult a = run_of(0, 0, output), b = run_of(0, 0, reference);
    return run_difference(&a, &b, tolerance);
}

static void test_runs_differ_in_output_or_end(void **state) {
    (void)state;
    static const struct {
        int exit_code, signal;
        const char *output;
        unsigned difference;
    } cases[] = {
        {0, 0, "17\n", 0},
        {0, 0, "18\n", DIFFERS_IN_OUTPUT},
        {0, 0, "17", DIFFERS_IN_OUTPUT},
        {0, 0, "", DIFFERS_IN_OUTPUT},
        {1, 0, "17\n", DIFFERS_IN_END},
        {-1, 6, "17\n", DIFFERS_IN_END},
        {-1, 11, "", DIFFERS_IN_OUTPUT | DIFFERS_IN_END},
    };
    CLEANUP(proc_result_release) ProcResult right = run_of(0, 0, "17\n");
    const Expectation expectation = {"17\n", 3, 0, 0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(proc_result_release) ProcResult run = run_of(cases[i].exit_code, cases[i].signal, cases[i].output);
        assert_int_equal(run_difference(&run, &right, 0), cases[i].difference);
        assert_int_equal(expectation_difference(&run, &expectation), cases[i].difference);
    }
    ProcResult slow = {.limit = PROC_LIMIT_WALL}, empty = {0};
    assert_int_equal(run_difference(&slow, &empty, 0), DIFFERS_IN_END);
}

static void test_values_within_the_tolerance(void **state) {
    (void)state;
    const char *expected = "17\nf_1 0.500000000\nf_2 0.750000000\n";
    assert_int_equal(difference("17\nf_1 0.501\nf_2 0.7499\n", expected, 0.01), 0);
    assert_int_equal(difference("17\nf_1 0.501\nf_2 0.7499\n", expected, 0), DIFFERS_IN_OUTPUT);
    assert_int_equal(difference(expected, expected, 0), 0);
    static const char *const wrong[] = {"18\nf_1 0.5\nf_2 0.75\n",   "17\nf_1 0.52\nf_2 0.75\n",
                                        "17\nf_2 0.5\nf_1 0.75\n",   "17\nf_1 0.5\n",
                                        "17\nf_1 nan\nf_2 0.75\n",   "",
                                        "17\nf_1 0.5\nf_2 0.75\nx\n"};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        if (difference(wrong[i], expected, 0.01) != DIFFERS_IN_OUTPUT)
            fail_msg("accepted: %s", wrong[i]);
    const Expectation expectation = {expected, strlen(expected), 0, 0.01};
    CLEANUP(proc_result_release) ProcResult close = run_of(0, 0, "17\nf_1 0.499\nf_2 0.7501\n");
    assert_int_equal(expectation_difference(&close, &expectation), 0);
}

static Failure failure(Verdict verdict, const char *messages, Arena *arena) {
    CLEANUP(proc_result_release) ProcResult compile = {.exit_code = 1};
    str_append(&compile.err, messages);
    return failure_of(verdict, &compile, arena);
}

static void test_reasons_tell_failures_of_compilers_apart(void **state) {
    (void)state;
    static const char ice[] = "a.c:3:1: internal compiler error: in fold, at fold.c:77\n",
                      elsewhere[] = "b.c:9:9: internal compiler error: in fold, at fold.c:77\n",
                      other[] = "a.c:3:1: internal compiler error: in split, at loop.c:5\n",
                      refusal[] = "a.c:3:4: error: 'x1' undeclared\n", similar[] = "b.c:9:9: error: 'y22' undeclared\n",
                      another[] = "a.c:1:1: error: expected ';'\n";
    static const struct {
        Verdict known;
        const char *known_says;
        Verdict seen;
        const char *seen_says;
        bool same;
    } cases[] = {
        {VERDICT_CRASH, ice, VERDICT_CRASH, elsewhere, true},
        {VERDICT_CRASH, ice, VERDICT_CRASH, other, false},
        {VERDICT_CRASH, "", VERDICT_CRASH, other, true}, /* no reason known */
        {VERDICT_REJECTS_VALID, refusal, VERDICT_REJECTS_VALID, similar, true},
        {VERDICT_REJECTS_VALID, refusal, VERDICT_REJECTS_VALID, another, false},
        {VERDICT_REJECTS_VALID, refusal, VERDICT_CRASH, ice, false},
        {VERDICT_HANG, "", VERDICT_HANG, "", true},
        {VERDICT_HANG, "", VERDICT_OUT_OF_MEMORY, "", false},
        {VERDICT_WRONG_CODE, "", VERDICT_RUN_CRASH, "", true},
        {VERDICT_RUN_CRASH, "", VERDICT_WRONG_CODE, "", false},
        {VERDICT_WRONG_CODE, "", VERDICT_CRASH, ice, false},
        {VERDICT_FLAKY, "", VERDICT_WRONG_CODE, "", true},
        {VERDICT_FLAKY, "", VERDICT_REJECTS_VALID, refusal, false},
        {VERDICT_INVALID_IR, "", VERDICT_CRASH, ice, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(arena_release) Arena arena = {0};
        Failure known = failure(cases[i].known, cases[i].known_says, &arena);
        Failure seen = failure(cases[i].seen, cases[i].seen_says, &arena);
        if (failure_same(&known, &seen) != cases[i].same)
            fail_msg("case %zu: %s and %s", i, known.reason, seen.reason);
    }
}

static void test_words_stand_in_the_messages(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(strlist_release) StrList words = {0};
    const char *messages = "a.c:3:1: internal compiler error: in fold_it, at fold.c:77\n";
    Failure crash = failure(VERDICT_CRASH, messages, &arena);
    failure_words(&crash, messages, &words);
    assert_true(strlist_contains(&words, "fold_it"));
    assert_true(strlist_contains(&words, "fold.c:77"));
    for (size_t i = 0; i < words.len; i++)
        assert_non_null(strstr(messages, words.items[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_differ_in_output_or_end),
        cmocka_unit_test(test_values_within_the_tolerance),
        cmocka_unit_test(test_reasons_tell_failures_of_compilers_apart),
        cmocka_unit_test(test_words_stand_in_the_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
