/* How a campaign came along: time and CPU time since its start. */
#include "store/sql.h"

/* Sessions follow each other, so that what was elapsed when one started is the sum of those before it. */
bool store_progress(Store *store, StoreProgressList *ret_rows, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    StoreProgress sum = {0};
    int64_t session = -1, before_s = 0;
    bool row, ok = sql_query(store, err, &query,
                             "SELECT test.session, coalesce(session.started, test.finished), test.finished, count(*),"
                             " total(generate_us) + total(compile_us) + total(run_us)"
                             " FROM test LEFT JOIN session ON session.id = test.session"
                             " GROUP BY test.session, test.finished ORDER BY test.session, test.finished",
                             "");
    while (ok && (ok = sql_step(store, query, &row, err)) && row) {
        if (sqlite3_column_int64(query, 0) != session) {
            session = sqlite3_column_int64(query, 0);
            before_s = sum.elapsed_s;
        }
        sum.wall_s = sqlite3_column_int64(query, 2);
        sum.elapsed_s = before_s + MAX_OF(sum.wall_s - sqlite3_column_int64(query, 1), (int64_t)0);
        sum.tests += (uint64_t)sqlite3_column_int64(query, 3);
        sum.cpu_us += sqlite3_column_int64(query, 4);
        vec_push(ret_rows, sum);
    }
    return ok;
}

StoreProgress store_progress_at(const StoreProgressList *rows, int64_t wall_s) {
    size_t low = 0, high = rows->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->items[middle].wall_s <= wall_s)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? rows->items[low - 1] : (StoreProgress){0};
}
