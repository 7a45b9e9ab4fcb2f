/* Work on kept bugs in the background, one job for each bug directory.
 *
 * A directory with a job that is not finished carries a mark, so that a resumed campaign takes the job up again. What the
 * steps found out goes from bug.json into the store, whose clusters (equal fingerprints of triage) say which costly steps
 * are worth their time: only the first directories of a cluster get them.
 */
#ifndef CAMPAIGN_EXPLAIN_H
#define CAMPAIGN_EXPLAIN_H

#include <pthread.h>

#include "base/map.h"
#include "base/vec.h"
#include "campaign/hunt.h"
#include "store/store.h"

typedef struct StepJob {
    char *dir;
    bool ran;
    bool cut;      /* time was up before it was done */
    uint64_t rank; /* among the directories of its cluster, from 1; 0 while that is unknown */
    Str failures;  /* of its steps, for the user */
} StepJob;

/* The campaign's jobs. Workers call explain_run only; everything else belongs to the thread that owns the store. */
typedef struct Explain {
    const HuntOptions *options;
    Console *console;
    Store *store;
    int64_t deadline_ms; /* of clock_ms: slow steps end about then */
    Vec(StepJob *) waiting;
    pthread_mutex_t lock; /* of sizes */
    Map sizes;            /* directories of each fingerprint that were or are worked on */
} Explain;

bool explain_start(Explain *explain, const HuntOptions *options, Store *store, Console *console, Error *err);
void explain_release(Explain *explain);

/* Takes the quick steps of a new bug directory, bugs/NAME, and queues the others. */
bool explain_new_bug(Explain *explain, Runner *runner, const char *name, Error *err);
StepJob *explain_take(Explain *explain); /* the next job, or NULL */
void explain_run(Explain *explain, StepJob *job, Runner *runner);
bool explain_keep(Explain *explain, StepJob *job, Error *err); /* records its results; takes the job */
void step_job_free(StepJob *job);

/* For work on one bug outside of a hunt: the store of its campaign, where there is one and no hunt works on it, learns what
 * its bug.json says now. `bug_dir` is absolute. */
bool explain_again(const char *bug_dir, Error *err);

#endif
