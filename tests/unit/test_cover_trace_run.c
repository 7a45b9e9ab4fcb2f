/* Tracing real processes: a program that does everything which could disturb it, and stock compilers. */
#include <unistd.h>

#include "base/file.h"
#include "cover/cover.h"
#include "unit.h"

typedef struct Fixture {
    char dir[64];
    Runner *runner;
} Fixture;

static int set_up(void **state) {
    Fixture *fixture = mem_zalloc(1, sizeof(*fixture));
    Error err;
    strcpy(fixture->dir, "/tmp/culprit-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->dir));
    setenv("CULPRIT_SUBJECTS", fixture->dir, 1);
    fixture->runner = runner_new(&err);
    if (!fixture->runner)
        fail_msg("%s", err.text);
    *state = fixture;
    return 0;
}

static int tear_down(void **state) {
    Fixture *fixture = *state;
    runner_free(fixture->runner);
    dir_remove(fixture->dir, NULL);
    free(fixture);
    return 0;
}

/* An opened subject and the buffers of a run. */
typedef struct Traced {
    Subject subject;
    Cover *cover;
    Bitset units;
    ProcResult result;
} Traced;

static void traced_open(Traced *traced, Fixture *fixture, const char *which) {
    Error err;
    *traced = (Traced){0};
    assert_ok(subject_open(which, NULL, &traced->subject, &err), err);
    traced->cover = cover_open(&traced->subject, fixture->runner, NULL, &err);
    if (!traced->cover)
        fail_msg("%s: %s", which, err.text);
    bitset_init(&traced->units, cover_units(traced->cover)->unit_count);
}

static void traced_release(Traced *traced) {
    cover_free(traced->cover);
    subject_release(&traced->subject);
    bitset_release(&traced->units);
    proc_result_release(&traced->result);
}

static bool covers(const Traced *traced, const char *function) {
    const UnitTable *table = cover_units(traced->cover);
    for (size_t i = bitset_next(&traced->units, 0); i < traced->units.bits; i = bitset_next(&traced->units, i + 1))
        if (str_equal(unit_function_name(table, table->units[i].function), function))
            return true;
    return false;
}

static bool is_installed(const char *program) {
    Str path = {0};
    bool found = path_find_program(program, &path, NULL);
    str_release(&path);
    return found;
}

/* --- The victim --- */

typedef struct VictimCase {
    const char *what;
    const char *covered, *not_covered; /* functions */
} VictimCase;

static const VictimCase victim_cases[] = {
    {"plain", "third_49", "never"},
    {"threads", "second_10", "never"},
    {"masked", "call_all", "peek"},
    {"trap", "call_all", "never"},
    {"fault", "peek", "in_handler"},
    {"fault-on-stack", "peek", "in_handler"},
    {"child", "in_child", "call_all"},
    {"kill", "before_the_end", "peek"},
    {"abort", "before_the_end", "peek"},
    {"segv", "before_the_end", "call_all"},
    {"memory", "before_the_end", "peek"},
    {"hang", "before_the_end", "peek"},
    {"report", "before_the_end", "in_handler"},
    {"assert", "before_the_end", "in_handler"},
};

static void check_victim(Traced *traced, Fixture *fixture, const VictimCase *expected) {
    Error err;
    const char *const argv[] = {traced->subject.cc.items[0], expected->what, NULL};
    ProcRequest request = {.argv = argv, .limits = {.wall_ms = 20000, .memory_bytes = 256 << 20}};
    ProcResult plain = {0};
    if (str_equal(expected->what, "hang"))
        request.limits.wall_ms = 300;
    print_message("%s %s\n", traced->subject.name, expected->what);
    assert_ok(runner_run(fixture->runner, &request, &plain, &err), err);
    assert_ok(cover_run(traced->cover, fixture->runner, &request, &traced->units, &traced->result, &err), err);
    assert_string_equal(str_text(&traced->result.out), str_text(&plain.out));
    assert_string_equal(str_text(&traced->result.err), str_text(&plain.err));
    assert_int_equal(traced->result.exit_code, plain.exit_code);
    assert_int_equal(traced->result.signal, plain.signal);
    assert_int_equal(traced->result.limit, plain.limit);
    assert_true(covers(traced, expected->covered));
    assert_true(covers(traced, "main"));
    assert_false(covers(traced, expected->not_covered));
    proc_result_release(&plain);
}

static void test_victim(void **state) {
    static const char *const levels[] = {"stock", "stock-blocks"};
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    for (size_t level = 0; level < ARRAY_LEN(levels); level++) {
        Str which = {0};
        Traced traced;
        str_printf(&which, "%s:%s/tests/support/trace_victim", levels[level], build);
        traced_open(&traced, *state, str_text(&which));
        for (size_t i = 0; i < ARRAY_LEN(victim_cases); i++)
            check_victim(&traced, *state, &victim_cases[i]);
        traced_release(&traced);
        str_release(&which);
    }
}

/* The length of the table of ids was not compared: a short one was read past its end. */
static void test_table_of_ids_of_another_length(void **state) {
    Fixture *fixture = *state;
    CLEANUP(str_release) Str which = {0};
    CLEANUP(strlist_release) StrList files = {0};
    Error err;
    Traced traced;
    str_printf(&which, "stock:%s/tests/support/trace_victim", getenv("BUILD") ? getenv("BUILD") : "build");
    traced_open(&traced, fixture, str_text(&which));
    assert_ok(dir_walk(traced.subject.dir, "/ids", UINT64_MAX, &files, &err), err);
    assert_true(files.len > 0);
    static const off_t lengths[] = {sizeof(uint32_t), 1 << 20}; /* too short, too long */
    for (size_t k = 0; k < ARRAY_LEN(lengths); k++) {
        for (size_t i = 0; i < files.len; i++)
            assert_int_equal(truncate(files.items[i], lengths[k]), 0);
        assert_fails(cover_open(&traced.subject, fixture->runner, NULL, &err) != NULL, err, "is damaged");
    }
    traced_release(&traced);
}

/* --- Compilers --- */

static const char source[] = "int f(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * x; return s; }\n"
                             "int main(void) { switch (f(3)) { case 9: return 0; case 1: return 2; } return f(1); }\n";

static ProcRequest compile_request(const char *const *argv) {
    return (ProcRequest){.argv = argv, .input = source, .input_len = strlen(source), .limits = {.wall_ms = 60000}};
}

/* Compiles `count` times; all runs must cover the same units. */
static void check_repeats(Traced *traced, Fixture *fixture, int count) {
    Error err;
    Bitset first;
    Str output = {0};
    str_printf(&output, "%s/out.o", fixture->dir);
    const char *const argv[] = {traced->subject.cc.items[0], "-O2", "-w", "-c", "-x", "c", "-", "-o",
                                str_text(&output),           NULL};
    ProcRequest request = compile_request(argv);
    assert_ok(cover_run(traced->cover, fixture->runner, &request, &traced->units, &traced->result, &err), err);
    assert_int_equal(traced->result.exit_code, 0);
    bitset_init_copy(&first, &traced->units);
    assert_true(bitset_count(&first) > 100);
    for (int i = 1; i < count; i++) {
        assert_ok(cover_run(traced->cover, fixture->runner, &request, &traced->units, &traced->result, &err), err);
        if (!bitset_equal(&first, &traced->units)) {
            bitset_andnot(&traced->units, &first);
            fail_msg("run %d of %s differs, by %zu more units", i, traced->subject.name, bitset_count(&traced->units));
        }
    }
    bitset_release(&first);
    str_release(&output);
}

static void test_repeats(void **state) {
    static const struct {
        const char *which;
        int count;
    } cases[] = {{"stock:tcc", 100}, {"stock-blocks:tcc", 100}, {"stock:gcc-12", 100}, {"stock:clang-14", 20}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Traced traced;
        if (!is_installed(strchr(cases[i].which, ':') + 1))
            continue;
        traced_open(&traced, *state, cases[i].which);
        check_repeats(&traced, *state, cases[i].count);
        traced_release(&traced);
    }
}

/* A macro that doubles a semicolon 2^40 times keeps any compiler busy until it is killed. */
static void test_killed_compiler(void **state) {
    Fixture *fixture = *state;
    Traced traced;
    Error err;
    Str program = {0};
    if (!is_installed("gcc-12"))
        skip_because("gcc-12 is not installed");
    traced_open(&traced, fixture, "stock:gcc-12");
    str_append(&program, "#define A0 ;\n");
    for (int i = 1; i <= 40; i++)
        str_printf(&program, "#define A%d A%d A%d\n", i, i - 1, i - 1);
    str_append(&program, "int x; A40\n");
    const char *const argv[] = {traced.subject.cc.items[0], "-fsyntax-only", "-x", "c", "-", NULL};
    ProcRequest request = {.argv = argv, .input = program.data, .input_len = program.len, .limits = {.wall_ms = 500}};
    assert_ok(cover_run(traced.cover, fixture->runner, &request, &traced.units, &traced.result, &err), err);
    assert_int_equal(traced.result.limit, PROC_LIMIT_WALL);
    assert_true(covers(&traced, "_cpp_push_token_context") || covers(&traced, "cpp_get_token_with_location"));
    traced_release(&traced);
    str_release(&program);
}

static void test_compiler_that_never_starts(void **state) {
    Fixture *fixture = *state;
    Traced traced;
    Error err;
    if (!is_installed("gcc-12"))
        skip_because("gcc-12 is not installed");
    traced_open(&traced, fixture, "stock:gcc-12");
    const char *const argv[] = {traced.subject.cc.items[0], "--version", NULL};
    ProcRequest request = {.argv = argv, .limits = {.wall_ms = 20000}};
    assert_fails(cover_run(traced.cover, fixture->runner, &request, &traced.units, &traced.result, &err), err,
                 "never started");
    traced_release(&traced);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_victim),
        cmocka_unit_test(test_table_of_ids_of_another_length),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_killed_compiler),
        cmocka_unit_test(test_compiler_that_never_starts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
