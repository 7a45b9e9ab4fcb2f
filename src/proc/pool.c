/* Jobs wait in a queue, are taken by the threads in that order, and go to the finished list. Every job has a number; in
 * order of submission the one with the number that is due is delivered, else the one that finished first. */
#include "proc/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"

typedef struct Job {
    PoolJob *run;
    void *job;
    uint64_t number;
} Job;

typedef struct Worker {
    Pool *pool;
    size_t index;
    pthread_t thread;
    bool started, busy;
    Runner *runner;
} Worker;

struct Pool {
    PoolOrder order;
    size_t workers_len;
    Worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t has_work, has_room, has_result;
    bool closing;
    Vec(Job) waiting, finished;
    size_t running;
    uint64_t submitted, delivered;
};

static void *work(void *argument) {
    Worker *worker = argument;
    Pool *pool = worker->pool;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->closing && pool->waiting.len == 0)
            pthread_cond_wait(&pool->has_work, &pool->lock);
        if (pool->closing)
            break;
        Job job = pool->waiting.items[0];
        vec_remove(&pool->waiting, 0);
        runner_resume(worker->runner); /* an earlier pool_cancel concerned earlier jobs */
        worker->busy = true;
        pool->running++;
        pthread_cond_signal(&pool->has_room);
        pthread_mutex_unlock(&pool->lock);

        job.run(worker->runner, worker->index, job.job);

        pthread_mutex_lock(&pool->lock);
        worker->busy = false;
        pool->running--;
        vec_push(&pool->finished, job);
        pthread_cond_signal(&pool->has_result);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static bool start_worker(Pool *pool, size_t index, Error *err) {
    Worker *worker = &pool->workers[index];
    *worker = (Worker){.pool = pool, .index = index};
    if (!(worker->runner = runner_new(err)))
        return false;
    if (pthread_create(&worker->thread, NULL, work, worker) != 0)
        return error_set(err, "cannot start a thread; use fewer workers (-j)");
    worker->started = true;
    return true;
}

Pool *pool_new(size_t workers, PoolOrder order, Error *err) {
    Pool *pool = mem_zalloc(1, sizeof(*pool));
    pool->order = order;
    pool->workers_len = workers ? workers : 1;
    pool->workers = mem_zalloc(pool->workers_len, sizeof(Worker));
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->has_work, NULL);
    pthread_cond_init(&pool->has_room, NULL);
    pthread_cond_init(&pool->has_result, NULL);
    for (size_t i = 0; i < pool->workers_len; i++) {
        if (!start_worker(pool, i, err)) {
            pool_free(pool);
            return NULL;
        }
    }
    return pool;
}

void pool_free(Pool *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->has_work);
    pthread_mutex_unlock(&pool->lock);
    pool_cancel(pool);
    for (size_t i = 0; i < pool->workers_len; i++) {
        if (pool->workers[i].started)
            pthread_join(pool->workers[i].thread, NULL);
        runner_free(pool->workers[i].runner);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->has_work);
    pthread_cond_destroy(&pool->has_room);
    pthread_cond_destroy(&pool->has_result);
    vec_release(&pool->waiting);
    vec_release(&pool->finished);
    free(pool->workers);
    free(pool);
}

void pool_submit(Pool *pool, PoolJob *run, void *job) {
    pthread_mutex_lock(&pool->lock);
    while (pool->waiting.len >= pool->workers_len)
        pthread_cond_wait(&pool->has_room, &pool->lock);
    vec_push(&pool->waiting, (Job){.run = run, .job = job, .number = pool->submitted++});
    pthread_cond_signal(&pool->has_work);
    pthread_mutex_unlock(&pool->lock);
}

/* Takes the finished job that is to be delivered next; false if it has not finished yet. */
static bool take_finished(Pool *pool, void **ret_job) {
    for (size_t i = 0; i < pool->finished.len; i++) {
        Job job = pool->finished.items[i];
        if (pool->order == POOL_IN_ORDER && job.number != pool->delivered)
            continue;
        vec_remove(&pool->finished, i);
        pool->delivered++;
        *ret_job = job.job;
        return true;
    }
    return false;
}

void *pool_next(Pool *pool) {
    void *job = NULL;
    pthread_mutex_lock(&pool->lock);
    while (pool->delivered < pool->submitted && !take_finished(pool, &job))
        pthread_cond_wait(&pool->has_result, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return job;
}

void *pool_poll(Pool *pool) {
    void *job = NULL;
    pthread_mutex_lock(&pool->lock);
    take_finished(pool, &job);
    pthread_mutex_unlock(&pool->lock);
    return job;
}

void *pool_wait(Pool *pool, int64_t timeout_ms) {
    void *job = NULL;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += timeout_ms / 1000;
    until.tv_nsec += timeout_ms % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&pool->lock);
    while (pool->delivered < pool->submitted && !take_finished(pool, &job))
        if (pthread_cond_timedwait(&pool->has_result, &pool->lock, &until) != 0)
            break;
    pthread_mutex_unlock(&pool->lock);
    return job;
}

void pool_cancel(Pool *pool) {
    pthread_mutex_lock(&pool->lock);
    for (size_t i = 0; i < pool->waiting.len; i++)
        vec_push(&pool->finished, pool->waiting.items[i]);
    vec_clear(&pool->waiting);
    for (size_t i = 0; i < pool->workers_len; i++)
        if (pool->workers[i].busy)
            runner_stop(pool->workers[i].runner);
    pthread_cond_broadcast(&pool->has_room);
    pthread_cond_broadcast(&pool->has_result);
    pthread_mutex_unlock(&pool->lock);
}

size_t pool_under_way(const Pool *pool) {
    Pool *locked = (Pool *)pool; /* the lock is no part of its value */
    pthread_mutex_lock(&locked->lock);
    size_t count = (size_t)(pool->submitted - pool->delivered);
    pthread_mutex_unlock(&locked->lock);
    return count;
}
