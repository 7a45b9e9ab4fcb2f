#include "explain/explain.h"

#include "base/clock.h"
#include "base/file.h"
#include "explain/briefing.h"
#include "judge/repro.h"
#include "proc/scratch.h"
#include "reduce/opt.h"
#include "report/markdown.h"

#define FILES_TOLD 5 /* of the suspects: what a reader looks at */

bool explain_triage(Runner *runner, Bug *bug, const TriageOptions *options, Arena *arena, TriageFinding *ret_finding,
                    Error *err) {
    const Bug smallest = bug_smallest(bug);
    if (!triage_bug(runner, &smallest, options, arena, ret_finding, err))
        return false;
    triage_record(bug, ret_finding);
    return true;
}

bool explain_reduce(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err) {
    const ReducedProgram *earlier = &bug->reduced;
    const Bug start = earlier->stopped ? bug_smallest(bug) : *bug;
    int64_t start_ms = clock_ms();
    if (!reduce_bug(&start, options, ret_result, err))
        return false;
    ret_result->wall_ms = clock_ms() - start_ms;
    if (earlier->stopped) {
        ret_result->wall_ms += earlier->wall_ms;
        ret_result->tokens_before = earlier->tokens_before;
        ret_result->bytes_before = earlier->bytes_before;
    }
    return true;
}

bool explain_isolate(Runner *runner, const Bug *bug, Cover *cover, const IsolateOptions *options, Console *console,
                     Isolation *ret_isolation, bool *ret_unfit, Error *err) {
    CLEANUP(briefing_release) Briefing briefing = {0};
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(bug_release) Bug module = {0};
    IsolateOptions informed = *options;
    if (options->method->takes_clues) {
        briefing_gather(runner, bug, cover_subject(cover), options->good_source, console, &briefing);
        informed.clues = &briefing.clues;
        informed.good_source = briefing.good_source;
        if (briefing.step_shows.len) {
            informed.step_shows = &briefing.step_shows;
            informed.step_hides = &briefing.step_hides;
        }
    }
    if (!bug->front_cmd.len)
        return isolate(bug, cover, &informed, console, ret_isolation, ret_unfit, err);
    /* A bug of passes is one of the module that the front end makes: that is what is varied, and what passes work on. */
    return scratch_new(&scratch, err) && opt_module_bug(runner, bug, scratch.path, &module, err) &&
           isolate(&module, cover, &informed, console, ret_isolation, ret_unfit, err);
}

bool explain_suspects(Bug *bug, const Isolation *isolation, const Subject *subject, const IsolateOptions *options,
                      bool stopped, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(bug->dir, BUG_SUSPECTS);
    CLEANUP(json_freep) Json *json = isolation_json(isolation, bug, subject, options);
    strlist_clear(&bug->suspects);
    /* Without a witness nothing tells the files apart. */
    for (size_t i = 0; i < isolation->files.len && i < FILES_TOLD && isolation->witnesses.len; i++)
        strlist_add(&bug->suspects, unit_file_name(isolation->units, isolation->files.items[i].group));
    bug->suspects_stopped = stopped;
    return json_write_file(path, json, err);
}

bool explain_publish(const Bug *bug, Error *err) {
    CLEANUP(mem_freep) char *report = path_of(bug->dir, BUG_REPORT);
    return repro_write_reduced(bug, err) && (!file_exists(report) || report_markdown_write(bug, err));
}

bool explain_record(Store *store, const Bug *bug, Error *err) {
    CLEANUP(mem_freep) char *suspects = strlist_join(&bug->suspects, "\n");
    const StoreExplanation explanation = {
        .fingerprint = bug->fingerprint,
        .pass = bug->guilty.pass,
        .suspects = bug->suspects.len ? suspects : NULL,
        .reduced_bytes = bug->reduced.bytes,
    };
    return store_explain(store, path_name(bug->dir), &explanation, NULL, err);
}

bool explain_tell_store(const Bug *bug, Error *err) {
    CLEANUP(str_release) Str campaign = {0};
    CLEANUP(store_closep) Store *store = NULL;
    str_printf(&campaign, "%s/../..", bug->dir);
    if (!store_exists(str_text(&campaign)) || !store_open(str_text(&campaign), STORE_WORK, &store, NULL))
        return true;
    return explain_record(store, bug, err);
}
