/* Inside src/store: the open database, and statements in one call each.
 *
 * `types` names the arguments that are bound: 'i' an int64_t, 's' a text that may be NULL.
 *
 *     sql_run(store, err, "UPDATE bug SET hits = ? WHERE id = ?", "ii", hits, id)
 *
 *     CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
 *     bool row;
 *     if (!sql_query(store, err, &query, "SELECT …", "")) return false;
 *     while (sql_step(store, query, &row, err) && row) …
 *
 * A result code of the database becomes a sentence in one place, sql_fail.
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <sqlite3.h>

#include "store/store.h"

struct Store {
    sqlite3 *db;
    char *dir;
    int lock_fd;     /* -1: not locked */
    int64_t session; /* this process, in STORE_WORK and STORE_NEW */
};

bool sql_fail(Store *store, Error *err); /* says what the last call met; returns false */
bool sql_exec(Store *store, const char *script, Error *err);
bool sql_query(Store *store, Error *err, sqlite3_stmt **ret_query, const char *sql, const char *types, ...);
bool sql_run(Store *store, Error *err, const char *sql, const char *types, ...);
bool sql_step(Store *store, sqlite3_stmt *query, bool *ret_row, Error *err);
/* The first column of the first row; *ret_value is untouched if there is no row or it is NULL. */
bool sql_int(Store *store, Error *err, int64_t *ret_value, const char *sql, const char *types, ...);
void sql_finish(sqlite3_stmt **query);
const char *sql_text(sqlite3_stmt *query, int column, Arena *arena); /* NULL for NULL */

/* One transaction around `body`: all of it or nothing. */
typedef bool SqlBody(Store *store, void *context, Error *err);
bool sql_transaction(Store *store, SqlBody *body, void *context, Error *err);

#endif
