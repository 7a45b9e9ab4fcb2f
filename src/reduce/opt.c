/* The order is that of CTOS: a short sequence makes every later question cheaper, and a C program of a few lines makes a
 * module of a few dozen, so that the reduction of IR has little left to do. LLVM's maintainers want the module and the
 * opt line; the C program goes beside it.
 *
 * Wrong code ends with the C program, for which there are guards (module.h says why). */
#include "reduce/opt.h"

#include "base/clock.h"
#include "base/file.h"
#include "judge/served.h"
#include "proc/interrupt.h"
#include "proc/scratch.h"
#include "reduce/merge.h"
#include "reduce/module.h"
#include "reduce/passes.h"

bool opt_module_bug(Runner *runner, const Bug *bug, const char *dir, Bug *ret_bug, Error *err) {
    CLEANUP(program_release) Program module = {.language = LANGUAGE_LLVM_IR};
    CLEANUP(strlist_release) StrList sources = {0};
    CLEANUP(str_release) Str text = {0};
    CLEANUP(mem_freep) char *front_dir = path_of(dir, "front"), *bug_dir = path_of(dir, "module");
    Bug stage = *bug; /* borrows all but what differs */
    if (bug->front_cmd.len) {
        /* Text, whatever front_cmd made: LLVM prints it. The name is the one that fail_cmd reads. */
        CLEANUP(served_closep) ServedBug *served = served_open(runner, bug, err);
        CLEANUP(mem_freep) char *path = path_of(front_dir, command_output(&bug->front_cmd));
        if (!served || !workbench_write(served_bench(served), &text, err) || !dir_make(front_dir, err) ||
            !file_write(path, text.data, text.len, err))
            return false;
        stage.dir = front_dir;
        stage.front_cmd = (StrList){0};
    } else {
        bug_sources(bug, &sources);
        CLEANUP(mem_freep) char *path = path_of(bug->dir, sources.len ? sources.items[0] : "");
        if (sources.len != 1 || !file_read(path, &text, err))
            return error_set(err, "the command of %s names no module, or several", bug->id);
    }
    program_add(&module, BUG_REDUCED_MODULE, str_text(&text), text.len);
    return merge_bug(&stage, bug_dir, &module, false, ret_bug, err);
}

/* A smaller module may need fewer passes: what one of them prepared may be there from the start. */
static bool reduce_passes_again(Runner *runner, Bug *bug, const Str *text, int64_t end_ms, Console *console,
                                size_t *passes, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(bug->dir, BUG_REDUCED_MODULE);
    CLEANUP(passes_result_release) PassesResult result = {0};
    if (*passes < 2)
        return true;
    if (!file_write(path, str_text(text), text->len, err) || !passes_reduce(runner, bug, end_ms, console, &result, err))
        return false;
    bug_set_list(&bug->fail_cmd, &result.fail_cmd);
    *passes = result.after;
    return true;
}

/* Takes the module in place of what `result` has, which becomes its source. */
static bool reduce_module(Runner *runner, const Bug *bug, int64_t end_ms, Console *console, ReduceResult *result,
                          Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(bug_release) Bug made = {0};
    CLEANUP(module_result_release) ModuleResult module = {0};
    if (!scratch_new(&scratch, err) || !opt_module_bug(runner, bug, scratch.path, &made, err))
        return false;
    CLEANUP(mem_freep) char *path = path_of(made.dir, BUG_REDUCED_MODULE);
    CLEANUP(str_release) Str before = {0};
    if (!file_read(path, &before, err) || !module_reduce(runner, &made, end_ms, console, &module, err) ||
        !reduce_passes_again(runner, &made, &module.text, end_ms, console, &result->passes_after, err))
        return false;
    str_clear(&result->outputs.messages);
    str_append_n(&result->outputs.messages, str_text(&module.messages), module.messages.len);
    if (result->program.files.len > 0) {
        result->source = result->program;
        result->program = (Program){0};
        strlist_add_all(&result->source_cmd, &result->bug.front_cmd);
    } else {
        result->tokens_before = reduce_count_tokens(str_text(&before), before.len);
        result->bytes_before = before.len;
    }
    result->program.language = LANGUAGE_LLVM_IR;
    program_add(&result->program, BUG_REDUCED_MODULE, str_text(&module.text), module.text.len);
    result->tokens_after = reduce_count_tokens(str_text(&module.text), module.text.len);
    result->bytes_after = module.text.len;
    result->counts.tries += module.tries;
    result->counts.tested += module.tries;
    result->counts.accepted += module.accepted;
    result->rounds += module.rounds;
    result->stopped |= module.stopped;
    bug_release(&result->bug);
    result->bug = made;
    made = (Bug){0};
    return true;
}

/* The result of a module that stays as it is. */
static bool keep_module(Runner *runner, const Bug *bug, ReduceResult *result, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    if (!scratch_new(&scratch, err) || !opt_module_bug(runner, bug, scratch.path, &result->bug, err))
        return false;
    CLEANUP(mem_freep) char *path = path_of(result->bug.dir, BUG_REDUCED_MODULE);
    CLEANUP(str_release) Str text = {0};
    if (!file_read(path, &text, err))
        return false;
    program_add(&result->program, BUG_REDUCED_MODULE, str_text(&text), text.len);
    result->tokens_before = result->tokens_after = reduce_count_tokens(str_text(&text), text.len);
    result->bytes_before = result->bytes_after = text.len;
    return true;
}

static int64_t time_left(int64_t end_ms) { return end_ms ? MAX_OF(end_ms - clock_ms(), (int64_t)1) : 0; }

bool reduce_opt(const Bug *bug, const ReduceOptions *options, ReduceSource *reduce_source, ReduceResult *ret_result,
                Error *err) {
    CLEANUP(passes_result_release) PassesResult passes = {0};
    CLEANUP(reduce_result_release) ReduceResult result = {0};
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    int64_t end_ms = options->time_ms ? clock_ms() + options->time_ms : 0;
    bool is_c = bug_language(bug) == LANGUAGE_C, to_module = verdict_is_compile_time(bug->kind);
    Error why;
    if (!runner || !passes_reduce(runner, bug, end_ms, options->console, &passes, err))
        return false;
    if (passes.before > 0)
        console_info(options->console, "passes needed: %zu of %zu", passes.after, passes.before);
    Bug shorter = *bug; /* borrows all but the command */
    shorter.fail_cmd = passes.fail_cmd;

    /* The module needs little time, so that the C program gets most of what is left. */
    ReduceOptions rest = *options;
    rest.time_ms = to_module ? (time_left(end_ms) * 3 + 3) / 4 : time_left(end_ms);
    if (is_c && !reduce_source(&shorter, &rest, &result, err))
        return false;
    result.stopped |= passes.stopped;
    result.passes_before = passes.before;
    result.passes_after = passes.after;
    if (!is_c && !to_module && passes.after == passes.before)
        return error_set(err,
                         "%s cannot be reduced: nothing guards a module with a wrong result against undefined "
                         "behaviour",
                         bug->id);
    if (!is_c && !to_module)
        console_warn(options->console, "the module stays as it is: nothing guards it against undefined behaviour");
    if (to_module && interrupt_count() == 0) {
        CLEANUP(scratch_release) Scratch scratch = {0};
        CLEANUP(bug_release) Bug from = {0};
        bool made = !is_c || (scratch_new(&scratch, &why) &&
                              merge_bug(&result.bug, scratch.path, &result.program, false, &from, &why));
        if (!made || !reduce_module(runner, is_c ? &from : &shorter, end_ms, options->console, &result, &why)) {
            if (!is_c && passes.after == passes.before)
                return error_set(err, "%s", why.text);
            console_warn(options->console, "the module is left as it is: %s", why.text);
        }
    }
    if (result.program.files.len == 0 && !keep_module(runner, &shorter, &result, err))
        return false;
    result.stopped |= interrupt_count() > 0;
    *ret_result = result;
    result = (ReduceResult){0};
    return true;
}
