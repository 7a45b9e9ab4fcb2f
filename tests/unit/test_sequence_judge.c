/* What became of a sequence, which one is a bug, which bugs are one, and what is left out afterwards. */
#include "unit.h"

#include <signal.h>

#include "base/rng.h"
#include "sequence/exclude.h"
#include "sequence/judge.h"

/* --- Verdicts of single sequences --- */

typedef struct FateCase {
    ServerStage stage;
    ServerFate fate;
    int signal;
    const char *message, *pass;
    bool tested, refused;
    Verdict verdict;
    const char *reason;
} FateCase;

static const FateCase fates[] = {
    {SERVER_DONE, SERVER_EXITED, 0, "", "", true, false, VERDICT_OK, ""},
    {SERVER_PASSES, SERVER_SIGNALLED, SIGSEGV, "", "GVNPass on main", true, false, VERDICT_CRASH, "SIGSEGV in GVNPass"},
    {SERVER_PASSES, SERVER_SIGNALLED, SIGABRT, "opt: x.cpp:7: void f(): Assertion `a && b' failed.\n", "GVNPass on f",
     true, false, VERDICT_CRASH, "Assertion `a && b' failed. in f at x.cpp:7"},
    {SERVER_PASSES, SERVER_FATAL, 0, "Cannot select: 0x1\n", "", true, false, VERDICT_CRASH, "Cannot select: 0x1"},
    {SERVER_PASSES, SERVER_BROKEN_IR, 0,
     "PHI nodes not grouped at top of basic block!\n  %1 = phi\nBroken module found", "", true, false,
     VERDICT_INVALID_IR, "PHI nodes not grouped at top of basic block!"},
    {SERVER_PASSES, SERVER_OVER_TIME, 0, "", "", true, false, VERDICT_HANG, ""},
    {SERVER_PASSES, SERVER_OVER_MEMORY, 0, "", "", true, false, VERDICT_OUT_OF_MEMORY, ""},
    {SERVER_PASSES, SERVER_EXITED, 0, "", "", true, false, VERDICT_CRASH, ""},
    {SERVER_PASSES, SERVER_REFUSED, 0, "unknown pass name 'x'", "", false, true, VERDICT_OK, ""},
    {SERVER_PASSES, SERVER_FATAL, 0, "LICM requires MemorySSA (loop-mssa)", "", false, true, VERDICT_OK,
     "LICM requires MemorySSA (loop-mssa)"},
    {SERVER_PASSES, SERVER_FATAL, 0, "Instruction Combining did not reach a fixpoint after 1 iterations", "", false,
     false, VERDICT_OK, "Instruction Combining did not reach a fixpoint after 1 iterations"},
    {SERVER_CODEGEN, SERVER_FATAL, 0, "Cannot select: intrinsic %llvm.x", "", true, false, VERDICT_CODEGEN,
     "Cannot select: intrinsic %llvm.x"},
    {SERVER_CODEGEN, SERVER_OVER_TIME, 0, "", "", true, false, VERDICT_CODEGEN, ""},
    {SERVER_LOAD, SERVER_REFUSED, 0, "", "", true, false, VERDICT_CODEGEN, ""},
    {SERVER_RUN, SERVER_SIGNALLED, SIGFPE, "", "", true, false, VERDICT_RUN_CRASH, "SIGFPE in run"},
    {SERVER_RUN, SERVER_OVER_TIME, 0, "", "", true, false, VERDICT_RUN_HANG, ""},
    {SERVER_NOT_RUN, SERVER_UNKNOWN, 0, "", "", false, false, VERDICT_OK, ""},
    {SERVER_PASSES, SERVER_UNTESTED, 0, "", "", false, false, VERDICT_OK, ""},
};

static void every_fate_has_its_verdict(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    ServerResult *result = arena_alloc(&arena, sizeof *result);
    for (size_t i = 0; i < ARRAY_LEN(fates); i++) {
        const FateCase *c = &fates[i];
        *result = (ServerResult){.stage = c->stage, .fate = c->fate, .signal = c->signal, .same_as = -1};
        strcpy(result->message, c->message);
        strcpy(result->pass, c->pass);
        SequenceResult seen = sequence_result_of(result, &arena);
        print_message("case %zu: %s, '%s'\n", i, verdict_name(seen.verdict), seen.reason);
        assert_int_equal(seen.tested, c->tested);
        assert_int_equal(seen.refused, c->refused);
        assert_string_equal(verdict_name(seen.verdict), verdict_name(c->verdict));
        assert_string_equal(seen.reason, c->reason);
    }
}

/* --- Comparing --- */

static SequenceResult answer_of(const char *output, int exit_code) {
    return (SequenceResult){.tested = true,
                            .exit_code = exit_code,
                            .output_len = strlen(output),
                            .output_hash = strlen(output) * 31 + (unsigned char)output[0],
                            .output = output,
                            .reason = ""};
}

static void a_majority_needs_more_than_half(void **state) {
    (void)state;
    SequenceResult results[] = {answer_of("a", 0), answer_of("b", 0), answer_of("a", 0), answer_of("a", 1)};
    assert_int_equal(sequence_majority(results, 1).basis, BASIS_NONE); /* one against nobody */
    assert_int_equal(sequence_majority(results, 2).basis, BASIS_NONE);
    assert_int_equal(sequence_majority(results, 3).basis, BASIS_MAJORITY);
    assert_memory_equal(sequence_majority(results, 3).output, "a", 1);
    assert_int_equal(sequence_majority(results, 4).basis, BASIS_NONE); /* two of four */
    results[1].verdict = VERDICT_CRASH;                                /* has no vote */
    assert_int_equal(sequence_majority(results, 4).basis, BASIS_MAJORITY);
}

static void other_answers_are_wrong_code(void **state) {
    (void)state;
    SequenceResult results[] = {answer_of("12\n", 0), answer_of("13\n", 0), answer_of("12\n", 3), answer_of("", 0),
                                answer_of("", 0),     answer_of("", 0),     answer_of("", 0)};
    results[3].verdict = VERDICT_RUN_CRASH;
    results[4].verdict = VERDICT_RUN_HANG;
    results[5].verdict = VERDICT_CRASH;
    results[6].tested = false;
    static const Verdict verdicts[] = {VERDICT_OK,         VERDICT_WRONG_CODE, VERDICT_WRONG_CODE, VERDICT_WRONG_CODE,
                                       VERDICT_WRONG_CODE, VERDICT_CRASH,      VERDICT_OK};
    SequenceAnswer unknown = {0}, expected = sequence_expected("12\n", 3);
    sequence_compare(&unknown, results, ARRAY_LEN(results));
    assert_int_equal(results[1].verdict, VERDICT_OK);
    sequence_compare(&expected, results, ARRAY_LEN(results));
    for (size_t i = 0; i < ARRAY_LEN(results); i++)
        assert_string_equal(verdict_name(results[i].verdict), verdict_name(verdicts[i]));
}

static void slow_is_far_above_the_median(void **state) {
    (void)state;
    SequenceResult results[5];
    static const int64_t times[] = {100000, 200000, 300000, 5900000, 6100000};
    for (size_t i = 0; i < 5; i++) {
        results[i] = answer_of("x", 0);
        results[i].passes_us = times[i];
    }
    assert_int_equal(sequence_slow_us(results, 5), 6000000);
    assert_int_equal(sequence_slow_us(results, 0), 2000000); /* never less */
    sequence_mark_slow(6000000, results, 5);
    assert_int_equal(results[3].verdict, VERDICT_OK);
    assert_int_equal(results[4].verdict, VERDICT_HANG);
}

static void failures_are_the_same_by_verdict_and_reason(void **state) {
    (void)state;
    SequenceResult a = {.tested = true, .verdict = VERDICT_CRASH, .reason = "x"}, b = a;
    assert_true(sequence_same_failure(&a, &b));
    b.reason = "y";
    assert_false(sequence_same_failure(&a, &b));
    b = a;
    b.verdict = VERDICT_INVALID_IR;
    assert_false(sequence_same_failure(&a, &b));
    b = a;
    b.tested = false;
    assert_false(sequence_same_failure(&a, &b));
}

static void keys_are_kind_last_pass_and_reason(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    assert_string_equal(sequence_key(VERDICT_WRONG_CODE, "simplifycfg<keep-loops>", "", &arena),
                        "opt wrong-code: simplifycfg");
    assert_string_equal(sequence_key(VERDICT_CRASH, "licm", "Assertion `x' failed", &arena),
                        "opt crash: licm: Assertion `x' failed");
}

/* --- What is left out --- */

static Pipeline parse(const char *text, Arena *arena) {
    Pipeline pipeline = {0};
    Error err = {0};
    assert_ok(pipeline_parse(text, arena, &pipeline, &err), err);
    return pipeline;
}

static const char *names(const Pipeline *pipeline, Arena *arena) {
    CLEANUP(str_release) Str text = {0};
    for (size_t i = 0; i < pipeline->len; i++)
        str_printf(&text, "%s%s", i ? " " : "", pipeline->items[i].text);
    return arena_strdup(arena, str_text(&text));
}

typedef struct ExcludeCase {
    const char *reduced; /* sequences, joined by ';' */
    size_t after;
    const char *first, *second; /* NULL: no row */
    size_t hits;
} ExcludeCase;

static const ExcludeCase exclude_cases[] = {
    {"", 1, NULL, NULL, 0},
    {"a,b;a,b;a,b", 4, NULL, NULL, 0},
    {"a,b;a,b;a,b", 3, "a", "b", 3},
    {"a,b,c;a,d,c;x,a,c", 3, "a", "c", 3},   /* the pair that all have */
    {"a,b<x>;a<y>,b;q,a,b", 3, "a", "b", 3}, /* parameters do not count */
    {"a;a;a", 3, "a", NULL, 3},              /* one pass is enough */
    {"a,a;a,a;a,a,a", 3, "a", "a", 3},       /* once for each sequence */
    {"a,b;b,a;a,b;b,a", 3, NULL, NULL, 0},   /* order counts */
};

static void the_most_frequent_pair_is_left_out(void **state) {
    (void)state;
    CLEANUP(arena_release) Arena arena = {0};
    for (size_t i = 0; i < ARRAY_LEN(exclude_cases); i++) {
        const ExcludeCase *c = &exclude_cases[i];
        CLEANUP(strlist_release) StrList texts = {0};
        Vec(Pipeline) reduced = {0};
        Exclusion row = {0};
        strlist_split(&texts, c->reduced, ';');
        for (size_t k = 0; k < texts.len; k++)
            vec_push(&reduced, parse(texts.items[k], &arena));
        assert_int_equal(exclusion_find(reduced.items, reduced.len, c->after, &arena, &row), c->first != NULL);
        assert_true(str_equal(row.first, c->first) && str_equal(row.second, c->second));
        assert_int_equal(row.hits, c->hits);
        for (size_t k = 0; k < reduced.len; k++)
            vec_release(&reduced.items[k]);
        vec_release(&reduced);
    }
}

/* Against the definition, on random sequences: nothing that is left out remains, and no more goes than must. */
static void dropping_passes_removes_every_subsequence(void **state) {
    (void)state;
    static const char *const letters[] = {"a", "b", "c", "d"};
    Rng rng = rng_from_seed(3);
    for (int round = 0; round < 2000; round++) {
        CLEANUP(arena_release) Arena arena = {0};
        Pipeline sequence = {0};
        Exclusions rows = {0};
        for (size_t i = rng_below(&rng, 12); i > 0; i--)
            vec_push(&sequence, (Pass){PASS_FUNCTION, letters[rng_below(&rng, 4)]});
        for (size_t i = rng_below(&rng, 3); i > 0; i--)
            vec_push(&rows, (Exclusion){letters[rng_below(&rng, 4)],
                                        rng_chance(&rng, 80) ? letters[rng_below(&rng, 4)] : NULL, 5});
        bool matched = false;
        for (size_t i = 0; i < rows.len; i++)
            matched |= exclusion_matches(&rows.items[i], &sequence);
        const char *before = names(&sequence, &arena);
        exclusions_apply(&rows, &rng, &sequence);
        for (size_t i = 0; i < rows.len; i++)
            assert_false(exclusion_matches(&rows.items[i], &sequence));
        if (!matched)
            assert_string_equal(names(&sequence, &arena), before);
        vec_release(&sequence);
        vec_release(&rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fate_has_its_verdict),
        cmocka_unit_test(a_majority_needs_more_than_half),
        cmocka_unit_test(other_answers_are_wrong_code),
        cmocka_unit_test(slow_is_far_above_the_median),
        cmocka_unit_test(failures_are_the_same_by_verdict_and_reason),
        cmocka_unit_test(keys_are_kind_last_pass_and_reason),
        cmocka_unit_test(the_most_frequent_pair_is_left_out),
        cmocka_unit_test(dropping_passes_removes_every_subsequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
