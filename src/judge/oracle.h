/* Oracle: does this bug still show for this source text?
 *
 * Made once per bug and thread, then asked tens of thousands of times: it works in a scratch directory of its own with
 * the bug's files, replaces source texts, runs fail_cmd and pass_cmd without a shell, and compares by the bug's kind:
 *
 *   crash          fail_cmd crashes with the bug's signature, and pass_cmd accepts the program
 *   hang           fail_cmd does not end in time, pass_cmd does
 *   out-of-memory  the same for memory
 *   rejects-valid  fail_cmd refuses what pass_cmd accepts
 *   wrong-code     both compile; exit status or output of the two programs differ (also run-crash and run-hang)
 *   codegen        codegen_cmd fails, in the same way, on what fail_cmd leaves and not on what pass_cmd leaves
 *
 * A bug's front_cmd goes before both, once for each text; a text that it refuses shows nothing.
 *
 * The answer for pass_cmd is kept for the last text, so that asking about many commands for one text runs it once.
 *
 *     Oracle *oracle = oracle_new(runner, &bug, NULL, err);
 *     OracleQuestion question = { .text = text, .len = len };
 *     if (!oracle_ask(oracle, &question, &answer, err)) …
 *     if (answer.outcome == OUTCOME_FAILS) …
 */
#ifndef JUDGE_ORACLE_H
#define JUDGE_ORACLE_H

#include "bug/bug.h"
#include "judge/failure.h"

typedef struct OracleOptions {
    ProcLimits compile_limits; /* zeroed: those of execute_defaults; a hang's time is derived from pass_cmd's */
    ProcLimits run_limits;
    const StrList *emulator; /* words in front of the program; may be NULL */
    const StrList *compiler; /* replaces the first word of fail_cmd, also while the signature is learnt; may be NULL */
    bool no_randomisation;   /* of the failing compiler, for exact coverage */
    bool skip_reference;     /* crashes, hangs: do not ask pass_cmd whether the text is valid */
} OracleOptions;

typedef struct OracleQuestion {
    const char *text; /* of the (first) source; NULL: the bug's own */
    size_t len;
    const ProgramFile *files; /* further texts by name, for programs of several files */
    size_t file_count;
    const StrList *fail_cmd;              /* instead of the bug's, same file names: other flags, other passes */
    const StrList *compiler;              /* as in OracleOptions, for this question: another driver, "-B", … */
    const char *const *compiler_env;      /* for the failing compiler only, as in ProcRequest */
    const char *const *compiler_writable; /* what else it may write to, NULL-terminated: where coverage goes */
    unsigned repeat;                      /* further runs of the failing side that must agree */
} OracleQuestion;

typedef struct OracleAnswer {
    Outcome outcome;
    Verdict verdict;      /* of the failing side alone: OK, CRASH, …, WRONG_CODE */
    const char *why;      /* one clause for people: "crashes elsewhere: …"; lives until the next question */
    Signature signature;  /* of a crash; lives until the next question */
    ProcResult compile;   /* fail_cmd */
    ProcResult run;       /* what it made, where run */
    ProcResult reference; /* the run of what pass_cmd made (its compilation where nothing runs) */
    bool ran, compared;   /* which of run and reference are filled */
    unsigned difference;  /* between the two, where both are filled: DIFFERS_IN_OUTPUT, DIFFERS_IN_END */
} OracleAnswer;

typedef struct Oracle Oracle;

/* `options` may be NULL. Both runner and bug must outlive the oracle. Learns the bug's signature by running it where
 * bug.json has none. */
Oracle *oracle_new(Runner *runner, const Bug *bug, const OracleOptions *options, Error *err);
void oracle_free(Oracle *oracle);
DEFINE_FREEP(Oracle, oracle_free)

/* False only where the machine fails or a program is missing. `ret_answer` starts zeroed and is reused. */
bool oracle_ask(Oracle *oracle, const OracleQuestion *question, OracleAnswer *ret_answer, Error *err);
void oracle_answer_release(OracleAnswer *answer);

const char *oracle_dir(const Oracle *oracle);            /* the scratch directory that commands run in */
const char *oracle_source_name(const Oracle *oracle);    /* the file that question.text replaces */
const Str *oracle_source_text(const Oracle *oracle);     /* its original text */
const Failure *oracle_failure(const Oracle *oracle);     /* what counts as the bug */
const Signature *oracle_signature(const Oracle *oracle); /* that a crash must have; NULL for other kinds */

#endif
