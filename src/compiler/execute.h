/* Compiling and running a test: the one way to start compilers, and the programs that they make.
 *
 * A test is a list of steps in a directory that holds its files. execute() takes them in order until one fails, and
 * says what became of the test; it never says VERDICT_WRONG_CODE, which only a comparison can (judge/failure.h).
 *
 *     ExecuteStep steps[] = {{STEP_COMPILE, &command, "a.out"}, {STEP_RUN, &run, NULL}};
 *     execute(runner, dir, steps, 2, &options, &execution, err)
 *
 * Compilers get TMPDIR inside the directory and may write there (and to /tmp) only; programs may write only to its
 * `tmp`. Neither reaches the network.
 */
#ifndef COMPILER_EXECUTE_H
#define COMPILER_EXECUTE_H

#include "compiler/program.h"
#include "compiler/verdict.h"

typedef enum StepKind {
    STEP_COMPILE,
    STEP_CODEGEN, /* a back end, on what an earlier step made; its failure is VERDICT_CODEGEN */
    STEP_RUN,     /* what an earlier step made, perhaps behind an emulator */
} StepKind;

typedef struct ExecuteStep {
    StepKind kind;
    const StrList *command;
    /* The file, relative to the directory, that the step must leave; NULL: none. It is removed first, so that what
     * is there afterwards is new. A compiler that reports success without it, or leaves what cannot be started as
     * the next step wants to, has not compiled the program: VERDICT_REJECTS_VALID. */
    const char *makes;
} ExecuteStep;

typedef struct ExecuteOptions {
    ProcLimits compile_limits, run_limits;
    /* As in ProcRequest; may be NULL. */
    const char *const *compile_env, *const *run_env;
    const char *const *compile_writable; /* what else compilers may write to, NULL-terminated: where coverage goes */
    bool no_randomisation;               /* of compilers, for exact coverage */
} ExecuteOptions;

/* Limits that fit programs of a few hundred KB on a busy machine. */
ExecuteOptions execute_defaults(void);

typedef struct Execution {
    const Config *config; /* the caller's, for tests of a matrix */
    Verdict verdict;
    Basis basis;                  /* of VERDICT_WRONG_CODE */
    StrList compile_cmd, run_cmd; /* what ran: the last STEP_COMPILE, and what it made */
    ProcResult compile;         /* the step that failed, else the last one; messages of all steps are in compile.err */
    ProcResult run;             /* of the program */
    bool ran;                   /* run is filled */
    int64_t compile_us, run_us; /* CPU time, user and system */
} Execution;

/* False, with err, where a program is missing or the machine fails. `ret_execution` starts zeroed or is reused. */
bool execute(Runner *runner, const char *dir, const ExecuteStep *steps, size_t count, const ExecuteOptions *options,
             Execution *ret_execution, Error *err);
void execution_release(Execution *execution);

/* The lower half, for those who only ask a compiler something: no shell, LC_ALL=C, TMPDIR in `dir`, writing to `dir`
 * and /tmp only, no network. `options` may be NULL. False, with err, also if the machine or the user made an end
 * that says nothing about the input. */
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

/* What a compiler says: standard error, else standard output. */
const char *compiler_messages(const ProcResult *result);

/* What a compiler's end means: one verdict for every fate of the process. */
Verdict verdict_of_compile(const ProcResult *result);
/* What a program's end means, before outputs are compared; `sanitized`: it was built to report on itself. */
Verdict verdict_of_run(const ProcResult *result, bool sanitized);

#endif
