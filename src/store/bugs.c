/* What a campaign found, and its sums. */
#include "store/sql.h"

#define BUG_COLUMNS                                                                                                 \
    "id, key, kind, compiler, version, command, signature, oracle, directory, hits, kept, first_test, first_seen, " \
    "last_seen, (SELECT count(DISTINCT cluster) FROM hit WHERE bug = bug.id)"

static StoreBug read_bug(sqlite3_stmt *query, Arena *arena) {
    return (StoreBug){
        .id = sqlite3_column_int64(query, 0),
        .key = sql_text(query, 1, arena),
        .kind = sql_text(query, 2, arena),
        .compiler = sql_text(query, 3, arena),
        .version = sql_text(query, 4, arena),
        .command = sql_text(query, 5, arena),
        .signature = sql_text(query, 6, arena),
        .oracle = sql_text(query, 7, arena),
        .directory = sql_text(query, 8, arena),
        .hits = (uint64_t)sqlite3_column_int64(query, 9),
        .kept = (uint64_t)sqlite3_column_int64(query, 10),
        .first_test = (uint64_t)sqlite3_column_int64(query, 11),
        .first_seen_s = sqlite3_column_int64(query, 12),
        .last_seen_s = sqlite3_column_int64(query, 13),
        .clusters = (uint64_t)sqlite3_column_int64(query, 14),
    };
}

bool store_bugs(Store *store, Arena *arena, StoreBugs *ret_bugs, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row, ok = sql_query(store, err, &query, "SELECT " BUG_COLUMNS " FROM bug ORDER BY hits DESC, id", "");
    while (ok && (ok = sql_step(store, query, &row, err)) && row)
        vec_push(ret_bugs, read_bug(query, arena));
    return ok;
}

bool store_bug(Store *store, const char *key, Arena *arena, StoreBug *ret_bug, bool *ret_found, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row;
    if (!sql_query(store, err, &query, "SELECT " BUG_COLUMNS " FROM bug WHERE key = ?", "s", key) ||
        !sql_step(store, query, &row, err))
        return false;
    *ret_found = row;
    if (row)
        *ret_bug = read_bug(query, arena);
    return true;
}

bool store_totals(Store *store, StoreTotals *ret_totals, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row;
    if (!sql_query(store, err, &query,
                   "SELECT count(*), total(bytes), total(generate_us), total(compile_us), total(run_us),"
                   " (SELECT count(*) FROM bug), (SELECT total(hits) FROM bug), (SELECT total(kept) FROM bug),"
                   " total(sequences), count(sequences) FROM test",
                   "") ||
        !sql_step(store, query, &row, err))
        return false;
    *ret_totals = (StoreTotals){
        .tests = (uint64_t)sqlite3_column_int64(query, 0),
        .program_bytes = (uint64_t)sqlite3_column_int64(query, 1),
        .generate_us = sqlite3_column_int64(query, 2),
        .compile_us = sqlite3_column_int64(query, 3),
        .run_us = sqlite3_column_int64(query, 4),
        .bugs = (uint64_t)sqlite3_column_int64(query, 5),
        .hits = (uint64_t)sqlite3_column_int64(query, 6),
        .directories = (uint64_t)sqlite3_column_int64(query, 7),
        .sequences = (uint64_t)sqlite3_column_int64(query, 8),
        .counted_tests = (uint64_t)sqlite3_column_int64(query, 9),
    };
    return true;
}

bool store_kind_counts(Store *store, Arena *arena, StoreKindCounts *ret_counts, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row, ok = sql_query(store, err, &query,
                             "SELECT kind, count(*), sum(hits) FROM bug GROUP BY kind ORDER BY 2 DESC, 1", "");
    while (ok && (ok = sql_step(store, query, &row, err)) && row)
        vec_push(ret_counts, (StoreKindCount){sql_text(query, 0, arena), (uint64_t)sqlite3_column_int64(query, 1),
                                              (uint64_t)sqlite3_column_int64(query, 2)});
    return ok;
}

bool store_verdict_counts(Store *store, Arena *arena, StoreVerdictCounts *ret_counts, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row, ok = sql_query(store, err, &query,
                             "SELECT command, version, verdict, count(*), sum(compile_us), sum(run_us)"
                             " FROM verdict JOIN config ON config.id = verdict.config"
                             " GROUP BY config.id, verdict ORDER BY config.id, verdict",
                             "");
    while (ok && (ok = sql_step(store, query, &row, err)) && row)
        vec_push(ret_counts, (StoreVerdictCount){.command = sql_text(query, 0, arena),
                                                 .version = sql_text(query, 1, arena),
                                                 .verdict = sql_text(query, 2, arena),
                                                 .tests = (uint64_t)sqlite3_column_int64(query, 3),
                                                 .compile_us = sqlite3_column_int64(query, 4),
                                                 .run_us = sqlite3_column_int64(query, 5)});
    return ok;
}
