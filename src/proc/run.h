/* Running programs: the only folder that starts any.
 *
 * A Runner runs one child at a time, with limits, and guarantees that nothing of the child's process tree survives the
 * call: not a driver's cc1, not a daemon in a session of its own, not after a SIGKILL of culprit itself. Each thread
 * that runs programs owns a Runner (pool.h makes them). The runner's warden (warden/main.c) is a small process made
 * once: children are its children, so that orphans come back to it and die there. Where the machine permits, the warden
 * lives in a PID namespace, which makes this quick and certain; CULPRIT_NO_NAMESPACES=1 does without, for tests.
 *
 * Compilers put temporary files into $TMPDIR and leave them behind when killed: set it to the scratch directory in
 * `env` ("TMPDIR=…"), all the more for confined compilers, which may not write to /tmp (see ProcConfinement.tmp_dir for those that must).
 *
 *     Runner *runner = runner_new(err);
 *     ProcRequest request = { .argv = argv, .dir = scratch, .limits = { .wall_ms = 10000 } };
 *     CLEANUP(proc_result_release) ProcResult result = {0};
 *     if (!runner_run(runner, &request, &result, err)) …      the program could not be started
 *     if (result.limit == PROC_LIMIT_WALL) …                  it was killed, with everything it had started
 */
#ifndef PROC_RUN_H
#define PROC_RUN_H

#include "base/error.h"
#include "base/str.h"

typedef enum ProcLimit {
    PROC_LIMIT_NONE,
    PROC_LIMIT_WALL,
    PROC_LIMIT_CPU,
    PROC_LIMIT_MEMORY,
    PROC_LIMIT_FILE_SIZE,
    PROC_LIMIT_PROCESSES,
    PROC_LIMIT_OUTPUT,
    PROC_LIMIT_CANCELLED, /* runner_cancel was called */
} ProcLimit;

const char *proc_limit_name(ProcLimit limit); /* "time", "CPU time", "memory", … */

/* Zero means unlimited, except where noted. */
typedef struct ProcLimits {
    int64_t wall_ms;
    int64_t cpu_ms; /* of the whole tree, seen a few ms late */
    /* Address space of each process, and resident memory of the whole tree. A program that is refused address space is
     * not killed but fails in its own way: PROC_LIMIT_MEMORY is then said if it failed with three quarters of the
     * limit resident. One that asks for too much at once only says so itself ("out of memory"). */
    uint64_t memory_bytes;
    /* The program reserves address space far beyond its use, as sanitized ones do: its resident memory is watched
     * instead of its address space being limited. */
    bool sanitized;
    uint64_t file_bytes; /* of each file written; seen if SIGXFSZ ended the program, or a child of its shell */
    uint32_t processes;  /* of the tree, threads not counted */
    /* Of each of stdout and stderr kept in memory; 0 means 1 MiB. The rest is dropped, and the program killed once it
     * has written sixteen times as much, at least 16 MiB. */
    uint64_t output_bytes;
} ProcLimits;

/* What a program under test may touch. */
typedef struct ProcConfinement {
    const char *writable_dir;         /* the only directory it may write to, with /dev/null and the like */
    const char *const *more_writable; /* further files or directories, NULL-terminated; may be NULL */
    bool no_network;
    /* What the program finds as /tmp, for those that ignore TMPDIR. Only if root runs culprit and the
     * machine permits mounts, and if neither program nor working directory is in /tmp; the program then sees the real one. */
    const char *tmp_dir;
} ProcConfinement;

typedef struct ProcRequest {
    const char *const *argv; /* argv[0] is looked up in PATH; with a slash, relative to dir */
    const char *dir;         /* working directory; NULL: culprit's */
    const char *const *env;  /* "NAME=value" added to or replacing culprit's own; "NAME" removes; NULL-terminated */
    const char *input;       /* standard input; NULL: empty */
    size_t input_len;
    /* Standard output and error to files instead of memory, in culprit's directory; may be the same. */
    const char *out_path;
    const char *err_path;
    bool merge_output;     /* standard error goes where standard output goes */
    bool no_randomisation; /* address-space randomisation off, for runs that must repeat exactly */
    ProcLimits limits;
    const ProcConfinement *confinement; /* NULL: none */
} ProcRequest;

typedef struct ProcResult {
    int exit_code; /* -1 if a signal ended it */
    int signal;    /* 0 if it exited */
    ProcLimit limit;
    bool left_processes;                 /* its tree outlived it and was killed */
    bool output_cut;                     /* more output than kept */
    int64_t wall_us, user_us, system_us; /* CPU of the whole tree */
    uint64_t peak_bytes;                 /* resident memory of the largest process */
    Str out, err;
} ProcResult;

static inline bool proc_ok(const ProcResult *result) {
    return result->limit == PROC_LIMIT_NONE && result->exit_code == 0;
}
void proc_result_release(ProcResult *result);

/* Appends how the program ended, to follow its name: "ended with status 1", "was ended by signal 11 (Segmentation
 * fault)", "ran into the limit of time". */
void proc_describe_end(const ProcResult *result, Str *text);

typedef struct Runner Runner;

Runner *runner_new(Error *err);
void runner_free(Runner *runner); /* kills what runs */
DEFINE_FREEP(Runner, runner_free)

/* False, with err, if the program could not be started or the machine failed; every fate of a started program is a
 * result. `ret_result` is reused: its buffers are cleared, not leaked. */
bool runner_run(Runner *runner, const ProcRequest *request, ProcResult *ret_result, Error *err);

/* Ends the running child, from any thread or signal handler. */
void runner_cancel(Runner *runner);

/* The same, and later runs end at once as cancelled too, until runner_resume: for jobs that run several programs. */
void runner_stop(Runner *runner);
void runner_resume(Runner *runner);
bool runner_is_stopped(const Runner *runner); /* and not resumed: failures of runs say nothing */

/* One sentence about a protection that this machine lacks, or NULL; for a warning shown once. */
const char *runner_missing_protection(const Runner *runner);

#endif
