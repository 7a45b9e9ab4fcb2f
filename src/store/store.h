/* Store: what a campaign did, so that it survives everything. The only folder that knows SQL.
 *
 * A campaign is a numbered series of tests. Work is claimed as ranges of test numbers with a lease; a result is recorded
 * once, whole, in one transaction with its verdicts and bugs; recording the same number again changes nothing. A number
 * that was claimed and not recorded when its lease ends is handed out again. So after a kill at any moment each test is
 * recorded exactly once, those in flight run again, and none is skipped.
 *
 * The back end is SQLite in the campaign's directory, and one process works on it at a time (store_open locks it). Time
 * is passed in, so that leases can be tested; the functions say nothing about where rows live, so that a server for
 * many machines can stand behind the same calls. A Store belongs to one thread.
 *
 *     store_open(dir, STORE_WORK, &store, err);
 *     while (store_claim(store, 16, now, 3600, &range, err) && …) store_record(store, &test, &is_first, err);
 *     store_release_claims(store, err);      numbers that were claimed and not run, before leaving
 *     store_close(store);
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/strlist.h"
#include "base/vec.h"
#include "store/rows.h"

typedef struct Store Store;

typedef Vec(StoreBug) StoreBugs;
typedef Vec(StoreCluster) StoreClusters;
typedef Vec(StoreConfig) StoreConfigs;
typedef Vec(StoreKindCount) StoreKindCounts;
typedef Vec(StoreProgress) StoreProgressList;
typedef Vec(StoreVerdictCount) StoreVerdictCounts;
typedef Vec(StoreExclusion) StoreExclusions;

typedef enum StoreMode {
    STORE_WORK, /* create or resume, and lock: another live process in it is an Error */
    STORE_NEW,  /* the same, but a campaign that exists already is an Error */
    STORE_READ, /* look at one, also while another process works on it */
} StoreMode;

bool store_exists(const char *dir);
bool store_open(const char *dir, StoreMode mode, Store **ret_store, Error *err);
void store_close(Store *store); /* claims that are left expire at the next store_open */
DEFINE_FREEP(Store, store_close)
const char *store_dir(const Store *store);

/* The campaign's settings: a few named texts. *ret_value is NULL if there is none. */
bool store_setting(Store *store, const char *name, Arena *arena, const char **ret_value, Error *err);
bool store_set_setting(Store *store, const char *name, const char *value, Error *err);

/* The number of a configuration, entered at its first use. */
bool store_config(Store *store, const StoreConfig *config, int64_t *ret_id, Error *err);
bool store_configs(Store *store, Arena *arena, StoreConfigs *ret_configs, Error *err);

/* Up to `count` test numbers for this process, until now_s + lease_s: numbers that came back first, else new ones. */
bool store_claim(Store *store, uint64_t count, int64_t now_s, int64_t lease_s, StoreRange *ret_range, Error *err);
/* Extends every lease of this process. */
bool store_renew_claims(Store *store, int64_t now_s, int64_t lease_s, Error *err);
/* Gives back what this process claimed and did not record. */
bool store_release_claims(Store *store, Error *err);
/* *ret_is_first is false if the number had its result already: nothing is changed then. */
bool store_record(Store *store, const StoreTest *test, bool *ret_is_first, Error *err);
bool store_has_test(Store *store, uint64_t number, bool *ret_has, Error *err);

/* Bugs, the most frequent first; store_bug gives *ret_found false if no bug has that key. */
bool store_bugs(Store *store, Arena *arena, StoreBugs *ret_bugs, Error *err);
bool store_bug(Store *store, const char *key, Arena *arena, StoreBug *ret_bug, bool *ret_found, Error *err);
/* What was found out about a directory, in place of what was known before; *ret_known is false, and nothing happens, if
 * no recorded test left that directory. */
bool store_explain(Store *store, const char *directory, const StoreExplanation *explanation, bool *ret_known,
                   Error *err);
bool store_has_directory(Store *store, const char *directory, bool *ret_has, Error *err);
/* Distinct bugs, the most frequent first. The hits of a bug all count for its cluster if its explained directories are
 * of one; if they are of several, each hit counts where it belongs, and those that nobody looked at are a row of their
 * own, without a fingerprint. */
bool store_clusters(Store *store, Arena *arena, StoreClusters *ret_clusters, Error *err);
/* How many directories of a fingerprint are explained. */
bool store_cluster_size(Store *store, const char *fingerprint, uint64_t *ret_directories, Error *err);

/* The reduced sequences of a bug's hits with one compiler, in order of the tests; without a key those of all bugs, each
 * once. */
bool store_sequences(Store *store, const char *key, const char *compiler, StrList *ret_sequences, Error *err);
/* Subsequences left out, those that hold first; store_set_exclusion enters or replaces the row of its passes. */
bool store_exclusions(Store *store, Arena *arena, StoreExclusions *ret_exclusions, Error *err);
bool store_set_exclusion(Store *store, const StoreExclusion *exclusion, Error *err);

bool store_totals(Store *store, StoreTotals *ret_totals, Error *err);
/* One row for each second in which a test ended, in order. */
bool store_progress(Store *store, StoreProgressList *ret_rows, Error *err);
/* How far the campaign was at a time: the last row that is not later; zeroes before the first. */
StoreProgress store_progress_at(const StoreProgressList *rows, int64_t wall_s);
/* Whether another process works on the campaign in this directory, now. Never to be asked by the one that does: closing the
 * lock's file would drop its lock. */
bool store_is_busy(const char *dir);
bool store_kind_counts(Store *store, Arena *arena, StoreKindCounts *ret_counts, Error *err);
bool store_verdict_counts(Store *store, Arena *arena, StoreVerdictCounts *ret_counts, Error *err);

#endif
