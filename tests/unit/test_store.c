/* The campaign store: leases against a naive model, kill -9 at random moments, migration, full disks, locks. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "base/str.h"
#include "store/store.h"

static char dir[] = "/tmp/culprit-store-XXXXXX";

static int new_dir(void **state) {
    (void)state;
    strcpy(dir, "/tmp/culprit-store-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    return dir_remove(dir, NULL) ? 0 : -1;
}

static Store *open_store(StoreMode mode) {
    Store *store = NULL;
    Error err = {0};
    if (!store_open(dir, mode, &store, &err))
        fail_msg("%s", err.text);
    return store;
}

#define must(call)                            \
    do {                                      \
        Error must_err = {0}, *e = &must_err; \
        if (!(call))                          \
            fail_msg("%s", must_err.text);    \
    } while (0)

static StoreTest plain_test(uint64_t number) { return (StoreTest){.number = number, .compile_us = 10, .run_us = 1}; }

static bool record(Store *store, uint64_t number) {
    StoreTest test = plain_test(number);
    bool is_first = false;
    must(store_record(store, &test, &is_first, e));
    return is_first;
}

static StoreRange claim(Store *store, uint64_t count, int64_t now) {
    StoreRange range = {0};
    must(store_claim(store, count, now, 100, &range, e));
    return range;
}

static void settings_survive_closing(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    must(store_set_setting(store, "seed", "42", e));
    must(store_set_setting(store, "seed", "43", e));
    store_close(store);
    store = open_store(STORE_WORK);
    Arena arena = {0};
    const char *value = NULL;
    must(store_setting(store, "seed", &arena, &value, e));
    assert_string_equal(value, "43");
    must(store_setting(store, "none", &arena, &value, e));
    assert_null(value);
    arena_release(&arena);
    store_close(store);
}

/* Sessions run one after the other; the time between them is not the campaign's. */
static void progress_leaves_out_pauses(void **state) {
    (void)state;
    const int64_t now = clock_wall_s();
    const int64_t finished[] = {10, 10, 20};
    Store *store = open_store(STORE_WORK);
    for (uint64_t i = 0; i < 3; i++) {
        StoreTest test = {.number = i, .compile_us = 1000, .run_us = 1, .finished_s = now + finished[i]};
        must(store_record(store, &test, NULL, e));
    }
    assert_false(store_is_busy("/nonexistent"));
    store_close(store);
    store = open_store(STORE_WORK); /* starts now, so that its test ends 5 seconds later */
    StoreTest last = {.number = 3, .compile_us = 1000, .finished_s = now + 5};
    must(store_record(store, &last, NULL, e));
    StoreProgressList rows = {0};
    must(store_progress(store, &rows, e));
    assert_int_equal(rows.len, 3);
    assert_int_equal(rows.items[0].tests, 2);
    assert_int_equal(rows.items[2].tests, 4);
    assert_int_equal(rows.items[2].cpu_us, 4003);
    assert_in_range(rows.items[1].elapsed_s, 18, 20);
    assert_in_range(rows.items[2].elapsed_s, rows.items[1].elapsed_s + 3, rows.items[1].elapsed_s + 5);
    assert_int_equal(store_progress_at(&rows, now).tests, 0);
    vec_release(&rows);
    store_close(store);
}

static void a_result_counts_once(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    StoreRange range = claim(store, 3, 0);
    assert_int_equal(range.first, 0);
    assert_int_equal(range.count, 3);
    assert_true(record(store, 1));
    assert_false(record(store, 1));
    StoreTotals totals = {0};
    must(store_totals(store, &totals, e));
    assert_int_equal(totals.tests, 1);
    assert_int_equal(totals.compile_us, 10);
    store_close(store);
}

static void numbers_without_a_result_come_back_first(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    claim(store, 6, 0);
    record(store, 0), record(store, 2), record(store, 3);
    must(store_release_claims(store, e));
    StoreRange one = claim(store, 10, 0), rest = claim(store, 10, 0), fresh = claim(store, 10, 0);
    assert_int_equal(one.first, 1);
    assert_int_equal(one.count, 1);
    assert_int_equal(rest.first, 4);
    assert_int_equal(rest.count, 2);
    assert_int_equal(fresh.first, 6);
    store_close(store);
}

static void leases_expire_unless_renewed(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    claim(store, 4, 0); /* until 100 */
    assert_int_equal(claim(store, 4, 99).first, 4);
    must(store_renew_claims(store, 99, 100, e)); /* both until 199 */
    assert_int_equal(claim(store, 4, 150).first, 8);
    assert_int_equal(claim(store, 4, 199).first, 0);
    store_close(store);
}

static const StoreHit crash = {.key = "gcc crash x",
                               .kind = "crash",
                               .compiler = "gcc-12",
                               .version = "12.2",
                               .command = "gcc-12 -O2",
                               .signature = "in fold, at a.c:1",
                               .directory = "gcc-12-crash-0"};

static void hits_of_one_key_are_one_bug(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    Arena arena = {0};
    claim(store, 3, 0);
    for (uint64_t i = 0; i < 3; i++) {
        StoreHit hit = crash;
        hit.directory = i == 1 ? NULL : crash.directory;
        StoreTest test = {.number = i, .finished_s = 1000 + (int64_t)i, .hits = &hit, .hit_count = 1};
        must(store_record(store, &test, NULL, e));
        must(store_record(store, &test, NULL, e)); /* the second changes nothing */
    }
    StoreBug bug = {0};
    bool found = false;
    must(store_bug(store, crash.key, &arena, &bug, &found, e));
    assert_true(found);
    assert_int_equal(bug.hits, 3);
    assert_int_equal(bug.kept, 2);
    assert_int_equal(bug.last_seen_s, 1002);
    assert_string_equal(bug.directory, crash.directory);
    arena_release(&arena);
    store_close(store);
}

static void a_new_version_is_a_new_configuration(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    StoreConfig config = {.command = "gcc-12 -O2", .compiler = "gcc-12", .version = "12.2.0"};
    int64_t id = 0, again = 0, newer = 0;
    must(store_config(store, &config, &id, e));
    must(store_config(store, &config, &again, e));
    config.version = "12.3.0";
    must(store_config(store, &config, &newer, e));
    assert_int_equal(id, again);
    assert_int_not_equal(id, newer);
    store_close(store);
}

/* --- Clusters --- */

/* One hit of the bug `key`, kept in `directory`. */
static void hit_bug(Store *store, uint64_t number, const char *key, const char *directory) {
    StoreHit hit = crash;
    hit.key = key;
    hit.directory = directory;
    StoreTest test = {.number = number, .finished_s = 1000 + (int64_t)number, .hits = &hit, .hit_count = 1};
    must(store_record(store, &test, NULL, e));
}

static void explain(Store *store, const char *directory, const char *fingerprint, uint64_t reduced) {
    StoreExplanation explanation = {.fingerprint = fingerprint, .reduced_bytes = reduced, .suspects = "a.c\nb.c"};
    bool known = false;
    must(store_explain(store, directory, &explanation, &known, e));
    assert_true(known);
}

/* "f 7 a1 2 keys|…": fingerprint, hits, the directory to look at first, merged bugs. */
static void check_clusters(Store *store, const char *expected) {
    Arena arena = {0};
    StoreClusters clusters = {0};
    Str text = {0};
    must(store_clusters(store, &arena, &clusters, e));
    for (size_t i = 0; i < clusters.len; i++) {
        const StoreCluster *c = &clusters.items[i];
        str_printf(&text, "%s%s %d %s %d", i ? "|" : "", c->explanation.fingerprint ? c->explanation.fingerprint : "-",
                   (int)c->bug.hits, c->bug.directory ? c->bug.directory : "-", (int)c->keys);
    }
    assert_string_equal(str_text(&text), expected);
    str_release(&text);
    vec_release(&clusters);
    arena_release(&arena);
}

static void bugs_of_one_fingerprint_are_one_cluster(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    static const char *const hits[][2] = {{"A", "a1"}, {"A", "a2"}, {"A", NULL}, {"A", NULL}, {"B", "b1"},
                                          {"B", "b2"}, {"B", NULL}, {"C", "c1"}, {"A", NULL}};
    claim(store, 9, 0);
    for (size_t i = 0; i < ARRAY_LEN(hits); i++)
        hit_bug(store, i, hits[i][0], hits[i][1]);
    check_clusters(store, "- 5 a1 1|- 3 b1 1|- 1 c1 1");
    explain(store, "a1", "f", 90);
    check_clusters(store, "f 5 a1 1|- 3 b1 1|- 1 c1 1");
    explain(store, "b1", "f", 50); /* B is A as well, and has the smaller program */
    check_clusters(store, "f 8 b1 2|- 1 c1 1");
    explain(store, "b2", "g", 0); /* B hides two bugs: which one its third hit was is unknown */
    check_clusters(store, "f 6 b1 2|g 1 b2 1|- 1 b1 1|- 1 c1 1");
    explain(store, "b2", "f", 0); /* after all */
    check_clusters(store, "f 8 b1 2|- 1 c1 1");
    store_close(store);
}

static void sequences_and_what_is_left_out_are_remembered(void **state) {
    (void)state;
    CLEANUP(store_closep) Store *store = open_store(STORE_WORK);
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(strlist_release) StrList of_bug = {0}, of_all = {0};
    static const char *const keys[] = {"a", "a", "b"}, *const compilers[] = {"opt-14", "opt-19", "opt-14"};
    for (size_t i = 0; i < 3; i++) {
        StoreHit hit = {keys[i], "crash", compilers[i], "14.0.6", "opt", "", NULL, NULL, i == 2 ? "y" : "x"};
        StoreTest test = {.number = i, .hits = &hit, .hit_count = 1};
        must(store_record(store, &test, NULL, e));
    }
    must(store_sequences(store, "a", "opt-14", &of_bug, e));
    must(store_sequences(store, NULL, "opt-14", &of_all, e));
    assert_int_equal(of_bug.len, 1);
    assert_int_equal(of_all.len, 2);
    assert_string_equal(of_all.items[1], "y");

    StoreExclusion row = {"opt-14", "14.0.6", "licm", "gvn", "a", "crash", 5, NULL};
    StoreExclusions rows = {0};
    must(store_set_exclusion(store, &row, e));
    row.hits = 6;
    row.ended = "gone";
    must(store_set_exclusion(store, &row, e));
    row = (StoreExclusion){"opt-14", "14.0.6", "chr", "", "a", "crash", 5, NULL};
    must(store_set_exclusion(store, &row, e));
    must(store_exclusions(store, &arena, &rows, e));
    assert_int_equal(rows.len, 2); /* those that hold first */
    assert_string_equal(rows.items[0].first, "chr");
    assert_null(rows.items[0].ended);
    assert_int_equal(rows.items[1].hits, 6);
    assert_string_equal(rows.items[1].ended, "gone");
    vec_release(&rows);
}

static void directories_are_known_once_recorded(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    bool known = true, has = true;
    uint64_t size = 9;
    must(store_explain(store, "a1", &(StoreExplanation){.fingerprint = "f"}, &known, e));
    must(store_has_directory(store, "a1", &has, e));
    assert_false(known || has);
    claim(store, 1, 0);
    hit_bug(store, 0, "A", "a1");
    must(store_has_directory(store, "a1", &has, e));
    assert_true(has);
    explain(store, "a1", "f", 0);
    must(store_cluster_size(store, "f", &size, e));
    assert_int_equal(size, 1);
    store_close(store);
}

static void verdicts_are_counted_by_configuration(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    Arena arena = {0};
    int64_t id = 0;
    must(store_config(store, &(StoreConfig){.command = "tcc", .compiler = "tcc", .version = "1"}, &id, e));
    claim(store, 3, 0);
    const char *verdicts[] = {"ok", "crash", "ok"};
    for (uint64_t i = 0; i < 3; i++) {
        StoreVerdict v = {.config = id, .verdict = verdicts[i], .compile_us = 5, .run_us = 1};
        must(store_record(store, &(StoreTest){.number = i, .verdicts = &v, .verdict_count = 1}, NULL, e));
    }
    StoreVerdictCounts counts = {0};
    must(store_verdict_counts(store, &arena, &counts, e));
    assert_int_equal(counts.len, 2);
    assert_string_equal(counts.items[1].verdict, "ok");
    assert_int_equal(counts.items[1].tests, 2);
    assert_int_equal(counts.items[1].compile_us, 10);
    vec_release(&counts);
    arena_release(&arena);
    store_close(store);
}

/* --- Random claims, results, lapses and crashes against the plainest model: one state for each number. --- */

enum { MODEL_SIZE = 4096 };
typedef enum Outcome { UNSEEN, CLAIMED, RETURNED, DONE } Outcome;

typedef struct Model {
    Outcome fate[MODEL_SIZE];
    int64_t expires[MODEL_SIZE];
    uint64_t next;
} Model;

static void model_lapse(Model *model, int64_t now) {
    for (uint64_t i = 0; i < model->next; i++)
        if (model->fate[i] == CLAIMED && model->expires[i] <= now)
            model->fate[i] = RETURNED;
}

static void model_return_all(Model *model) {
    for (uint64_t i = 0; i < model->next; i++)
        if (model->fate[i] == CLAIMED)
            model->fate[i] = RETURNED;
}

static void check_claim(Model *model, Store *store, uint64_t count, int64_t now) {
    model_lapse(model, now);
    uint64_t first = 0;
    while (first < model->next && model->fate[first] != RETURNED)
        first++;
    StoreRange range = claim(store, count, now);
    assert_int_equal(range.first, first);
    assert_in_range(range.count, 1, count);
    for (uint64_t i = range.first; i < range.first + range.count; i++) {
        assert_int_equal(model->fate[i], first < model->next ? RETURNED : UNSEEN);
        model->fate[i] = CLAIMED;
        model->expires[i] = now + 100;
    }
    model->next = MAX_OF(model->next, range.first + range.count);
}

static void check_record(Model *model, Store *store, uint64_t number) {
    if (model->fate[number] == UNSEEN)
        return;
    assert_int_equal(record(store, number), model->fate[number] != DONE);
    model->fate[number] = DONE;
}

static void random_work_follows_the_model(void **state) {
    (void)state;
    Rng rng = rng_from_seed(7);
    Model *model = mem_zalloc(1, sizeof *model);
    Store *store = open_store(STORE_WORK);
    int64_t now = 0;
    for (int step = 0; step < 3000; step++, now += (int64_t)rng_below(&rng, 5)) {
        uint64_t choice = rng_below(&rng, 100);
        if (choice < 15 && model->next < MODEL_SIZE - 16)
            check_claim(model, store, 1 + rng_below(&rng, 12), now);
        else if (choice < 97 && model->next)
            check_record(model, store, rng_below(&rng, model->next));
        else if (choice < 98) { /* the process dies, another one resumes */
            store_close(store);
            store = open_store(STORE_WORK);
            model_return_all(model);
        } else {
            must(store_release_claims(store, e));
            model_return_all(model);
        }
    }
    for (uint64_t i = 0; i < model->next; i++) {
        bool has = false;
        must(store_has_test(store, i, &has, e));
        assert_int_equal(has, model->fate[i] == DONE);
    }
    store_close(store);
    free(model);
}

/* --- kill -9 --- */

/* Claims and records until somebody kills it; writes a byte for each result. */
NORETURN static void work_until_killed(int progress) {
    Store *store = NULL;
    if (!store_open(dir, STORE_WORK, &store, NULL))
        _exit(1);
    while (true) {
        StoreRange range;
        if (!store_claim(store, 5, 0, 100, &range, NULL))
            _exit(2);
        for (uint64_t i = 0; i < range.count; i++) {
            StoreTest test = {.number = range.first + i, .hits = &crash, .hit_count = 1};
            if (!store_record(store, &test, NULL, NULL) || write(progress, "", 1) != 1)
                _exit(3);
        }
    }
}

/* Kills one that has recorded up to 30 results, a moment later: also while it opens the store. */
static void kill_a_worker(Rng *rng) {
    int progress[2];
    assert_int_equal(pipe(progress), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        work_until_killed(progress[1]);
    char byte;
    for (uint64_t results = rng_below(rng, 30); results > 0; results--)
        assert_int_equal(read(progress[0], &byte, 1), 1);
    usleep((useconds_t)rng_below(rng, 5000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    close(progress[0]), close(progress[1]);
    assert_true(WIFSIGNALED(status)); /* it did not fail by itself */
}

static void nothing_is_lost_or_counted_twice_by_kill_9(void **state) {
    (void)state;
    Rng rng = rng_from_seed(9);
    for (int i = 0; i < 40; i++)
        kill_a_worker(&rng);
    Store *store = open_store(STORE_WORK);
    StoreRange range;
    while ((range = claim(store, 1000, 0)).count < 1000) /* what was in flight */
        for (uint64_t i = 0; i < range.count; i++)
            assert_true(record(store, range.first + i));
    StoreTotals totals = {0};
    must(store_totals(store, &totals, e));
    assert_int_equal(totals.tests, range.first); /* 0 … first-1, each once: the number is a key */
    assert_true(totals.hits <= totals.tests);
    assert_true(totals.tests > 0);
    store_close(store);
}

/* --- What can go wrong outside --- */

static void expect_error(StoreMode mode, const char *part) {
    Store *store = NULL;
    Error err = {0};
    assert_false(store_open(dir, mode, &store, &err));
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
}

static void a_campaign_in_use_is_refused(void **state) {
    (void)state;
    int ready[2], done[2];
    assert_int_equal(pipe(ready) | pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        Store *store = NULL;
        char byte = store_open(dir, STORE_WORK, &store, NULL);
        (void)!write(ready[1], &byte, 1);
        (void)!read(done[0], &byte, 1);
        _exit(0);
    }
    char byte = 0;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    expect_error(STORE_WORK, "is working on the campaign");
    store_close(open_store(STORE_READ)); /* looking is fine */
    (void)!write(done[1], &byte, 1);
    waitpid(child, NULL, 0);
    store_close(open_store(STORE_WORK));
}

static void new_refuses_an_old_campaign(void **state) {
    (void)state;
    expect_error(STORE_READ, "there is no campaign");
    store_close(open_store(STORE_NEW));
    expect_error(STORE_NEW, "holds a campaign already");
}

static void sql(const char *script) {
    CLEANUP(mem_freep) char *path = path_of(dir, "campaign.db");
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(db, script, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(db);
}

static void foreign_and_newer_stores_are_refused(void **state) {
    (void)state;
    sql("CREATE TABLE other (x)");
    expect_error(STORE_WORK, "another program");
    dir_remove(dir, NULL);
    store_close(open_store(STORE_NEW));
    sql("PRAGMA user_version = 99");
    expect_error(STORE_WORK, "newer culprit");
    CLEANUP(mem_freep) char *path = path_of(dir, "campaign.db");
    must(file_write_text(path,
                         "This is not a database, and longer than the hundred bytes of a header, "
                         "so that nobody takes it for a short one.",
                         e));
    expect_error(STORE_WORK, "damaged");
}

/* Version 1 as it was released, with a dead session's claim 0..3 of which 1 has its result, and one bug. */
static const char version_1[] =
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE session (id INTEGER PRIMARY KEY, host TEXT, pid INTEGER, started INTEGER);"
    "CREATE TABLE config (id INTEGER PRIMARY KEY, command TEXT NOT NULL, compiler TEXT NOT NULL, version TEXT NOT NULL,"
    "    target TEXT, UNIQUE (command, version));"
    "CREATE TABLE claim (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, left INTEGER NOT NULL, session INTEGER,"
    "    expires INTEGER);"
    "CREATE TABLE test (number INTEGER PRIMARY KEY, session INTEGER NOT NULL, bytes INTEGER, generate_us INTEGER,"
    "    compile_us INTEGER, run_us INTEGER, finished INTEGER);"
    "CREATE TABLE verdict (test INTEGER, config INTEGER, verdict TEXT NOT NULL, compile_us INTEGER, run_us INTEGER,"
    "    PRIMARY KEY (test, config)) WITHOUT ROWID;"
    "CREATE TABLE bug (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, compiler TEXT NOT NULL,"
    "    version TEXT, command TEXT, signature TEXT, oracle TEXT, directory TEXT, hits INTEGER NOT NULL,"
    "    kept INTEGER NOT NULL, first_test INTEGER, first_seen INTEGER, last_seen INTEGER);"
    "CREATE TABLE hit (bug INTEGER, test INTEGER, command TEXT, directory TEXT, PRIMARY KEY (bug, test, command))"
    "    WITHOUT ROWID;"
    "INSERT INTO setting VALUES ('next', '4'), ('seed', '17');"
    "INSERT INTO session VALUES (1, 'h', 1, 1);"
    "INSERT INTO claim VALUES (0, 4, 3, 1, 9999999999);"
    "INSERT INTO test VALUES (1, 1, 100, 1, 2, 3, 4);"
    "INSERT INTO bug VALUES (1, 'k', 'crash', 'tcc', '1', 'tcc', 's', NULL, NULL, 1, 0, 1, 4, 4);"
    "PRAGMA application_id = 1668639856; PRAGMA user_version = 1;";

static void version_1_is_migrated(void **state) {
    (void)state;
    sql(version_1);
    Store *store = open_store(STORE_WORK);
    Arena arena = {0};
    StoreTotals totals = {0};
    must(store_totals(store, &totals, e));
    assert_int_equal(totals.tests, 1);
    assert_int_equal(totals.bugs, 1);
    const char *value = NULL;
    hit_bug(store, 0, "k", "tcc-crash-17");
    explain(store, "tcc-crash-17", "f", 0);
    must(store_setting(store, "seed", &arena, &value, e));
    assert_string_equal(value, "17");
    assert_int_equal(claim(store, 9, 0).first, 2);
    assert_int_equal(claim(store, 9, 0).first, 4);
    arena_release(&arena);
    store_close(store);
}

/* A limit on the size of files stands for a full disk: writes fail in the middle of a transaction. */
static void a_full_disk_leaves_the_store_intact(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, tight;
    getrlimit(RLIMIT_FSIZE, &old);
    tight = (struct rlimit){.rlim_cur = 300000, .rlim_max = old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    uint64_t recorded = 0;
    Error err = {0};
    while (recorded < 100000) {
        StoreRange range;
        StoreTest test = plain_test(recorded);
        if (!store_claim(store, 1, 0, 100, &range, &err) || !store_record(store, &test, NULL, &err))
            break;
        recorded++;
    }
    store_close(store);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_non_null(strstr(err.text, "what was recorded is safe"));
    store = open_store(STORE_WORK);
    StoreTotals totals = {0};
    must(store_totals(store, &totals, e));
    assert_int_equal(totals.tests, recorded);
    store_close(store);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, new_dir, remove_dir)
    const struct CMUnitTest tests[] = {
        CASE(settings_survive_closing),
        CASE(progress_leaves_out_pauses),
        CASE(a_result_counts_once),
        CASE(numbers_without_a_result_come_back_first),
        CASE(leases_expire_unless_renewed),
        CASE(hits_of_one_key_are_one_bug),
        CASE(a_new_version_is_a_new_configuration),
        CASE(bugs_of_one_fingerprint_are_one_cluster),
        CASE(sequences_and_what_is_left_out_are_remembered),
        CASE(directories_are_known_once_recorded),
        CASE(verdicts_are_counted_by_configuration),
        CASE(random_work_follows_the_model),
        CASE(nothing_is_lost_or_counted_twice_by_kill_9),
        CASE(a_campaign_in_use_is_refused),
        CASE(new_refuses_an_old_campaign),
        CASE(foreign_and_newer_stores_are_refused),
        CASE(version_1_is_migrated),
        CASE(a_full_disk_leaves_the_store_intact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
