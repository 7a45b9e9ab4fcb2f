/* Measures tracing: cover_trace DIR SUBJECT... compiles every .c file in DIR with each subject at several levels of
 * optimisation, untraced and traced, compares the outputs byte for byte, and prints the CPU times of both.
 *
 *     cover_trace programs stock:gcc-12 stock-blocks:gcc-12
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "cover/cover.h"
#include "proc/scratch.h"

static const char *const levels[] = {"-O0", "-O1", "-O2", "-O3"};

typedef struct Tally {
    int64_t plain_us, traced_us, collect_us; /* CPU */
    size_t compilations, different, covered, failed;
} Tally;

typedef struct Bench {
    Runner *runner;
    Subject subject;
    Cover *cover;
    Bitset units;
    Scratch scratch;
    ProcResult result;
} Bench;

static int64_t cpu_us(const ProcResult *result) { return result->user_us + result->system_us; }

/* True where the compiler ended in the same way and wrote the same bytes. */
static bool same_output(const char *a, const char *b) {
    CLEANUP(str_release) Str left = {0};
    CLEANUP(str_release) Str right = {0};
    bool has_left = file_read(a, &left, NULL), has_right = file_read(b, &right, NULL);
    return has_left == has_right && left.len == right.len && memcmp(str_text(&left), str_text(&right), left.len) == 0;
}

static bool compile_both(Bench *bench, const char *program, const char *level, Tally *tally, Error *err) {
    CLEANUP(str_release) Str plain = {0};
    CLEANUP(str_release) Str traced = {0};
    CLEANUP(str_release) Str said = {0};
    str_printf(&plain, "%s/plain.o", bench->scratch.path);
    str_printf(&traced, "%s/traced.o", bench->scratch.path);
    const char *argv[] = {bench->subject.cc.items[0], level, "-w", "-c", program, "-o", str_text(&plain), NULL};
    ProcRequest request = {.argv = argv, .no_randomisation = true, .limits = {.wall_ms = 120000}};
    if (!runner_run(bench->runner, &request, &bench->result, err))
        return false;
    int exit_code = bench->result.exit_code;
    int64_t plain_us = cpu_us(&bench->result);
    str_append_n(&said, bench->result.err.data, bench->result.err.len);
    argv[6] = str_text(&traced);
    int64_t before = clock_cpu_us();
    if (!cover_run(bench->cover, bench->runner, &request, &bench->units, &bench->result, err))
        return false;
    tally->collect_us += clock_cpu_us() - before;
    tally->plain_us += plain_us;
    tally->traced_us += cpu_us(&bench->result);
    tally->covered += bitset_count(&bench->units);
    tally->compilations++;
    tally->failed += exit_code != 0;
    bool same = exit_code == bench->result.exit_code && same_output(str_text(&plain), str_text(&traced)) &&
                str_equal(str_text(&said), str_text(&bench->result.err));
    if (!same)
        printf("  different: %s %s %s\n", bench->subject.name, level, program);
    tally->different += !same;
    unlink(str_text(&plain));
    unlink(str_text(&traced));
    return true;
}

static bool bench_subject(Bench *bench, const char *dir, const StrList *names, Error *err) {
    Tally tally = {0};
    size_t next = 0;
    for (size_t i = 0; i < names->len; i++) {
        if (!str_ends(names->items[i], ".c"))
            continue;
        char *program = path_of(dir, names->items[i]);
        bool ok = compile_both(bench, program, levels[next++ % ARRAY_LEN(levels)], &tally, err);
        free(program);
        if (!ok)
            return false;
    }
    if (tally.compilations == 0)
        return error_set(err, "no .c files in %s", dir);
    double runs = 1000.0 * (double)tally.compilations;
    printf("%-24s %5zu programs, %zu different, %zu rejected; CPU per file: untraced %6.1f ms, traced %6.1f ms, ratio "
           "%.2f; "
           "culprit's own %.2f ms; %zu units of %zu\n",
           bench->subject.name, tally.compilations, tally.different, tally.failed, (double)tally.plain_us / runs,
           (double)tally.traced_us / runs, (double)tally.traced_us / (double)tally.plain_us,
           (double)tally.collect_us / runs, tally.covered / tally.compilations, bench->units.bits);
    fflush(stdout);
    return true;
}

static bool run_subject(Runner *runner, const char *which, const char *dir, const StrList *names, Error *err) {
    Bench bench = {.runner = runner};
    bool ok = subject_open(which, NULL, &bench.subject, err) && scratch_new(&bench.scratch, err);
    if (ok) {
        bench.cover = cover_open(&bench.subject, runner, NULL, err);
        ok = bench.cover != NULL;
    }
    if (ok) {
        bitset_init(&bench.units, cover_units(bench.cover)->unit_count);
        ok = bench_subject(&bench, dir, names, err);
    }
    cover_free(bench.cover);
    subject_release(&bench.subject);
    bitset_release(&bench.units);
    scratch_release(&bench.scratch);
    proc_result_release(&bench.result);
    return ok;
}

int main(int argc, char **argv) {
    Error err;
    StrList names = {0};
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    if (argc < 3 || !runner || !dir_list(argv[1], &names, &err)) {
        fprintf(stderr, "cover_trace: %s\n", argc < 3 ? "say DIR SUBJECT..." : err.text);
        return 2;
    }
    int status = 0;
    for (int i = 2; i < argc; i++)
        if (!run_subject(runner, argv[i], argv[1], &names, &err))
            fprintf(stderr, "cover_trace: %s: %s\n", argv[i], err.text), status = 1;
    strlist_release(&names);
    return status;
}
