/* What a program gets and what its result says, on a good day. */
#include "proc_helpers.h"

static void run_ok(Fixture *fixture, ProcRequest request) {
    Error err = {0};
    request.limits.wall_ms = 60000;
    if (!runner_run(fixture->runner, &request, &fixture->result, &err))
        fail_msg("%s", err.text);
}

static void assert_out(const Fixture *fixture, const char *expected) {
    assert_string_equal(str_text(&fixture->result.out), expected);
}

#define SHELL(script) ((const char *const[]){"sh", "-c", (script), NULL})

static void test_streams_are_kept_apart(void **state) {
    Fixture *fixture = *state;
    run_ok(fixture, (ProcRequest){.argv = SHELL("echo out; echo err >&2; exit 3")});
    assert_exit(&fixture->result, 3);
    assert_out(fixture, "out\n");
    assert_string_equal(str_text(&fixture->result.err), "err\n");
}

static void test_streams_are_merged(void **state) {
    Fixture *fixture = *state;
    run_ok(fixture, (ProcRequest){.argv = SHELL("echo 1; echo 2 >&2; echo 3"), .merge_output = true});
    assert_out(fixture, "1\n2\n3\n");
    assert_int_equal(fixture->result.err.len, 0);
}

static void test_result_is_reused(void **state) {
    Fixture *fixture = *state;
    run_ok(fixture, (ProcRequest){.argv = SHELL("echo long output; kill -11 $$")});
    assert_int_equal(fixture->result.signal, SIGSEGV);
    assert_int_equal(fixture->result.exit_code, -1);
    run_ok(fixture, (ProcRequest){.argv = SHELL("echo short")});
    assert_out(fixture, "short\n");
    assert_int_equal(fixture->result.signal, 0);
}

static void test_input_is_empty_by_default(void **state) {
    Fixture *fixture = *state;
    run_ok(fixture, (ProcRequest){.argv = SHELL("wc -c")});
    assert_int_equal(atoi(str_text(&fixture->result.out)), 0);
}

static void test_input_larger_than_a_pipe(void **state) {
    Fixture *fixture = *state;
    size_t len = 900000;
    CLEANUP(mem_freep) char *input = mem_alloc(len);
    for (size_t i = 0; i < len; i++)
        input[i] = (char)(i * 7 >> 3);
    ProcResult *result = misbehave(fixture, (ProcRequest){.input = input, .input_len = len}, "cat", "");
    assert_int_equal(result->out.len, len);
    assert_memory_equal(result->out.data, input, len);
}

static void test_output_to_files(void **state) {
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *out = path_of(fixture->scratch.path, "out");
    CLEANUP(mem_freep) char *err = path_of(fixture->scratch.path, "err");
    CLEANUP(str_release) Str text = {0};
    run_ok(fixture, (ProcRequest){.argv = SHELL("echo a; echo b >&2"), .out_path = out, .err_path = err});
    assert_int_equal(fixture->result.out.len + fixture->result.err.len, 0);
    assert_true(file_read(out, &text, NULL) && file_read(err, &text, NULL));
    assert_string_equal(str_text(&text), "a\nb\n");
}

static void test_output_to_one_file(void **state) {
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, "both");
    CLEANUP(str_release) Str text = {0};
    run_ok(fixture, (ProcRequest){.argv = SHELL("echo a; echo b >&2; echo c"), .out_path = path, .err_path = path});
    assert_true(file_read(path, &text, NULL));
    assert_string_equal(str_text(&text), "a\nb\nc\n");
}

static void test_environment(void **state) {
    Fixture *fixture = *state;
    setenv("PROC_KEPT", "1", 1);
    setenv("PROC_CHANGED", "1", 1);
    setenv("PROC_REMOVED", "1", 1);
    const char *const env[] = {"PROC_CHANGED=2", "PROC_REMOVED", "PROC_ADDED=a=b",
                               "PROC_TWICE=1",   "PROC_TWICE=2", NULL};
    run_ok(fixture, (ProcRequest){.argv = SHELL("env | grep ^PROC_ | sort"), .env = env});
    assert_out(fixture, "PROC_ADDED=a=b\nPROC_CHANGED=2\nPROC_KEPT=1\nPROC_TWICE=2\n");
}

static void test_relative_program_is_found_in_the_directory(void **state) {
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, "tool");
    assert_true(file_write_text(path, "#!/bin/sh\npwd\n", NULL));
    chmod(path, 0755);
    run_ok(fixture, (ProcRequest){.argv = (const char *const[]){"./tool", NULL}, .dir = fixture->scratch.path});
    str_trim(&fixture->result.out);
    assert_out(fixture, fixture->scratch.path);
}

static void test_large_command_line(void **state) {
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *word = mem_alloc(100001);
    memset(word, 'w', 100000);
    word[100000] = '\0';
    const char *argv[] = {"printf", "%s", word, word, word, word, word, word, word, word, NULL};
    run_ok(fixture, (ProcRequest){.argv = argv});
    assert_int_equal(fixture->result.out.len, 800000);
}

static void test_a_program_may_leave_its_output_unblocked(void **state) {
    Fixture *fixture = *state;
    misbehave(fixture, (ProcRequest){0}, "unblock", "");
    assert_exit(misbehave(fixture, (ProcRequest){0}, "flood", "1000000"), 0);
    assert_int_equal(fixture->result.out.len, 1000000);
}

static void test_address_space_without_randomisation(void **state) {
    Fixture *fixture = *state;
    CLEANUP(str_release) Str first = {0};
    for (int i = 0; i < 3; i++) {
        ProcResult *result = misbehave(fixture, (ProcRequest){.no_randomisation = true}, "address", "");
        if (i == 0)
            str_append(&first, str_text(&result->out));
        assert_string_equal(str_text(&result->out), str_text(&first));
    }
}

static void test_time_and_memory_of_the_tree(void **state) {
    Fixture *fixture = *state;
    ProcResult *result = misbehave(fixture, (ProcRequest){.limits = {.cpu_ms = 300}}, "spin-in-children", "");
    assert_limit(result, PROC_LIMIT_CPU);
    assert_in_range(result->user_us + result->system_us, 250000, 2000000);
    assert_true(result->wall_us > 0);
    misbehave(fixture, (ProcRequest){0}, "hog", "104857600");
    assert_in_range(fixture->result.peak_bytes, 104857600, 120000000);
    misbehave(fixture, (ProcRequest){0}, "exit", "0");
    assert_in_range(fixture->result.peak_bytes, 1, 10000000);
}

/* Once a fork that was held up by the warden failed when a signal came meanwhile. */
static void test_signals_do_not_disturb_forks(void **state) {
    Fixture *fixture = *state;
    run_ok(fixture, (ProcRequest){.argv = SHELL("for i in 1 2 3 4 5 6 7 8 9; do /bin/true | /bin/true | cat; done"),
                                  .limits = {.processes = 20}});
    assert_exit(&fixture->result, 0);
    assert_string_equal(str_text(&fixture->result.err), "");
}

/* Who kills the warden gets an error, and the runner a new warden. */
static void test_a_killed_warden_is_replaced(void **state) {
    Fixture *fixture = *state;
    Error err = {0};
    const char *script = "kill -9 $PPID; sleep 10";
    bool ran = runner_run(fixture->runner, &(ProcRequest){.argv = SHELL(script), .limits = {.wall_ms = 100}},
                          &fixture->result, &err);
    if (!ran) /* in a PID namespace the warden is out of reach */
        assert_non_null(strstr(err.text, "was killed"));
    run_ok(fixture, (ProcRequest){.argv = SHELL("echo fine")});
    assert_out(fixture, "fine\n");
}

/* --- Programs that cannot be run --- */

static void check_failure(Fixture *fixture, ProcRequest request, const char *expected) {
    Error err = {0};
    assert_false(runner_run(fixture->runner, &request, &fixture->result, &err));
    if (!strstr(err.text, expected))
        fail_msg("'%s' does not contain '%s'", err.text, expected);
    run_ok(fixture, (ProcRequest){.argv = SHELL("echo fine")}); /* the runner still works */
    assert_out(fixture, "fine\n");
}

static void test_programs_that_cannot_be_run(void **state) {
    Fixture *fixture = *state;
    const char *dir = fixture->scratch.path;
    CLEANUP(mem_freep) char *plain = path_of(dir, "plain"), *broken = path_of(dir, "broken");
    assert_true(file_write_text(plain, "text", NULL) && file_write_text(broken, "\177ELF but no program", NULL));
    chmod(broken, 0755);
    const struct {
        const char *program, *dir, *expected;
    } cases[] = {
        {"no-such-program-here", NULL, "cannot run 'no-such-program-here': it is not in PATH; is it installed?"},
        {"/nowhere/cc", NULL, "cannot run '/nowhere/cc': No such file or directory; is it installed?"},
        {plain, NULL, "Permission denied"},
        {broken, NULL, "Exec format error"},
        {dir, NULL, "Permission denied"},
        {"sh", "/nowhere", "cannot run 'sh' in /nowhere: No such file or directory"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *argv[] = {cases[i].program, NULL};
        check_failure(fixture, (ProcRequest){.argv = argv, .dir = cases[i].dir}, cases[i].expected);
    }
}

static void test_output_file_that_cannot_be_written(void **state) {
    check_failure(*state, (ProcRequest){.argv = SHELL("exit 0"), .out_path = "/nowhere/out"},
                  "cannot write a program's output to /nowhere/out: No such file or directory");
}

/* A warden that says nothing, as another version's might. */
static void test_a_foreign_warden_is_refused(void **state) {
    Fixture *fixture = *state;
    Error err;
    CLEANUP(mem_freep) char *foreign = path_of(fixture->scratch.path, "warden");
    CLEANUP(mem_freep) char *runtime = mem_strdup(getenv("CULPRIT_RUNTIME"));
    assert_int_equal(symlink("/bin/true", foreign), 0);
    setenv("CULPRIT_RUNTIME", fixture->scratch.path, true);
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    runtime ? setenv("CULPRIT_RUNTIME", runtime, true) : unsetenv("CULPRIT_RUNTIME");
    assert_null(runner);
    assert_non_null(strstr(err.text, "is not of this version of culprit"));
}

static const struct CMUnitTest tests[] = {
    PROC_TEST(test_a_foreign_warden_is_refused),
    PROC_TEST(test_streams_are_kept_apart),
    PROC_TEST(test_streams_are_merged),
    PROC_TEST(test_result_is_reused),
    PROC_TEST(test_input_is_empty_by_default),
    PROC_TEST(test_input_larger_than_a_pipe),
    PROC_TEST(test_output_to_files),
    PROC_TEST(test_output_to_one_file),
    PROC_TEST(test_environment),
    PROC_TEST(test_relative_program_is_found_in_the_directory),
    PROC_TEST(test_large_command_line),
    PROC_TEST(test_a_program_may_leave_its_output_unblocked),
    PROC_TEST(test_address_space_without_randomisation),
    PROC_TEST(test_time_and_memory_of_the_tree),
    PROC_TEST(test_signals_do_not_disturb_forks),
    PROC_TEST(test_a_killed_warden_is_replaced),
    PROC_TEST(test_programs_that_cannot_be_run),
    PROC_TEST(test_output_file_that_cannot_be_written),
};

RUN_EVERYWHERE(tests)
