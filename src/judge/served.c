#include "judge/served.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "proc/scratch.h"
#include "llvm/opt_command.h"

struct ServedBug {
    const Bug *bug;
    Scratch scratch; /* the bug's files, and the module where front_cmd makes it */
    Str library;
    StrList options;
    Workbench *bench;
    Str passes;         /* the bug's own, as they are tried */
    const char *verify; /* what opt does behind every pipeline, if the bug shows only then: ",verify" */
    int level;          /* of the back end; -1: nothing is generated */
    Failure known;
    Execution reference; /* wrong code: the module as it is */
    Arena arena;         /* of `known` */
};

/* --- What the server says, as if processes had said it --- */

/* LLVM's last word is what its tools put "LLVM ERROR: " before. */
static void set_message(const ServerResult *result, Str *ret_text) {
    const char *text = result->message;
    str_clear(ret_text);
    str_append(ret_text, text);
    if (result->fate != SERVER_FATAL && result->fate != SERVER_BROKEN_IR)
        return;
    str_trim(ret_text);
    const char *newline = strrchr(str_text(ret_text), '\n');
    size_t at = newline ? (size_t)(newline + 1 - ret_text->data) : 0;
    str_insert(ret_text, at, "LLVM ERROR: ", strlen("LLVM ERROR: "));
    str_append_char(ret_text, '\n');
}

static void set_end(const ServerResult *result, ProcResult *ret_end) {
    ret_end->exit_code = result->fate == SERVER_EXITED ? result->exit_code : -1;
    ret_end->signal = result->fate == SERVER_SIGNALLED                                   ? result->signal
                      : result->fate == SERVER_FATAL || result->fate == SERVER_BROKEN_IR ? SIGABRT
                                                                                         : 0;
    ret_end->limit = result->fate == SERVER_OVER_TIME     ? PROC_LIMIT_CPU
                     : result->fate == SERVER_OVER_MEMORY ? PROC_LIMIT_MEMORY
                     : result->fate == SERVER_OVER_OUTPUT ? PROC_LIMIT_OUTPUT
                                                          : PROC_LIMIT_NONE;
}

void served_execution(const ServerResult *result, Execution *ret_execution) {
    execution_release(ret_execution);
    ProcResult *compile = &ret_execution->compile, *run = &ret_execution->run;
    set_message(result, &compile->err);
    if (result->stage == SERVER_NOT_RUN || result->fate == SERVER_REFUSED || result->fate == SERVER_UNKNOWN) {
        compile->exit_code = 1;
        ret_execution->verdict = VERDICT_REJECTS_VALID; /* an edit or a pipeline of ours */
    } else if (result->fate == SERVER_UNTESTED) {
        ret_execution->verdict = VERDICT_OK;
    } else if (result->stage == SERVER_PASSES || result->stage == SERVER_CODEGEN) {
        set_end(result, compile);
        ret_execution->verdict = result->stage == SERVER_CODEGEN ? VERDICT_CODEGEN : verdict_of_compile(compile);
    } else {
        ret_execution->ran = true;
        set_end(result, run);
        /* Of a long output the beginning is kept; its hash makes the rest count. */
        str_append_n(&run->out, result->output, MIN_OF(result->output_len, (uint64_t)SERVER_OUTPUT_KEPT));
        if (result->output_len > SERVER_OUTPUT_KEPT)
            str_printf(&run->out, "\n… %llu bytes, %016llx\n", (unsigned long long)result->output_len,
                       (unsigned long long)result->output_hash);
        ret_execution->verdict = verdict_of_run(run, false);
    }
}

/* --- Asking --- */

static bool compares_runs(const ServedBug *served) { return !verdict_is_compile_time(served->bug->kind); }

static bool try_passes(ServedBug *served, Attempt attempt, const char *passes, const char *verify,
                       Execution *ret_execution, Error *err) {
    CLEANUP(str_release) Str text = {0};
    const ServerResult *result;
    str_printf(&text, "%s%s", passes, *passes ? verify : "");
    attempt.passes = text.data;
    attempt.level = served->level;
    if (!workbench_try(served->bench, &attempt, &result, err))
        return false;
    served_execution(result, ret_execution);
    return true;
}

/* What is seen of a pipeline, wrong code included. */
static Failure seen_of(ServedBug *served, Execution *execution, Arena *arena) {
    if (!execution->ran)
        return failure_of(execution->verdict, &execution->compile, arena);
    bool differs = run_difference(&execution->run, &served->reference.run, served->bug->tolerance);
    Verdict verdict = !differs                           ? VERDICT_OK
                      : execution->verdict == VERDICT_OK ? VERDICT_WRONG_CODE
                                                         : execution->verdict;
    return (Failure){.verdict = verdict};
}

bool served_ask(ServedBug *served, const Attempt *attempt, bool *ret_shows, Error *err) {
    CLEANUP(execution_release) Execution execution = {0};
    CLEANUP(arena_release) Arena arena = {0};
    const char *passes = attempt->passes ? attempt->passes : str_text(&served->passes);
    if (!try_passes(served, *attempt, passes, served->verify, &execution, err))
        return false;
    Failure seen = seen_of(served, &execution, &arena);
    *ret_shows = seen.verdict != VERDICT_OK && failure_same(&served->known, &seen);
    return true;
}

/* --- Opening --- */

bool served_load(ServedBug *served, const char *module, Error *err) {
    /* Of a hang every candidate that shows it takes the whole time, and programs behind a code generator that fails are
     * nobody's: theirs may never end. The oracle allows about as much. */
    Verdict kind = served->bug->kind;
    const WorkbenchOptions options = {.options = &served->options,
                                      .limits = {.cpu_ms = kind == VERDICT_HANG || kind == VERDICT_CODEGEN ? 3000 : 0}};
    workbench_close(served->bench);
    served->bench = workbench_open(str_text(&served->library), module, &options, err);
    return served->bench != NULL;
}

static bool make_module(ServedBug *served, Runner *runner, Str *ret_path, Error *err) {
    const Bug *bug = served->bug;
    CLEANUP(strlist_release) StrList sources = {0};
    CLEANUP(execution_release) Execution front = {0};
    if (!scratch_new(&served->scratch, err) || !bug_copy_to(bug, served->scratch.path, err))
        return false;
    bug_sources(bug, &sources);
    const char *name = sources.len > 0 ? sources.items[0] : "";
    if (bug->front_cmd.len) {
        const ExecuteOptions options = execute_defaults();
        const ExecuteStep step = {STEP_COMPILE, &bug->front_cmd, command_output(&bug->front_cmd)};
        if (!execute(runner, served->scratch.path, &step, 1, &options, &front, err))
            return false;
        if (front.verdict != VERDICT_OK)
            return error_set(err, "the front end's command of %s fails", bug->id);
        name = step.makes;
    }
    CLEANUP(mem_freep) char *path = path_of(served->scratch.path, name);
    str_append(ret_path, path);
    return true;
}

/* "-O2" of a code generator's command; 0 where it has none. */
static int level_of(const StrList *command) {
    int level = 0;
    for (size_t i = 1; i < command->len; i++)
        if (strlen(command->items[i]) == 3 && str_starts(command->items[i], "-O") && command->items[i][2] >= '0' &&
            command->items[i][2] <= '3')
            level = command->items[i][2] - '0';
    return level;
}

/* What the bug's own pipeline shows here is what others must show. */
static bool learn(ServedBug *served, Error *err) {
    static const char *const endings[] = {"", ",verify"};
    const Bug *bug = served->bug;
    const Failure wanted = {.verdict = bug->kind};
    CLEANUP(execution_release) Execution execution = {0};
    if (compares_runs(served) && !try_passes(served, (Attempt){0}, "", "", &served->reference, err))
        return false;
    if (compares_runs(served) && (!served->reference.ran || served->reference.verdict != VERDICT_OK))
        return error_set(err, "the program of %s cannot be run in LLVM's process", bug->id);
    for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
        if (!try_passes(served, (Attempt){0}, str_text(&served->passes), endings[i], &execution, err))
            return false;
        Failure seen = seen_of(served, &execution, &served->arena);
        if (seen.verdict != VERDICT_OK && failure_same(&wanted, &seen)) {
            served->known = seen;
            served->known.verdict = bug->kind;
            served->verify = endings[i];
            return true;
        }
    }
    return error_set(err, "%s does not show in LLVM's process", bug->id);
}

ServedBug *served_open(Runner *runner, const Bug *bug, Error *err) {
    ServedBug *served = mem_zalloc(1, sizeof(*served));
    CLEANUP(str_release) Str module = {0};
    const char *passes = opt_command_passes(&bug->fail_cmd);
    served->bug = bug;
    served->verify = "";
    served->level = bug->codegen_cmd.len || bug->run || bug->run_cmd.len ? level_of(&bug->codegen_cmd) : -1;
    str_append(&served->passes, passes ? passes : "");
    opt_command_options(&bug->fail_cmd, &served->options);
    bool ok = passes ? opt_command_library(&bug->fail_cmd, &served->library, err)
                     : error_set(err, "the command of %s names no passes", bug->id);
    if (ok && make_module(served, runner, &module, err) && served_load(served, module.data, err) && learn(served, err))
        return served;
    served_close(served);
    return NULL;
}

void served_close(ServedBug *served) {
    if (!served)
        return;
    workbench_close(served->bench);
    scratch_release(&served->scratch);
    str_release(&served->library);
    str_release(&served->passes);
    strlist_release(&served->options);
    execution_release(&served->reference);
    arena_release(&served->arena);
    free(served);
}

Workbench *served_bench(ServedBug *served) { return served->bench; }
