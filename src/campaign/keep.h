/* Inside src/campaign: the state of a hunt, and what is kept of its results.
 *
 * For each result in this order: write the directories of its bugs, queue the work on them, record it. A kill in between
 * leaves a directory without a record: the test then runs again and writes the same directory again.
 */
#ifndef CAMPAIGN_KEEP_H
#define CAMPAIGN_KEEP_H

#include <stdatomic.h>

#include "base/map.h"
#include "campaign/settings.h"
#include "campaign/test.h"
#include "explain/queue.h"
#include "proc/pool.h"

typedef struct Hunt {
    const HuntOptions *options;
    Console *console;
    Store *store;
    HuntSettings settings;
    Generator *generator;
    TestPlan plan;
    Runner *runner; /* of the calling thread: probes */
    Pool *pool;
    Scratch *scratches;      /* one for each worker */
    Vec(int64_t) config_ids; /* in the store, in the order of the matrix */

    StoreRange claimed;   /* numbers that are not started yet */
    uint64_t started;     /* tests, in this run */
    unsigned refusals;    /* of the generator, in a row */
    atomic_bool stopping; /* workers start no further test */
    ExplainQueue queue;   /* work on kept bugs */

    Map kinds; /* bugs by kind, of the campaign */
    int64_t start_ms, deadline_ms, cut_ms, lease_until_s, start_cpu_us;
    HuntSummary summary;
} Hunt;

/* False where the campaign cannot go on: the machine failed in the test, the store or a directory cannot be written. */
bool keep_test(Hunt *hunt, Test *test, Error *err);

#endif
