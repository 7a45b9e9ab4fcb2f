/* What the warden costs per child, beside a bare posix_spawn and wait: bench_proc [BLOCKS]. Kinds take turns by blocks of
 * children, so that a busy machine is busy for all of them alike; the tenth percentile of the time shows the cost without
 * its noise, and CPU time (of us, the warden and the children) what is really spent. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "proc/run.h"
#include "proc/scratch.h"

extern char **environ;

enum { BLOCK = 100 };
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

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static double cpu_s(void) {
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return seconds(self.ru_utime) + seconds(self.ru_stime) + seconds(children.ru_utime) + seconds(children.ru_stime);
}

/* Returns the CPU time; the warden's is known once its end was waited for. */
static double run_block(Kind kind, const char *dir, double *times) {
    Error err;
    ProcResult result = {0};
    double cpu = cpu_s();
    Runner *runner = kind == BARE ? NULL : runner_new(&err);
    for (int i = 0; i < BLOCK; i++)
        times[i] = child_us(runner, kind, dir, &result);
    runner_free(runner);
    proc_result_release(&result);
    return cpu_s() - cpu;
}

static void print_table(double *times[KINDS], const double cpu[KINDS], size_t len) {
    printf("%-30s %12s %12s %12s %12s\n", "/bin/true, ms per child", "time p10", "over bare", "CPU time", "over bare");
    for (int kind = 0; kind < KINDS; kind++)
        qsort(times[kind], len, sizeof(double), by_value);
    for (int kind = 0; kind < KINDS; kind++) {
        double low = times[kind][len / 10] / 1000, bare_low = times[BARE][len / 10] / 1000;
        double spent = cpu[kind] * 1000 / (double)len, bare_spent = cpu[BARE] * 1000 / (double)len;
        printf("%-30s %12.3f %+12.3f %12.3f %+12.3f\n", names[kind], low, low - bare_low, spent, spent - bare_spent);
    }
}

int main(int argc, char **argv) {
    size_t blocks = argc > 1 && atoi(argv[1]) > 0 ? (size_t)atoi(argv[1]) : 20;
    Error err;
    CLEANUP(scratch_release) Scratch scratch = {0};
    if (!scratch_new(&scratch, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 3;
    }
    double *times[KINDS], cpu[KINDS] = {0};
    for (int kind = 0; kind < KINDS; kind++)
        times[kind] = mem_zalloc(blocks * BLOCK, sizeof(double));
    for (size_t i = 0; i < blocks; i++)
        for (int kind = 0; kind < KINDS; kind++)
            cpu[kind] += run_block((Kind)kind, scratch.path, times[kind] + i * BLOCK);
    print_table(times, cpu, blocks * BLOCK);
    for (int kind = 0; kind < KINDS; kind++)
        free(times[kind]);
    return 0;
}
