/* Compiling and running one program under one configuration.
 *
 * The program's files already lie in a scratch directory (program_write), so that many configurations share them; each
 * execution uses file names of its own there (`tag`). Compilers get TMPDIR inside the directory and may write there
 * (and to /tmp) only; programs may write only to its `tmp` and reach no network. execute() never says VERDICT_WRONG_CODE: only a
 * comparison can, see judge/vote.h.
 *
 *     for each config: execute(runner, program, dir, config, &options, &executions[i], err)
 *     vote(executions, count, expected)
 */
#ifndef COMPILER_EXECUTE_H
#define COMPILER_EXECUTE_H

#include "compiler/program.h"
#include "compiler/verdict.h"

typedef struct ExecuteOptions {
    const StrList *extra_flags; /* to every compile step; may be NULL */
    const StrList *link_flags;  /* to the link step: "-lm"; may be NULL */
    const StrList *emulator;    /* words in front of the program: "qemu-aarch64", "-L", "/usr/aarch64-linux-gnu" */
    const char *const *run_env; /* variables of the program's run, as in ProcRequest; may be NULL */
    bool compile_only;          /* to objects; nothing is linked or run */
    ProcLimits compile_limits, run_limits;
} ExecuteOptions;

/* Limits that fit programs of a few hundred KB on a busy machine. */
ExecuteOptions execute_defaults(void);

typedef struct Execution {
    const Config *config;
    Verdict verdict;
    Basis basis;        /* of VERDICT_WRONG_CODE */
    StrList commands;   /* every command run, each a line to paste into a shell */
    ProcResult compile; /* the step that failed, else the last one; messages of all steps are in compile.err */
    ProcResult run;
    bool ran;
    int64_t compile_us, run_us; /* CPU time, user and system */
} Execution;

/* `tag` keeps concurrent and successive executions in one directory apart; short, part of a file name. */
bool execute(Runner *runner, const Program *program, const char *dir, const char *tag, const Config *config,
             const ExecuteOptions *options, Execution *ret_execution, Error *err);
void execution_release(Execution *execution);

/* The same test as one command ("gcc-11 -O3 -w a.c b.c -o a.out"), for bug.json and repro.sh. */
void execute_one_command(const Program *program, const Config *config, const ExecuteOptions *options,
                         const char *out_name, StrList *ret_command);

/* How compilers are started, by everyone: no shell, LC_ALL=C, TMPDIR in `dir`, writing to `dir` and /tmp only, no network.
 * `options` may be NULL. False, with err, if the machine or the user made an end that says nothing about the input. */
typedef struct CompilerRun {
    ProcLimits limits;           /* zeroed: those of execute_defaults */
    const char *const *env;      /* further variables, as in ProcRequest */
    const char *const *writable; /* what else it may write to, NULL-terminated */
    bool no_randomisation;       /* of addresses, for exact coverage */
    bool merge_output;           /* standard error into `out` */
} CompilerRun;

bool compiler_run(Runner *runner, const char *dir, const StrList *command, const CompilerRun *options,
                  ProcResult *ret_result, Error *err);

/* False, with err, where the machine or the user made an end that says nothing about the program: a full disk, no more
 * processes, a cancelled run. To be asked before a verdict is drawn. */
bool result_is_sound(const ProcResult *result, Error *err);

/* What a compiler's end means: one verdict for every fate of the process. */
Verdict verdict_of_compile(const ProcResult *result);
/* What a program's end means, before outputs are compared; `sanitized`: it was built to report on itself. */
Verdict verdict_of_run(const ProcResult *result, bool sanitized);

/* Whether two runs behaved the same: exit status or signal, and standard output. */
bool run_equal(const ProcResult *a, const ProcResult *b);

#endif
