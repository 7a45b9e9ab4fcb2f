#include "campaign/keep.h"

#include "base/clock.h"
#include "base/file.h"
#include "campaign/bugdir.h"

#define REFUSALS_MAX 20 /* seeds in a row without a program before the generator is held to be broken */

/* --- Findings --- */

/* Decides whether the finding deserves a directory, and writes it. *ret_name is NULL where the bug has enough; one that
 * turned out to be several bugs may have more. */
static bool keep_finding(Hunt *hunt, Test *test, size_t i, const char **ret_name, bool *ret_is_new, Error *err) {
    StoreBug bug = {0};
    bool found;
    *ret_name = NULL;
    if (!store_bug(hunt->store, test->findings.items[i].key, &test->arena, &bug, &found, err))
        return false;
    *ret_is_new = !found;
    if (found && bug.kept >= hunt->options->duplicates_per_bug * MAX_OF(bug.clusters, 1))
        return true;
    CLEANUP(mem_freep) char *bugs = path_of(hunt->options->dir, "bugs");
    *ret_name = bugdir_name(test, i, &test->arena);
    return bugdir_write(test, i, hunt->settings.generator, bugs, *ret_name, err);
}

static bool is_generators(const Finding *finding) { return str_equal(finding->family, "generator"); }

static void announce(Hunt *hunt, const Test *test, const Finding *finding, const char *name) {
    const Config *config = test->executions.items[finding->failing.items[0]].config;
    const char *kind = verdict_kind(finding->verdict), *dir = hunt->options->dir;
    if (is_generators(finding))
        console_warn(hunt->console, "no compiler agrees with the generator about seed %llu: see %s/bugs/%s",
                     (unsigned long long)test->seed, dir, name);
    else
        console_info(hunt->console, "new %s: %s%s%s (%s/bugs/%s)", kind, config->name, *finding->signature ? ": " : "",
                     finding->signature, dir, name);
}

static void count_bug(Hunt *hunt, const Finding *finding, bool is_new) {
    bool counts = finding->verdict != VERDICT_FLAKY;
    hunt->summary.hits += counts;
    if (is_new) {
        hunt->summary.new_bugs += counts;
        hunt->summary.all_bugs++;
        map_insert_str(&hunt->kinds, verdict_kind(finding->verdict), NULL)->value++;
    }
}

static StoreHit hit_of(const Test *test, const Finding *finding, const char *directory) {
    const Execution *first = &test->executions.items[finding->failing.items[0]];
    return (StoreHit){
        .key = finding->key,
        .kind = verdict_kind(finding->verdict),
        .compiler = is_generators(finding) ? finding->family : config_compiler(first->config),
        .version = first->config->compiler->version_text,
        .command = first->config->name,
        .signature = finding->signature,
        .oracle = first->basis == BASIS_NONE ? NULL : basis_name(first->basis),
        .directory = directory,
    };
}

static StoreVerdict *verdicts_of(const Hunt *hunt, Test *test) {
    StoreVerdict *verdicts = arena_array(&test->arena, StoreVerdict, test->executions.len + 1);
    for (size_t i = 0; i < test->executions.len; i++) {
        const Execution *execution = &test->executions.items[i];
        verdicts[i] = (StoreVerdict){
            .config = hunt->config_ids.items[i],
            .verdict = verdict_name(execution->verdict),
            .compile_us = execution->compile_us,
            .run_us = execution->run_us,
        };
    }
    return verdicts;
}

/* A seed without a program is the generator's failure: listed among the bugs, and held against no compiler. */
static StoreHit refusal_of(const Hunt *hunt, Test *test) {
    const char *why = str_text(&test->generated.why);
    return (StoreHit){
        .key = arena_printf(&test->arena, "generator no-program: %s", why),
        .kind = "no-program",
        .compiler = "generator",
        .version = "",
        .command = hunt->settings.generator,
        .signature = why,
    };
}

static bool record(Hunt *hunt, Test *test, const StoreHit *hits, size_t hit_count, Error *err) {
    StoreTest row = {
        .number = test->number,
        .program_bytes = program_bytes(&test->generated.program),
        .generate_us = test->generated.cpu_us,
        .compile_us = test_compile_us(test),
        .run_us = test_run_us(test),
        .finished_s = clock_wall_s(),
        .verdicts = verdicts_of(hunt, test),
        .verdict_count = test->executions.len,
        .hits = hits,
        .hit_count = hit_count,
    };
    if (!store_record(hunt->store, &row, NULL, err))
        return false;
    hunt->summary.tests++;
    hunt->summary.all_tests++;
    hunt->summary.generate_us += row.generate_us;
    hunt->summary.compile_us += row.compile_us;
    hunt->summary.run_us += row.run_us;
    hunt->summary.repeat_us += test->repeat_us;
    return true;
}

static bool keep_refusal(Hunt *hunt, Test *test, Error *err) {
    StoreHit hit = refusal_of(hunt, test);
    StoreBug bug;
    bool found;
    if (!store_bug(hunt->store, hit.key, &test->arena, &bug, &found, err) || !record(hunt, test, &hit, 1, err))
        return false;
    hunt->summary.refused++;
    if (!found)
        console_warn(hunt->console, "no program for seed %llu: %s", (unsigned long long)test->seed, hit.signature);
    return ++hunt->refusals < REFUSALS_MAX ||
           error_set(err, "the generator made no program %d times in a row: %s", REFUSALS_MAX, hit.signature);
}

bool keep_test(Hunt *hunt, Test *test, Error *err) {
    if (test->failed)
        return error_set(err, "%s", test->err.text);
    if (test->generated.refused)
        return keep_refusal(hunt, test, err);
    hunt->refusals = 0;
    StoreHit *hits = arena_array(&test->arena, StoreHit, test->findings.len + 1);
    for (size_t i = 0; i < test->findings.len; i++) {
        const Finding *finding = &test->findings.items[i];
        const char *name;
        bool is_new;
        if (!keep_finding(hunt, test, i, &name, &is_new, err) || (name && !queue_add(&hunt->queue, name, err)))
            return false;
        if (is_new)
            announce(hunt, test, finding, name);
        count_bug(hunt, finding, is_new);
        hits[i] = hit_of(test, finding, name);
    }
    return record(hunt, test, hits, test->findings.len, err);
}
