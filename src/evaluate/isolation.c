#include "evaluate/isolation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/table.h"
#include "proc/interrupt.h"

/* --- One run --- */

static bool is_ranked(UnitFileKind kind) { return kind == UNIT_FILE_SOURCE || kind == UNIT_FILE_DESCRIPTION; }

/* Headers do not count, unless the fix changed nothing else; then the bug has no answer here. */
static BugRank rank_of_answer(const Isolation *isolation, const Bug *bug) {
    size_t *ranks = mem_zalloc(bug->files.len + 1, sizeof *ranks), count = 0;
    for (size_t i = 0; i < bug->files.len; i++) {
        if (!is_ranked(unit_file_kind_of(bug->files.items[i])))
            continue;
        size_t file = unit_table_find_file(isolation->units, bug->files.items[i]);
        ranks[count++] = file < isolation->units->file_count ? rank_of(&isolation->files, (uint32_t)file, 0) : 0;
    }
    BugRank rank = metrics_bug(ranks, count, isolation->files.len);
    free(ranks);
    return rank;
}

/* A fix is remembered as "GVNPass::run", the function is called "llvm::GVNPass::run". */
static bool is_named(const char *full, const char *name) {
    size_t full_len = strlen(full), len = strlen(name);
    if (full_len < len || !str_equal(full + full_len - len, name))
        return false;
    return full_len == len || (full_len >= len + 2 && strncmp(full + full_len - len - 2, "::", 2) == 0);
}

/* Functions of one name may exist in several files: those in the guilty files count. */
static bool is_function(const Bug *bug, const UnitTable *units, uint32_t function, const char *name) {
    return is_named(unit_function_name(units, function), name) &&
           strlist_contains(&bug->files, unit_file_name(units, units->functions[function].file));
}

static bool function_exists(const Bug *bug, const UnitTable *units, const char *name) {
    for (uint32_t f = 0; f < units->function_count; f++)
        if (is_function(bug, units, f, name))
            return true;
    return false;
}

/* Answers may name what this version of the compiler has no function of: new functions, classes, patterns of a description.
 * Nothing could rank them. False if no function is left. */
static bool rank_of_functions(const Isolation *isolation, const Bug *bug, BugRank *ret_rank) {
    size_t *ranks = mem_zalloc(bug->functions.len + 1, sizeof *ranks), count = 0;
    for (size_t i = 0; i < bug->functions.len; i++) {
        const char *name = bug->functions.items[i];
        if (!function_exists(bug, isolation->units, name))
            continue;
        for (size_t k = 0; k < isolation->functions.len && !ranks[count]; k++)
            if (is_function(bug, isolation->units, isolation->functions.items[k].group, name))
                ranks[count] = isolation->functions.items[k].rank;
        count++;
    }
    if (count)
        *ret_rank = metrics_bug(ranks, count, isolation->functions.len);
    free(ranks);
    return count > 0;
}

static void put_rank(Json *row, const char *name, BugRank rank) {
    Json *pair = json_new_array();
    json_push(pair, json_new_real(rank.first));
    json_push(pair, json_new_real(rank.average));
    json_put(row, name, pair);
}

static bool get_rank(const Json *row, const char *name, BugRank *ret_rank) {
    const Json *pair = json_get(row, name);
    if (json_len(pair) != 2)
        return false;
    Json *object = json_new_object(); /* reals are read by member */
    json_put(object, "first", json_copy_deep(json_item(pair, 0)));
    json_put(object, "average", json_copy_deep(json_item(pair, 1)));
    *ret_rank = (BugRank){json_get_real(object, "first", 0), json_get_real(object, "average", 0)};
    json_free(object);
    return true;
}

static Json *measured_row(Isolation *isolation, const Bug *bug, const IsolateOptions *options) {
    const IsolateStatistics *s = &isolation->statistics;
    double minutes = (double)MAX_OF(s->wall_ms, (int64_t)1) / 60000;
    Json *row = json_new_object();
    IsolateOptions other = *options;
    other.aggregation = options->aggregation == AGGREGATE_MEAN ? AGGREGATE_GEOMETRIC : AGGREGATE_MEAN;
    isolation_rank(isolation, &other);
    put_rank(row, "other_aggregation", rank_of_answer(isolation, bug));
    other = *options;
    other.fakes = FAKES_DROP;
    isolation_rank(isolation, &other);
    put_rank(row, "without_fakes", rank_of_answer(isolation, bug));
    isolation_rank(isolation, options);
    put_rank(row, "files", rank_of_answer(isolation, bug));
    BugRank functions;
    if (rank_of_functions(isolation, bug, &functions))
        put_rank(row, "functions", functions);
    json_put_real(row, "mutants_per_minute", (double)s->tested / minutes);
    json_put_real(row, "witnesses_per_minute", (double)isolation->witnesses.len / minutes);
    json_put_real(row, "similarity", s->similarity);
    json_put_real(row, "diversity", s->diversity);
    json_put_int(row, "tested", (int64_t)s->tested);
    json_put_int(row, "witnesses", (int64_t)isolation->witnesses.len);
    json_put_int(row, "fakes", (int64_t)s->fakes);
    json_put_int(row, "undefined", (int64_t)s->outcomes[OUTCOME_UNDEFINED]);
    json_put_int(row, "fails", (int64_t)s->outcomes[OUTCOME_FAILS]);
    json_put_int(row, "invalid", (int64_t)s->outcomes[OUTCOME_OTHER]);
    json_put_int(row, "covered_files", (int64_t)isolation->files.len);
    json_put_int(row, "order", s->order);
    json_put_text(row, "stopped_by", s->stopped_by);
    return row;
}

static Json *run_one(const Bug *bug, Cover *cover, const IsolateOptions *options, Console *console) {
    Isolation isolation;
    bool unfit;
    Error err;
    if (!isolate(bug, cover, options, console, &isolation, &unfit, &err)) {
        Json *row = json_new_object();
        json_put_text(row, unfit ? "skipped" : "failed", err.text);
        return row;
    }
    Json *row = measured_row(&isolation, bug, options);
    isolation_release(&isolation);
    return row;
}

/* --- The journal --- */

static void run_key(const char *bug, const char *method, uint64_t seed, Str *ret_key) {
    str_clear(ret_key);
    str_printf(ret_key, "%s %s %llu", bug, method, (unsigned long long)seed);
}

/* Rows by key; the map owns them. A last line that was cut off by a kill is ignored; so are failures of the machine, which
 * are tried again. */
static bool journal_read(const char *path, Map *ret_rows, Error *err) {
    CLEANUP(str_release) Str text = {0};
    if (!path || !file_exists(path))
        return true;
    if (!file_read(path, &text, err))
        return false;
    for (const char *line = str_text(&text), *end; (end = strchr(line, '\n')); line = end + 1) {
        Json *row;
        if (!json_parse(line, (size_t)(end - line), &row, NULL))
            continue;
        if (json_has(row, "failed")) {
            json_free(row);
            continue;
        }
        CLEANUP(str_release) Str key = {0};
        run_key(json_get_text(row, "bug", ""), json_get_text(row, "method", ""), (uint64_t)json_get_int(row, "seed", 0),
                &key);
        bool is_new;
        MapEntry *entry = map_insert_str(ret_rows, str_text(&key), &is_new);
        if (!is_new)
            json_free(entry->pointer);
        entry->pointer = row;
    }
    return true;
}

static bool journal_append(const char *path, const Json *row, Error *err) {
    CLEANUP(str_release) Str line = {0};
    if (!path)
        return true;
    json_format(row, false, &line);
    str_append_char(&line, '\n');
    FILE *file = fopen(path, "ae");
    if (!file)
        return error_errno(err, "cannot open the journal %s", path);
    bool ok = fwrite(str_text(&line), 1, line.len, file) == line.len;
    return (fclose(file) == 0 && ok) || error_errno(err, "cannot write the journal %s", path);
}

/* --- All runs --- */

static const char *reason_without_answer(const Bug *bug) {
    for (size_t i = 0; i < bug->files.len; i++)
        if (is_ranked(unit_file_kind_of(bug->files.items[i])))
            return NULL;
    return bug->files.len ? "its fix changed headers only" : "its answer is not known";
}

static bool run_seed(const Bug *bug, Cover *cover, const BenchOptions *options, const Method *method, uint64_t seed,
                     Map *rows, Console *console, Error *err) {
    CLEANUP(str_release) Str key = {0};
    run_key(bug->id, method->name, seed, &key);
    if (map_find_str(rows, str_text(&key)))
        return true;
    IsolateOptions isolate_options = options->isolate;
    isolate_use_method(&isolate_options, method);
    isolate_options.seed = seed;
    Json *row = run_one(bug, cover, &isolate_options, console);
    if (interrupt_count() > 0) { /* its time was cut short */
        json_free(row);
        return true;
    }
    json_put_text(row, "bug", bug->id);
    json_put_text(row, "method", method->name);
    json_put_int(row, "seed", (int64_t)seed);
    BugRank rank;
    if (get_rank(row, "files", &rank))
        console_info(console, "%s %s: rank %g, %lld programs, %lld witnesses", bug->id, method->name, rank.first,
                     (long long)json_get_int(row, "tested", 0), (long long)json_get_int(row, "witnesses", 0));
    else
        console_info(console, "%s %s: %s", bug->id, method->name,
                     json_get_text(row, "failed", json_get_text(row, "skipped", "")));
    map_insert_str(rows, str_text(&key), NULL)->pointer = row;
    return journal_append(options->journal, row, err);
}

static bool run_bug(const char *dir, Cover *cover, const BenchOptions *options, const BenchResult *result, Map *rows,
                    Console *console, Error *err) {
    Bug bug = {0};
    if (!bug_load(dir, &bug, err))
        return false;
    bool ok = true;
    for (size_t m = 0; ok && !reason_without_answer(&bug) && m < result->methods.len; m++)
        for (size_t k = 0; ok && k < options->repeat && !interrupt_count(); k++)
            ok = run_seed(&bug, cover, options, result->methods.items[m].method, options->isolate.seed + k, rows,
                          console, err);
    bug_release(&bug);
    return ok;
}

/* --- Summing up --- */

typedef struct Medians {
    Vec(BugRank) files, other_aggregation, without_fakes, functions;
} Medians;

static void add_median(Metrics *metrics, const BugRank *seeds, size_t count) {
    if (count == 0)
        return;
    BugRank merged = metrics_median(seeds, count);
    metrics_add(metrics, &merged);
}

static void add_mean(double *mean, double value, size_t count) { *mean += (value - *mean) / (double)count; }

static void sum_run(MethodResult *result, Medians *medians, const Json *row) {
    BugRank rank;
    if (!get_rank(row, "files", &rank))
        return;
    vec_push(&medians->files, rank);
    if (get_rank(row, "other_aggregation", &rank))
        vec_push(&medians->other_aggregation, rank);
    if (get_rank(row, "without_fakes", &rank))
        vec_push(&medians->without_fakes, rank);
    if (get_rank(row, "functions", &rank))
        vec_push(&medians->functions, rank);
    result->runs++;
    result->runs_without_witness += json_get_int(row, "witnesses", 0) == 0;
    add_mean(&result->mutants_per_minute, json_get_real(row, "mutants_per_minute", 0), result->runs);
    add_mean(&result->witnesses_per_minute, json_get_real(row, "witnesses_per_minute", 0), result->runs);
    add_mean(&result->similarity, json_get_real(row, "similarity", 0), result->runs);
    add_mean(&result->diversity, json_get_real(row, "diversity", 0), result->runs);
}

/* Whether all runs of the bug by this method are there and measured; else why not, NULL if it is merely missing. */
static bool sum_bug(MethodResult *result, const char *bug, const BenchOptions *options, const Map *rows,
                    const char **ret_reason) {
    Medians medians = {0};
    CLEANUP(str_release) Str key = {0};
    *ret_reason = NULL;
    for (size_t k = 0; k < options->repeat; k++) {
        run_key(bug, result->method->name, options->isolate.seed + k, &key);
        const MapEntry *entry = map_find_str(rows, str_text(&key));
        if (!entry)
            continue;
        result->runs_failed += json_has(entry->pointer, "failed");
        if (json_has(entry->pointer, "skipped"))
            *ret_reason = json_get_text(entry->pointer, "skipped", "");
        sum_run(result, &medians, entry->pointer);
    }
    bool measured = medians.files.len > 0;
    vec_push(&result->first_ranks, measured ? metrics_median(medians.files.items, medians.files.len).first : 0);
    add_median(&result->files, medians.files.items, medians.files.len);
    add_median(&result->other_aggregation, medians.other_aggregation.items, medians.other_aggregation.len);
    add_median(&result->without_fakes, medians.without_fakes.items, medians.without_fakes.len);
    add_median(&result->functions, medians.functions.items, medians.functions.len);
    vec_release(&medians.files);
    vec_release(&medians.other_aggregation);
    vec_release(&medians.without_fakes);
    vec_release(&medians.functions);
    return measured;
}

static bool sum_up(const StrList *bug_dirs, const BenchOptions *options, const Map *rows, BenchResult *result,
                   Error *err) {
    for (size_t b = 0; b < bug_dirs->len; b++) {
        Bug bug = {0};
        if (!bug_load(bug_dirs->items[b], &bug, err))
            return false;
        const char *reason = reason_without_answer(&bug), *why;
        bool measured = false;
        for (size_t m = 0; !reason && m < result->methods.len; m++) {
            measured |= sum_bug(&result->methods.items[m], bug.id, options, rows, &why);
            if (!measured && why && m + 1 == result->methods.len)
                reason = why;
        }
        result->bugs += measured;
        if (!measured && reason)
            vec_push(&result->skipped, (SkippedBug){mem_strdup(bug.id), mem_strdup(reason)});
        bug_release(&bug);
    }
    return true;
}

bool bench_isolation(const StrList *bug_dirs, Cover *cover, const BenchOptions *options, Console *console,
                     BenchResult *ret_result, Error *err) {
    BenchResult result = {0};
    Map rows = {0};
    bool ok = journal_read(options->journal, &rows, err);
    for (size_t i = 0; ok && i < options->methods->len; i++) {
        const Method *method = method_find(options->methods->items[i], err);
        if ((ok = method != NULL))
            vec_push(&result.methods, (MethodResult){.method = method});
    }
    for (size_t b = 0; ok && b < bug_dirs->len && !interrupt_count(); b++)
        ok = run_bug(bug_dirs->items[b], cover, options, &result, &rows, console, err);
    ok = ok && sum_up(bug_dirs, options, &rows, &result, err);
    result.interrupted = interrupt_count() > 0;
    for (size_t i = 0; i < rows.len; i++)
        json_free(rows.entries[i].pointer);
    map_release(&rows);
    if (ok)
        *ret_result = result;
    else
        bench_result_release(&result);
    return ok;
}

void bench_result_release(BenchResult *result) {
    for (size_t i = 0; i < result->skipped.len; i++) {
        free(result->skipped.items[i].id);
        free(result->skipped.items[i].reason);
    }
    for (size_t i = 0; i < result->methods.len; i++)
        vec_release(&result->methods.items[i].first_ranks);
    vec_release(&result->skipped);
    vec_release(&result->methods);
}
