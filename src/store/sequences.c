/* Reduced sequences of passes, and what is left out because of them. */
#include "store/sql.h"

bool store_sequences(Store *store, const char *key, const char *compiler, StrList *ret_sequences, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    CLEANUP(arena_release) Arena arena = {0};
    bool row, ok = sql_query(store, err, &query,
                             "SELECT sequence FROM hit WHERE (?1 IS NULL OR bug = (SELECT id FROM bug WHERE key = ?1))"
                             " AND compiler = ?2 AND sequence IS NOT NULL GROUP BY CASE WHEN ?1 IS NULL THEN sequence"
                             " ELSE test || command END ORDER BY max(test)",
                             "ss", key, compiler);
    while (ok && (ok = sql_step(store, query, &row, err)) && row)
        strlist_add(ret_sequences, sql_text(query, 0, &arena));
    return ok;
}

bool store_exclusions(Store *store, Arena *arena, StoreExclusions *ret_exclusions, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row, ok = sql_query(store, err, &query,
                             "SELECT compiler, version, first, second, bug, kind, hits, ended FROM exclusion"
                             " ORDER BY ended IS NOT NULL, compiler, hits DESC, first, second",
                             "");
    while (ok && (ok = sql_step(store, query, &row, err)) && row)
        vec_push(ret_exclusions, (StoreExclusion){
                                     .compiler = sql_text(query, 0, arena),
                                     .version = sql_text(query, 1, arena),
                                     .first = sql_text(query, 2, arena),
                                     .second = sql_text(query, 3, arena),
                                     .bug = sql_text(query, 4, arena),
                                     .kind = sql_text(query, 5, arena),
                                     .hits = (uint64_t)sqlite3_column_int64(query, 6),
                                     .ended = sql_text(query, 7, arena),
                                 });
    return ok;
}

bool store_set_exclusion(Store *store, const StoreExclusion *exclusion, Error *err) {
    return sql_run(store, err,
                   "INSERT OR REPLACE INTO exclusion (compiler, version, first, second, bug, kind, hits, ended)"
                   " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                   "ssssssis", exclusion->compiler, exclusion->version, exclusion->first, exclusion->second,
                   exclusion->bug, exclusion->kind, (int64_t)exclusion->hits, exclusion->ended);
}
