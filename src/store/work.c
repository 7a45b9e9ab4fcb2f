/* Handing out test numbers and recording their results.
 *
 * A claim is a range [first, first + count) with the number of results still missing in it. It goes away with its last
 * result, in the same transaction. When its session ends, dies, or lets the lease run out, the claim is replaced by the
 * maximal runs of its numbers without a result, which belong to nobody and are handed out before new numbers:
 *
 *     claim 20..27 of a dead session, results for 20 22 23:    20 . 22 23 . . . .
 *     becomes the free claims                                       21      24..27
 *
 * So at any moment each number below the setting `next` either has a result or is part of exactly one claim.
 */
#include "store/work.h"

#define NEXT "SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'next'"

static bool add_free(Store *store, int64_t first, int64_t end, Error *err) {
    return first == end || sql_run(store, err, "INSERT INTO claim (first, count, left) VALUES (?, ?, ?)", "iii", first,
                                   end - first, end - first);
}

/* Replaces one claim by its numbers without a result. */
static bool return_claim(Store *store, StoreRange range, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *done = NULL;
    int64_t next = (int64_t)range.first, end = (int64_t)(range.first + range.count);
    bool row;
    if (!sql_run(store, err, "DELETE FROM claim WHERE first = ?", "i", next) ||
        !sql_query(store, err, &done, "SELECT number FROM test WHERE number >= ? AND number < ? ORDER BY number", "ii",
                   next, end))
        return false;
    while (true) {
        if (!sql_step(store, done, &row, err))
            return false;
        if (!row)
            return add_free(store, next, end, err);
        int64_t number = sqlite3_column_int64(done, 0);
        if (!add_free(store, next, number, err))
            return false;
        next = number + 1;
    }
}

/* `query` selects (first, count) of the claims to return. */
static bool return_selected(Store *store, sqlite3_stmt *query, Error *err) {
    Vec(StoreRange) ranges = {0};
    bool row, ok = true;
    while ((ok = sql_step(store, query, &row, err)) && row)
        vec_push(&ranges,
                 (StoreRange){(uint64_t)sqlite3_column_int64(query, 0), (uint64_t)sqlite3_column_int64(query, 1)});
    for (size_t i = 0; ok && i < ranges.len; i++)
        ok = return_claim(store, ranges.items[i], err);
    vec_release(&ranges);
    return ok;
}

static bool return_others_body(Store *store, void *context, Error *err) {
    (void)context;
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    return sql_query(store, err, &query, "SELECT first, count FROM claim WHERE session IS NOT NULL AND session <> ?",
                     "i", store->session) &&
           return_selected(store, query, err);
}

bool work_return_others(Store *store, Error *err) { return sql_transaction(store, return_others_body, NULL, err); }

static bool release_body(Store *store, void *context, Error *err) {
    (void)context;
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    return sql_query(store, err, &query, "SELECT first, count FROM claim WHERE session = ?", "i", store->session) &&
           return_selected(store, query, err);
}

bool store_release_claims(Store *store, Error *err) { return sql_transaction(store, release_body, NULL, err); }

typedef struct ClaimRequest {
    uint64_t count;
    int64_t now_s, expires_s;
    StoreRange range;
} ClaimRequest;

static bool return_expired(Store *store, int64_t now_s, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    return sql_query(store, err, &query, "SELECT first, count FROM claim WHERE session IS NOT NULL AND expires <= ?",
                     "i", now_s) &&
           return_selected(store, query, err);
}

/* The lowest free claim, cut to the wanted length; count 0 if there is none. */
static bool take_free(Store *store, uint64_t count, StoreRange *ret_range, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row;
    if (!sql_query(store, err, &query, "SELECT first, count FROM claim WHERE session IS NULL ORDER BY first LIMIT 1",
                   "") ||
        !sql_step(store, query, &row, err))
        return false;
    if (!row)
        return true;
    int64_t first = sqlite3_column_int64(query, 0), all = sqlite3_column_int64(query, 1);
    int64_t taken = (int64_t)MIN_OF(count, (uint64_t)all);
    *ret_range = (StoreRange){(uint64_t)first, (uint64_t)taken};
    return sql_run(store, err, "DELETE FROM claim WHERE first = ?", "i", first) &&
           add_free(store, first + taken, first + all, err);
}

static bool take_new(Store *store, uint64_t count, StoreRange *ret_range, Error *err) {
    int64_t next = 0;
    if (!sql_int(store, err, &next, NEXT, ""))
        return false;
    *ret_range = (StoreRange){(uint64_t)next, count};
    return sql_run(store, err, "INSERT OR REPLACE INTO setting (name, value) VALUES ('next', ?)", "i",
                   next + (int64_t)count);
}

static bool claim_body(Store *store, void *context, Error *err) {
    ClaimRequest *request = context;
    request->range = (StoreRange){0};
    if (!return_expired(store, request->now_s, err) || !take_free(store, request->count, &request->range, err) ||
        (request->range.count == 0 && !take_new(store, request->count, &request->range, err)))
        return false;
    int64_t count = (int64_t)request->range.count;
    return sql_run(store, err, "INSERT INTO claim (first, count, left, session, expires) VALUES (?, ?, ?, ?, ?)",
                   "iiiii", (int64_t)request->range.first, count, count, store->session, request->expires_s);
}

bool store_claim(Store *store, uint64_t count, int64_t now_s, int64_t lease_s, StoreRange *ret_range, Error *err) {
    BUG_ON(count == 0);
    ClaimRequest request = {.count = count, .now_s = now_s, .expires_s = now_s + lease_s};
    if (!sql_transaction(store, claim_body, &request, err))
        return error_context(err, "cannot claim work");
    *ret_range = request.range;
    return true;
}

bool store_renew_claims(Store *store, int64_t now_s, int64_t lease_s, Error *err) {
    return sql_run(store, err, "UPDATE claim SET expires = ? WHERE session = ?", "ii", now_s + lease_s, store->session);
}

bool store_has_test(Store *store, uint64_t number, bool *ret_has, Error *err) {
    int64_t found = 0;
    if (!sql_int(store, err, &found, "SELECT 1 FROM test WHERE number = ?", "i", (int64_t)number))
        return false;
    *ret_has = found != 0;
    return true;
}

typedef struct RecordRequest {
    const StoreTest *test;
    bool is_first;
} RecordRequest;

static bool record_hit(Store *store, const StoreTest *test, const StoreHit *hit, Error *err) {
    int64_t number = (int64_t)test->number;
    return sql_run(store, err,
                   "INSERT INTO bug (key, kind, compiler, version, command, signature, oracle, directory, hits, kept,"
                   "                 first_test, first_seen, last_seen)"
                   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, ?8 IS NOT NULL, ?9, ?10, ?10)"
                   " ON CONFLICT (key) DO UPDATE SET hits = hits + 1, kept = kept + (?8 IS NOT NULL),"
                   "     directory = coalesce(directory, ?8), last_seen = max(last_seen, ?10)",
                   "ssssssssii", hit->key, hit->kind, hit->compiler, hit->version, hit->command, hit->signature,
                   hit->oracle, hit->directory, number, test->finished_s) &&
           sql_run(store, err,
                   "INSERT OR IGNORE INTO hit (bug, test, command, directory, compiler, sequence)"
                   " SELECT id, ?, ?, ?, ?, ? FROM bug WHERE key = ?",
                   "isssss", number, hit->command, hit->directory, hit->compiler, hit->sequence, hit->key);
}

/* The claim that holds the number loses one missing result, and goes away with its last. Nobody may hold it any more,
 * if its lease ran out and the result came nevertheless: then the number must not be handed out again. */
static bool settle_claim(Store *store, int64_t number, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    return sql_run(store, err,
                   "UPDATE claim SET left = left - 1 WHERE first = (SELECT max(first) FROM claim WHERE first <= ?1)"
                   " AND ?1 < first + count",
                   "i", number) &&
           sql_run(store, err, "DELETE FROM claim WHERE left = 0", "") &&
           sql_query(store, err, &query, "SELECT first, count FROM claim WHERE session IS NULL AND left < count", "") &&
           return_selected(store, query, err);
}

static bool record_body(Store *store, void *context, Error *err) {
    RecordRequest *request = context;
    const StoreTest *test = request->test;
    int64_t number = (int64_t)test->number;
    if (!sql_run(
            store, err,
            "INSERT OR IGNORE INTO test (number, session, bytes, sequences, generate_us, compile_us, run_us, finished)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            "iiiiiiii", number, store->session, (int64_t)test->program_bytes, (int64_t)test->sequences,
            test->generate_us, test->compile_us, test->run_us, test->finished_s))
        return false;
    request->is_first = sqlite3_changes(store->db) == 1;
    if (!request->is_first)
        return true;
    for (size_t i = 0; i < test->verdict_count; i++) {
        const StoreVerdict *v = &test->verdicts[i];
        if (!sql_run(store, err,
                     "INSERT INTO verdict (test, config, verdict, compile_us, run_us) VALUES (?, ?, ?, ?, ?)", "iisii",
                     number, v->config, v->verdict, v->compile_us, v->run_us))
            return false;
    }
    for (size_t i = 0; i < test->hit_count; i++)
        if (!record_hit(store, test, &test->hits[i], err))
            return false;
    return settle_claim(store, number, err);
}

bool store_record(Store *store, const StoreTest *test, bool *ret_is_first, Error *err) {
    RecordRequest request = {.test = test};
    if (!sql_transaction(store, record_body, &request, err))
        return error_context(err, "cannot record test %llu", (unsigned long long)test->number);
    if (ret_is_first)
        *ret_is_first = request.is_first;
    return true;
}
