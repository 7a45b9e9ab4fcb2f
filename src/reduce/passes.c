#include "reduce/passes.h"

#include "base/clock.h"
#include "compiler/identify.h"
#include "judge/oracle.h"
#include "judge/served.h"
#include "proc/interrupt.h"
#include "proc/scratch.h"
#include "reduce/sequence.h"
#include "llvm/opt_command.h"

typedef struct Tester {
    const Bug *bug;
    ServedBug *served; /* NULL: opt is run */
    Oracle *oracle;
    PipelineStyle style;
    Console *console;
    int64_t end_ms;
    size_t tried, passes_before;
    bool stopped;
} Tester;

bool passes_apply(const Bug *bug) {
    return bug->fail_cmd.len > 0 && compiler_family_of_name(bug->fail_cmd.items[0]) == FAMILY_OPT &&
           opt_command_passes(&bug->fail_cmd);
}

static bool ask_opt(Tester *tester, const char *passes, bool *ret_shows, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    opt_command_set_passes(&tester->bug->fail_cmd, passes, &command);
    if (!oracle_ask(tester->oracle, &(OracleQuestion){.fail_cmd = &command}, &answer, err))
        return false;
    *ret_shows = answer.outcome == OUTCOME_FAILS;
    return true;
}

static bool ask(void *context, const Pipeline *candidates, size_t count, bool *ret_shows, Error *err) {
    Tester *tester = context;
    CLEANUP(str_release) Str passes = {0};
    for (size_t i = 0; i < count; i++) {
        tester->stopped = interrupt_count() > 0 || (tester->end_ms && clock_ms() >= tester->end_ms);
        if (tester->stopped)
            return true;
        console_status(tester->console, "passes: %zu candidates tried, %zu of %zu passes in this one", tester->tried,
                       candidates[i].len, tester->passes_before);
        str_clear(&passes);
        pipeline_print(&candidates[i], tester->style, &passes);
        tester->tried++;
        if (!(tester->served ? served_ask(tester->served, &(Attempt){.passes = passes.data}, &ret_shows[i], err)
                             : ask_opt(tester, passes.data, &ret_shows[i], err)))
            return false;
    }
    return true;
}

/* Each pass in a manager of its own if the bug shows like that, else neighbours together. */
static bool find_style(Tester *tester, const Pipeline *pipeline, bool *ret_found, Error *err) {
    *ret_found = false;
    for (int shared = 0; shared < 2 && !*ret_found; shared++) {
        tester->style.shared = shared;
        if (!ask(tester, pipeline, 1, ret_found, err))
            return false;
    }
    return true;
}

/* One whole search. *ret_smallest stays empty if the bug does not show in the pipeline as we print it. */
static bool search(Tester *tester, const Pipeline *pipeline, Arena *arena, Pipeline *ret_smallest, Error *err) {
    Pipeline smallest = {0};
    bool found;
    if (!find_style(tester, pipeline, &found, err))
        return false;
    if (!found)
        return true;
    if (!sequence_reduce(pipeline, ask, tester, &smallest, err))
        return false;
    bool ok = sequence_simplify(&smallest, arena, ask, tester, ret_smallest, err);
    vec_release(&smallest);
    return ok;
}

/* Searches until the plain command shows the bug with what was found: first in LLVM's process, then with opt. */
static bool search_confirmed(Tester *tester, const Pipeline *pipeline, Arena *arena, Pipeline *ret_smallest,
                             Error *err) {
    for (;;) {
        CLEANUP(str_release) Str passes = {0};
        bool confirmed = false;
        if (!search(tester, pipeline, arena, ret_smallest, err))
            return false;
        pipeline_print(ret_smallest, tester->style, &passes);
        if (ret_smallest->len > 0 && !ask_opt(tester, passes.data, &confirmed, err))
            return false;
        if (confirmed)
            return true;
        vec_release(ret_smallest);
        if (!tester->served || tester->stopped)
            return true;
        served_close(tester->served);
        tester->served = NULL;
    }
}

/* default<O2> and its like, as the passes that they stand for: what opt prints is read, whether or not opt reads it too. */
static bool expand(Runner *runner, const Bug *bug, Arena *arena, Pipeline *pipeline, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    Pipeline parts = {0};
    strlist_add(&command, bug->fail_cmd.items[0]);
    strlist_addf(&command, "-passes=%s", pipeline->items[0].text);
    strlist_split(&command, "-print-pipeline-passes -disable-output /dev/null", ' ');
    if (!scratch_new(&scratch, err) || !compiler_run(runner, scratch.path, &command, NULL, &result, err))
        return false;
    str_trim(&result.out);
    if (!proc_ok(&result) || !pipeline_parse(str_text(&result.out), arena, &parts, NULL) || parts.len < 2) {
        vec_release(&parts);
        return true;
    }
    for (size_t i = 0; i < parts.len; i++) { /* "early-cse<>" is printed, but not read */
        Pass *pass = &parts.items[i];
        if (str_ends(pass->text, "<>"))
            pass->text = arena_strndup(arena, pass->text, pass_name_len(pass->text));
    }
    vec_release(pipeline);
    *pipeline = parts;
    return true;
}

bool passes_reduce(Runner *runner, const Bug *bug, int64_t end_ms, Console *console, PassesResult *ret_result,
                   Error *err) {
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(oracle_freep) Oracle *oracle = NULL;
    Tester tester = {.bug = bug, .console = console, .end_ms = end_ms};
    Pipeline pipeline = {0}, smallest = {0};
    PassesResult result = {0};
    strlist_add_all(&result.fail_cmd, &bug->fail_cmd);
    /* What we cannot read is left as it is, and so is what cannot be shorter. */
    bool ok = pipeline_parse(opt_command_passes(&bug->fail_cmd), &arena, &pipeline, NULL);
    bool is_default = ok && pipeline.len == 1 && strstr(pipeline.items[0].text, "default<");
    if (is_default && !expand(runner, bug, &arena, &pipeline, err)) {
        vec_release(&pipeline);
        passes_result_release(&result);
        return false;
    }
    result.before = result.after = tester.passes_before = pipeline.len;
    if (!ok || pipeline.len == 0 || (pipeline.len == 1 && !strchr(pipeline.items[0].text, '<'))) {
        vec_release(&pipeline);
        *ret_result = result;
        return true;
    }
    tester.oracle = oracle = oracle_new(runner, bug, NULL, err);
    if (!oracle) {
        vec_release(&pipeline);
        passes_result_release(&result);
        return false;
    }
    tester.served = served_open(runner, bug, NULL);
    ok = search_confirmed(&tester, &pipeline, &arena, &smallest, err);
    console_status_end(console);
    if (ok && smallest.len > 0) {
        CLEANUP(str_release) Str passes = {0};
        pipeline_print(&smallest, tester.style, &passes);
        strlist_clear(&result.fail_cmd);
        opt_command_set_passes(&bug->fail_cmd, passes.data, &result.fail_cmd);
        result.after = smallest.len;
    }
    result.stopped = tester.stopped;
    served_close(tester.served);
    vec_release(&pipeline);
    vec_release(&smallest);
    if (ok)
        *ret_result = result;
    else
        passes_result_release(&result);
    return ok;
}

void passes_result_release(PassesResult *result) {
    strlist_release(&result->fail_cmd);
    *result = (PassesResult){0};
}
