/* Verdicts: real compilers get "ok", each way of misbehaving gets its own. */
#include "base/file.h"
#include "compiler/emulator.h"
#include "compiler/execute.h"
#include "proc/scratch.h"
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct Fixture {
    Runner *runner;
    Scratch scratch;
    Matrix matrix;
    Program program;
    ExecuteOptions options;
    Error err;
} Fixture;

/* Prints 40 at every level: 5 << 3. */
static const char program_text[] =
    "/* TRIGGER */\n"
    "#include <stdio.h>\n"
    "int main(void) { volatile int five = 5; printf(\"%d\\n\", five << 3); return 0; }\n";

static int set_up(void **state) {
    Fixture *fixture = mem_zalloc(1, sizeof *fixture);
    *state = fixture;
    fixture->runner = runner_new(&fixture->err);
    fixture->options = execute_defaults();
    fixture->options.compile_limits.cpu_ms = 3000;
    fixture->options.compile_limits.memory_bytes = (uint64_t)512 << 20;
    fixture->options.run_limits.cpu_ms = 1000;
    program_add(&fixture->program, "test.c", program_text, strlen(program_text));
    return fixture->runner && scratch_new(&fixture->scratch, &fixture->err) &&
                   program_write(&fixture->program, fixture->scratch.path, &fixture->err)
               ? 0
               : -1;
}

static int tear_down(void **state) {
    Fixture *fixture = *state;
    matrix_release(&fixture->matrix);
    program_release(&fixture->program);
    scratch_release(&fixture->scratch);
    runner_free(fixture->runner);
    free(fixture);
    return 0;
}

static const Config *add_config(Fixture *fixture, const char *command) {
    assert_ok(matrix_add(&fixture->matrix, fixture->runner, LANGUAGE_C, command, &fixture->err), fixture->err);
    return &vec_last(&fixture->matrix.configs);
}

static const Config *add_bad(Fixture *fixture, const char *mode, const char *level) {
    const char *build = getenv("BUILD");
    CLEANUP(str_release) Str command = {0};
    CLEANUP(str_release) Str path = {0};
    str_printf(&command, "%s/tests/support/badcc", build ? build : "build");
    assert_ok(path_absolute(str_text(&command), &path, &fixture->err), fixture->err);
    str_printf(&path, " --bad=%s %s", mode, level);
    return add_config(fixture, str_text(&path));
}

/* Builds and runs the program as campaigns do. */
static bool try_execute(Fixture *fixture, const Config *config, const Emulator *emulator, Execution *execution) {
    CLEANUP(strlist_release) StrList command = {0}, run = {0};
    const BuildOptions build = {.makes = "a.out"};
    const ExecuteStep steps[] = {{STEP_COMPILE, &command, "a.out"}, {STEP_RUN, &run, NULL}};
    program_build_command(&fixture->program, config, &build, &command);
    bool ok = emulator_command(emulator, config->compiler, "a.out", &run, &fixture->err) &&
              execute(fixture->runner, fixture->scratch.path, steps, 2, &fixture->options, execution, &fixture->err);
    execution->config = config;
    return ok;
}

static void execute_ok(Fixture *fixture, const Config *config, Execution *execution) {
    assert_ok(try_execute(fixture, config, NULL, execution), fixture->err);
}

static void assert_verdict(const Execution *execution, Verdict expected) {
    if (execution->verdict != expected)
        fail_msg("%s: %s, expected %s: %s%s", execution->config->name, verdict_name(execution->verdict),
                 verdict_name(expected), str_text(&execution->compile.err), str_text(&execution->run.err));
}

static void test_each_misbehaviour_gets_its_verdict(void **state) {
    static const struct {
        const char *mode;
        Verdict verdict;
    } cases[] = {
        {"none", VERDICT_OK},
        {"ice", VERDICT_CRASH},
        {"assert", VERDICT_CRASH},
        {"signal", VERDICT_CRASH},
        {"hang", VERDICT_HANG},
        {"memory", VERDICT_OUT_OF_MEMORY},
        {"reject", VERDICT_REJECTS_VALID},
        {"garbage", VERDICT_REJECTS_VALID},
        {"nothing", VERDICT_REJECTS_VALID},
        {"litter", VERDICT_OK},
        {"make-crashing", VERDICT_RUN_CRASH},
        {"make-hanging", VERDICT_RUN_HANG},
        {"miscompile", VERDICT_OK}, /* only a comparison can tell */
    };
    Fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(execution_release) Execution execution = {0};
        execute_ok(fixture, add_bad(fixture, cases[i].mode, "-O3"), &execution);
        assert_verdict(&execution, cases[i].verdict);
    }
}

static void test_real_compilers_are_right(void **state) {
    static const char *const commands[] = {"gcc-11 -O3", "gcc-12 -Os", "clang-14 -O2", "tcc", "pcc -O"};
    Fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        CLEANUP(execution_release) Execution execution = {0};
        if (!matrix_add(&fixture->matrix, fixture->runner, LANGUAGE_C, commands[i], &fixture->err))
            continue; /* not installed here */
        execute_ok(fixture, &vec_last(&fixture->matrix.configs), &execution);
        assert_verdict(&execution, VERDICT_OK);
        assert_string_equal(str_text(&execution.run.out), "40\n");
    }
    assert_true(fixture->matrix.configs.len > 0);
}

static void test_litter_stays_in_the_scratch_directory(void **state) {
    Fixture *fixture = *state;
    CLEANUP(execution_release) Execution execution = {0};
    execute_ok(fixture, add_bad(fixture, "litter", "-O2"), &execution);
    CLEANUP(mem_freep) char *litter = path_of(fixture->scratch.path, "tmp/badcc-litter");
    assert_true(file_exists(litter));
    assert_int_equal(execution.run.exit_code, 0);
}

static void test_commands_can_be_repeated_by_hand(void **state) {
    Fixture *fixture = *state;
    CLEANUP(execution_release) Execution execution = {0};
    execute_ok(fixture, add_config(fixture, "gcc -O1"), &execution);
    CLEANUP(mem_freep) char *compile = strlist_join_shell(&execution.compile_cmd);
    CLEANUP(mem_freep) char *run = strlist_join_shell(&execution.run_cmd);
    assert_string_equal(compile, "gcc -O1 -w test.c -o a.out");
    assert_string_equal(run, "./a.out");
    CLEANUP(strlist_release) StrList command = {0}, libraries = {0};
    strlist_add(&libraries, "-lm");
    const BuildOptions build = {.link_flags = &libraries, .folder = "test", .makes = "a.out"};
    program_build_command(&fixture->program, execution.config, &build, &command);
    CLEANUP(mem_freep) char *line = strlist_join_shell(&command);
    assert_string_equal(line, "gcc -O1 -w test/test.c -o a.out -lm");
}

static void test_sanitizer_reports_are_seen(void **state) {
    Fixture *fixture = *state;
    static const char text[] =
        "int main(int n, char **v) { (void)v; volatile int m = 2147483647; m += n; return 0; }\n";
    program_clear(&fixture->program);
    program_add(&fixture->program, "test.c", text, strlen(text));
    assert_ok(program_write(&fixture->program, fixture->scratch.path, &fixture->err), fixture->err);
    CLEANUP(execution_release) Execution execution = {0};
    execute_ok(fixture, add_config(fixture, "gcc -O0 -fsanitize=undefined"), &execution);
    assert_verdict(&execution, VERDICT_SANITIZER);
    assert_string_equal(verdict_kind(execution.verdict), "wrong-code");
}

static void test_several_files_are_compiled_and_linked(void **state) {
    Fixture *fixture = *state;
    static const char main_text[] = "#include \"f.h\"\nint main(void) { return f() - 7; }\n";
    static const char f_text[] = "#include \"f.h\"\nint f(void) { return 7; }\n", header[] = "int f(void);\n";
    program_clear(&fixture->program);
    program_add(&fixture->program, "main.c", main_text, strlen(main_text));
    program_add(&fixture->program, "f.c", f_text, strlen(f_text));
    program_add(&fixture->program, "f.h", header, strlen(header));
    assert_ok(program_write(&fixture->program, fixture->scratch.path, &fixture->err), fixture->err);
    CLEANUP(execution_release) Execution execution = {0};
    execute_ok(fixture, add_config(fixture, "gcc"), &execution);
    assert_verdict(&execution, VERDICT_OK);
    assert_int_equal(execution.run.exit_code, 0);
}

static Emulator probe(Fixture *fixture, const char *words) {
    CLEANUP(strlist_release) StrList command = {0};
    Emulator emulator = {0};
    strlist_split(&command, words, ' ');
    assert_ok(emulator_probe(fixture->runner, &command, &emulator, &fixture->err), fixture->err);
    return emulator;
}

/* One that can run native programs does, whatever it is called. */
static void test_emulators_of_this_machine_run_native_programs(void **state) {
    static const char *const emulators[] = {"valgrind -q", "qemu-x86_64"};
    Fixture *fixture = *state;
    size_t tried = 0;
    const Config *config = add_config(fixture, "gcc -O1");
    for (size_t i = 0; i < ARRAY_LEN(emulators); i++) {
        CLEANUP(execution_release) Execution execution = {0};
        CLEANUP(str_release) Str found = {0};
        CLEANUP(strlist_release) StrList words = {0};
        strlist_split(&words, emulators[i], ' ');
        if (!path_find_program(words.items[0], &found, NULL))
            continue;
        CLEANUP(emulator_release) Emulator emulator = probe(fixture, emulators[i]);
        assert_true(emulator.runs_native);
        assert_ok(try_execute(fixture, config, &emulator, &execution), fixture->err);
        assert_verdict(&execution, VERDICT_OK);
        assert_string_equal(execution.run_cmd.items[0], words.items[0]);
        assert_string_equal(str_text(&execution.run.out), "40\n");
        tried++;
    }
    if (!tried)
        skip_because("neither valgrind nor qemu-x86_64 is here");
}

static void test_missing_emulators_are_errors(void **state) {
    Fixture *fixture = *state;
    CLEANUP(strlist_release) StrList command = {0};
    Emulator emulator = {0};
    strlist_add(&command, "no-such-emulator");
    assert_fails(emulator_probe(fixture->runner, &command, &emulator, &fixture->err), fixture->err, "no-such-emulator");
}

/* A back end's failure is no refusal of the program. */
static void test_back_ends_have_a_verdict_of_their_own(void **state) {
    Fixture *fixture = *state;
    CLEANUP(execution_release) Execution execution = {0};
    CLEANUP(strlist_release) StrList compile = {0}, good = {0}, bad = {0};
    strlist_split(&compile, "gcc -S test.c -o test.s", ' ');
    strlist_split(&good, "gcc -c test.s -o test.o", ' ');
    strlist_split(&bad, "gcc -c missing.s -o test.o", ' ');
    const ExecuteStep steps[][2] = {{{STEP_COMPILE, &compile, "test.s"}, {STEP_CODEGEN, &good, "test.o"}},
                                    {{STEP_COMPILE, &compile, "test.s"}, {STEP_CODEGEN, &bad, "test.o"}}};
    for (size_t i = 0; i < 2; i++) {
        assert_ok(
            execute(fixture->runner, fixture->scratch.path, steps[i], 2, &fixture->options, &execution, &fixture->err),
            fixture->err);
        assert_int_equal(execution.verdict, i == 0 ? VERDICT_OK : VERDICT_CODEGEN);
    }
}

static void test_cross_compilers_need_an_emulator(void **state) {
    Fixture *fixture = *state;
    CLEANUP(execution_release) Execution execution = {0};
    CLEANUP(str_release) Str qemu = {0};
    if (!matrix_add(&fixture->matrix, fixture->runner, LANGUAGE_C, "aarch64-linux-gnu-gcc -O2", &fixture->err) ||
        !path_find_program("qemu-aarch64", &qemu, NULL))
        skip_because("no cross compiler with an emulator here");
    const Config *config = &vec_last(&fixture->matrix.configs);
    assert_false(config->compiler->model.char_signed);
    assert_fails(try_execute(fixture, config, NULL, &execution), fixture->err, "--run");
    CLEANUP(emulator_release) Emulator emulator = probe(fixture, "qemu-aarch64 -L /usr/aarch64-linux-gnu");
    assert_false(emulator.runs_native);
    assert_ok(try_execute(fixture, config, &emulator, &execution), fixture->err);
    assert_string_equal(str_text(&execution.run.out), "40\n");
    assert_int_equal(execution.run_cmd.len, 4);
    assert_ok(try_execute(fixture, add_config(fixture, "gcc"), &emulator, &execution), fixture->err);
    assert_int_equal(execution.run_cmd.len, 1); /* runs without it */
    assert_string_equal(str_text(&execution.run.out), "40\n");
}

static void test_a_deleted_compiler_is_an_error(void **state) {
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, "mycc");
    assert_ok(file_write_text(path, "#!/bin/sh\nexec gcc \"$@\"\n", &fixture->err), fixture->err);
    assert_int_equal(chmod(path, 0755), 0);
    const Config *config = add_config(fixture, path);
    unlink(path);
    CLEANUP(execution_release) Execution execution = {0};
    assert_fails(try_execute(fixture, config, NULL, &execution), fixture->err, "mycc");
}

static void test_machine_trouble_is_no_verdict(void **state) {
    static const struct {
        const char *messages;
        int exit_code;
        ProcLimit limit;
        bool sound;
    } cases[] = {
        {"/tmp/cc1.s: error writing: No space left on device\n", 1, PROC_LIMIT_NONE, false},
        {"gcc: fatal error: cannot execute 'cc1': vfork: Resource temporarily unavailable\n", 1, PROC_LIMIT_NONE,
         false},
        {"", -1, PROC_LIMIT_CANCELLED, false},
        {"No space left on device\n", 0, PROC_LIMIT_NONE, true},
        {"t.c:1:1: error: expected ';'\n", 1, PROC_LIMIT_NONE, true},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(proc_result_release) ProcResult result = {.exit_code = cases[i].exit_code, .limit = cases[i].limit};
        Error err;
        str_append(&result.err, cases[i].messages);
        assert_int_equal(result_is_sound(&result, &err), cases[i].sound);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_misbehaviour_gets_its_verdict, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_real_compilers_are_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_litter_stays_in_the_scratch_directory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_commands_can_be_repeated_by_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sanitizer_reports_are_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several_files_are_compiled_and_linked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_back_ends_have_a_verdict_of_their_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cross_compilers_need_an_emulator, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_emulators_of_this_machine_run_native_programs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_emulators_are_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_deleted_compiler_is_an_error, set_up, tear_down),
        cmocka_unit_test(test_machine_trouble_is_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
