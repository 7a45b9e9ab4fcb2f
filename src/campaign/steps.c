#include "campaign/steps.h"

#include "base/file.h"
#include "campaign/versions.h"
#include "reduce/reduce.h"
#include "triage/triage.h"

#define REDUCE_MS (5 * 60 * 1000)

bool step_reduce(Runner *runner, const char *bug_dir, void *context, Error *err) {
    (void)runner, (void)context;
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(reduce_result_release) ReduceResult result = {0};
    CLEANUP(mem_freep) char *path = path_of(bug_dir, "reduced.c");
    const ReduceOptions options = {.jobs = 1, .time_ms = REDUCE_MS};
    return bug_load(bug_dir, &bug, err) && reduce_bug(&bug, &options, &result, err) &&
           file_write(path, str_text(&result.text), result.text.len, err);
}

bool step_triage(Runner *runner, const char *bug_dir, void *context, Error *err) {
    (void)context;
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(arena_release) Arena arena = {0};
    const TriageOptions options = {.no_versions = true}; /* the campaign's own table says more */
    TriageFinding finding;
    if (!bug_load(bug_dir, &bug, err) || !triage_bug(runner, &bug, &options, &arena, &finding, err))
        return false;
    triage_record(&bug, &finding);
    triage_release(&finding);
    return bug_save(&bug, err);
}

bool step_versions(Runner *runner, const char *bug_dir, void *context, Error *err) {
    return versions_try(context, runner, bug_dir, err);
}
