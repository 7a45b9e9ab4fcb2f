/* Script: the judge's questions as a shell script, for reducers that know nothing of culprit. */
#ifndef REDUCE_SCRIPT_H
#define REDUCE_SCRIPT_H

#include "bug/bug.h"
#include "judge/guard.h"

typedef struct ScriptFacts {
    const Bug *bug;
    const char *name;                 /* of the file under reduction */
    const StrList *words;             /* that the failing compiler must say */
    const StrList *errors;            /* kinds that the strict parser finds in the original */
    bool output_differs, end_differs; /* how the failing program's run differs from the other's */
    int64_t run_ms;                   /* that a program may run */
    const GuardTools *guards;         /* NULL: none */
    const GuardOptions *guard_options;
} ScriptFacts;

void script_write(const ScriptFacts *facts, Str *ret_script); /* appends */

#endif
