/* What the tests of src/store share: a new directory for each, and calls that must not fail. */
#ifndef TESTS_STORE_HELPERS_H
#define TESTS_STORE_HELPERS_H

#include <unistd.h>

#include "base/file.h"
#include "store/store.h"
#include "unit.h"

static char dir[] = "/tmp/culprit-store-XXXXXX";

static inline int new_dir(void **state) {
    (void)state;
    strcpy(dir, "/tmp/culprit-store-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state) {
    (void)state;
    return dir_remove(dir, NULL) ? 0 : -1;
}

static inline Store *open_store(StoreMode mode) {
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

static inline StoreTest plain_test(uint64_t number) {
    return (StoreTest){.number = number, .compile_us = 10, .run_us = 1};
}

static inline bool record(Store *store, uint64_t number) {
    StoreTest test = plain_test(number);
    bool is_first = false;
    must(store_record(store, &test, &is_first, e));
    return is_first;
}

static inline StoreRange claim(Store *store, uint64_t count, int64_t now) {
    StoreRange range = {0};
    must(store_claim(store, count, now, 100, &range, e));
    return range;
}

static const StoreHit crash = {.key = "gcc crash x",
                               .kind = "crash",
                               .compiler = "gcc-12",
                               .version = "12.2",
                               .command = "gcc-12 -O2",
                               .signature = "in fold, at a.c:1",
                               .directory = "gcc-12-crash-0"};

/* One hit of the bug `key`, kept in `directory`. */
static inline void hit_bug(Store *store, uint64_t number, const char *key, const char *directory) {
    StoreHit hit = crash;
    hit.key = key;
    hit.directory = directory;
    StoreTest test = {.number = number, .finished_s = 1000 + (int64_t)number, .hits = &hit, .hit_count = 1};
    must(store_record(store, &test, NULL, e));
}

static inline void explain(Store *store, const char *directory, const char *fingerprint, uint64_t reduced) {
    StoreExplanation explanation = {.fingerprint = fingerprint, .reduced_bytes = reduced, .suspects = "a.c\nb.c"};
    bool known = false;
    must(store_explain(store, directory, &explanation, &known, e));
    assert_true(known);
}

#define STORE_TEST(function) cmocka_unit_test_setup_teardown(function, new_dir, remove_dir)

#endif
