#include "campaign/explain.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "proc/interrupt.h"

#define UNDONE ".undone" /* in a bug directory: its slow steps are still to be taken */
/* Directories of one cluster that costly steps are taken for: the second guards against a first that is hard to reduce. */
#define COSTLY_PER_CLUSTER 2

static void failures_release(StepJob *job) { str_release(&job->failures); }

void step_job_free(StepJob *job) {
    failures_release(job);
    free(job->dir);
    free(job);
}

static bool has_slow_steps(const HuntOptions *options) {
    for (size_t i = 0; i < options->step_count; i++)
        if (options->steps[i].is_slow)
            return true;
    return false;
}

static void queue(Explain *explain, const char *dir) {
    StepJob *job = mem_zalloc(1, sizeof *job);
    job->dir = mem_strdup(dir);
    vec_push(&explain->waiting, job);
}

/* Queues the directories whose slow steps an earlier run left undone. One that the store does not know is not queued: the
 * run was killed before it recorded the test, which is run again and writes the directory anew. */
static bool queue_undone(Explain *explain, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(mem_freep) char *bugs = path_of(explain->options->dir, "bugs");
    if (!dir_list(bugs, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *dir = path_of(bugs, names.items[i]);
        CLEANUP(mem_freep) char *mark = path_of(dir, UNDONE);
        bool known = false;
        if (file_exists(mark) && !store_has_directory(explain->store, names.items[i], &known, err))
            return false;
        if (known)
            queue(explain, dir);
    }
    return true;
}

static bool load_sizes(Explain *explain, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    StoreClusters clusters = {0};
    bool ok = store_clusters(explain->store, &arena, &clusters, err);
    for (size_t i = 0; ok && i < clusters.len; i++)
        if (clusters.items[i].explanation.fingerprint)
            map_insert_str(&explain->sizes, clusters.items[i].explanation.fingerprint, NULL)->value =
                clusters.items[i].bug.kept;
    vec_release(&clusters);
    return ok;
}

bool explain_start(Explain *explain, const HuntOptions *options, Store *store, Console *console, Error *err) {
    *explain = (Explain){.options = options, .console = console, .store = store, .deadline_ms = INT64_MAX};
    pthread_mutex_init(&explain->lock, NULL);
    return !has_slow_steps(options) || (load_sizes(explain, err) && queue_undone(explain, err));
}

void explain_release(Explain *explain) {
    if (!explain->options)
        return; /* never started */
    for (size_t i = 0; i < explain->waiting.len; i++)
        step_job_free(explain->waiting.items[i]);
    vec_release(&explain->waiting);
    map_release(&explain->sizes);
    pthread_mutex_destroy(&explain->lock);
}

StepJob *explain_take(Explain *explain) {
    if (explain->waiting.len == 0)
        return NULL;
    StepJob *job = explain->waiting.items[0];
    vec_remove(&explain->waiting, 0);
    return job;
}

/* --- Steps --- */

/* Where a step fails, those after it may work nevertheless. */
static void take_step(const HuntStep *step, StepJob *job, int64_t most_ms, Runner *runner) {
    Error err = {0};
    if (step->run(runner, job->dir, most_ms, step->context, &err))
        return;
    str_printf(&job->failures, "%scannot %s %s: %s", job->failures.len ? "; " : "", step->name, job->dir, err.text);
}

static void take_quick_steps(const HuntOptions *options, StepJob *job, Runner *runner) {
    for (size_t i = 0; i < options->step_count; i++)
        if (!options->steps[i].is_slow)
            take_step(&options->steps[i], job, INT64_MAX, runner);
}

bool explain_new_bug(Explain *explain, Runner *runner, const char *name, Error *err) {
    CLEANUP(str_release) Str dir = {0};
    str_printf(&dir, "%s/bugs/%s", explain->options->dir, name);
    CLEANUP(mem_freep) char *mark = path_of(str_text(&dir), UNDONE);
    CLEANUP(failures_release) StepJob now = {.dir = dir.data};
    take_quick_steps(explain->options, &now, runner);
    if (now.failures.len)
        return error_set(err, "%s", str_text(&now.failures));
    if (!has_slow_steps(explain->options))
        return true;
    queue(explain, now.dir);
    return file_write_text(mark, "", err);
}

/* What the steps left in the directory. Texts live in the arena. */
static StoreExplanation read_explanation(const char *dir, Arena *arena) {
    CLEANUP(mem_freep) char *path = path_of(dir, "bug.json");
    CLEANUP(strlist_release) StrList suspects = {0};
    CLEANUP(json_freep) Json *json = NULL;
    if (!json_read_file(path, &json, NULL))
        return (StoreExplanation){0};
    json_get_strings(json, "suspects", &suspects);
    CLEANUP(mem_freep) char *lines = strlist_join(&suspects, "\n");
    return (StoreExplanation){
        .fingerprint = arena_strdup(arena, json_get_text(json_get(json, "triage"), "fingerprint", NULL)),
        .pass = arena_strdup(arena, json_get_text(json_get(json, "guilty"), "pass", NULL)),
        .suspects = suspects.len ? arena_strdup(arena, lines) : NULL,
        .reduced_bytes = (uint64_t)json_get_int(json_get(json, "reduced"), "bytes", 0),
    };
}

/* Whether the directory is one of the first of its cluster, as far as the cluster is known by now. */
static bool deserves_costly_steps(Explain *explain, StepJob *job) {
    CLEANUP(arena_release) Arena arena = {0};
    const char *fingerprint = job->rank ? NULL : read_explanation(job->dir, &arena).fingerprint;
    if (fingerprint) {
        pthread_mutex_lock(&explain->lock);
        job->rank = ++map_insert_str(&explain->sizes, fingerprint, NULL)->value;
        pthread_mutex_unlock(&explain->lock);
    }
    return job->rank <= COSTLY_PER_CLUSTER;
}

void explain_run(Explain *explain, StepJob *job, Runner *runner) {
    const HuntOptions *options = explain->options;
    job->ran = true;
    for (size_t i = 0; i < options->step_count; i++) {
        const HuntStep *step = &options->steps[i];
        int64_t left_ms = explain->deadline_ms - clock_ms();
        if (left_ms > 0 && step->is_slow && (!step->is_costly || deserves_costly_steps(explain, job)))
            take_step(step, job, left_ms, runner);
    }
    job->cut = clock_ms() >= explain->deadline_ms;
    take_quick_steps(options, job, runner);
}

static bool record(Explain *explain, const StepJob *job, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    StoreExplanation explanation = read_explanation(job->dir, &arena);
    return store_explain(explain->store, path_name(job->dir), &explanation, NULL, err);
}

bool explain_again(const char *bug_dir, Error *err) {
    CLEANUP(str_release) Str campaign = {0};
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(store_closep) Store *store = NULL;
    str_printf(&campaign, "%s/../..", bug_dir);
    if (!store_exists(str_text(&campaign)) || !store_open(str_text(&campaign), STORE_WORK, &store, NULL))
        return true;
    StoreExplanation explanation = read_explanation(bug_dir, &arena);
    return store_explain(store, path_name(bug_dir), &explanation, NULL, err);
}

bool explain_keep(Explain *explain, StepJob *job, Error *err) {
    CLEANUP(mem_freep) char *mark = path_of(job->dir, UNDONE);
    if (job->failures.len && !job->cut && interrupt_count() == 0)
        console_warn(explain->console, "%s", str_text(&job->failures));
    bool ok = !job->ran || record(explain, job, err);
    if (job->ran && ok && !job->cut && interrupt_count() < 2)
        unlink(mark);
    step_job_free(job);
    return ok;
}
