/* Scripts: a bug as a shell script, for people, `git bisect run` and reducers that know nothing of culprit.
 *
 * One description of the test and one vocabulary of shell functions serve repro.sh, repro-reduced.sh and the tests that
 * other reducers get. They exit 0 while the bug shows and 1 where it does not. A script of a bug directory (`program`
 * is set) runs in a copy of the directory's files, takes another compiler from $CC, and exits 125 where it cannot tell;
 * one for a reducer runs in the working directory, and asks more: that the failure is the same one, and that the
 * program stays valid.
 */
#ifndef JUDGE_SCRIPT_H
#define JUDGE_SCRIPT_H

#include "compiler/verdict.h"
#include "judge/guard.h"

typedef struct Script {
    const char *id;
    Verdict verdict;
    const StrList *fail_cmd; /* names the program's files */
    const StrList *pass_cmd; /* empty: compare with outputs/expected.txt of the bug directory */
    const StrList *front_cmd, *codegen_cmd; /* as in Bug; may be NULL */
    const StrList *run_cmd;                 /* empty: what the commands make */
    const StrList *words;    /* that the failing compiler must say; may be NULL */
    int64_t compile_ms, run_ms;
    uint64_t memory_bytes; /* limit of the compiler, for VERDICT_OUT_OF_MEMORY; 0: none */
    double tolerance;      /* of the outputs, as in run_difference */
    unsigned difference;   /* that the runs must have, as in run_difference; 0: any */

    /* Of a bug directory. */
    const char *program; /* "test", "reduced.c", "reduced" */
    bool is_folder;      /* the program */
    bool has_expected;   /* outputs/expected.txt is there */

    /* For reducers. */
    const char *name;         /* of the file under reduction */
    const StrList *check_cmd; /* a further command that must accept the program; may be NULL */
    const GuardTools *guards; /* NULL: none */
    const GuardOptions *guard_options;
} Script;

void script_render(const Script *script, Str *ret_text);          /* appends */
void script_render_makefile(const Script *script, Str *ret_text); /* Makefile of a bug directory; appends */

#endif
