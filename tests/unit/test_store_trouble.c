/* What a campaign store survives: random work against a naive model, kill -9 at random moments, old stores, full disks, locks. */
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/rng.h"
#include "store_helpers.h"

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
    assert_int_equal(totals.counted_tests, 0); /* it did not count sequences */
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

/* What may not be written to is not migrated, and can be read all the same. */
static void version_1_is_read_where_nobody_can_write(void **state) {
    (void)state;
    sql(version_1);
    sql("PRAGMA journal_mode = WAL");
    chmod(dir, 0555);
    pid_t child = fork();
    if (child == 0) {
        Store *store = NULL;
        StoreTotals totals = {0};
        Error err = {0};
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(1);
        bool ok = store_open(dir, STORE_READ, &store, &err) && store_totals(store, &totals, &err);
        if (!ok)
            print_error("%s\n", err.text);
        _exit(ok && totals.tests == 1 && totals.bugs == 1 ? 0 : 2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    chmod(dir, 0755);
    assert_int_equal(status, 0);
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
    const struct CMUnitTest tests[] = {
        STORE_TEST(random_work_follows_the_model),
        STORE_TEST(nothing_is_lost_or_counted_twice_by_kill_9),
        STORE_TEST(a_campaign_in_use_is_refused),
        STORE_TEST(new_refuses_an_old_campaign),
        STORE_TEST(foreign_and_newer_stores_are_refused),
        STORE_TEST(version_1_is_migrated),
        STORE_TEST(version_1_is_read_where_nobody_can_write),
        STORE_TEST(a_full_disk_leaves_the_store_intact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
