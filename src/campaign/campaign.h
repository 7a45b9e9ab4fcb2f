/* Campaigns: many tests, until time, count or the user ends them. What hunts and searches for pass sequences share.
 *
 * Everything a campaign learns is in its directory: campaign.db (store.h) and bugs/<id>/ (bugdir.h). A directory with a
 * campaign is resumed with its own settings; options that are given replace them, except those that decide which program
 * belongs to a seed.
 *
 * What one test is, which settings it has and how a finding becomes a bug directory is the method's: a table of functions.
 * Workers only run tests and explain bugs (explain/queue.h); everything that touches the store or the bug directories happens
 * on the calling thread. Further work on a bug (reduction, triage, isolation) is a list of steps, taken for every bug
 * directory that is kept in the background. What time, an interrupt or a kill left undone is done when the campaign is
 * resumed.
 */
#ifndef CAMPAIGN_CAMPAIGN_H
#define CAMPAIGN_CAMPAIGN_H

#include <stdatomic.h>

#include "base/map.h"
#include "explain/queue.h"
#include "proc/pool.h"
#include "proc/scratch.h"

typedef struct CampaignOptions {
    const char *dir;
    bool must_be_new;
    bool has_seed;
    uint64_t seed;   /* of a new campaign; drawn by the caller where the user gave none */
    int64_t time_ms; /* 0: without end, as for count */
    uint64_t count;  /* tests */
    size_t workers;
    uint64_t duplicates_per_bug; /* directories kept of one bug */
    unsigned repeats;            /* of every suspicious result, before it counts */
    const ExplainStep *steps;
    size_t step_count;
} CampaignOptions;

typedef struct CampaignSummary {
    bool resumed, interrupted;
    uint64_t tests, new_bugs, hits; /* of this run; flaky results are no bugs */
    uint64_t sequences;             /* of passes that were tested, in this run; hunts have none */
    uint64_t all_tests, all_bugs;   /* of the campaign */
    uint64_t refused;               /* seeds that the generator made no program of */
    uint64_t cut;                   /* tests that ran when time was up; they run again when the campaign is resumed */
    int64_t wall_ms;
    int64_t generate_us, compile_us, run_us; /* CPU time of this run */
    int64_t repeat_us;                       /* CPU time of the repetitions that verify failures */
    int64_t own_us;                          /* CPU time of culprit itself */
} CampaignSummary;

typedef struct Campaign Campaign;

/* The beginning of every method's test. */
typedef struct CampaignTest {
    uint64_t number, seed;
    Arena arena; /* of what it found */
    bool started;
    bool cancelled; /* the user or the time wants an end at once: there is no result */
    bool failed;    /* the machine failed, not a compiler: there is no result, and err says why */
    Error err;
} CampaignTest;

typedef struct CampaignMethod {
    const char *verb; /* "hunting in" and "resuming the hunt in" */
    const char *resuming;
    /* On the calling thread: the store is open and the runner is there. Says what it works with through `ret_about`. */
    bool (*set_up)(Campaign *campaign, Str *ret_about, uint64_t *ret_seed, Error *err);
    CampaignTest *(*test_new)(Campaign *campaign);                          /* number and seed are set afterwards */
    void (*test_run)(CampaignTest *test, Runner *runner, Scratch *scratch); /* on a worker */
    bool (*test_keep)(Campaign *campaign, CampaignTest *test, Error *err);  /* on the calling thread */
    const char *(*doing)(Campaign *campaign); /* what keeps tests waiting, for the status line, or NULL; may be NULL */
    void (*test_free)(CampaignTest *test);    /* but for the beginning */
} CampaignMethod;

/* A method embeds it as its first member; zeroed but for method, options and console. */
struct Campaign {
    const CampaignMethod *method;
    const CampaignOptions *options;
    Console *console;
    Store *store;
    Runner *runner; /* of the calling thread: probes */
    Pool *pool;
    Scratch *scratches; /* one for each worker */

    uint64_t seed;
    StoreRange claimed;   /* numbers that are not started yet */
    uint64_t started;     /* tests, in this run */
    unsigned refusals;    /* of the generator, in a row */
    atomic_bool stopping; /* workers start no further test */
    ExplainQueue queue;   /* work on kept bugs */

    Map kinds; /* bugs by kind, of the campaign */
    int64_t start_ms, deadline_ms, cut_ms, lease_until_s, start_cpu_us;
    CampaignSummary summary;
};

CampaignOptions campaign_defaults(void);

/* Set up, test until somebody says enough, release everything but what the method added. */
bool campaign_run(Campaign *campaign, CampaignSummary *ret_summary, Error *err);

#endif
