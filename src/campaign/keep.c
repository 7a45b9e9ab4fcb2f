#include "campaign/keep.h"

#include "base/clock.h"
#include "base/file.h"

#define REFUSALS_MAX 20 /* seeds in a row without a program before the generator is held to be broken */

/* Decides whether the finding deserves a directory, and writes it. *ret_name is NULL where the bug has enough; one that
 * turned out to be several bugs may have more. */
static bool keep_directory(Campaign *campaign, CampaignTest *test, const KeptFinding *finding, size_t number,
                           KeepWrite *write, const char **ret_name, bool *ret_is_new, Error *err) {
    StoreBug bug = {0};
    bool found;
    *ret_name = NULL;
    if (!store_bug(campaign->store, finding->hit.key, &test->arena, &bug, &found, err))
        return false;
    *ret_is_new = !found;
    if (found && bug.kept >= campaign->options->duplicates_per_bug * MAX_OF(bug.clusters, 1))
        return true;
    CLEANUP(mem_freep) char *bugs = path_of(campaign->options->dir, "bugs");
    *ret_name = finding->name;
    return write(campaign, test, number, bugs, finding->name, err) && queue_add(&campaign->queue, finding->name, err);
}

static void announce(Campaign *campaign, const KeptFinding *finding) {
    const char *dir = campaign->options->dir;
    if (finding->is_warning)
        console_warn(campaign->console, "%s: see %s/bugs/%s", finding->message, dir, finding->name);
    else
        console_info(campaign->console, "%s (%s/bugs/%s)", finding->message, dir, finding->name);
}

static void count_bug(Campaign *campaign, const KeptFinding *finding, bool is_new) {
    campaign->summary.hits += finding->is_bug;
    if (is_new) {
        campaign->summary.new_bugs += finding->is_bug;
        campaign->summary.all_bugs++;
        map_insert_str(&campaign->kinds, finding->hit.kind, NULL)->value++;
    }
}

static bool record(Campaign *campaign, StoreTest *row, const StoreHit *hits, size_t hit_count, Error *err) {
    row->finished_s = clock_wall_s();
    row->hits = hits;
    row->hit_count = hit_count;
    if (!store_record(campaign->store, row, NULL, err))
        return false;
    campaign->summary.tests++;
    campaign->summary.all_tests++;
    campaign->summary.generate_us += row->generate_us;
    campaign->summary.compile_us += row->compile_us;
    campaign->summary.run_us += row->run_us;
    return true;
}

bool keep_findings(Campaign *campaign, CampaignTest *test, const KeptFinding *findings, size_t count, KeepWrite *write,
                   StoreTest *row, Error *err) {
    StoreHit *hits = arena_array(&test->arena, StoreHit, count + 1);
    campaign->refusals = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new;
        hits[i] = findings[i].hit;
        if (!keep_directory(campaign, test, &findings[i], i, write, &hits[i].directory, &is_new, err))
            return false;
        if (is_new)
            announce(campaign, &findings[i]);
        count_bug(campaign, &findings[i], is_new);
    }
    return record(campaign, row, hits, count, err);
}

bool keep_refusal(Campaign *campaign, CampaignTest *test, const char *generator, const char *why, StoreTest *row,
                  Error *err) {
    StoreHit hit = {
        .key = arena_printf(&test->arena, "generator no-program: %s", why),
        .kind = "no-program",
        .compiler = "generator",
        .version = "",
        .command = generator,
        .signature = why,
    };
    StoreBug bug;
    bool found;
    if (!store_bug(campaign->store, hit.key, &test->arena, &bug, &found, err) || !record(campaign, row, &hit, 1, err))
        return false;
    campaign->summary.refused++;
    if (!found)
        console_warn(campaign->console, "no program for seed %llu: %s", (unsigned long long)test->seed, why);
    return ++campaign->refusals < REFUSALS_MAX ||
           error_set(err, "the generator made no program %d times in a row: %s", REFUSALS_MAX, why);
}
