/* The loop: claim a test number, run it on a worker, store its result, until somebody says enough. */
#include "campaign/campaign.h"

#include "base/clock.h"
#include "base/file.h"
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
    Campaign *campaign;
    CampaignTest *test;
    ExplainJob *explain;
} Job;

CampaignOptions campaign_defaults(void) {
    return (CampaignOptions){.dir = "culprit-out", .workers = 1, .duplicates_per_bug = 5, .repeats = 2};
}

/* --- Setting up --- */

/* Sums of the campaign so far, for the status line. */
static bool load_totals(Campaign *campaign, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    StoreTotals totals;
    StoreKindCounts counts = {0};
    bool ok = store_totals(campaign->store, &totals, err) && store_kind_counts(campaign->store, &arena, &counts, err);
    for (size_t i = 0; ok && i < counts.len; i++)
        map_insert_str(&campaign->kinds, counts.items[i].kind, NULL)->value = counts.items[i].bugs;
    vec_release(&counts);
    if (ok) {
        campaign->summary.all_tests = totals.tests;
        campaign->summary.all_bugs = totals.bugs;
        campaign->summary.resumed = totals.tests > 0;
    }
    return ok;
}

static bool start_workers(Campaign *campaign, Error *err) {
    size_t count = campaign->options->workers;
    campaign->scratches = mem_zalloc(count, sizeof(Scratch));
    for (size_t i = 0; i < count; i++)
        if (!scratch_new(&campaign->scratches[i], err))
            return false;
    campaign->pool = pool_new(count, POOL_AS_FINISHED, err);
    return campaign->pool != NULL;
}

static void greet(Campaign *campaign, const char *about) {
    const char *missing = runner_missing_protection(campaign->runner);
    const CampaignMethod *method = campaign->method;
    if (missing)
        console_warn(campaign->console, "%s", missing);
    console_info(campaign->console, "%s %s: %s, %zu worker%s, seeds from %llu",
                 campaign->summary.resumed ? method->resuming : method->verb, campaign->options->dir, about,
                 campaign->options->workers, campaign->options->workers == 1 ? "" : "s",
                 (unsigned long long)campaign->seed);
}

static bool open_campaign(Campaign *campaign, Error *err) {
    const CampaignOptions *options = campaign->options;
    CLEANUP(mem_freep) char *bugs = path_of(options->dir, "bugs");
    size_t swept = scratch_sweep();
    if (swept)
        console_debug(campaign->console, "removed %zu scratch directories of killed processes", swept);
    return store_open(options->dir, options->must_be_new ? STORE_NEW : STORE_WORK, &campaign->store, err) &&
           dir_make(bugs, err) && load_totals(campaign, err);
}

static void set_deadline(Campaign *campaign, int64_t time_ms) {
    int64_t grace_ms = MIN_OF(MAX_OF(time_ms / 4, GRACE_LEAST_MS), GRACE_MOST_MS);
    campaign->deadline_ms = time_ms ? campaign->start_ms + time_ms : INT64_MAX;
    campaign->cut_ms = time_ms ? campaign->deadline_ms + grace_ms : INT64_MAX;
    campaign->queue.deadline_ms = campaign->deadline_ms;
}

static bool set_up(Campaign *campaign, Error *err) {
    const CampaignOptions *options = campaign->options;
    CLEANUP(str_release) Str about = {0};
    if (!open_campaign(campaign, err) || !(campaign->runner = runner_new(err)) ||
        !campaign->method->set_up(campaign, &about, &campaign->seed, err) ||
        !queue_open(&campaign->queue, options->dir, options->steps, options->step_count, campaign->store,
                    campaign->console, err) ||
        !start_workers(campaign, err))
        return false;
    campaign->start_ms = clock_ms();
    campaign->start_cpu_us = clock_cpu_us();
    set_deadline(campaign, options->time_ms);
    greet(campaign, str_text(&about));
    return true;
}

static void tear_down(Campaign *campaign) {
    pool_free(campaign->pool);
    for (size_t i = 0; campaign->scratches && i < campaign->options->workers; i++)
        scratch_release(&campaign->scratches[i]);
    free(campaign->scratches);
    queue_release(&campaign->queue);
    runner_free(campaign->runner);
    map_release(&campaign->kinds);
    store_close(campaign->store);
}

/* --- Fetch and run --- */

static void run_job(Runner *runner, size_t worker, void *argument) {
    Job *job = argument;
    if (job->explain)
        queue_run(&job->campaign->queue, job->explain, runner);
    else if (!atomic_load(&job->campaign->stopping))
        job->campaign->method->test_run(job->test, runner, &job->campaign->scratches[worker]);
}

static CampaignTest *new_test(Campaign *campaign, uint64_t number) {
    CampaignTest *test = campaign->method->test_new(campaign);
    test->number = number;
    test->seed = campaign->seed + number;
    test->cancelled = true; /* until it has run */
    return test;
}

static void free_test(Campaign *campaign, CampaignTest *test) {
    if (!test)
        return;
    arena_release(&test->arena);
    campaign->method->test_free(test);
}

static void submit(Campaign *campaign, CampaignTest *test, ExplainJob *explain) {
    Job *job = mem_zalloc(1, sizeof *job);
    *job = (Job){.campaign = campaign, .test = test, .explain = explain};
    pool_submit(campaign->pool, run_job, job);
}

static bool fetch_number(Campaign *campaign, uint64_t *ret_number, Error *err) {
    int64_t now_s = clock_wall_s();
    if (campaign->claimed.count == 0) {
        uint64_t count = campaign->options->workers * 4;
        if (campaign->options->count)
            count = MIN_OF(count, campaign->options->count - campaign->started);
        if (!store_claim(campaign->store, count, now_s, LEASE_S, &campaign->claimed, err))
            return false;
    }
    if (now_s > campaign->lease_until_s - LEASE_S / 2) {
        if (!store_renew_claims(campaign->store, now_s, LEASE_S, err))
            return false;
        campaign->lease_until_s = now_s + LEASE_S;
    }
    *ret_number = campaign->claimed.first++;
    campaign->claimed.count--;
    campaign->started++;
    return true;
}

static bool enough_started(Campaign *campaign) {
    return atomic_load(&campaign->stopping) ||
           (campaign->options->count && campaign->started >= campaign->options->count);
}

/* Keeps as many jobs waiting as there are workers, so that none of them is ever idle. Work on bugs goes first: a bug
 * explained is worth more than another test. */
static bool feed_workers(Campaign *campaign, Error *err) {
    while (pool_under_way(campaign->pool) < 2 * campaign->options->workers) {
        uint64_t number;
        ExplainJob *explain = atomic_load(&campaign->stopping) ? NULL : queue_take(&campaign->queue);
        if (explain) {
            submit(campaign, NULL, explain);
        } else if (enough_started(campaign)) {
            return true;
        } else if (fetch_number(campaign, &number, err)) {
            submit(campaign, new_test(campaign, number), NULL);
        } else {
            return false;
        }
    }
    return true;
}

/* --- Verify and store --- */

static bool take_result(Campaign *campaign, Job *job, Error *err) {
    bool ok = true;
    if (job->explain)
        ok = queue_keep(&campaign->queue, job->explain, err);
    else if (job->test->cancelled && !job->test->failed)
        campaign->summary.cut += job->test->started;
    else
        ok = job->test->failed ? error_set(err, "%s", job->test->err.text)
                               : campaign->method->test_keep(campaign, job->test, err);
    free_test(campaign, job->test);
    free(job);
    return ok;
}

/* --- The loop --- */

static void look_around(Campaign *campaign) {
    int64_t now = clock_ms();
    int asked = interrupt_count();
    if (asked > 0 || now >= campaign->deadline_ms)
        atomic_store(&campaign->stopping, true);
    if (asked > 1 || now >= campaign->cut_ms)
        pool_cancel(campaign->pool);
    CampaignStatus status = {
        .start_ms = campaign->start_ms,
        .left_ms = campaign->options->time_ms ? MAX_OF(campaign->deadline_ms - now, 0) : -1,
        .left_count = campaign->options->count ? campaign->options->count - campaign->summary.tests : UINT64_MAX,
        .kinds = &campaign->kinds,
        .steps_waiting = campaign->queue.waiting.len,
        .stopping = asked > 0,
        .doing = campaign->method->doing ? campaign->method->doing(campaign) : NULL,
    };
    status_show(campaign->console, &status, &campaign->summary, now);
}

static bool work(Campaign *campaign, Error *err) {
    while (true) {
        look_around(campaign);
        if (!feed_workers(campaign, err))
            return false;
        if (pool_under_way(campaign->pool) == 0)
            return true;
        Job *job = pool_wait(campaign->pool, WAIT_MS);
        if (job && !take_result(campaign, job, err))
            return false;
    }
}

/* After a failure: what still runs is dropped, and runs again when the campaign is resumed. */
static void abandon(Campaign *campaign) {
    atomic_store(&campaign->stopping, true);
    if (!campaign->pool)
        return;
    pool_cancel(campaign->pool);
    for (Job *job; (job = pool_next(campaign->pool));) {
        if (job->explain)
            queue_job_free(job->explain);
        free_test(campaign, job->test);
        free(job);
    }
}

bool campaign_run(Campaign *campaign, CampaignSummary *ret_summary, Error *err) {
    bool ok = set_up(campaign, err) && work(campaign, err);
    if (!ok)
        abandon(campaign);
    console_status_end(campaign->console);
    /* On a failure the first error is the one to tell. */
    if (campaign->store && !store_release_claims(campaign->store, ok ? err : NULL))
        ok = false;
    campaign->summary.interrupted = interrupt_count() > 0;
    campaign->summary.wall_ms = clock_ms() - campaign->start_ms;
    campaign->summary.own_us = clock_cpu_us() - campaign->start_cpu_us;
    *ret_summary = campaign->summary;
    tear_down(campaign);
    return ok;
}
