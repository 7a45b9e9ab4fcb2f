/* What a campaign store remembers: settings, leases, results, bugs, clusters, sequences. */
#include "base/clock.h"
#include "store_helpers.h"

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

static void tested_sequences_are_counted(void **state) {
    (void)state;
    Store *store = open_store(STORE_WORK);
    StoreTotals totals = {0};
    record(store, 0);
    for (uint64_t number = 1; number < 3; number++) {
        StoreTest test = {.number = number, .sequences = 8 * number};
        must(store_record(store, &test, NULL, e));
    }
    must(store_totals(store, &totals, e));
    assert_int_equal(totals.sequences, 24);
    assert_int_equal(totals.counted_tests, 3);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        STORE_TEST(settings_survive_closing),
        STORE_TEST(progress_leaves_out_pauses),
        STORE_TEST(a_result_counts_once),
        STORE_TEST(numbers_without_a_result_come_back_first),
        STORE_TEST(leases_expire_unless_renewed),
        STORE_TEST(hits_of_one_key_are_one_bug),
        STORE_TEST(a_new_version_is_a_new_configuration),
        STORE_TEST(bugs_of_one_fingerprint_are_one_cluster),
        STORE_TEST(tested_sequences_are_counted),
        STORE_TEST(sequences_and_what_is_left_out_are_remembered),
        STORE_TEST(directories_are_known_once_recorded),
        STORE_TEST(verdicts_are_counted_by_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
