#include "explain/queue.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "explain/explain.h"
#include "proc/interrupt.h"

/* Directories of one cluster that costly steps are taken for: the second guards against a first that is hard to reduce. */
#define COSTLY_PER_CLUSTER 2

static void push_job(ExplainQueue *queue, const char *dir) {
    ExplainJob *job = mem_zalloc(1, sizeof *job);
    job->dir = mem_strdup(dir);
    vec_push(&queue->waiting, job);
}

void queue_job_free(ExplainJob *job) {
    bug_release(&job->bug);
    str_release(&job->failures);
    free(job->dir);
    free(job);
}

/* --- Resuming --- */

/* How many directories of each cluster have been worked on. */
static bool load_sizes(ExplainQueue *queue, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    StoreClusters clusters = {0};
    bool ok = store_clusters(queue->store, &arena, &clusters, err);
    for (size_t i = 0; ok && i < clusters.len; i++) {
        const char *fingerprint = clusters.items[i].explanation.fingerprint;
        uint64_t size = 0;
        ok = !fingerprint || store_cluster_size(queue->store, fingerprint, &size, err);
        if (ok && fingerprint)
            map_insert_str(&queue->sizes, fingerprint, NULL)->value = size;
    }
    vec_release(&clusters);
    return ok;
}

/* A directory whose job is run again has its place in the cluster still to take. */
static void uncount(ExplainQueue *queue, const char *dir) {
    CLEANUP(bug_release) Bug bug = {0};
    if (!bug_load(dir, &bug, NULL) || !bug.fingerprint)
        return;
    uint64_t *size = &map_insert_str(&queue->sizes, bug.fingerprint, NULL)->value;
    *size -= *size > 0;
}

/* One that the store does not know is not queued: the run was killed before it recorded the test, which is run again and
 * writes the directory anew. */
static bool queue_undone(ExplainQueue *queue, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(mem_freep) char *bugs = path_of(queue->dir, "bugs");
    if (!dir_list(bugs, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *dir = path_of(bugs, names.items[i]);
        CLEANUP(mem_freep) char *mark = path_of(dir, BUG_UNDONE);
        bool known = false;
        if (file_exists(mark) && !store_has_directory(queue->store, names.items[i], &known, err))
            return false;
        if (known) {
            uncount(queue, dir);
            push_job(queue, dir);
        }
    }
    return true;
}

bool queue_open(ExplainQueue *queue, const char *dir, const ExplainStep *steps, size_t step_count, Store *store,
                Console *console, Error *err) {
    *queue = (ExplainQueue){.dir = dir,
                            .steps = steps,
                            .step_count = step_count,
                            .store = store,
                            .console = console,
                            .deadline_ms = INT64_MAX};
    pthread_mutex_init(&queue->lock, NULL);
    return step_count == 0 || (load_sizes(queue, err) && queue_undone(queue, err));
}

void queue_release(ExplainQueue *queue) {
    if (!queue->dir)
        return; /* never opened */
    for (size_t i = 0; i < queue->waiting.len; i++)
        queue_job_free(queue->waiting.items[i]);
    vec_release(&queue->waiting);
    map_release(&queue->sizes);
    pthread_mutex_destroy(&queue->lock);
}

/* --- Jobs --- */

bool queue_add(ExplainQueue *queue, const char *name, Error *err) {
    CLEANUP(str_release) Str dir = {0};
    str_printf(&dir, "%s/bugs/%s", queue->dir, name);
    CLEANUP(mem_freep) char *mark = path_of(str_text(&dir), BUG_UNDONE);
    if (queue->step_count == 0)
        return true;
    push_job(queue, str_text(&dir));
    return file_write_text(mark, "", err);
}

ExplainJob *queue_take(ExplainQueue *queue) {
    if (queue->waiting.len == 0)
        return NULL;
    ExplainJob *job = queue->waiting.items[0];
    vec_remove(&queue->waiting, 0);
    return job;
}

static void add_failure(ExplainJob *job, const char *what, const Error *err) {
    str_printf(&job->failures, "%scannot %s %s: %s", job->failures.len ? "; " : "", what, job->dir, err->text);
}

/* Whether the directory is one of the first of its cluster, as far as the cluster is known by now. */
static bool deserves_costly_steps(ExplainQueue *queue, ExplainJob *job) {
    if (!job->rank && job->bug.fingerprint) {
        pthread_mutex_lock(&queue->lock);
        job->rank = ++map_insert_str(&queue->sizes, job->bug.fingerprint, NULL)->value;
        pthread_mutex_unlock(&queue->lock);
    }
    return job->rank <= COSTLY_PER_CLUSTER;
}

/* Where a step fails, those after it may work nevertheless. What a step found is on disk before the next one starts, so
 * that a kill costs no more than the step at hand. */
void queue_run(ExplainQueue *queue, ExplainJob *job, Runner *runner) {
    Error err = {0};
    job->runner = runner;
    if (!bug_load(job->dir, &job->bug, &err)) {
        add_failure(job, "explain", &err);
        return;
    }
    for (size_t i = 0; i < queue->step_count; i++) {
        const ExplainStep *step = &queue->steps[i];
        job->most_ms = queue->deadline_ms - clock_ms();
        if (job->most_ms <= 0 || interrupt_count() > 0) {
            job->cut = true;
            break;
        }
        if (step->is_costly && !deserves_costly_steps(queue, job))
            continue;
        job->changed = false;
        if (!step->run(job, step->context, &err)) {
            add_failure(job, step->name, &err);
            job->cut |= clock_ms() >= queue->deadline_ms || interrupt_count() > 0;
        }
        if (job->changed && !bug_save(&job->bug, &err))
            add_failure(job, "save", &err);
    }
    if (!explain_publish(&job->bug, &err))
        add_failure(job, "write the report of", &err);
}

bool queue_keep(ExplainQueue *queue, ExplainJob *job, Error *err) {
    CLEANUP(mem_freep) char *mark = path_of(job->dir, BUG_UNDONE);
    if (job->failures.len && !job->cut)
        console_warn(queue->console, "%s", str_text(&job->failures));
    bool ran = job->bug.dir != NULL;
    bool ok = !ran || explain_record(queue->store, &job->bug, err);
    if (ran && ok && !job->cut)
        unlink(mark);
    queue_job_free(job);
    return ok;
}
