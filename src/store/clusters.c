/* Which bugs are the same, by what triage found out about their kept directories.
 *
 *     bug A, 9 hits, directories a1 a2 both of fingerprint f         cluster f: 9 + 1 hits
 *     bug B, 5 hits, directories b1 of f, b2 of g                    cluster g: 1 hit
 *                                                                    B, not looked at: 3 hits
 *     bug C, 2 hits, no directory explained                          C, not looked at: 2 hits
 */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "store/sql.h"

typedef struct Explaining {
    const char *directory;
    const StoreExplanation *explanation;
    bool known;
} Explaining;

static bool explain_body(Store *store, void *context, Error *err) {
    Explaining *e = context;
    const StoreExplanation *x = e->explanation;
    if (x->fingerprint &&
        !sql_run(store, err, "INSERT OR IGNORE INTO cluster (fingerprint) VALUES (?)", "s", x->fingerprint))
        return false;
    if (!sql_run(store, err,
                 "UPDATE hit SET cluster = (SELECT id FROM cluster WHERE fingerprint = ?), pass = ?, suspects = ?,"
                 " reduced_bytes = nullif(?, 0) WHERE directory = ?",
                 "sssis", x->fingerprint, x->pass, x->suspects, (int64_t)x->reduced_bytes, e->directory))
        return false;
    e->known = sqlite3_changes(store->db) > 0;
    return true;
}

bool store_explain(Store *store, const char *directory, const StoreExplanation *explanation, bool *ret_known,
                   Error *err) {
    Explaining e = {directory, explanation, false};
    if (!sql_transaction(store, explain_body, &e, err))
        return error_context(err, "cannot record what was found out about %s", directory);
    if (ret_known)
        *ret_known = e.known;
    return true;
}

bool store_has_directory(Store *store, const char *directory, bool *ret_has, Error *err) {
    int64_t found = 0;
    if (!sql_int(store, err, &found, "SELECT 1 FROM hit WHERE directory = ?", "s", directory))
        return false;
    *ret_has = found != 0;
    return true;
}

bool store_cluster_size(Store *store, const char *fingerprint, uint64_t *ret_directories, Error *err) {
    int64_t count = 0;
    if (!sql_int(store, err, &count,
                 "SELECT count(*) FROM hit JOIN cluster ON cluster.id = hit.cluster WHERE fingerprint = ?", "s",
                 fingerprint))
        return false;
    *ret_directories = (uint64_t)count;
    return true;
}

/* One explained directory. */
typedef struct Explained {
    int64_t bug;
    const char *directory;
    StoreExplanation explanation;
} Explained;

typedef Vec(Explained) ExplainedList;

/* Of each cluster the directory to look at first comes first: the smallest reduced program, else the oldest. */
static bool load_explained(Store *store, Arena *arena, ExplainedList *ret_list, Error *err) {
    CLEANUP(sql_finish) sqlite3_stmt *query = NULL;
    bool row, ok = sql_query(
                  store, err, &query,
                  "SELECT bug, directory, fingerprint, pass, suspects, reduced_bytes"
                  " FROM hit LEFT JOIN cluster ON cluster.id = hit.cluster"
                  " WHERE directory IS NOT NULL AND coalesce(hit.cluster, pass, suspects, reduced_bytes) IS NOT NULL"
                  " ORDER BY reduced_bytes IS NULL, reduced_bytes, test",
                  "");
    while (ok && (ok = sql_step(store, query, &row, err)) && row)
        vec_push(ret_list, (Explained){.bug = sqlite3_column_int64(query, 0),
                                       .directory = sql_text(query, 1, arena),
                                       .explanation = {
                                           .fingerprint = sql_text(query, 2, arena),
                                           .pass = sql_text(query, 3, arena),
                                           .suspects = sql_text(query, 4, arena),
                                           .reduced_bytes = (uint64_t)sqlite3_column_int64(query, 5),
                                       }});
    return ok;
}

/* The cluster of a fingerprint, made with its first directory. */
static StoreCluster *cluster_of(StoreClusters *clusters, Map *index, const Explained *explained, const StoreBug *bug) {
    bool is_new;
    MapEntry *entry = map_insert_str(index, explained->explanation.fingerprint, &is_new);
    if (is_new) {
        entry->value = clusters->len;
        vec_push(clusters, (StoreCluster){.bug = *bug, .explanation = explained->explanation});
        StoreBug *first = &vec_last(clusters).bug;
        first->directory = explained->directory;
        first->hits = first->kept = 0;
    }
    StoreCluster *cluster = &clusters->items[entry->value];
    cluster->bug.first_seen_s = MIN_OF(cluster->bug.first_seen_s, bug->first_seen_s);
    cluster->bug.last_seen_s = MAX_OF(cluster->bug.last_seen_s, bug->last_seen_s);
    return cluster;
}

static const StoreBug *bug_of(const StoreBugs *bugs, int64_t id) {
    for (size_t i = 0; i < bugs->len; i++)
        if (bugs->items[i].id == id)
            return &bugs->items[i];
    BUG("a hit without its bug");
}

/* Gives the hits of one bug to the clusters of its directories; what is left is a row of its own. */
static void share_out(const StoreBug *bug, const ExplainedList *list, Map *index, StoreClusters *clusters) {
    StoreCluster rest = {.bug = *bug, .keys = 1};
    CLEANUP(map_release) Map met = {0};
    for (size_t i = 0; i < list->len; i++) {
        const Explained *explained = &list->items[i];
        if (explained->bug != bug->id)
            continue;
        if (!explained->explanation.fingerprint) {
            if (!rest.explanation.pass && !rest.explanation.suspects && !rest.explanation.reduced_bytes) {
                rest.explanation = explained->explanation;
                rest.bug.directory = explained->directory;
            }
            continue;
        }
        bool first_of_bug;
        map_insert_str(&met, explained->explanation.fingerprint, &first_of_bug);
        StoreCluster *cluster = cluster_of(clusters, index, explained, bug);
        cluster->keys += first_of_bug;
        cluster->bug.kept++;
        rest.bug.kept--;
        uint64_t hits = bug->clusters > 1 ? 1 : first_of_bug ? bug->hits : 0;
        cluster->bug.hits += hits;
        rest.bug.hits -= MIN_OF(hits, rest.bug.hits);
    }
    if (rest.bug.hits)
        vec_push(clusters, rest);
}

/* The most frequent first; then the older; then what triage looked at. */
static int by_hits(const void *a, const void *b) {
    const StoreCluster *x = a, *y = b;
    if (x->bug.hits != y->bug.hits)
        return x->bug.hits < y->bug.hits ? 1 : -1;
    if (x->bug.id != y->bug.id)
        return x->bug.id < y->bug.id ? -1 : 1;
    return !x->explanation.fingerprint - !y->explanation.fingerprint;
}

bool store_clusters(Store *store, Arena *arena, StoreClusters *ret_clusters, Error *err) {
    StoreBugs bugs = {0};
    ExplainedList list = {0};
    CLEANUP(map_release) Map index = {0};
    bool ok = store_bugs(store, arena, &bugs, err) && load_explained(store, arena, &list, err);
    for (size_t i = 0; ok && i < list.len; i++)
        if (list.items[i].explanation.fingerprint)
            cluster_of(ret_clusters, &index, &list.items[i], bug_of(&bugs, list.items[i].bug));
    for (size_t i = 0; ok && i < bugs.len; i++)
        share_out(&bugs.items[i], &list, &index, ret_clusters);
    vec_sort(ret_clusters, by_hits);
    vec_release(&bugs);
    vec_release(&list);
    return ok;
}
