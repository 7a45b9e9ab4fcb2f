/* Each limit strikes, says so, and leaves programs alone that keep to it. */
#include "proc_helpers.h"

enum { MIB = 1 << 20 };

static void test_table_of_limits(void **state) {
    static const struct {
        const char *deed, *argument;
        ProcLimits limits;
        ProcLimit expected;
    } cases[] = {
        {"sleep", "", {.wall_ms = 100}, PROC_LIMIT_WALL},
        {"spin", "", {.cpu_ms = 100}, PROC_LIMIT_CPU},
        {"spin", "", {.cpu_ms = 1100}, PROC_LIMIT_CPU},
        {"spin-and-abort", "", {.cpu_ms = 1000}, PROC_LIMIT_CPU},
        {"spin-in-children", "", {.cpu_ms = 200}, PROC_LIMIT_CPU},
        {"exit", "0", {.cpu_ms = 1, .wall_ms = 60000}, PROC_LIMIT_NONE},
        {"hog", "1000000000", {.memory_bytes = 200 * MIB}, PROC_LIMIT_MEMORY},
        {"hog", "100000000", {.memory_bytes = 200 * MIB}, PROC_LIMIT_NONE},
        {"hog", "1000000000", {.memory_bytes = 200 * MIB, .sanitized = true}, PROC_LIMIT_MEMORY},
        {"hog", "100000000", {.memory_bytes = 200 * MIB, .sanitized = true}, PROC_LIMIT_NONE},
        {"hog-family", "40000000", {.memory_bytes = 200 * MIB}, PROC_LIMIT_MEMORY},
        {"hog-family", "40000000", {.memory_bytes = 200 * MIB, .sanitized = true}, PROC_LIMIT_MEMORY},
        {"reserve", "0x100000000000", {.memory_bytes = 200 * MIB, .sanitized = true}, PROC_LIMIT_NONE},
        {"hog-family", "0", {.processes = 5}, PROC_LIMIT_PROCESSES},
        {"exit", "0", {.processes = 1}, PROC_LIMIT_NONE},
        {"flood", "1073741824", {.output_bytes = 0}, PROC_LIMIT_OUTPUT},
        {"flood", "1073741824", {.output_bytes = 4096}, PROC_LIMIT_OUTPUT},
        {"flood", "3000000", {.output_bytes = 4096}, PROC_LIMIT_NONE},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        print_message("%s %s\n", cases[i].deed, cases[i].argument);
        ProcResult *result =
            misbehave(*state, (ProcRequest){.limits = cases[i].limits}, cases[i].deed, cases[i].argument);
        assert_limit(result, cases[i].expected);
    }
}

static void test_an_end_in_words(void **state) {
    static const struct {
        const char *deed, *argument;
        ProcLimits limits;
        const char *words;
    } cases[] = {
        {"exit", "0", {0}, "ended with status 0"},
        {"exit", "3", {0}, "ended with status 3"},
        {"die", "11", {0}, "was ended by signal 11 (Segmentation fault)"},
        {"sleep", "", {.wall_ms = 100}, "ran into the limit of time"},
        {"flood", "1073741824", {.output_bytes = 4096}, "ran into the limit of output size"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str text = {0};
        proc_describe_end(misbehave(*state, (ProcRequest){.limits = cases[i].limits}, cases[i].deed, cases[i].argument),
                          &text);
        assert_string_equal(str_text(&text), cases[i].words);
    }
}

static void test_output_keeps_its_beginning(void **state) {
    ProcResult *result = misbehave(*state, (ProcRequest){.limits = {.output_bytes = 1000}}, "flood", "100000");
    assert_exit(result, 0);
    assert_int_equal(result->out.len, 1000);
    assert_true(result->output_cut);
    result = misbehave(*state, (ProcRequest){.limits = {.output_bytes = 1000}}, "flood", "1000");
    assert_false(result->output_cut);
}

static void test_file_size(void **state) {
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, "big");
    ProcRequest request = {.limits = {.file_bytes = 1 * MIB}};
    assert_limit(misbehave(fixture, request, "append", path), PROC_LIMIT_FILE_SIZE);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 1 * MIB);
}

/* Drivers say it like this about a child. */
static void test_file_size_of_a_grandchild(void **state) {
    Fixture *fixture = *state;
    const char *argv[] = {"sh", "-c", "dd if=/dev/zero of=big bs=1M count=3 2>/dev/null; exit $?", NULL};
    ProcRequest request = {.argv = argv, .dir = fixture->scratch.path, .limits = {.file_bytes = 1 * MIB}};
    assert_true(runner_run(fixture->runner, &request, &fixture->result, NULL));
    assert_limit(&fixture->result, PROC_LIMIT_FILE_SIZE);
}

static void test_output_file_counts_as_a_file(void **state) {
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, "out");
    ProcRequest request = {.out_path = path, .limits = {.file_bytes = 1 * MIB}};
    assert_limit(misbehave(fixture, request, "flood", "1073741824"), PROC_LIMIT_FILE_SIZE);
}

static void test_crashes_leave_no_core(void **state) {
    Fixture *fixture = *state;
    CLEANUP(strlist_release) StrList names = {0};
    ProcResult *result = misbehave(fixture, (ProcRequest){.dir = fixture->scratch.path}, "die", "11");
    assert_int_equal(result->signal, SIGSEGV);
    assert_true(dir_list(fixture->scratch.path, &names, NULL));
    assert_int_equal(names.len, 0);
}

static void test_names_of_limits(void **state) {
    (void)state;
    assert_string_equal(proc_limit_name(PROC_LIMIT_WALL), "time");
    assert_string_equal(proc_limit_name(PROC_LIMIT_CANCELLED), "cancelled");
}

static const struct CMUnitTest tests[] = {
    PROC_TEST(test_table_of_limits),
    PROC_TEST(test_an_end_in_words),
    PROC_TEST(test_output_keeps_its_beginning),
    PROC_TEST(test_file_size),
    PROC_TEST(test_file_size_of_a_grandchild),
    PROC_TEST(test_output_file_counts_as_a_file),
    PROC_TEST(test_crashes_leave_no_core),
    PROC_TEST(test_names_of_limits),
};

RUN_EVERYWHERE(tests)
