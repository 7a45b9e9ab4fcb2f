#include <string.h>

#include "base/clock.h"
#include "base/table.h"
#include "bug/bug.h"
#include "cli/command.h"
#include "store/store.h"

typedef struct BugsArgs {
    bool costs;
} BugsArgs;

static const Option options[] = {
    OPTION(BugsArgs, costs, "costs", 0, OPTION_FLAG, NULL, "where the campaign's CPU time went, instead of its bugs"),
    {0},
};

static void put_explanation(Json *json, const StoreExplanation *explanation) {
    CLEANUP(strlist_release) StrList suspects = {0};
    if (explanation->fingerprint)
        json_put_text(json, "fingerprint", explanation->fingerprint);
    if (explanation->pass)
        json_put_text(json, "pass", explanation->pass);
    if (explanation->reduced_bytes)
        json_put_int(json, "reduced_bytes", (int64_t)explanation->reduced_bytes);
    if (explanation->suspects) {
        strlist_split(&suspects, explanation->suspects, '\n');
        json_put_strings(json, "suspects", &suspects);
    }
}

static Json *cluster_json(const StoreCluster *cluster) {
    Json *json = json_new_object();
    const StoreBug *bug = &cluster->bug;
    CLEANUP(str_release) Str first = {0};
    CLEANUP(str_release) Str last = {0};
    clock_append_utc(&first, bug->first_seen_s);
    clock_append_utc(&last, bug->last_seen_s);
    json_put_text(json, "kind", bug->kind);
    json_put_text(json, "compiler", bug->compiler);
    json_put_text(json, "version", bug->version);
    json_put_text(json, "command", bug->command);
    json_put_text(json, "signature", bug->signature);
    json_put_text(json, "key", bug->key);
    json_put_text(json, "oracle", bug->oracle);
    json_put_text(json, "directory", bug->directory);
    json_put_int(json, "hits", (int64_t)bug->hits);
    json_put_int(json, "directories", (int64_t)bug->kept);
    json_put_int(json, "merged", (int64_t)cluster->keys);
    json_put_text(json, "first_seen", str_text(&first));
    json_put_text(json, "last_seen", str_text(&last));
    put_explanation(json, &cluster->explanation);
    return json;
}

static ExitStatus print_campaign_json(Cli *cli, const StoreClusters *clusters, const StoreTotals *totals) {
    Json *json = json_new_object(), *rows = json_new_array();
    for (size_t i = 0; i < clusters->len; i++)
        json_push(rows, cluster_json(&clusters->items[i]));
    json_put_int(json, "tests", (int64_t)totals->tests);
    if (totals->sequences)
        json_put_int(json, "sequences", (int64_t)totals->sequences);
    json_put(json, "bugs", rows);
    return cli_print_json(cli, json, STATUS_OK);
}

static void print_table(Cli *cli, Table *table) {
    CLEANUP(str_release) Str text = {0};
    table_format(table, cli->width, cli->color, &text);
    fputs(str_text(&text), cli->out);
}

/* The most that is known about the cause: suspected file, guilty pass, the compiler's words. */
static void add_cause(Table *table, const StoreCluster *cluster) {
    const StoreExplanation *explanation = &cluster->explanation;
    const StoreBug *bug = &cluster->bug;
    CLEANUP(str_release) Str text = {0};
    str_append(&text, bug->command);
    if (*bug->signature)
        str_printf(&text, ": %s", bug->signature);
    if (explanation->pass)
        str_printf(&text, "; pass %s", explanation->pass);
    if (explanation->suspects)
        str_printf(&text, "; suspect %.*s", (int)strcspn(explanation->suspects, "\n"), explanation->suspects);
    if (!explanation->fingerprint && bug->clusters > 1)
        str_append(&text, "; further hits, not looked at");
    table_cell(table, "%s", str_text(&text));
}

static ExitStatus print_campaign(Cli *cli, const StoreClusters *clusters, const StoreTotals *totals) {
    static const char *const columns[] = {
        ">hits", "kind", "compiler", "directory", ">bytes", "first failing command, reason", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    for (size_t i = 0; i < clusters->len; i++) {
        const StoreBug *bug = &clusters->items[i].bug;
        uint64_t reduced = clusters->items[i].explanation.reduced_bytes;
        table_row(table);
        table_cell(table, "%llu", (unsigned long long)bug->hits);
        table_cell(table, "%s", bug->kind);
        table_cell(table, "%s", bug->compiler);
        table_cell(table, "%s", bug->directory ? bug->directory : "-");
        if (reduced)
            table_cell(table, "%llu", (unsigned long long)reduced);
        else
            table_cell(table, "-");
        add_cause(table, &clusters->items[i]);
    }
    if (clusters->len)
        print_table(cli, table);
    fprintf(cli->out, "%zu bug%s in %llu tests", clusters->len, clusters->len == 1 ? "" : "s",
            (unsigned long long)totals->tests);
    if (totals->sequences)
        fprintf(cli->out, ", %llu sequences", (unsigned long long)totals->sequences);
    fputc('\n', cli->out);
    return STATUS_OK;
}

/* --- Costs, as in YARPGen's Table 7 --- */

/* What one configuration cost in all, whatever its verdicts. */
typedef struct Cost {
    const char *command;
    uint64_t tests;
    int64_t compile_us, run_us;
} Cost;

typedef Vec(Cost) Costs;

static void sum_costs(const StoreVerdictCounts *counts, Costs *ret_costs) {
    for (size_t i = 0; i < counts->len; i++) {
        const StoreVerdictCount *count = &counts->items[i];
        size_t k = 0;
        while (k < ret_costs->len && !str_equal(ret_costs->items[k].command, count->command))
            k++;
        if (k == ret_costs->len)
            vec_push(ret_costs, (Cost){.command = count->command});
        ret_costs->items[k].tests += count->tests;
        ret_costs->items[k].compile_us += count->compile_us;
        ret_costs->items[k].run_us += count->run_us;
    }
}

/* The table names a tool once. */
static void add_cost(Table *table, Json *rows, const char *tool, const char *step, int64_t us, int64_t all_us) {
    bool again = str_equal(step, "execution");
    double percent = all_us ? 100.0 * (double)us / (double)all_us : 0;
    Json *row = json_new_object();
    table_row(table);
    table_cell(table, "%s", again ? "" : tool);
    table_cell(table, "%s", step);
    table_cell(table, "%.2f", (double)us / 1e6);
    table_cell(table, "%.2f%%", percent);
    json_put_text(row, "tool", tool);
    json_put_text(row, "step", step);
    json_put_int(row, "cpu_us", us);
    json_put_real(row, "percent", percent);
    json_push(rows, row);
}

static ExitStatus print_costs(Cli *cli, const Costs *costs, const StoreTotals *totals) {
    static const char *const columns[] = {"tool", "step", ">CPU seconds", ">share", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    Json *json = json_new_object(), *rows = json_new_array();
    int64_t all_us = totals->generate_us;
    for (size_t i = 0; i < costs->len; i++)
        all_us += costs->items[i].compile_us + costs->items[i].run_us;
    add_cost(table, rows, "generator", "generation", totals->generate_us, all_us);
    for (size_t i = 0; i < costs->len; i++) {
        add_cost(table, rows, costs->items[i].command, "compilation", costs->items[i].compile_us, all_us);
        add_cost(table, rows, costs->items[i].command, "execution", costs->items[i].run_us, all_us);
    }
    json_put_int(json, "tests", (int64_t)totals->tests);
    json_put_int(json, "cpu_us", all_us);
    json_put(json, "costs", rows);
    if (cli->json)
        return cli_print_json(cli, json, STATUS_OK);
    json_free(json);
    print_table(cli, table);
    fprintf(cli->out,
            "%.2f CPU seconds in %llu tests; repetitions that verify failures, and culprit itself, are not "
            "counted\n",
            (double)all_us / 1e6, (unsigned long long)totals->tests);
    return STATUS_OK;
}

static ExitStatus list_costs(Cli *cli, const char *dir) {
    CLEANUP(store_closep) Store *store = NULL;
    CLEANUP(arena_release) Arena arena = {0};
    StoreVerdictCounts counts = {0};
    Costs costs = {0};
    StoreTotals totals;
    Error err;
    if (!store_open(dir, STORE_READ, &store, &err) || !store_verdict_counts(store, &arena, &counts, &err) ||
        !store_totals(store, &totals, &err))
        return cli_fail(cli, &err);
    sum_costs(&counts, &costs);
    ExitStatus status = print_costs(cli, &costs, &totals);
    vec_release(&counts);
    vec_release(&costs);
    return status;
}

static ExitStatus list_campaign(Cli *cli, const char *dir) {
    CLEANUP(store_closep) Store *store = NULL;
    CLEANUP(arena_release) Arena arena = {0};
    StoreClusters clusters = {0};
    StoreTotals totals;
    Error err;
    if (!store_open(dir, STORE_READ, &store, &err) || !store_clusters(store, &arena, &clusters, &err) ||
        !store_totals(store, &totals, &err))
        return cli_fail(cli, &err);
    ExitStatus status =
        cli->json ? print_campaign_json(cli, &clusters, &totals) : print_campaign(cli, &clusters, &totals);
    vec_release(&clusters);
    return status;
}

/* Bug directories without a campaign around them: bug sets, copies. */
static ExitStatus list_directories(Cli *cli, const StrList *dirs) {
    static const char *const columns[] = {"bug", "kind", "compiler", "command", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    CLEANUP(json_freep) Json *rows = json_new_array();
    for (size_t i = 0; i < dirs->len; i++) {
        CLEANUP(bug_release) Bug bug = {0};
        Error err;
        if (!bug_load(dirs->items[i], &bug, &err))
            return cli_fail(cli, &err);
        CLEANUP(mem_freep) char *command = strlist_join_shell(&bug.fail_cmd);
        table_row(table);
        table_cell(table, "%s", bug.id);
        table_cell(table, "%s", verdict_kind(bug.kind));
        table_cell(table, "%s", bug.compiler);
        table_cell(table, "%s", command);
        json_push(rows, json_copy_deep(bug.json));
    }
    if (cli->json)
        return cli_print_json(cli, TAKE(rows), STATUS_OK);
    print_table(cli, table);
    return STATUS_OK;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const BugsArgs *args = arguments;
    const char *dir = operands->len ? operands->items[0] : "culprit-out";
    CLEANUP(strlist_release) StrList dirs = {0};
    Error err;
    if (store_exists(dir))
        return args->costs ? list_costs(cli, dir) : list_campaign(cli, dir);
    if (args->costs) {
        error_set(&err, "there is no campaign in %s: give a directory that `culprit hunt` wrote", dir);
        return cli_fail(cli, &err);
    }
    if (!bug_find_all(dir, &dirs, &err))
        return cli_fail(cli, &err);
    if (dirs.len == 0) {
        error_set(&err, "there is neither a campaign nor a bug in %s: give a directory that `culprit hunt` wrote", dir);
        return cli_fail(cli, &err);
    }
    return list_directories(cli, &dirs);
}

const Command cmd_bugs = {
    .name = "bugs",
    .group = "Find bugs",
    .summary = "list the bugs of a campaign",
    .operands = "[DIR]",
    .details = "Lists what a campaign found, the most frequent first, or the bug directories of a bug set. What triage "
               "found to be one bug is one line, with the directory to look at first, the size of its reduced program, "
               "the guilty pass and the most suspicious source file. It may be asked while the campaign runs.\n\n"
               "--costs prints the CPU time of the generator, and of each configuration's compilations and programs, "
               "as Table 7 of YARPGen's paper does.\n",
    .examples = "  $ culprit bugs culprit-out\n"
                "  $ culprit bugs culprit-out --json | jq -r '.bugs[].directory'\n"
                "  $ culprit bugs culprit-out --costs\n",
    .options = options,
    .args_size = sizeof(BugsArgs),
    .max_operands = 1,
    .run = run,
};
