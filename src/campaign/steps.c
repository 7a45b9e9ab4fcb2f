#include "campaign/steps.h"

#include <string.h>

#include "base/file.h"
#include "campaign/repro.h"
#include "campaign/suspects.h"
#include "campaign/versions.h"
#include "compiler/identify.h"
#include "reduce/reduce.h"
#include "triage/triage.h"

#define REDUCE_MS (5 * 60 * 1000)

bool step_reduce(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err) {
    (void)runner, (void)context;
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(reduce_result_release) ReduceResult result = {0};
    const ReduceOptions options = {.jobs = 1, .time_ms = MIN_OF(most_ms, REDUCE_MS)};
    if (!bug_load(bug_dir, &bug, err))
        return false;
    return bug_language(&bug) != LANGUAGE_C || (reduce_bug(&bug, &options, &result, err) &&
                                                reduce_save(&bug, &result, err) && repro_write_reduced(bug_dir, err));
}

/* --- Triage --- */

static bool has_passes(const Bug *bug) {
    CompilerFamily family = compiler_family_of_name(bug->fail_cmd.items[0]);
    return family == FAMILY_GCC || family == FAMILY_CLANG;
}

static bool triage(Runner *runner, const Bug *smallest, const char *bug_dir, Error *err) {
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(arena_release) Arena arena = {0};
    const TriageOptions options = {.no_versions = true}; /* the campaign's own table says more */
    TriageFinding finding;
    if (!triage_bug(runner, smallest, &options, &arena, &finding, err))
        return false;
    bool ok = bug_load(bug_dir, &bug, err);
    if (ok)
        triage_record(&bug, &finding);
    triage_release(&finding);
    return ok && bug_save(&bug, err);
}

bool step_triage_early(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err) {
    (void)context, (void)most_ms;
    CLEANUP(bug_release) Bug bug = {0};
    bool is_reduced;
    if (!bug_load_smallest(bug_dir, &bug, &is_reduced, err))
        return false;
    return !(has_passes(&bug) || bug.kind == VERDICT_CRASH) || triage(runner, &bug, bug_dir, err);
}

/* A large program uses everything, so that what it uses tells nothing. */
bool step_triage(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err) {
    (void)context, (void)most_ms;
    CLEANUP(bug_release) Bug bug = {0};
    bool is_reduced;
    if (!bug_load_smallest(bug_dir, &bug, &is_reduced, err))
        return false;
    return json_has(bug.json, "triage") || !is_reduced || triage(runner, &bug, bug_dir, err);
}

/* --- Others --- */

bool step_isolate(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err) {
    (void)runner;
    CLEANUP(bug_release) Bug smallest = {0};
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(strlist_release) StrList files = {0};
    bool is_reduced;
    if (!bug_load_smallest(bug_dir, &smallest, &is_reduced, err) ||
        !suspects_find(context, &smallest, bug_dir, most_ms, &files, err) || !bug_load(bug_dir, &bug, err))
        return false;
    if (files.len == 0)
        return true;
    json_put_strings(bug.json, "suspects", &files);
    return bug_save(&bug, err);
}

bool step_versions(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err) {
    (void)most_ms;
    return versions_try(context, runner, bug_dir, err);
}
