#include "explain/suspects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/identify.h"
#include "explain/explain.h"
#include "subject/sources.h"

#define ISOLATE_MS (2 * 60 * 1000)

struct Suspects {
    Subject subject;
    Cover *cover;
    Console *console;
    pthread_mutex_t lock; /* of told */
    StrList told;         /* compilers that the user knows the subject does not fit */
};

bool suspects_new(const char *subject, Console *console, Suspects **ret_suspects, Error *err) {
    Suspects *suspects = mem_zalloc(1, sizeof *suspects);
    pthread_mutex_init(&suspects->lock, NULL);
    suspects->console = console;
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    if (!runner || !subject_open_to_rank(subject, NULL, runner, console, &suspects->subject, err) ||
        !(suspects->cover = cover_open(&suspects->subject, runner, console, err))) {
        suspects_free(suspects);
        return false;
    }
    *ret_suspects = suspects;
    return true;
}

void suspects_free(Suspects *suspects) {
    if (!suspects)
        return;
    cover_free(suspects->cover);
    subject_release(&suspects->subject);
    strlist_release(&suspects->told);
    pthread_mutex_destroy(&suspects->lock);
    free(suspects);
}

/* The same compiler in the same version, as far as that is known: a build that the user registered may not tell. */
static bool fits(Subject *subject, const Bug *bug) {
    const char *failing = bug->fail_cmd.items[0];
    const StrList *tool = subject_tool(subject, failing); /* its opt for bugs of opt */
    if (tool->len == 0)
        return false;
    const char *own = tool->items[0];
    CompilerFamily family = compiler_family_of_name(failing);
    bool same_version = !subject->version || !*subject->version || str_equal(subject->version, bug->version);
    return same_version && family == compiler_family_of_name(own) &&
           (family != FAMILY_OTHER || str_equal(path_name(own), path_name(failing)));
}

static void tell_once(Suspects *suspects, const Bug *bug) {
    pthread_mutex_lock(&suspects->lock);
    bool is_new = !strlist_contains(&suspects->told, bug->compiler);
    if (is_new)
        strlist_add(&suspects->told, bug->compiler);
    pthread_mutex_unlock(&suspects->lock);
    if (is_new)
        console_info(
            suspects->console,
            "bugs of %s %s are not isolated: the subject %s is another compiler or version; `culprit isolate` takes "
            "others",
            bug->compiler, bug->version, suspects->subject.name);
}

bool suspects_find(Suspects *suspects, Bug *bug, int64_t most_ms, bool *ret_found, Error *err) {
    *ret_found = fits(&suspects->subject, bug);
    if (!*ret_found) {
        tell_once(suspects, bug);
        return true;
    }
    const Bug smallest = bug_smallest(bug);
    IsolateOptions options = isolate_defaults();
    options.time_ms = MIN_OF(most_ms, ISOLATE_MS);
    options.seed = bug->seed;
    Isolation isolation = {0};
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    bool ok = runner && explain_isolate(runner, &smallest, suspects->cover, &options, NULL, &isolation, NULL, err);
    if (ok) {
        const char *stopped_by = isolation.statistics.stopped_by;
        bool stopped = str_equal(stopped_by, "interrupt") || (str_equal(stopped_by, "time") && most_ms < ISOLATE_MS);
        ok = explain_suspects(bug, &isolation, &suspects->subject, &options, stopped, err);
    }
    isolation_release(&isolation);
    return ok;
}
