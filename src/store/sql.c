#include "store/sql.h"

#include <stdarg.h>

#include "base/str.h"

bool sql_fail(Store *store, Error *err) {
    switch (sqlite3_errcode(store->db) & 0xff) {
    case SQLITE_FULL:
        return error_set(err,
                         "the disk is full: free some space for %s and run the same command again; "
                         "what was recorded is safe",
                         store->dir);
    case SQLITE_IOERR:
        return error_set(err,
                         "cannot read or write %s/campaign.db (%s): check the disk and its free space, then run the "
                         "same command again; what was recorded is safe",
                         store->dir, sqlite3_errmsg(store->db));
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return error_set(err, "cannot write in %s: make the directory and campaign.db writable, or choose another one",
                         store->dir);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return error_set(err, "%s/campaign.db is no campaign store or is damaged: choose another directory",
                         store->dir);
    case SQLITE_BUSY:
        return error_set(err, "another process keeps %s/campaign.db locked: wait for it to end", store->dir);
    default:
        return error_set(err, "the campaign store %s/campaign.db failed: %s", store->dir, sqlite3_errmsg(store->db));
    }
}

bool sql_exec(Store *store, const char *script, Error *err) {
    return sqlite3_exec(store->db, script, NULL, NULL, NULL) == SQLITE_OK || sql_fail(store, err);
}

static void bind(sqlite3_stmt *query, const char *types, va_list args) {
    for (int i = 0; types[i]; i++) {
        if (types[i] == 'i')
            sqlite3_bind_int64(query, i + 1, va_arg(args, int64_t));
        else if (types[i] == 's')
            sqlite3_bind_text(query, i + 1, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        else
            BUG("unknown argument type %c", types[i]);
    }
}

static bool query_v(Store *store, Error *err, sqlite3_stmt **ret_query, const char *sql, const char *types,
                    va_list args) {
    if (sqlite3_prepare_v2(store->db, sql, -1, ret_query, NULL) != SQLITE_OK)
        return sql_fail(store, err);
    bind(*ret_query, types, args);
    return true;
}

bool sql_query(Store *store, Error *err, sqlite3_stmt **ret_query, const char *sql, const char *types, ...) {
    va_list args;
    va_start(args, types);
    bool ok = query_v(store, err, ret_query, sql, types, args);
    va_end(args);
    return ok;
}

bool sql_step(Store *store, sqlite3_stmt *query, bool *ret_row, Error *err) {
    int code = sqlite3_step(query);
    *ret_row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE || sql_fail(store, err);
}

bool sql_run(Store *store, Error *err, const char *sql, const char *types, ...) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    va_list args;
    va_start(args, types);
    bool row, ok = query_v(store, err, &query, sql, types, args);
    va_end(args);
    return ok && sql_step(store, query, &row, err);
}

bool sql_int(Store *store, Error *err, int64_t *ret_value, const char *sql, const char *types, ...) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    va_list args;
    va_start(args, types);
    bool row, ok = query_v(store, err, &query, sql, types, args);
    va_end(args);
    if (!ok || !sql_step(store, query, &row, err))
        return false;
    if (row && sqlite3_column_type(query, 0) != SQLITE_NULL)
        *ret_value = sqlite3_column_int64(query, 0);
    return true;
}

void sql_finish(sqlite3_stmt **query) { sqlite3_finalize(*query); }

const char *sql_text(sqlite3_stmt *query, int column, Arena *arena) {
    const char *text = (const char *)sqlite3_column_text(query, column);
    return text ? arena_strndup(arena, text, (size_t)sqlite3_column_bytes(query, column)) : NULL;
}

bool sql_transaction(Store *store, SqlBody *body, void *context, Error *err) {
    if (!sql_exec(store, "BEGIN IMMEDIATE", err))
        return false;
    if (body(store, context, err) && sql_exec(store, "COMMIT", err))
        return true;
    /* A full disk may have rolled back already; a second rollback then fails harmlessly. */
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}
