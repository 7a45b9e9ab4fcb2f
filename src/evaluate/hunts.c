#include "evaluate/hunts.h"

#include <math.h>
#include <stdlib.h>

#include "base/table.h"
#include "store/store.h"

static int by_hours(const void *a, const void *b) {
    double x = ((const HuntFind *)a)->hours, y = ((const HuntFind *)b)->hours;
    return (x > y) - (x < y);
}

static bool load_repeat(const char *dir, HuntRepeat *repeat, Error *err) {
    CLEANUP(store_closep) Store *store = NULL;
    CLEANUP(arena_release) Arena arena = {0};
    StoreClusters clusters = {0};
    StoreProgressList progress = {0};
    StoreTotals totals;
    repeat->dir = mem_strdup(dir);
    bool ok = store_open(dir, STORE_READ, &store, err) && store_totals(store, &totals, err) &&
              store_clusters(store, &arena, &clusters, err) && store_progress(store, &progress, err);
    if (ok && progress.len == 0)
        ok = error_set(err, "the campaign in %s has no tests yet", dir);
    for (size_t i = 0; ok && i < clusters.len; i++) {
        const StoreCluster *cluster = &clusters.items[i];
        StoreProgress at = store_progress_at(&progress, cluster->bug.first_seen_s);
        const char *name = cluster->explanation.fingerprint ? cluster->explanation.fingerprint : cluster->bug.key;
        vec_push(&repeat->finds, (HuntFind){mem_strdup(name), (double)at.elapsed_s / 3600, (double)at.cpu_us / 3.6e9});
    }
    if (ok) {
        repeat->tests = totals.tests;
        repeat->hours = (double)vec_last(&progress).elapsed_s / 3600;
        repeat->cpu_hours = (double)vec_last(&progress).cpu_us / 3.6e9;
        vec_sort(&repeat->finds, by_hours);
    }
    vec_release(&clusters);
    vec_release(&progress);
    return ok;
}

size_t hunt_finds_at(const HuntRepeat *repeat, double hours, double cpu_hours) {
    size_t count = 0;
    for (size_t i = 0; i < repeat->finds.len; i++)
        count += repeat->finds.items[i].hours <= hours && repeat->finds.items[i].cpu_hours <= cpu_hours;
    return count;
}

static bool side_has(const HuntsResult *result, int side, const char *bug) {
    for (size_t r = 0; r < result->sides[side].len; r++)
        for (size_t i = 0; i < result->sides[side].items[r].finds.len; i++)
            if (str_equal(result->sides[side].items[r].finds.items[i].bug, bug))
                return true;
    return false;
}

static void tell_apart(HuntsResult *result) {
    for (int side = 0; side < HUNT_SIDES; side++)
        for (size_t r = 0; r < result->sides[side].len; r++)
            for (size_t i = 0; i < result->sides[side].items[r].finds.len; i++) {
                const char *bug = result->sides[side].items[r].finds.items[i].bug;
                StrList *list = side_has(result, 1 - side, bug) ? &result->both : &result->only[side];
                if (!strlist_contains(list, bug))
                    strlist_add(list, bug);
            }
}

/* Counts at the common limits, for each repeat of both sides. */
static void test_sides(HuntsResult *result) {
    double *cpu[HUNT_SIDES], *time[HUNT_SIDES];
    size_t count[HUNT_SIDES];
    for (int side = 0; side < HUNT_SIDES; side++) {
        count[side] = result->sides[side].len;
        cpu[side] = mem_zalloc(count[side] + 1, sizeof(double));
        time[side] = mem_zalloc(count[side] + 1, sizeof(double));
        for (size_t r = 0; r < count[side]; r++) {
            const HuntRepeat *repeat = &result->sides[side].items[r];
            cpu[side][r] = (double)hunt_finds_at(repeat, INFINITY, result->cpu_hours);
            time[side][r] = (double)hunt_finds_at(repeat, result->hours, INFINITY);
        }
    }
    result->by_cpu = mann_whitney_u(cpu[0], count[0], cpu[1], count[1]);
    result->by_time = mann_whitney_u(time[0], count[0], time[1], count[1]);
    result->a12_by_cpu = vargha_delaney_a12(cpu[0], count[0], cpu[1], count[1]);
    result->a12_by_time = vargha_delaney_a12(time[0], count[0], time[1], count[1]);
    for (int side = 0; side < HUNT_SIDES; side++) {
        free(cpu[side]);
        free(time[side]);
    }
}

bool bench_hunts(const StrList *first, const StrList *second, HuntsResult *ret_result, Error *err) {
    HuntsResult result = {.hours = INFINITY, .cpu_hours = INFINITY};
    const StrList *dirs[HUNT_SIDES] = {first, second};
    bool ok = true;
    for (int side = 0; side < HUNT_SIDES; side++)
        for (size_t i = 0; ok && i < dirs[side]->len; i++) {
            HuntRepeat repeat = {0};
            ok = load_repeat(dirs[side]->items[i], &repeat, err);
            vec_push(&result.sides[side], repeat);
            result.hours = MIN_OF(result.hours, repeat.hours);
            result.cpu_hours = MIN_OF(result.cpu_hours, repeat.cpu_hours);
        }
    if (!ok) {
        hunts_result_release(&result);
        return false;
    }
    tell_apart(&result);
    test_sides(&result);
    *ret_result = result;
    return true;
}

void hunts_result_release(HuntsResult *result) {
    for (int side = 0; side < HUNT_SIDES; side++) {
        for (size_t r = 0; r < result->sides[side].len; r++) {
            HuntRepeat *repeat = &result->sides[side].items[r];
            for (size_t i = 0; i < repeat->finds.len; i++)
                free(repeat->finds.items[i].bug);
            vec_release(&repeat->finds);
            free(repeat->dir);
        }
        vec_release(&result->sides[side]);
        strlist_release(&result->only[side]);
    }
    strlist_release(&result->both);
}

/* --- For people and programs --- */

static void append_test(const char *what, const RankTest *test, double a12, Str *text) {
    str_printf(text, "%s: p = %.2g%s (Mann-Whitney, U = %g), A12 = %.2f (%s%s)\n", what, test->p,
               test->exact ? "" : " approximately", test->statistic, a12, vargha_delaney_word(a12),
               fabs(a12 - 0.5) < 0.06 ? ""
               : a12 > 0.5            ? ", for the first side"
                                      : ", for the second side");
}

static void append_bugs(const char *title, const StrList *bugs, Str *text) {
    str_printf(text, "%s: %zu\n", title, bugs->len);
    for (size_t i = 0; i < bugs->len; i++)
        str_printf(text, "  %s\n", bugs->items[i]);
}

void hunts_result_table(const HuntsResult *result, size_t width, bool color, Str *ret_text) {
    static const char *const columns[] = {"side",  "campaign",   ">tests",         ">hours",          ">CPU h",
                                          ">bugs", ">per CPU h", ">at common CPU", ">at common time", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    for (int side = 0; side < HUNT_SIDES; side++)
        for (size_t r = 0; r < result->sides[side].len; r++) {
            const HuntRepeat *repeat = &result->sides[side].items[r];
            table_row(table);
            table_cell(table, "%s", side ? "second" : "first");
            table_cell(table, "%s", repeat->dir);
            table_cell(table, "%llu", (unsigned long long)repeat->tests);
            table_cell(table, "%.3g", repeat->hours);
            table_cell(table, "%.3g", repeat->cpu_hours);
            table_cell(table, "%zu", repeat->finds.len);
            table_cell(table, "%.3g", repeat->cpu_hours > 0 ? (double)repeat->finds.len / repeat->cpu_hours : 0);
            table_cell(table, "%zu", hunt_finds_at(repeat, INFINITY, result->cpu_hours));
            table_cell(table, "%zu", hunt_finds_at(repeat, result->hours, INFINITY));
        }
    table_format(table, width, color, ret_text);
    str_printf(ret_text, "common to all: %.3g CPU hours, %.3g hours; bugs are clusters of triage\n", result->cpu_hours,
               result->hours);
    append_test("distinct bugs at the common CPU time", &result->by_cpu, result->a12_by_cpu, ret_text);
    append_test("distinct bugs at the common time", &result->by_time, result->a12_by_time, ret_text);
    append_bugs("found by both sides", &result->both, ret_text);
    append_bugs("found by the first side only", &result->only[0], ret_text);
    append_bugs("found by the second side only", &result->only[1], ret_text);
}

static Json *repeat_json(const HuntRepeat *repeat, const HuntsResult *result) {
    Json *json = json_new_object(), *finds = json_new_array();
    json_put_text(json, "campaign", repeat->dir);
    json_put_int(json, "tests", (int64_t)repeat->tests);
    json_put_real(json, "hours", repeat->hours);
    json_put_real(json, "cpu_hours", repeat->cpu_hours);
    json_put_int(json, "bugs", (int64_t)repeat->finds.len);
    json_put_int(json, "bugs_at_common_cpu", (int64_t)hunt_finds_at(repeat, INFINITY, result->cpu_hours));
    json_put_int(json, "bugs_at_common_time", (int64_t)hunt_finds_at(repeat, result->hours, INFINITY));
    for (size_t i = 0; i < repeat->finds.len; i++) {
        Json *find = json_new_object();
        json_put_text(find, "bug", repeat->finds.items[i].bug);
        json_put_real(find, "hours", repeat->finds.items[i].hours);
        json_put_real(find, "cpu_hours", repeat->finds.items[i].cpu_hours);
        json_push(finds, find);
    }
    json_put(json, "finds", finds);
    return json;
}

static Json *test_json(const RankTest *test, double a12) {
    Json *json = json_new_object();
    json_put_text(json, "test", "mann-whitney");
    json_put_real(json, "u", test->statistic);
    json_put_real(json, "p", test->p);
    json_put_bool(json, "exact", test->exact);
    json_put_real(json, "a12", a12);
    return json;
}

Json *hunts_result_json(const HuntsResult *result) {
    static const char *const sides[HUNT_SIDES] = {"first", "second"}, *const only[HUNT_SIDES] = {"only_first",
                                                                                                 "only_second"};
    Json *json = json_new_object();
    for (int side = 0; side < HUNT_SIDES; side++) {
        Json *rows = json_new_array();
        for (size_t r = 0; r < result->sides[side].len; r++)
            json_push(rows, repeat_json(&result->sides[side].items[r], result));
        json_put(json, sides[side], rows);
        json_put_strings(json, only[side], &result->only[side]);
    }
    json_put_strings(json, "both", &result->both);
    json_put_real(json, "common_cpu_hours", result->cpu_hours);
    json_put_real(json, "common_hours", result->hours);
    json_put(json, "by_cpu", test_json(&result->by_cpu, result->a12_by_cpu));
    json_put(json, "by_time", test_json(&result->by_time, result->a12_by_time));
    return json;
}
