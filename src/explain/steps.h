/* What a campaign does about each bug that it keeps, in the background: jobs, one for each bug directory, made of steps.
 *
 * A step looks at what the bug has and adds what is missing, so that a job which was cut or killed is simply run again:
 * what is done is not done twice, and a reduction goes on where it was stopped. Their order, in which each makes less work
 * for the next:
 *
 *     triage      crashes, and compilers with passes to switch off: the fingerprint comes before costly work
 *     reduce      for five minutes in all; further work is for `culprit reduce`. C, and bugs of opt
 *     triage      other bugs, which are told apart by what the reduced program uses
 *     isolate     for two minutes
 *     versions    the other installed ones
 */
#ifndef EXPLAIN_STEPS_H
#define EXPLAIN_STEPS_H

#include "base/console.h"
#include "explain/suspects.h"
#include "explain/versions.h"

/* One bug on its way through the steps. */
typedef struct ExplainJob {
    char *dir;
    Bug bug;         /* loaded once, when the job starts */
    Runner *runner;  /* of the thread that runs it */
    int64_t most_ms; /* that the step at hand may take */
    bool changed;    /* by the step at hand: the bug is to be saved */
    bool cut;        /* there was more to do than time allowed */
    uint64_t rank;   /* among the directories of its cluster, from 1; 0 while that is unknown */
    Str failures;    /* of its steps, for the user */
} ExplainJob;

typedef struct ExplainStep {
    const char *name; /* "reduce", for messages */
    bool (*run)(ExplainJob *job, void *context,
                Error *err); /* called from several threads at once, for different jobs */
    void *context;
    bool is_costly; /* taken only for the first directories of a cluster, as far as triage tells */
} ExplainStep;

/* The steps that a user asked for, with what they need. */
typedef struct ExplainSteps {
    ExplainStep items[5];
    size_t len;
    Versions *versions;
    Suspects *suspects;
} ExplainSteps;

/* `subject` as suspects_new takes it; NULL: bugs are not isolated. */
bool steps_choose(bool triage, bool reduce, const char *subject, Console *console, ExplainSteps *ret_steps, Error *err);
void steps_release(ExplainSteps *steps);

#endif
