#include "campaign/keep.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "campaign/bugdir.h"
#include "proc/interrupt.h"

#define UNDONE ".undone" /* in a bug directory: its slow steps are still to be taken */
#define REFUSALS_MAX 20  /* seeds in a row without a program before the generator is held to be broken */

/* --- Steps --- */

void step_job_free(StepJob *job) {
    free(job->dir);
    free(job);
}

static bool has_slow_steps(const HuntOptions *options) {
    for (size_t i = 0; i < options->step_count; i++)
        if (options->steps[i].is_slow)
            return true;
    return false;
}

static bool run_steps(const HuntOptions *options, bool slow, Runner *runner, const char *dir, const char **ret_failed,
                      Error *err) {
    for (size_t i = 0; i < options->step_count; i++) {
        const HuntStep *step = &options->steps[i];
        *ret_failed = step->name;
        if (step->is_slow == slow && !step->run(runner, dir, step->context, err))
            return false;
    }
    return true;
}

void step_job_run(const Hunt *hunt, StepJob *job, Runner *runner) {
    job->ran = true;
    job->ok = run_steps(hunt->options, true, runner, job->dir, &job->failed, &job->err) &&
              run_steps(hunt->options, false, runner, job->dir, &job->failed, &job->err);
}

void keep_step(Hunt *hunt, StepJob *job) {
    CLEANUP(mem_freep) char *mark = path_of(job->dir, UNDONE);
    if (job->ran && !job->ok && interrupt_count() == 0)
        console_warn(hunt->console, "cannot %s %s: %s", job->failed, job->dir, job->err.text);
    if (job->ran && interrupt_count() < 2)
        unlink(mark);
    step_job_free(job);
}

static void queue_steps(Hunt *hunt, const char *dir) {
    StepJob *job = mem_zalloc(1, sizeof *job);
    job->dir = mem_strdup(dir);
    vec_push(&hunt->steps_waiting, job);
}

bool keep_find_undone(Hunt *hunt, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(mem_freep) char *bugs = path_of(hunt->options->dir, "bugs");
    if (!has_slow_steps(hunt->options))
        return true;
    if (!dir_list(bugs, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *dir = path_of(bugs, names.items[i]);
        CLEANUP(mem_freep) char *mark = path_of(dir, UNDONE);
        if (file_exists(mark))
            queue_steps(hunt, dir);
    }
    return true;
}

/* Takes the quick steps of a kept bug and queues the slow ones. */
static bool take_steps(Hunt *hunt, const char *name, Error *err) {
    CLEANUP(str_release) Str dir = {0};
    const char *failed;
    str_printf(&dir, "%s/bugs/%s", hunt->options->dir, name);
    CLEANUP(mem_freep) char *mark = path_of(str_text(&dir), UNDONE);
    if (!run_steps(hunt->options, false, hunt->runner, str_text(&dir), &failed, err))
        return error_context(err, "cannot %s %s", failed, str_text(&dir));
    if (!has_slow_steps(hunt->options))
        return true;
    queue_steps(hunt, str_text(&dir));
    return file_write_text(mark, "", err);
}

/* --- Findings --- */

/* Decides whether the finding deserves a directory, and writes it. *ret_name is NULL where the bug has enough. */
static bool keep_finding(Hunt *hunt, Test *test, size_t i, const char **ret_name, bool *ret_is_new, Error *err) {
    StoreBug bug = {0};
    bool found;
    *ret_name = NULL;
    if (!store_bug(hunt->store, test->findings.items[i].key, &test->arena, &bug, &found, err))
        return false;
    *ret_is_new = !found;
    if (found && bug.kept >= hunt->options->duplicates_per_bug)
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

static bool record(Hunt *hunt, Test *test, const StoreHit *hits, Error *err) {
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
        .hit_count = test->findings.len,
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

static bool check_generator(Hunt *hunt, const Test *test, Error *err) {
    const char *why = str_text(&test->generated.why);
    hunt->refusals = test->generated.refused ? hunt->refusals + 1 : 0;
    if (!test->generated.refused)
        return true;
    hunt->summary.refused++;
    console_debug(hunt->console, "no program for seed %llu: %s", (unsigned long long)test->seed, why);
    return hunt->refusals < REFUSALS_MAX ||
           error_set(err, "the generator made no program %d times in a row: %s", REFUSALS_MAX, why);
}

bool keep_test(Hunt *hunt, Test *test, Error *err) {
    if (test->failed)
        return error_set(err, "%s", test->err.text);
    if (!check_generator(hunt, test, err))
        return false;
    StoreHit *hits = arena_array(&test->arena, StoreHit, test->findings.len + 1);
    for (size_t i = 0; i < test->findings.len; i++) {
        const Finding *finding = &test->findings.items[i];
        const char *name;
        bool is_new;
        if (!keep_finding(hunt, test, i, &name, &is_new, err) || (name && !take_steps(hunt, name, err)))
            return false;
        if (is_new)
            announce(hunt, test, finding, name);
        count_bug(hunt, finding, is_new);
        hits[i] = hit_of(test, finding, name);
    }
    return record(hunt, test, hits, err);
}
