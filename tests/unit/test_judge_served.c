/* What the fork server says, judged as if processes had said it. */
#include "unit.h"

#include <signal.h>

#include "judge/served.h"

static void every_fate_has_its_verdict(void **state) {
    (void)state;
    static const struct {
        ServerStage stage;
        ServerFate fate;
        int exit_code, signal;
        const char *message;
        Verdict verdict;
        const char *reason; /* part of the failure's; NULL: it has none */
    } cases[] = {
        {SERVER_PASSES, SERVER_SIGNALLED, -1, SIGSEGV, " #0 0x1 _ZN4llvm1fEv (/x/libLLVM-14.so.1+0x1)\n", VERDICT_CRASH,
         "Segmentation fault from _ZN4llvm1fEv"},
        {SERVER_PASSES, SERVER_SIGNALLED, -1, SIGABRT, "opt: a.cpp:7: void f(): Assertion `x' failed.\n", VERDICT_CRASH,
         "Assertion"},
        {SERVER_PASSES, SERVER_BROKEN_IR, -1, 0, "PHI is wrong!\n  %x = phi\nBroken module found, compilation aborted!",
         VERDICT_CRASH, "Broken module: PHI is wrong!"},
        {SERVER_PASSES, SERVER_FATAL, -1, 0, "cannot do that", VERDICT_CRASH, "cannot do that"},
        {SERVER_PASSES, SERVER_OVER_TIME, -1, 0, "", VERDICT_HANG, NULL},
        {SERVER_PASSES, SERVER_OVER_MEMORY, -1, 0, "", VERDICT_OUT_OF_MEMORY, NULL},
        {SERVER_PASSES, SERVER_UNTESTED, 0, 0, "", VERDICT_OK, NULL},
        {SERVER_PASSES, SERVER_REFUSED, -1, 0, "unknown pass name 'x'", VERDICT_REJECTS_VALID, "unknown pass"},
        {SERVER_NOT_RUN, SERVER_SIGNALLED, -1, SIGSEGV, "", VERDICT_REJECTS_VALID, NULL}, /* an edit of ours crashed */
        {SERVER_CODEGEN, SERVER_FATAL, -1, 0, "Cannot select: x", VERDICT_CODEGEN, "Cannot select"},
        {SERVER_LOAD, SERVER_REFUSED, -1, 0, "undefined symbol f", VERDICT_REJECTS_VALID, "undefined symbol"},
        {SERVER_RUN, SERVER_SIGNALLED, -1, SIGFPE, "", VERDICT_RUN_CRASH, NULL},
        {SERVER_RUN, SERVER_OVER_TIME, -1, 0, "", VERDICT_RUN_HANG, NULL},
        {SERVER_DONE, SERVER_EXITED, 3, 0, "", VERDICT_OK, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(execution_release) Execution execution = {0};
        CLEANUP(arena_release) Arena arena = {0};
        ServerResult *result = mem_zalloc(1, sizeof(*result));
        *result = (ServerResult){
            .stage = cases[i].stage, .fate = cases[i].fate, .exit_code = cases[i].exit_code, .signal = cases[i].signal};
        strcpy(result->message, cases[i].message);
        served_execution(result, &execution);
        free(result);
        assert_string_equal(verdict_name(execution.verdict), verdict_name(cases[i].verdict));
        Failure failure = failure_of(execution.verdict, &execution.compile, &arena);
        if (!cases[i].reason)
            assert_null(failure.reason);
        else if (!failure.reason || !strstr(failure.reason, cases[i].reason))
            fail_msg("'%s' is not in '%s'", cases[i].reason, failure.reason ? failure.reason : "");
    }
}

static void long_outputs_differ_in_their_ends(void **state) {
    (void)state;
    CLEANUP(execution_release) Execution one = {0}, other = {0};
    ServerResult *result = mem_zalloc(1, sizeof(*result));
    *result = (ServerResult){.stage = SERVER_DONE, .fate = SERVER_EXITED, .output_len = 9000, .output_hash = 1};
    memset(result->output, 'x', sizeof(result->output));
    served_execution(result, &one);
    served_execution(result, &other);
    assert_int_equal(run_difference(&one.run, &other.run, 0), 0);
    result->output_hash = 2;
    served_execution(result, &other);
    assert_int_equal(run_difference(&one.run, &other.run, 0), DIFFERS_IN_OUTPUT);
    free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fate_has_its_verdict),
        cmocka_unit_test(long_outputs_differ_in_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
