/* Verdicts: what became of one test under one configuration. The one place that lists them.
 *
 * Each has a name of its own (store, tables) and the kind that bug.json writes. VERDICT_SANITIZER alone shares a kind:
 * a report about a program free of undefined behaviour is the compiler's wrong code. A verdict is never an Error.
 */
#ifndef COMPILER_VERDICT_H
#define COMPILER_VERDICT_H

#include "base/error.h"

typedef enum Verdict {
    VERDICT_OK,
    VERDICT_CRASH,         /* the compiler: signal, internal error text, assertion, stack dump */
    VERDICT_HANG,          /* the compiler ran out of time */
    VERDICT_OUT_OF_MEMORY, /* the compiler */
    VERDICT_REJECTS_VALID, /* the compiler refuses a valid program, or its output does not link */
    VERDICT_WRONG_CODE,
    VERDICT_RUN_CRASH,
    VERDICT_RUN_HANG,
    VERDICT_SANITIZER,  /* the program's run ended in a sanitizer's report */
    VERDICT_INVALID_IR, /* a pass sequence gave a module that the verifier refuses */
    VERDICT_CODEGEN,    /* a module that the verifier accepts does not compile */
    VERDICT_FLAKY,      /* repeating the test gave another result */
    VERDICT_COUNT,
} Verdict;

/* What a test says about one bug: does it show? */
typedef enum Outcome {
    OUTCOME_OTHER,     /* cannot be told: another failure, the text or an option is refused, the reference fails */
    OUTCOME_FAILS,     /* the bug shows */
    OUTCOME_PASSES,    /* the failing command does what it should */
    OUTCOME_FLAKY,     /* repetitions disagree */
    OUTCOME_UNDEFINED, /* it would pass, but the program executes undefined behaviour */
    OUTCOME_COUNT,
} Outcome;

/* What a wrong output was compared with. */
typedef enum Basis {
    BASIS_NONE,      /* another configuration; none is known to be right */
    BASIS_EXPECTED,  /* the value that the generator foretold */
    BASIS_MAJORITY,  /* most of the other configurations */
    BASIS_OWN_O0,    /* the same compiler without optimisation */
    BASIS_REFERENCE, /* the bug's own pass_cmd */
    BASIS_COUNT,
} Basis;

const char *verdict_name(Verdict verdict);     /* "ok", "crash", "sanitizer", … */
const char *verdict_kind(Verdict verdict);     /* as in bug.json */
const char *verdict_phrase(Verdict verdict);   /* "the compiler crashes", for sentences */
bool verdict_is_compile_time(Verdict verdict); /* decided before any program of the test ran */
bool verdict_parse(const char *name_or_kind, Verdict *ret_verdict, Error *err);

const char *outcome_name(Outcome outcome); /* "fails", "passes", "other", "flaky", "undefined" */
const char *basis_name(Basis basis);       /* "expected value", "majority", … */

#endif
