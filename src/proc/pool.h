/* Pool: a bounded number of jobs at once, each on a thread with a Runner of its own.
 *
 * Jobs are submitted from one thread and their results collected there, as they finish or in the order of submission;
 * pool_submit blocks while `workers` jobs wait already, which bounds memory. A job is a function and its argument; the
 * argument is its result too.
 *
 *     while (more) { pool_submit(pool, test_one, job); while ((job = pool_poll(pool))) store(job); }
 *     while ((job = pool_next(pool))) store(job);
 */
#ifndef PROC_POOL_H
#define PROC_POOL_H

#include "proc/run.h"

typedef struct Pool Pool;
typedef void PoolJob(Runner *runner, size_t worker, void *job);
typedef enum PoolOrder { POOL_AS_FINISHED, POOL_IN_ORDER } PoolOrder;

Pool *pool_new(size_t workers, PoolOrder order, Error *err);
void pool_free(Pool *pool); /* cancels what runs, waits for the threads */
DEFINE_FREEP(Pool, pool_free)

void pool_submit(Pool *pool, PoolJob *run, void *job);
void *pool_next(Pool *pool);                     /* waits for the next finished job; NULL when none is under way */
void *pool_poll(Pool *pool);                     /* the same without waiting */
void *pool_wait(Pool *pool, int64_t timeout_ms); /* the same, waiting no longer than that */
void pool_cancel(Pool *pool); /* ends the running children and drops the waiting jobs; their jobs are still delivered */
size_t pool_under_way(const Pool *pool);

#endif
