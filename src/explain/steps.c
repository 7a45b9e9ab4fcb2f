#include "explain/steps.h"

#include <string.h>

#include "base/file.h"
#include "compiler/identify.h"
#include "explain/explain.h"
#include "reduce/passes.h"

#define REDUCE_MS (5 * 60 * 1000)

static bool step_reduce(ExplainJob *job, void *context, Error *err) {
    (void)context;
    Bug *bug = &job->bug;
    bool done = bug_is_reduced(bug) && !bug->reduced.stopped;
    bool can = bug_language(bug) == LANGUAGE_C || passes_apply(bug);
    if (done || bug->reduced.wall_ms >= REDUCE_MS || !can)
        return true;
    CLEANUP(reduce_result_release) ReduceResult result = {0};
    const ReduceOptions options = {.jobs = 1, .time_ms = MIN_OF(job->most_ms, REDUCE_MS - bug->reduced.wall_ms)};
    bool ok = explain_reduce(bug, &options, &result, err) && reduce_keep(bug, &result, err);
    bug_set_text(&bug->reduced.why_not, ok ? NULL : err->text); /* for those who read of the bug later */
    job->changed = true;
    if (!ok)
        return false;
    job->cut |= result.stopped && result.wall_ms < REDUCE_MS;
    return true;
}

/* --- Triage --- */

static bool triage(ExplainJob *job, Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    const TriageOptions options = {0};
    TriageFinding finding = {0};
    job->changed = explain_triage(job->runner, &job->bug, &options, &arena, &finding, err);
    triage_release(&finding);
    return job->changed;
}

static bool step_triage_early(ExplainJob *job, void *context, Error *err) {
    (void)context;
    CompilerIdentity compiler = {0};
    /* The last pass of a sequence means something when those that are not needed are gone. */
    if (passes_apply(&job->bug) && !bug_is_reduced(&job->bug))
        return true;
    if (!job->bug.fingerprint && !compiler_identify(job->runner, &job->bug.fail_cmd, &compiler, err))
        return false;
    bool has_passes = compiler.family == FAMILY_GCC || compiler.family == FAMILY_CLANG;
    bool is_early = has_passes || job->bug.kind == VERDICT_CRASH;
    return job->bug.fingerprint || !is_early || triage(job, err);
}

/* A large program uses everything, so that what it uses tells nothing. */
static bool step_triage(ExplainJob *job, void *context, Error *err) {
    (void)context;
    bool is_small = bug_is_reduced(&job->bug) && !job->cut;
    return job->bug.fingerprint || !(is_small || passes_apply(&job->bug)) || triage(job, err);
}

/* --- Others --- */

static bool step_isolate(ExplainJob *job, void *context, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(job->bug.dir, BUG_SUSPECTS);
    if (file_exists(path) && !job->bug.suspects_stopped)
        return true;
    if (!suspects_find(context, &job->bug, job->most_ms, &job->changed, err))
        return false;
    job->cut |= job->bug.suspects_stopped;
    return true;
}

static bool step_versions(ExplainJob *job, void *context, Error *err) {
    size_t before = job->bug.versions.len;
    bool ok = versions_try(context, job->runner, &job->bug, err);
    job->changed = job->bug.versions.len > before; /* what was learnt before a failure stays */
    return ok;
}

bool steps_choose(bool triage, bool reduce, const char *subject, Console *console, ExplainSteps *ret_steps,
                  Error *err) {
    ExplainSteps steps = {0};
    if (subject && !suspects_new(subject, console, &steps.suspects, err))
        return false;
    steps.versions = versions_new();
    if (triage)
        steps.items[steps.len++] = (ExplainStep){.name = "triage", .run = step_triage_early};
    if (reduce)
        steps.items[steps.len++] = (ExplainStep){.name = "reduce", .run = step_reduce, .is_costly = true};
    if (triage)
        steps.items[steps.len++] = (ExplainStep){.name = "triage", .run = step_triage};
    if (subject)
        steps.items[steps.len++] =
            (ExplainStep){.name = "isolate", .run = step_isolate, .context = steps.suspects, .is_costly = true};
    steps.items[steps.len++] =
        (ExplainStep){.name = "try other versions on", .run = step_versions, .context = steps.versions};
    *ret_steps = steps;
    return true;
}

void steps_release(ExplainSteps *steps) {
    versions_free(steps->versions);
    suspects_free(steps->suspects);
}
