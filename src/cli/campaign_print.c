#include "cli/campaign_print.h"

#include <errno.h>

#include "base/units.h"
#include "report/brief.h"
#include "store/store.h"

static Json *summary_json(const CampaignSummary *summary, const char *dir) {
    Json *json = json_new_object();
    json_put_text(json, "directory", dir);
    json_put_bool(json, "resumed", summary->resumed);
    json_put_bool(json, "interrupted", summary->interrupted);
    json_put_int(json, "tests", (int64_t)summary->tests);
    if (summary->sequences)
        json_put_int(json, "sequences", (int64_t)summary->sequences);
    json_put_int(json, "new_bugs", (int64_t)summary->new_bugs);
    json_put_int(json, "hits", (int64_t)summary->hits);
    json_put_int(json, "all_tests", (int64_t)summary->all_tests);
    json_put_int(json, "all_bugs", (int64_t)summary->all_bugs);
    json_put_int(json, "refused", (int64_t)summary->refused);
    json_put_int(json, "cut", (int64_t)summary->cut);
    json_put_int(json, "wall_ms", summary->wall_ms);
    json_put_int(json, "generate_us", summary->generate_us);
    json_put_int(json, "compile_us", summary->compile_us);
    json_put_int(json, "run_us", summary->run_us);
    json_put_int(json, "repeat_us", summary->repeat_us);
    json_put_int(json, "own_us", summary->own_us);
    return json;
}

static void print_summary(Cli *cli, const CampaignSummary *summary, const char *dir) {
    CLEANUP(str_release) Str text = {0};
    units_format_count(&text, summary->tests);
    str_append(&text, summary->tests == 1 ? " test" : " tests");
    uint64_t counted = summary->sequences ? summary->sequences : summary->tests;
    if (summary->sequences) {
        str_append(&text, ", ");
        units_format_count(&text, summary->sequences);
        str_append(&text, " sequences");
    }
    str_append(&text, " in ");
    units_format_duration(&text, summary->wall_ms);
    str_printf(&text, ", %.2f a second; ", (double)counted * 1000 / (double)MAX_OF(summary->wall_ms, 1));
    if (summary->hits)
        str_printf(&text, "%llu new bug%s, %llu hit%s (%llu bug%s in all)", (unsigned long long)summary->new_bugs,
                   summary->new_bugs == 1 ? "" : "s", (unsigned long long)summary->hits, summary->hits == 1 ? "" : "s",
                   (unsigned long long)summary->all_bugs, summary->all_bugs == 1 ? "" : "s");
    else
        str_append(&text, "no bugs");
    fprintf(cli->out, "%s\n", str_text(&text));
    if (summary->refused)
        fprintf(cli->out, "the generator made no program of %llu seeds\n", (unsigned long long)summary->refused);
    if (summary->cut)
        fprintf(cli->out, "%llu running test%s cut off, to be run again when the campaign is resumed\n",
                (unsigned long long)summary->cut, summary->cut == 1 ? " was" : "s were");
    if (summary->all_bugs)
        fprintf(cli->out, "`culprit bugs %s` lists them, `culprit report %s --open` shows them\n", dir, dir);
}

/* The campaign's best bug to look at: the one with the smallest program, else the most frequent. NULL: none is kept. */
static const char *best_bug(const char *dir, Arena *arena) {
    CLEANUP(store_closep) Store *store = NULL;
    StoreClusters clusters = {0};
    const StoreCluster *best = NULL;
    if (store_open(dir, STORE_READ, &store, NULL))
        store_clusters(store, arena, &clusters, NULL);
    for (size_t i = 0; i < clusters.len; i++) {
        const StoreCluster *cluster = &clusters.items[i];
        uint64_t bytes = cluster->explanation.reduced_bytes;
        if (cluster->bug.directory && !str_equal(cluster->bug.kind, "no-program") &&
            (!best || (bytes && (!best->explanation.reduced_bytes || bytes < best->explanation.reduced_bytes))))
            best = cluster;
    }
    const char *name = best ? arena_printf(arena, "%s/bugs/%s", dir, best->bug.directory) : NULL;
    vec_release(&clusters);
    return name;
}

static void print_best_bug(Cli *cli, const char *dir) {
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(str_release) Str text = {0};
    const char *bug = best_bug(dir, &arena);
    if (bug && report_brief(bug, program_invocation_name, &text, NULL))
        fprintf(cli->out, "\n%s", str_text(&text));
}

static ExitStatus status_of(const CampaignSummary *summary) {
    if (summary->hits)
        return STATUS_FINDINGS;
    return summary->interrupted && summary->tests == 0 ? STATUS_INTERRUPTED : STATUS_OK;
}

ExitStatus campaign_print(Cli *cli, const CampaignSummary *summary, const char *dir) {
    if (cli->json)
        return cli_print_json(cli, summary_json(summary, dir), status_of(summary));
    print_summary(cli, summary, dir);
    print_best_bug(cli, dir);
    return status_of(summary);
}
