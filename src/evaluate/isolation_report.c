/* The benchmark's table, ours above the papers'. */
#include <math.h>

#include "base/table.h"
#include "evaluate/isolation.h"

/* Table 2 of DiWi's and RecBi's papers and Table III of LocSeq's: bugs within the first 1, 5, 10 and 20 files, one hour a bug,
 * median of five runs. GCC and LLVM have rows of their own; synth is from DiWi's section 5.6.4, over all 90 bugs, where -1 is not published. */
static const struct Published {
    CompilerFamily family; /* FAMILY_OTHER: both */
    const char *method, *source;
    int bugs, top[METRICS_TOPS];
    double mfr, mar;
} published[] = {
    {FAMILY_GCC, "recbi", "RecBi", 60, {14, 32, 45, 53}, 8.75, 9.35},
    {FAMILY_GCC, "recbi-mh", "RecBi", 60, {13, 30, 41, 49}, 10.52, 10.92},
    {FAMILY_GCC, "recbi-filter", "RecBi", 60, {14, 30, 43, 50}, 10.10, 10.30},
    {FAMILY_GCC, "recbi-rand", "RecBi", 60, {4, 18, 26, 39}, 19.40, 19.99},
    {FAMILY_GCC, "diwi", "RecBi", 60, {8, 22, 37, 49}, 13.53, 14.15},
    {FAMILY_GCC, "dev", "RecBi", 60, {3, 12, 25, 32}, 22.44, 23.04},
    {FAMILY_GCC, "diwi", "DiWi", 45, {5, 17, 30, 36}, 13.93, 14.76},
    {FAMILY_GCC, "diwi-rand", "DiWi", 45, {3, 14, 24, 33}, 16.91, 17.57},
    {FAMILY_GCC, "dev", "DiWi", 45, {3, 12, 25, 30}, 17.29, 18.07},
    {FAMILY_GCC, "rand", "DiWi", 45, {1, 12, 22, 29}, 17.66, 19.62},
    {FAMILY_GCC, "sbfl", "DiWi", 45, {0, 0, 0, 0}, 276.22, 276.22},
    {FAMILY_CLANG, "recbi", "RecBi", 60, {13, 38, 48, 54}, 7.77, 7.85},
    {FAMILY_CLANG, "recbi-mh", "RecBi", 60, {10, 31, 42, 50}, 11.17, 11.48},
    {FAMILY_CLANG, "recbi-filter", "RecBi", 60, {7, 27, 42, 49}, 13.77, 17.91},
    {FAMILY_CLANG, "recbi-rand", "RecBi", 60, {3, 29, 39, 49}, 40.12, 40.16},
    {FAMILY_CLANG, "diwi", "RecBi", 60, {6, 23, 37, 47}, 16.80, 16.92},
    {FAMILY_CLANG, "dev", "RecBi", 60, {2, 12, 22, 37}, 37.36, 37.49},
    {FAMILY_CLANG, "diwi", "DiWi", 45, {5, 20, 30, 35}, 14.60, 14.76},
    {FAMILY_CLANG, "diwi-rand", "DiWi", 45, {3, 15, 24, 33}, 20.82, 21.04},
    {FAMILY_CLANG, "dev", "DiWi", 45, {1, 10, 20, 33}, 26.44, 26.61},
    {FAMILY_CLANG, "rand", "DiWi", 45, {5, 12, 22, 31}, 24.02, 24.21},
    {FAMILY_CLANG, "sbfl", "DiWi", 45, {1, 3, 3, 3}, 619.09, 619.09},
    {FAMILY_OTHER, "synth", "DiWi", 90, {13, 46, -1, -1}, 12.59, 13.41},
    {FAMILY_CLANG, "diwi", "LocSeq", 60, {3, 22, 29, 40}, 65.37, 100.34},
    {FAMILY_CLANG, "recbi", "LocSeq", 60, {4, 25, 34, 42}, 26.48, 58.64},
    {FAMILY_CLANG, "locseq", "LocSeq", 60, {14, 39, 49, 54}, 7.31, 24.07},
    {FAMILY_CLANG, "locseq-r", "LocSeq", 60, {8, 27, 37, 42}, 24.41, 48.29},
    {FAMILY_CLANG, "locseq-wc", "LocSeq", 60, {11, 33, 40, 46}, 13.42, 35.41},
    {FAMILY_CLANG, "locseq-rwc", "LocSeq", 60, {6, 25, 33, 39}, 30.57, 54.07},
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

static void append_range(Str *text, double low, double high, const char *unit) {
    if (high - low < 0.5)
        str_printf(text, "%.0f%s", low, unit);
    else
        str_printf(text, "%.0f-%.0f%s", low, high, unit);
}

/* The lowest and the highest of the repeats. */
static void add_spread(Table *table, const MethodResult *result) {
    if (result->seeds.len < 2)
        return;
    table_row(table);
    table_cell(table, "%s, %zu repeats", result->method->name, result->seeds.len);
    table_cell(table, " ");
    for (size_t k = 0; k < METRICS_TOPS; k++) {
        CLEANUP(str_release) Str range = {0};
        double low = 100, high = 0;
        for (size_t i = 0; i < result->seeds.len; i++) {
            double share = percent(result->seeds.items[i].top[k], result->seeds.items[i].bugs);
            low = MIN_OF(low, share);
            high = MAX_OF(high, share);
        }
        append_range(&range, low, high, "%");
        table_cell(table, "%s", str_text(&range));
    }
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < result->seeds.len; i++) {
        low = MIN_OF(low, result->seeds.items[i].mfr);
        high = MAX_OF(high, result->seeds.items[i].mfr);
    }
    table_cell(table, "%.1f-%.1f", low, high);
}

/* The papers speak of GCC and of LLVM; other compilers have nobody to compare with. */
static void add_published(Table *table, const char *method, CompilerFamily family) {
    static const char *const names[] = {[FAMILY_GCC] = "GCC", [FAMILY_CLANG] = "LLVM", [FAMILY_OTHER] = "GCC and LLVM"};
    for (size_t i = 0; i < ARRAY_LEN(published); i++) {
        const struct Published *row = &published[i];
        bool fits = row->family == family || (row->family == FAMILY_OTHER && family != FAMILY_OTHER);
        if (!fits || !str_equal(row->method, method))
            continue;
        table_row(table);
        table_cell(table, "  %s's paper, %s", row->source, names[row->family]);
        table_cell(table, "%d", row->bugs);
        for (size_t k = 0; k < METRICS_TOPS; k++) {
            if (row->top[k] < 0)
                table_cell(table, "?");
            else
                table_cell(table, "%.0f%%", 100.0 * row->top[k] / row->bugs);
        }
        table_cell(table, "%.2f", row->mfr);
        table_cell(table, "%.2f", row->mar);
    }
}

static void add_method(Table *table, const MethodResult *result, CompilerFamily family) {
    add_metrics(table, result->method->name, "", &result->files);
    table_cell(table, "%.0f", result->mutants_per_minute);
    table_cell(table, "%.1f", result->witnesses_per_minute);
    table_cell(table, "%.3f", result->similarity);
    table_cell(table, "%.3f", result->diversity);
    table_cell(table, "%.3f", result->least_distance);
    add_metrics(table, result->method->name, result->method->aggregation == AGGREGATE_MEAN ? ", geometric" : ", mean",
                &result->other_aggregation);
    if (result->method->policy)
        add_metrics(table, result->method->name, ", fakes dropped", &result->without_fakes);
    add_metrics(table, result->method->name, ", functions", &result->functions);
    add_spread(table, result);
    add_published(table, result->method->name, family);
}

static void append_comparisons(const BenchResult *result, Str *ret_text) {
    for (size_t i = 0; i < result->comparisons.len; i++) {
        str_append(ret_text, "files: ");
        comparison_text(&result->comparisons.items[i], ret_text);
        str_append_char(ret_text, '\n');
    }
    for (size_t i = 0; i < result->function_comparisons.len; i++) {
        str_append(ret_text, "functions: ");
        comparison_text(&result->function_comparisons.items[i], ret_text);
        str_append_char(ret_text, '\n');
    }
}

void bench_result_table(const BenchResult *result, size_t width, bool color, Str *ret_text) {
    static const char *const columns[] = {
        "method", ">bugs",        ">Top-1",         ">Top-5",      ">Top-10",    ">Top-20",         ">MFR",
        ">MAR",   ">mutants/min", ">witnesses/min", ">similarity", ">diversity", ">least distance", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    for (size_t i = 0; i < result->methods.len; i++)
        add_method(table, &result->methods.items[i], result->family);
    for (size_t i = 0; i < BASELINES; i++)
        if (result->baselines[i].files.bugs)
            add_metrics(table, result->baselines[i].name, " (baseline)", &result->baselines[i].files);
    str_printf(ret_text, "%s\n", str_text(&result->terms));
    table_format(table, width, color, ret_text);
    str_printf(ret_text, "%zu bugs measured, %zu skipped%s\n", result->bugs, result->skipped.len,
               result->interrupted ? "; interrupted, run it again to go on" : "");
    if (result->incomplete)
        str_printf(ret_text, "left out until every method has been through them: %zu bugs and seeds\n",
                   result->incomplete);
    if (result->left_out.len)
        str_printf(ret_text, "left out, with the runs they have so far: %s; --method asks for them\n",
                   str_text(&result->left_out));
    if (result->source.len)
        str_printf(ret_text, "%s\n", str_text(&result->source));
    for (size_t i = 0; i < result->methods.len; i++)
        if (result->methods.items[i].runs_exhausted)
            str_printf(ret_text, "%zu of %zu runs of %s ended before their limits, with nothing new left to try\n",
                       result->methods.items[i].runs_exhausted, result->methods.items[i].runs,
                       result->methods.items[i].method->name);
    append_comparisons(result, ret_text);
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
    json_put_text(json, "terms", str_text(&result->terms));
    json_put_text(json, "source", str_text(&result->source));
    json_put_text(json, "left_out", str_text(&result->left_out));
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
        json_put_int(row, "runs_exhausted", (int64_t)m->runs_exhausted);
        json_put_int(row, "runs_failed", (int64_t)m->runs_failed);
        json_put_real(row, "mutants_per_minute", m->mutants_per_minute);
        json_put_real(row, "witnesses_per_minute", m->witnesses_per_minute);
        json_put_real(row, "similarity", m->similarity);
        json_put_real(row, "diversity", m->diversity);
        json_put_real(row, "least_distance", m->least_distance);
        Json *seeds = json_new_array();
        for (size_t k = 0; k < m->seeds.len; k++)
            json_push(seeds, metrics_json(&m->seeds.items[k]));
        json_put(row, "repeats", seeds);
        json_push(rows, row);
    }
    Json *baselines = json_new_array(), *comparisons = json_new_array(), *of_functions = json_new_array();
    for (size_t i = 0; i < BASELINES; i++) {
        Json *row = json_new_object();
        json_put_text(row, "baseline", result->baselines[i].name);
        json_put(row, "files", metrics_json(&result->baselines[i].files));
        json_push(baselines, row);
    }
    for (size_t i = 0; i < result->comparisons.len; i++)
        json_push(comparisons, comparison_json(&result->comparisons.items[i]));
    for (size_t i = 0; i < result->function_comparisons.len; i++)
        json_push(of_functions, comparison_json(&result->function_comparisons.items[i]));
    json_put(json, "baselines", baselines);
    json_put(json, "comparisons", comparisons);
    json_put(json, "function_comparisons", of_functions);
    for (size_t i = 0; i < result->skipped.len; i++) {
        Json *row = json_new_object();
        json_put_text(row, "bug", result->skipped.items[i].id);
        json_put_text(row, "reason", result->skipped.items[i].reason);
        json_push(skipped, row);
    }
    json_put(json, "methods", rows);
    json_put_int(json, "bugs", (int64_t)result->bugs);
    json_put(json, "skipped", skipped);
    json_put_int(json, "incomplete", (int64_t)result->incomplete);
    json_put_bool(json, "interrupted", result->interrupted);
    return json;
}
