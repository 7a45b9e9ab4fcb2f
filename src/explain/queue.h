/* The background jobs of a campaign, one for each bug directory.
 *
 * A directory with a job that is not finished carries a mark (BUG_UNDONE), so that a resumed campaign runs the job again;
 * its steps know what is done. What they found out goes into the store, whose clusters (equal fingerprints of triage) say
 * which costly steps are worth their time: only the first directories of a cluster get them.
 */
#ifndef EXPLAIN_QUEUE_H
#define EXPLAIN_QUEUE_H

#include <pthread.h>

#include "base/map.h"
#include "explain/steps.h"
#include "store/store.h"

/* Workers call queue_run only; everything else belongs to the thread that owns the store. */
typedef struct ExplainQueue {
    const char *dir; /* of the campaign */
    const ExplainStep *steps;
    size_t step_count;
    Store *store;
    Console *console;
    int64_t deadline_ms; /* of clock_ms: jobs end about then; queue_open: never */
    Vec(ExplainJob *) waiting;
    pthread_mutex_t lock; /* of sizes */
    Map sizes;            /* directories of each fingerprint that were or are worked on */
} ExplainQueue;

/* Queues what an earlier run of the campaign left undone. */
bool queue_open(ExplainQueue *queue, const char *dir, const ExplainStep *steps, size_t step_count, Store *store,
                Console *console, Error *err);
void queue_release(ExplainQueue *queue);

bool queue_add(ExplainQueue *queue, const char *name, Error *err); /* a new bug directory, bugs/NAME */
ExplainJob *queue_take(ExplainQueue *queue);                       /* the next job, or NULL */
void queue_run(ExplainQueue *queue, ExplainJob *job, Runner *runner);
bool queue_keep(ExplainQueue *queue, ExplainJob *job, Error *err); /* records its results; takes the job */
void queue_job_free(ExplainJob *job);

#endif
