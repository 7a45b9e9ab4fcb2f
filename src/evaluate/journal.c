#include "evaluate/journal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "isolate/isolate.h"

static void run_key(BenchTerms terms, const char *bug, const char *method, uint64_t seed, Str *ret_key) {
    str_printf(ret_key, "%s\n%s\n%s\n%s\n%llu", terms.subject, terms.options, bug, method, (unsigned long long)seed);
}

static BenchTerms terms_of(const Json *row) {
    return (BenchTerms){json_get_text(row, "subject", ""), json_get_text(row, "options", "")};
}

static void row_key(const Json *row, Str *ret_key) {
    run_key(terms_of(row), json_get_text(row, "bug", ""), json_get_text(row, "method", ""),
            (uint64_t)json_get_int(row, "seed", 0), ret_key);
}

bool terms_equal(BenchTerms a, BenchTerms b) {
    return str_equal(a.subject, b.subject) && str_equal(a.options, b.options);
}

static void put_row_take(Journal *journal, Json *row) {
    CLEANUP(str_release) Str key = {0};
    bool is_new;
    row_key(row, &key);
    MapEntry *entry = map_insert_str(&journal->rows, str_text(&key), &is_new);
    if (!is_new)
        json_free(entry->pointer);
    entry->pointer = row;
}

bool journal_read(const char *path, Journal *ret_journal, Error *err) {
    CLEANUP(str_release) Str text = {0};
    if (!path || !file_exists(path))
        return true;
    if (!file_read(path, &text, err))
        return false;
    for (const char *line = str_text(&text), *end; (end = strchr(line, '\n')); line = end + 1) {
        Json *row;
        if (!json_parse(line, (size_t)(end - line), &row, NULL))
            continue;
        if (json_has(row, "failed"))
            json_free(row);
        else
            put_row_take(ret_journal, row);
    }
    return true;
}

void journal_release(Journal *journal) {
    for (size_t i = 0; i < journal->rows.len; i++)
        json_free(journal->rows.entries[i].pointer);
    map_release(&journal->rows);
}

bool journal_add_take(Journal *journal, const char *path, Json *row, Error *err) {
    CLEANUP(str_release) Str line = {0};
    json_format_short(row, &line);
    str_append_char(&line, '\n');
    put_row_take(journal, row);
    if (!path)
        return true;
    FILE *file = fopen(path, "ae");
    if (!file)
        return error_errno(err, "cannot open the journal %s", path);
    bool ok = fwrite(str_text(&line), 1, line.len, file) == line.len;
    return (fclose(file) == 0 && ok) || error_errno(err, "cannot write the journal %s", path);
}

void journal_put_rank(Json *row, const char *name, BugRank rank) {
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

/* A ranking without files would put the answer, one place behind all of them, first: it measures nothing. */
static BenchRun run_of(const Json *row) {
    double minutes = fmax(json_get_real(row, "seconds", 0), 0.001) / 60;
    BenchRun run = {.bug = json_get_text(row, "bug", ""),
                    .method = json_get_text(row, "method", ""),
                    .seed = (uint64_t)json_get_int(row, "seed", 0),
                    .terms = terms_of(row),
                    .family = json_get_text(row, "family", ""),
                    .version = json_get_text(row, "version", ""),
                    .note = json_get_text(row, "note", ""),
                    .day = json_get_text(row, "day", ""),
                    .load = json_get_real(row, "load", 0),
                    .skipped = json_get_text(row, "skipped", NULL),
                    .failed = json_get_text(row, "failed", NULL),
                    .similarity = json_get_real(row, "similarity", 0),
                    .diversity = json_get_real(row, "diversity", 0),
                    .least_distance = json_get_real(row, "least_distance", 0),
                    .exhausted = str_equal(json_get_text(row, "stopped_by", ""), ISOLATE_EXHAUSTED),
                    .tested = json_get_int(row, "tested", 0),
                    .witnesses = json_get_int(row, "witnesses", 0),
                    .covered_files = json_get_int(row, "covered_files", 0)};
    run.mutants_per_minute = (double)run.tested / minutes;
    run.witnesses_per_minute = (double)run.witnesses / minutes;
    run.measured = get_rank(row, "files", &run.files) && run.covered_files > 0;
    if (!run.measured && json_has(row, "files"))
        run.skipped = "its ranking has no files";
    get_rank(row, "other_aggregation", &run.other_aggregation);
    get_rank(row, "without_fakes", &run.without_fakes);
    run.has_functions = get_rank(row, "functions", &run.functions);
    return run;
}

bool journal_find(const Journal *journal, BenchTerms terms, const char *bug, const char *method, uint64_t seed,
                  BenchRun *ret_run) {
    CLEANUP(str_release) Str key = {0};
    run_key(terms, bug, method, seed, &key);
    const MapEntry *entry = map_find_str(&journal->rows, str_text(&key));
    if (entry)
        *ret_run = run_of(entry->pointer);
    return entry != NULL;
}

BenchRun journal_run(const Journal *journal, size_t i) { return run_of(journal->rows.entries[i].pointer); }

/* Quoted where RFC 4180 wants it. */
static void csv_text(Str *text, const char *value) {
    if (!strpbrk(value, ",\"\n")) {
        str_append(text, value);
        return;
    }
    str_append_char(text, '"');
    for (; *value; value++)
        str_append(text, *value == '"' ? "\"\"" : (char[]){*value, '\0'});
    str_append_char(text, '"');
}

void journal_csv(const Journal *journal, Str *ret_text) {
    str_append(ret_text,
               "bug,method,seed,first_rank,mean_rank,function_first_rank,function_mean_rank,covered_files,programs,"
               "witnesses,similarity,diversity,least_distance,subject,options,problem\n");
    for (size_t i = 0; i < journal->rows.len; i++) {
        BenchRun run = journal_run(journal, i);
        csv_text(ret_text, run.bug);
        str_append_char(ret_text, ',');
        csv_text(ret_text, run.method);
        str_printf(ret_text, ",%llu,", (unsigned long long)run.seed);
        if (run.measured)
            str_printf(ret_text, "%g,%g,", run.files.first, run.files.average);
        else
            str_append(ret_text, ",,");
        if (run.measured && run.has_functions)
            str_printf(ret_text, "%g,%g,", run.functions.first, run.functions.average);
        else
            str_append(ret_text, ",,");
        str_printf(ret_text, "%lld,%lld,%lld,%g,%g,%g,", (long long)run.covered_files, (long long)run.tested,
                   (long long)run.witnesses, run.similarity, run.diversity, run.least_distance);
        csv_text(ret_text, run.terms.subject);
        str_append_char(ret_text, ',');
        csv_text(ret_text, run.terms.options);
        str_append_char(ret_text, ',');
        csv_text(ret_text, run.failed ? run.failed : run.skipped ? run.skipped : "");
        str_append_char(ret_text, '\n');
    }
}
