/* What the warden costs per child, beside a bare posix_spawn and wait: bench_proc [ROUNDS]. Kinds take turns, so that a
 * busy machine is busy for all of them alike, and the tenth percentile shows the cost without its noise. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/run.h"
#include "proc/scratch.h"

extern char **environ;

typedef enum Kind { BARE, PLAIN, LIMITED, CONFINED, KINDS } Kind;

static const char *const names[KINDS] = {"posix_spawn + wait", "runner_run", "runner_run, limits",
                                         "runner_run, limits, confined"};
static char *const program[] = {"/bin/true", NULL};

static void run_bare(void) {
    pid_t pid;
    if (posix_spawn(&pid, program[0], NULL, NULL, program, environ) != 0 || waitpid(pid, NULL, 0) != pid)
        exit(3);
}

static void run_by_runner(Runner *runner, Kind kind, const char *dir, ProcResult *result) {
    Error err;
    ProcConfinement confinement = {.writable_dir = dir, .no_network = true};
    ProcRequest request = {.argv = (const char *const *)program};
    if (kind != PLAIN)
        request.limits = (ProcLimits){.wall_ms = 10000,
                                      .cpu_ms = 10000,
                                      .memory_bytes = UINT64_C(1) << 30,
                                      .processes = 32,
                                      .file_bytes = 1 << 20};
    if (kind == CONFINED)
        request.confinement = &confinement;
    if (!runner_run(runner, &request, result, &err) || !proc_ok(result)) {
        fprintf(stderr, "%s\n", err.text);
        exit(3);
    }
}

static double child_us(Runner *runner, Kind kind, const char *dir, ProcResult *result) {
    int64_t start = clock_us();
    if (kind == BARE)
        run_bare();
    else
        run_by_runner(runner, kind, dir, result);
    return (double)(clock_us() - start);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    size_t rounds = argc > 1 ? (size_t)atoi(argv[1]) : 2000;
    Error err;
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (rounds < 10 || !runner || !scratch_new(&scratch, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 3;
    }
    double *times[KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        times[kind] = mem_zalloc(rounds, sizeof(double));
    for (size_t i = 0; i < rounds; i++)
        for (int kind = 0; kind < KINDS; kind++)
            times[kind][i] = child_us(runner, (Kind)kind, scratch.path, &result);
    printf("%-30s %10s %10s %16s %16s\n", "/bin/true, ms", "p10", "median", "p10 over bare", "median over bare");
    for (int kind = 0; kind < KINDS; kind++)
        qsort(times[kind], rounds, sizeof(double), by_value);
    for (int kind = 0; kind < KINDS; kind++) {
        double low = times[kind][rounds / 10] / 1000, median = times[kind][rounds / 2] / 1000;
        double bare_low = times[BARE][rounds / 10] / 1000, bare_median = times[BARE][rounds / 2] / 1000;
        printf("%-30s %10.3f %10.3f %+16.3f %+16.3f\n", names[kind], low, median, low - bare_low, median - bare_median);
    }
    for (int kind = 0; kind < KINDS; kind++)
        free(times[kind]);
    return 0;
}
