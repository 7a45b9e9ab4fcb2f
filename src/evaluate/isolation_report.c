/* The benchmark's table, ours above the papers'. */
#include "base/table.h"
#include "evaluate/isolation.h"
#include "evaluate/statistics.h"

/* Shares of bugs in percent. RecBi's paper, Table 2, 60 GCC bugs; DiWi's paper, Table 2, 45 GCC bugs; synth from DiWi's
 * section 5.6.4, over all 90 bugs; LocSeq's paper, Table III, 60 LLVM bugs. One hour a bug, median of five runs. A negative
 * number: not published. */
static const struct Published {
    const char *method, *source;
    double top[METRICS_TOPS], mfr, mar;
} published[] = {
    {"recbi", "RecBi", {23.3, 53.3, 75.0, 88.3}, 8.75, 9.35},
    {"recbi-mh", "RecBi", {21.7, 50.0, 68.3, 81.7}, 10.52, 10.92},
    {"recbi-filter", "RecBi", {23.3, 50.0, 71.7, 83.3}, 10.10, 10.30},
    {"recbi-rand", "RecBi", {6.7, 30.0, 43.3, 65.0}, 19.40, 19.99},
    {"diwi", "RecBi", {13.3, 36.7, 61.7, 81.7}, 13.53, 14.15},
    {"dev", "RecBi", {5.0, 20.0, 41.7, 53.3}, 22.44, 23.04},
    {"diwi", "DiWi", {11.1, 37.8, 66.7, 80.0}, 13.93, 14.76},
    {"diwi-rand", "DiWi", {6.7, 31.1, 53.3, 73.3}, 16.91, 17.57},
    {"rand", "DiWi", {2.2, 26.7, 48.9, 64.4}, 17.66, 19.62},
    {"sbfl", "DiWi", {0, 0, 0, 0}, 276.22, 276.22},
    {"synth", "DiWi", {14.4, 51.1, -1, -1}, 12.59, 13.41},
    {"diwi", "LocSeq", {5.0, 36.7, 48.3, 66.7}, 65.37, 100.34},
    {"recbi", "LocSeq", {6.7, 41.7, 56.7, 70.0}, 26.48, 58.64},
    {"locseq", "LocSeq", {23.3, 65.0, 81.7, 90.0}, 7.31, 24.07},
    {"locseq-r", "LocSeq", {13.3, 45.0, 61.7, 70.0}, 24.41, 48.29},
    {"locseq-wc", "LocSeq", {18.3, 55.0, 66.7, 76.7}, 13.42, 35.41},
    {"locseq-rwc", "LocSeq", {10.0, 41.7, 55.0, 65.0}, 30.57, 54.07},
};

static double percent(size_t part, size_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void add_metrics(Table *table, const char *name, const char *suffix, const Metrics *metrics) {
    table_row(table);
    table_cell(table, "%s%s", name, suffix);
    table_cell(table, "%zu", metrics->bugs);
    for (size_t i = 0; i < METRICS_TOPS; i++)
        table_cell(table, "%.0f%%", percent(metrics->top[i], metrics->bugs));
    table_cell(table, "%.2f", metrics->mfr);
    table_cell(table, "%.2f", metrics->mar);
}

static void add_published(Table *table, const char *method) {
    for (size_t i = 0; i < ARRAY_LEN(published); i++) {
        if (!str_equal(published[i].method, method))
            continue;
        table_row(table);
        table_cell(table, "  %s's paper", published[i].source);
        table_cell(table, " ");
        for (size_t k = 0; k < METRICS_TOPS; k++) {
            if (published[i].top[k] < 0)
                table_cell(table, "?");
            else
                table_cell(table, "%.0f%%", published[i].top[k]);
        }
        table_cell(table, "%.2f", published[i].mfr);
        table_cell(table, "%.2f", published[i].mar);
    }
}

static void add_method(Table *table, const MethodResult *result) {
    add_metrics(table, result->method->name, "", &result->files);
    table_cell(table, "%.0f", result->mutants_per_minute);
    table_cell(table, "%.1f", result->witnesses_per_minute);
    table_cell(table, "%.3f", result->similarity);
    table_cell(table, "%.3f", result->diversity);
    add_metrics(table, result->method->name, result->method->aggregation == AGGREGATE_MEAN ? ", geometric" : ", mean",
                &result->other_aggregation);
    if (result->method->policy)
        add_metrics(table, result->method->name, ", fakes dropped", &result->without_fakes);
    add_metrics(table, result->method->name, ", functions", &result->functions);
    add_published(table, result->method->name);
}

/* The first method against each other one, over the bugs that both were measured on. */
static RankTest compare(const MethodResult *a, const MethodResult *b) {
    Vec(double) first = {0}, second = {0};
    for (size_t i = 0; i < a->first_ranks.len && i < b->first_ranks.len; i++) {
        if (a->first_ranks.items[i] == 0 || b->first_ranks.items[i] == 0)
            continue;
        vec_push(&first, a->first_ranks.items[i]);
        vec_push(&second, b->first_ranks.items[i]);
    }
    RankTest test = wilcoxon_signed_rank(first.items, second.items, first.len);
    vec_release(&first);
    vec_release(&second);
    return test;
}

static void add_comparisons(const BenchResult *result, Str *ret_text) {
    for (size_t i = 1; i < result->methods.len; i++) {
        RankTest test = compare(&result->methods.items[0], &result->methods.items[i]);
        str_printf(ret_text, "%s against %s: %zu first ranks differ, Wilcoxon's signed-rank test p = %.3g\n",
                   result->methods.items[0].method->name, result->methods.items[i].method->name, test.n, test.p);
    }
}

void bench_result_table(const BenchResult *result, size_t width, bool color, Str *ret_text) {
    static const char *const columns[] = {"method",      ">bugs",      ">Top-1", ">Top-5",       ">Top-10",
                                          ">Top-20",     ">MFR",       ">MAR",   ">mutants/min", ">witnesses/min",
                                          ">similarity", ">diversity", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    for (size_t i = 0; i < result->methods.len; i++)
        add_method(table, &result->methods.items[i]);
    table_format(table, width, color, ret_text);
    str_printf(ret_text, "%zu bugs measured, %zu skipped%s\n", result->bugs, result->skipped.len,
               result->interrupted ? "; interrupted, run it again to go on" : "");
    add_comparisons(result, ret_text);
    for (size_t i = 0; i < result->methods.len; i++)
        if (result->methods.items[i].runs_failed)
            str_printf(ret_text, "%zu runs of %s failed, not for the bugs' sake; run it again to try them anew\n",
                       result->methods.items[i].runs_failed, result->methods.items[i].method->name);
    for (size_t i = 0; i < result->skipped.len; i++)
        str_printf(ret_text, "  %s: %s\n", result->skipped.items[i].id, result->skipped.items[i].reason);
}

static Json *metrics_json(const Metrics *metrics) {
    Json *json = json_new_object();
    json_put_int(json, "bugs", (int64_t)metrics->bugs);
    for (size_t i = 0; i < METRICS_TOPS; i++) {
        CLEANUP(str_release) Str name = {0};
        str_printf(&name, "top%zu", metrics_top[i]);
        json_put_int(json, str_text(&name), (int64_t)metrics->top[i]);
    }
    json_put_real(json, "mfr", metrics->mfr);
    json_put_real(json, "mar", metrics->mar);
    return json;
}

Json *bench_result_json(const BenchResult *result) {
    Json *json = json_new_object(), *rows = json_new_array(), *skipped = json_new_array();
    for (size_t i = 0; i < result->methods.len; i++) {
        const MethodResult *m = &result->methods.items[i];
        Json *row = json_new_object();
        json_put_text(row, "method", m->method->name);
        json_put(row, "files", metrics_json(&m->files));
        json_put(row, "other_aggregation", metrics_json(&m->other_aggregation));
        json_put(row, "without_fakes", metrics_json(&m->without_fakes));
        json_put(row, "functions", metrics_json(&m->functions));
        json_put_int(row, "runs", (int64_t)m->runs);
        json_put_int(row, "runs_without_witness", (int64_t)m->runs_without_witness);
        json_put_int(row, "runs_failed", (int64_t)m->runs_failed);
        json_put_real(row, "mutants_per_minute", m->mutants_per_minute);
        json_put_real(row, "witnesses_per_minute", m->witnesses_per_minute);
        json_put_real(row, "similarity", m->similarity);
        json_put_real(row, "diversity", m->diversity);
        if (i > 0)
            json_put_real(row, "wilcoxon_p", compare(&result->methods.items[0], m).p);
        json_push(rows, row);
    }
    for (size_t i = 0; i < result->skipped.len; i++) {
        Json *row = json_new_object();
        json_put_text(row, "bug", result->skipped.items[i].id);
        json_put_text(row, "reason", result->skipped.items[i].reason);
        json_push(skipped, row);
    }
    json_put(json, "methods", rows);
    json_put_int(json, "bugs", (int64_t)result->bugs);
    json_put(json, "skipped", skipped);
    json_put_bool(json, "interrupted", result->interrupted);
    return json;
}
