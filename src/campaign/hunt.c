/* The loop: claim a test number, run it on a worker, store its result, until somebody says enough.
 *
 * Workers only test (test.c) and explain bugs (explain/queue.h); everything that touches the store or the bug directories
 * happens on the calling thread (keep.c).
 */
#include "campaign/hunt.h"

#include "base/clock.h"
#include "base/file.h"
#include "campaign/keep.h"
#include "campaign/status.h"
#include "proc/interrupt.h"

#define WAIT_MS 100  /* between two looks at the clock, the user's wish and the status line */
#define LEASE_S 3600 /* far longer than a test takes; renewed in time */

/* Grace for the tests that run when --time is up: a quarter of that time, but no less and no more than this. Most tests
 * end sooner; those cut off are waiting for a compiler or program that hangs. */
#define GRACE_LEAST_MS 5000
#define GRACE_MOST_MS 60000

/* What the pool carries: a test, or work on a bug. */
typedef struct Job {
    Hunt *hunt;
    Test *test;
    ExplainJob *explain;
} Job;

HuntOptions hunt_defaults(void) {
    return (HuntOptions){.dir = "culprit-out", .workers = 1, .duplicates_per_bug = 5, .repeats = 2};
}

/* --- Setting up --- */

static bool make_plan(Hunt *hunt, Error *err) {
    const HuntSettings *settings = &hunt->settings;
    ExecuteOptions *execute = &hunt->plan.execute;
    *execute = execute_defaults();
    hunt->plan.build = (BuildOptions){&settings->flags, &settings->link_flags, "test", "a.out"};
    if (settings->compile_ms)
        execute->compile_limits.wall_ms = settings->compile_ms;
    if (settings->run_ms)
        execute->run_limits.wall_ms = settings->run_ms;
    if (settings->memory_bytes)
        execute->compile_limits.memory_bytes = execute->run_limits.memory_bytes = settings->memory_bytes;
    return emulator_probe(hunt->runner, &settings->emulator, &hunt->plan.emulator, err);
}

static bool make_generator(Hunt *hunt, Error *err) {
    GeneratorOptions options = {
        .name = hunt->settings.generator,
        .language = hunt->settings.language,
        .standard = hunt->settings.standard,
        .size = hunt->settings.size,
        .switches = &hunt->settings.switches,
        .model = hunt->settings.matrix.compilers.items[0]->model,
        .wall_ms = hunt->settings.compile_ms,
    };
    if (!generator_new(&options, &hunt->generator, err))
        return false;
    strlist_add_all(&hunt->settings.flags, generator_flags(hunt->generator));
    strlist_add_all(&hunt->settings.link_flags, generator_link_flags(hunt->generator));
    return true;
}

static bool enter_configs(Hunt *hunt, Error *err) {
    const Matrix *matrix = &hunt->settings.matrix;
    for (size_t i = 0; i < matrix->configs.len; i++) {
        const Config *config = &matrix->configs.items[i];
        StoreConfig row = {
            .command = config->name,
            .compiler = config_compiler(config),
            .version = config->compiler->version_text,
            .target = config->compiler->target,
        };
        int64_t id = 0;
        if (!store_config(hunt->store, &row, &id, err))
            return false;
        vec_push(&hunt->config_ids, id);
    }
    return true;
}

/* Sums of the campaign so far, for the status line. */
static bool load_totals(Hunt *hunt, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    StoreTotals totals;
    StoreKindCounts counts = {0};
    bool ok = store_totals(hunt->store, &totals, err) && store_kind_counts(hunt->store, &arena, &counts, err);
    for (size_t i = 0; ok && i < counts.len; i++)
        map_insert_str(&hunt->kinds, counts.items[i].kind, NULL)->value = counts.items[i].bugs;
    vec_release(&counts);
    if (ok) {
        hunt->summary.all_tests = totals.tests;
        hunt->summary.all_bugs = totals.bugs;
        hunt->summary.resumed = totals.tests > 0;
    }
    return ok;
}

static bool start_workers(Hunt *hunt, Error *err) {
    size_t count = hunt->options->workers;
    hunt->scratches = mem_zalloc(count, sizeof(Scratch));
    for (size_t i = 0; i < count; i++)
        if (!scratch_new(&hunt->scratches[i], err))
            return false;
    hunt->pool = pool_new(count, POOL_AS_FINISHED, err);
    return hunt->pool != NULL;
}

static void greet(Hunt *hunt) {
    const char *missing = runner_missing_protection(hunt->runner);
    size_t configs = hunt->settings.matrix.configs.len, compilers = hunt->settings.matrix.compilers.len;
    if (missing)
        console_warn(hunt->console, "%s", missing);
    console_info(hunt->console, "%s %s: %zu configuration%s of %zu compiler%s, %zu worker%s, seeds from %llu",
                 hunt->summary.resumed ? "resuming the hunt in" : "hunting in", hunt->options->dir, configs,
                 configs == 1 ? "" : "s", compilers, compilers == 1 ? "" : "s", hunt->options->workers,
                 hunt->options->workers == 1 ? "" : "s", (unsigned long long)hunt->settings.seed);
}

static bool open_campaign(Hunt *hunt, Error *err) {
    const HuntOptions *options = hunt->options;
    CLEANUP(mem_freep) char *bugs = path_of(options->dir, "bugs");
    size_t swept = scratch_sweep();
    if (swept)
        console_debug(hunt->console, "removed %zu scratch directories of killed processes", swept);
    return store_open(options->dir, options->must_be_new ? STORE_NEW : STORE_WORK, &hunt->store, err) &&
           dir_make(bugs, err) && load_totals(hunt, err);
}

static void set_deadline(Hunt *hunt, int64_t time_ms) {
    int64_t grace_ms = MIN_OF(MAX_OF(time_ms / 4, GRACE_LEAST_MS), GRACE_MOST_MS);
    hunt->deadline_ms = time_ms ? hunt->start_ms + time_ms : INT64_MAX;
    hunt->cut_ms = time_ms ? hunt->deadline_ms + grace_ms : INT64_MAX;
    hunt->queue.deadline_ms = hunt->deadline_ms;
}

static bool set_up(Hunt *hunt, Error *err) {
    const HuntOptions *options = hunt->options;
    if (!open_campaign(hunt, err) || !(hunt->runner = runner_new(err)) ||
        !settings_resolve(options, hunt->store, hunt->runner, &hunt->settings, err))
        return false;
    if (!make_plan(hunt, err))
        return false;
    hunt->plan.matrix = &hunt->settings.matrix;
    hunt->plan.reference = hunt->settings.reference;
    hunt->plan.repeats = options->repeats;
    if (!make_generator(hunt, err) || !enter_configs(hunt, err) ||
        !queue_open(&hunt->queue, options->dir, options->steps, options->step_count, hunt->store, hunt->console, err) ||
        !start_workers(hunt, err))
        return false;
    hunt->plan.generator = hunt->generator;
    hunt->start_ms = clock_ms();
    hunt->start_cpu_us = clock_cpu_us();
    set_deadline(hunt, options->time_ms);
    greet(hunt);
    return true;
}

static void tear_down(Hunt *hunt) {
    pool_free(hunt->pool);
    for (size_t i = 0; hunt->scratches && i < hunt->options->workers; i++)
        scratch_release(&hunt->scratches[i]);
    free(hunt->scratches);
    queue_release(&hunt->queue);
    generator_free(hunt->generator);
    settings_release(&hunt->settings);
    emulator_release(&hunt->plan.emulator);
    runner_free(hunt->runner);
    vec_release(&hunt->config_ids);
    map_release(&hunt->kinds);
    store_close(hunt->store);
}

/* --- Fetch and run --- */

static void run_job(Runner *runner, size_t worker, void *argument) {
    Job *job = argument;
    if (job->explain)
        queue_run(&job->hunt->queue, job->explain, runner);
    else if (!atomic_load(&job->hunt->stopping))
        test_run(job->test, runner, &job->hunt->scratches[worker]);
}

static void submit(Hunt *hunt, Test *test, ExplainJob *explain) {
    Job *job = mem_zalloc(1, sizeof *job);
    *job = (Job){.hunt = hunt, .test = test, .explain = explain};
    pool_submit(hunt->pool, run_job, job);
}

static bool fetch_number(Hunt *hunt, uint64_t *ret_number, Error *err) {
    int64_t now_s = clock_wall_s();
    if (hunt->claimed.count == 0) {
        uint64_t count = hunt->options->workers * 4;
        if (hunt->options->count)
            count = MIN_OF(count, hunt->options->count - hunt->started);
        if (!store_claim(hunt->store, count, now_s, LEASE_S, &hunt->claimed, err))
            return false;
    }
    if (now_s > hunt->lease_until_s - LEASE_S / 2) {
        if (!store_renew_claims(hunt->store, now_s, LEASE_S, err))
            return false;
        hunt->lease_until_s = now_s + LEASE_S;
    }
    *ret_number = hunt->claimed.first++;
    hunt->claimed.count--;
    hunt->started++;
    return true;
}

static bool enough_started(Hunt *hunt) {
    return atomic_load(&hunt->stopping) || (hunt->options->count && hunt->started >= hunt->options->count);
}

/* Keeps as many jobs waiting as there are workers, so that none of them is ever idle. Work on bugs goes first: a bug
 * explained is worth more than another test. */
static bool feed_workers(Hunt *hunt, Error *err) {
    while (pool_under_way(hunt->pool) < 2 * hunt->options->workers) {
        uint64_t number;
        ExplainJob *explain = atomic_load(&hunt->stopping) ? NULL : queue_take(&hunt->queue);
        if (explain) {
            submit(hunt, NULL, explain);
        } else if (enough_started(hunt)) {
            return true;
        } else if (fetch_number(hunt, &number, err)) {
            submit(hunt, test_new(&hunt->plan, number, hunt->settings.seed + number), NULL);
        } else {
            return false;
        }
    }
    return true;
}

/* --- Verify and store --- */

static bool take_result(Hunt *hunt, Job *job, Error *err) {
    bool ok = true;
    if (job->explain)
        ok = queue_keep(&hunt->queue, job->explain, err);
    else if (job->test->cancelled && !job->test->failed)
        hunt->summary.cut += job->test->started;
    else
        ok = keep_test(hunt, job->test, err);
    test_free(job->test);
    free(job);
    return ok;
}

/* --- The loop --- */

static void look_around(Hunt *hunt) {
    int64_t now = clock_ms();
    int asked = interrupt_count();
    if (asked > 0 || now >= hunt->deadline_ms)
        atomic_store(&hunt->stopping, true);
    if (asked > 1 || now >= hunt->cut_ms)
        pool_cancel(hunt->pool);
    HuntStatus status = {
        .start_ms = hunt->start_ms,
        .left_ms = hunt->options->time_ms ? MAX_OF(hunt->deadline_ms - now, 0) : -1,
        .left_count = hunt->options->count ? hunt->options->count - hunt->summary.tests : UINT64_MAX,
        .kinds = &hunt->kinds,
        .steps_waiting = hunt->queue.waiting.len,
        .stopping = asked > 0,
    };
    status_show(hunt->console, &status, &hunt->summary, now);
}

static bool work(Hunt *hunt, Error *err) {
    while (true) {
        look_around(hunt);
        if (!feed_workers(hunt, err))
            return false;
        if (pool_under_way(hunt->pool) == 0)
            return true;
        Job *job = pool_wait(hunt->pool, WAIT_MS);
        if (job && !take_result(hunt, job, err))
            return false;
    }
}

/* After a failure: what still runs is dropped, and runs again when the campaign is resumed. */
static void abandon(Hunt *hunt) {
    atomic_store(&hunt->stopping, true);
    if (!hunt->pool)
        return;
    pool_cancel(hunt->pool);
    for (Job *job; (job = pool_next(hunt->pool));) {
        if (job->explain)
            queue_job_free(job->explain);
        test_free(job->test);
        free(job);
    }
}

bool hunt(const HuntOptions *options, Console *console, HuntSummary *ret_summary, Error *err) {
    Hunt hunt = {.options = options, .console = console};
    bool ok = set_up(&hunt, err) && work(&hunt, err);
    if (!ok)
        abandon(&hunt);
    console_status_end(console);
    /* On a failure the first error is the one to tell. */
    if (hunt.store && !store_release_claims(hunt.store, ok ? err : NULL))
        ok = false;
    hunt.summary.interrupted = interrupt_count() > 0;
    hunt.summary.wall_ms = clock_ms() - hunt.start_ms;
    hunt.summary.own_us = clock_cpu_us() - hunt.start_cpu_us;
    *ret_summary = hunt.summary;
    tear_down(&hunt);
    return ok;
}
