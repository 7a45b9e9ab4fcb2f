/* What tests that run programs share: a runner, a scratch directory, and the result of the last command. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include "base/file.h"
#include "proc/run.h"
#include "proc/scratch.h"
#include "unit.h"

typedef struct Bench {
    Runner *runner;
    Scratch scratch;
    ProcResult result; /* of the last command */
    Error err;
} Bench;

static inline int bench_setup(void **state) {
    Bench *bench = mem_zalloc(1, sizeof *bench);
    if (!(bench->runner = runner_new(&bench->err)) || !scratch_new(&bench->scratch, &bench->err))
        return print_error("%s\n", bench->err.text), -1;
    *state = bench;
    return 0;
}

static inline int bench_teardown(void **state) {
    Bench *bench = *state;
    runner_free(bench->runner);
    scratch_release(&bench->scratch);
    proc_result_release(&bench->result);
    free(bench);
    return 0;
}

#define BENCH_TEST(function) cmocka_unit_test_setup_teardown(function, bench_setup, bench_teardown)

static inline bool has_program(const char *name) {
    CLEANUP(str_release) Str path = {0};
    return path_find_program(name, &path, NULL);
}

/* Runs a shell command in the scratch directory. */
static inline bool bench_run(Bench *bench, const char *command) {
    const char *argv[] = {"/bin/sh", "-c", command, NULL};
    ProcRequest request = {
        .argv = argv, .dir = bench->scratch.path, .limits = {.wall_ms = 120000, .output_bytes = (uint64_t)64 << 20}};
    assert_ok(runner_run(bench->runner, &request, &bench->result, &bench->err), bench->err);
    return proc_ok(&bench->result);
}

static inline void bench_write(Bench *bench, const char *name, const char *text) {
    CLEANUP(mem_freep) char *path = path_of(bench->scratch.path, name);
    assert_ok(file_write_text(path, text, &bench->err), bench->err);
}

#endif
