#include "campaign/suspects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/identify.h"
#include "isolate/isolate.h"

#define ISOLATE_MS (2 * 60 * 1000)
#define FILES_TOLD 5

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
    if (!runner || !subject_open(subject, NULL, &suspects->subject, err) ||
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
static bool fits(const Subject *subject, const Bug *bug) {
    if (subject->cc.len == 0)
        return false;
    const char *own = subject->cc.items[0], *failing = bug->fail_cmd.items[0];
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

static bool keep(const Suspects *suspects, const Isolation *isolation, const Bug *bug, const IsolateOptions *options,
                 const char *bug_dir, StrList *ret_files, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(bug_dir, "suspects.json");
    CLEANUP(json_freep) Json *json = isolation_json(isolation, bug, &suspects->subject, options);
    for (size_t i = 0; i < isolation->files.len && i < FILES_TOLD && isolation->witnesses.len; i++)
        strlist_add(ret_files, unit_file_name(isolation->units, isolation->files.items[i].group));
    return json_write_file(path, json, err);
}

bool suspects_find(Suspects *suspects, const Bug *bug, const char *bug_dir, int64_t most_ms, StrList *ret_files,
                   Error *err) {
    if (!fits(&suspects->subject, bug)) {
        tell_once(suspects, bug);
        return true;
    }
    IsolateOptions options = isolate_defaults();
    options.time_ms = MIN_OF(most_ms, ISOLATE_MS);
    options.seed = bug->seed;
    Isolation isolation = {0};
    bool ok = isolate(bug, suspects->cover, &options, NULL, &isolation, NULL, err) &&
              keep(suspects, &isolation, bug, &options, bug_dir, ret_files, err);
    isolation_release(&isolation);
    return ok;
}
