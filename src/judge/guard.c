/* Guards against undefined behaviour.
 *
 * No single tool sees all of it, so several look, as reducers' interestingness tests do (Regehr et al., "Test-case
 * reduction for C compiler bugs", PLDI 2012, section 5): warnings find what is wrong on its face, two unoptimising
 * compilers that disagree find dependence on unspecified things, sanitizers find what happens in this very run.
 * Everything runs confined in a scratch directory. Guards that need a run say so where there is no main.
 */
#include "judge/guard.h"

#include <signal.h>
#include <string.h>

#include "base/file.h"
#include "judge/failure.h"
#include "judge/guard_tools.h"
#include "judge/warnings.h"
#include "proc/scratch.h"

#define RUN_MS 10000
/* Instrumented programs get this many times as long. */
#define SANITIZER_SLOWDOWN 10
#define FRAMA_C_MS 60000

static const char *const guard_names[GUARD_COUNT] = {
    [GUARD_WARNINGS] = "warnings", [GUARD_AGREEMENT] = "agreement", [GUARD_UBSAN] = "ubsan",
    [GUARD_ASAN] = "asan",         [GUARD_MSAN] = "msan",           [GUARD_FRAMA_C] = "frama-c",
};

const char *guard_name(Guard guard) { return guard_names[guard]; }

const char *guard_answer_name(GuardAnswer answer) {
    static const char *const names[] = {"not run", "clean", "complains", "no answer"};
    return names[answer];
}

static bool parse_name(const char *name, unsigned *ret_guards) {
    for (size_t i = 0; i < GUARD_COUNT; i++) {
        if (strcmp(name, guard_names[i]) == 0) {
            *ret_guards |= GUARD_BIT(i);
            return true;
        }
    }
    bool all = strcmp(name, "all") == 0;
    *ret_guards |= all ? GUARDS_ALL : 0;
    return all || strcmp(name, "none") == 0;
}

bool guard_parse_list(const char *names, unsigned *ret_guards, Error *err) {
    CLEANUP(strlist_release) StrList list = {0};
    unsigned guards = 0;
    strlist_split(&list, names, ',');
    for (size_t i = 0; i < list.len; i++) {
        if (!parse_name(list.items[i], &guards))
            return error_set(err,
                             "there is no guard \"%s\"; guards are warnings, agreement, ubsan, asan, msan, frama-c, "
                             "all and none",
                             list.items[i]);
    }
    *ret_guards = guards;
    return true;
}

/* --- Answers --- */

/* What the guards of one call share. */
typedef struct GuardRun {
    const GuardTools *tools;
    Runner *runner;
    const Program *program;
    const GuardOptions *options;
    StrList flags; /* the program's, without those that only choose optimisations */
    const char *dir;
    GuardReport *report;
} GuardRun;

/* Whether one of the two compilers that the guards use is itself under suspicion. */
static bool has_suspect(const GuardRun *run) {
    return run->options->suspect == FAMILY_GCC || run->options->suspect == FAMILY_CLANG;
}

static void guard_run_release(GuardRun *run) { strlist_release(&run->flags); }

static void answer(GuardRun *run, Guard guard, GuardAnswer what) {
    run->report->results[guard].answer = what;
    if (what == GUARD_COMPLAINS && run->report->complaint == GUARD_NONE)
        run->report->complaint = guard;
}

static void answer_text(GuardRun *run, Guard guard, GuardAnswer what, const char *text) {
    str_append(&run->report->results[guard].text, text);
    answer(run, guard, what);
}

static void no_answer_of_failure(GuardRun *run, Guard guard, const Execution *execution) {
    Str *text = &run->report->results[guard].text;
    const char *messages = str_text(&execution->compile.err);
    if (text->len > 0)
        str_append_char(text, '\n');
    if (strstr(messages, "reference to `main'") || strstr(messages, "reference to 'main'") ||
        strstr(messages, "symbol: main")) {
        str_append(text, "there is no main function to run");
    } else {
        str_printf(text, "%s: ", execution->config->name);
        size_t before = text->len;
        quote_lines(text, messages, (const char *const[]){"error", NULL});
        if (text->len == before)
            str_append(text, verdict_phrase(execution->verdict));
    }
    if (run->report->results[guard].answer == GUARD_NOT_RUN)
        answer(run, guard, GUARD_NO_ANSWER);
}

/* --- Running the program under a tool --- */

static int64_t run_ms(const GuardRun *run, bool instrumented) {
    return (instrumented ? SANITIZER_SLOWDOWN : 1) * (run->options->run_ms ? run->options->run_ms : RUN_MS);
}

static bool run_tool(GuardRun *run, Tool tool, Execution *ret_execution, Error *err) {
    ExecuteOptions options = execute_defaults();
    int64_t cpu_ms = run_ms(run, tool != TOOL_GCC && tool != TOOL_CLANG);
    const char *sanitizer_options = run->options->all ? ":symbolize=1" : ":symbolize=0";
    CLEANUP(str_release) Str asan = {0}, msan = {0};
    str_printf(&asan, "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:abort_on_error=0%s",
               sanitizer_options);
    str_printf(&msan, "MSAN_OPTIONS=abort_on_error=0%s", sanitizer_options);
    options.run_env = (const char *const[]){str_text(&asan), str_text(&msan), NULL};
    options.run_limits.cpu_ms = cpu_ms;
    options.run_limits.wall_ms = 2 * cpu_ms;
    return tool_build_and_run(run->runner, run->program, tool_config(run->tools, tool), &run->flags, run->dir, &options,
                              ret_execution, err);
}

/* abort() is defined behaviour; other signals are not what a sound program dies of. */
static bool ended_well(const Execution *execution) {
    return execution->ran && (execution->verdict == VERDICT_OK || execution->run.signal == SIGABRT);
}

static void describe_end(Str *text, const Execution *execution) {
    str_printf(text, "compiled by %s, the program ", execution->config->name);
    proc_describe_end(&execution->run, text);
}

static void complain_of_end(GuardRun *run, const Execution *execution) {
    describe_end(&run->report->results[GUARD_AGREEMENT].text, execution);
    answer(run, GUARD_AGREEMENT, GUARD_COMPLAINS);
}

static void compare_runs(GuardRun *run, const Execution *a, const Execution *b) {
    Str *text = &run->report->results[GUARD_AGREEMENT].text;
    unsigned difference = run_difference(&a->run, &b->run, run->options->tolerance);
    if (!difference) {
        answer(run, GUARD_AGREEMENT, GUARD_CLEAN);
        return;
    }
    if (difference & DIFFERS_IN_END) {
        describe_end(text, a);
        str_append(text, "; ");
        describe_end(text, b);
    } else {
        str_printf(text, "the outputs differ of the programs that %s and %s make", a->config->name, b->config->name);
    }
    answer(run, GUARD_AGREEMENT, GUARD_COMPLAINS);
}

/* The compilers that have a say. */
static size_t voters(const GuardRun *run, Tool *ret_tools) {
    static const struct {
        Tool tool;
        CompilerFamily family;
    } candidates[] = {{TOOL_GCC, FAMILY_GCC}, {TOOL_CLANG, FAMILY_CLANG}};
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LEN(candidates); i++) {
        if (tool_config(run->tools, candidates[i].tool) && candidates[i].family != run->options->suspect)
            ret_tools[count++] = candidates[i].tool;
    }
    return count;
}

static void compare_voters(GuardRun *run, const Execution *executions, size_t count) {
    size_t ran = 0;
    for (size_t i = 0; i < count; i++) {
        ran += executions[i].ran;
        if (!executions[i].ran)
            no_answer_of_failure(run, GUARD_AGREEMENT, &executions[i]);
    }
    for (size_t i = 0; i < count; i++) {
        if (executions[i].ran && !ended_well(&executions[i])) {
            complain_of_end(run, &executions[i]);
            return;
        }
    }
    if (ran == 2)
        compare_runs(run, &executions[0], &executions[1]);
    else if (ran == count && count == 1)
        answer(run, GUARD_AGREEMENT, GUARD_CLEAN);
}

static bool guard_agreement(GuardRun *run, Error *err) {
    Tool tools[2];
    Execution executions[2] = {0};
    size_t count = voters(run, tools);
    if (count == 0 || (count == 1 && !has_suspect(run))) {
        answer_text(run, GUARD_AGREEMENT, GUARD_NO_ANSWER, "gcc and clang are not both installed");
        return true;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = run_tool(run, tools[i], &executions[i], err);
    if (ok)
        compare_voters(run, executions, count);
    execution_release(&executions[0]);
    execution_release(&executions[1]);
    return ok;
}

/* --- Sanitizers --- */

static void read_sanitizer(GuardRun *run, Guard guard, const Execution *execution) {
    /* The summary has the place in one line; without a symbolizer there may be none. */
    static const char *const words[][2] = {{"runtime error: ", NULL}, {"SUMMARY: ", NULL}, {"Sanitizer", NULL}};
    GuardResult *result = &run->report->results[guard];
    if (!execution->ran) {
        no_answer_of_failure(run, guard, execution);
    } else if (execution->verdict == VERDICT_SANITIZER) {
        for (size_t i = 0; result->text.len == 0 && i < ARRAY_LEN(words); i++)
            quote_lines(&result->text, str_text(&execution->run.err), words[i]);
        answer(run, guard, GUARD_COMPLAINS);
    } else if (execution->verdict == VERDICT_RUN_HANG) {
        answer_text(run, guard, GUARD_NO_ANSWER, "the instrumented program does not end in time");
    } else {
        answer(run, guard, GUARD_CLEAN);
    }
}

static bool guard_sanitizer(GuardRun *run, Guard guard, Tool tool, Error *err) {
    CLEANUP(execution_release) Execution execution = {0};
    if (!tool_config(run->tools, tool)) {
        answer_text(run, guard, GUARD_NO_ANSWER, "no installed compiler has this sanitizer");
        return true;
    }
    if (!run_tool(run, tool, &execution, err))
        return false;
    read_sanitizer(run, guard, &execution);
    return true;
}

/* Three builds less: gcc with two sanitizers and clang with MemorySanitizer compile without optimisation, so that what
 * their programs do is at the same time the agreement of the two. Needs all four guards, and that neither compiler is a
 * suspect. */
static bool shares_builds(const GuardRun *run, unsigned guards) {
    unsigned shared =
        GUARD_BIT(GUARD_AGREEMENT) | GUARD_BIT(GUARD_UBSAN) | GUARD_BIT(GUARD_ASAN) | GUARD_BIT(GUARD_MSAN);
    return !run->options->all && !run->options->separate && (guards & shared) == shared && !has_suspect(run) &&
           tool_config(run->tools, TOOL_UBSAN_ASAN) && tool_config(run->tools, TOOL_MSAN);
}

/* False where the machine fails; *ret_clean where the program ended well and without a complaint. */
static bool run_shared(GuardRun *run, Guard guard, Tool tool, Execution *ret_execution, bool *ret_clean, Error *err) {
    if (!run_tool(run, tool, ret_execution, err))
        return false;
    bool by_asan = strstr(str_text(&ret_execution->run.err), "AddressSanitizer") != NULL;
    read_sanitizer(run, by_asan ? GUARD_ASAN : guard, ret_execution);
    *ret_clean = false;
    if (run->report->complaint != GUARD_NONE)
        return true;
    if (ret_execution->ran && !ended_well(ret_execution))
        complain_of_end(run, ret_execution);
    else
        *ret_clean = ret_execution->ran;
    return true;
}

static bool guard_shared(GuardRun *run, Error *err) {
    CLEANUP(execution_release) Execution gcc = {0}, clang = {0};
    bool clean;
    if (!run_shared(run, GUARD_UBSAN, TOOL_UBSAN_ASAN, &gcc, &clean, err))
        return false;
    if (!clean)
        return true;
    answer(run, GUARD_ASAN, GUARD_CLEAN);
    if (!run_shared(run, GUARD_MSAN, TOOL_MSAN, &clang, &clean, err))
        return false;
    if (clean)
        compare_runs(run, &gcc, &clang);
    return true;
}

/* --- Frama-C --- */

/* Eva follows the one run of a closed program: with no bound on the number of states it keeps apart, it interprets. An
 * alarm at a point that it cannot get past is certain; one that it passes may come from what it does not know. */
static bool run_frama_c(GuardRun *run, ProcResult *ret_result, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    static const char *const words[] = {"frama-c",      "-no-autoload-plugins",
                                        "-load-module", "eva,variadic,inout,scope",
                                        "-machdep",     "gcc_x86_64",
                                        "-eva",         "-eva-slevel",
                                        "1000000000",   "-eva-msg-key=-initial-state,-summary"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        strlist_add(&command, words[i]);
    for (size_t i = 0; i < run->program->files.len; i++) {
        if (program_is_source(run->program->files.items[i].name))
            strlist_add(&command, run->program->files.items[i].name);
    }
    CLEANUP(str_release) Str pwd = {0}; /* it trusts PWD for the working directory */
    str_printf(&pwd, "PWD=%s", run->dir);
    CompilerRun options = {
        .limits = {.wall_ms = FRAMA_C_MS, .memory_bytes = (uint64_t)4 << 30, .output_bytes = (uint64_t)8 << 20},
        .env = (const char *const[]){str_text(&pwd), NULL},
        .merge_output = true,
    };
    return compiler_run(run->runner, run->dir, &command, &options, ret_result, err);
}

static bool guard_frama_c(GuardRun *run, Error *err) {
    CLEANUP(proc_result_release) ProcResult result = {0};
    GuardResult *answer_of = &run->report->results[GUARD_FRAMA_C];
    if (!run->tools->frama_c) {
        answer_text(run, GUARD_FRAMA_C, GUARD_NO_ANSWER, "Frama-C is not installed");
        return true;
    }
    if (!run_frama_c(run, &result, err))
        return false;
    const char *text = str_text(&result.out);
    bool alarm = strstr(text, "[eva:alarm]"), certain = strstr(text, "NON TERMINATING FUNCTION");
    if (alarm && certain) {
        quote_lines(&answer_of->text, text, (const char *const[]){"[eva:alarm]", NULL});
        answer(run, GUARD_FRAMA_C, GUARD_COMPLAINS);
    } else if (alarm) {
        str_append(&answer_of->text, "possible: ");
        quote_lines(&answer_of->text, text, (const char *const[]){"[eva:alarm]", NULL});
        answer(run, GUARD_FRAMA_C, GUARD_NO_ANSWER);
    } else if (result.limit == PROC_LIMIT_WALL) {
        answer_text(run, GUARD_FRAMA_C, GUARD_NO_ANSWER, "it did not end within a minute");
    } else if (!proc_ok(&result)) {
        quote_lines(&answer_of->text, text, (const char *const[]){"rror", NULL});
        answer(run, GUARD_FRAMA_C, GUARD_NO_ANSWER);
    } else {
        answer(run, GUARD_FRAMA_C, GUARD_CLEAN);
    }
    return true;
}

/* --- All of them --- */

static bool guard_warnings(GuardRun *run, Error *err) {
    GuardResult *result = &run->report->results[GUARD_WARNINGS];
    const Config *configs[2] = {tool_config(run->tools, TOOL_GCC), tool_config(run->tools, TOOL_CLANG)};
    WarningsAnswer what;
    if (!warnings_ask(run->runner, run->program, run->dir, configs, ARRAY_LEN(configs), &run->flags,
                      run->options->tolerated, &what, &result->text, err))
        return false;
    answer(run, GUARD_WARNINGS,
           what == WARNINGS_BETRAY  ? GUARD_COMPLAINS
           : what == WARNINGS_CLEAN ? GUARD_CLEAN
                                    : GUARD_NO_ANSWER);
    return true;
}

/* The scratch directory is no news to anyone. */
static void drop_directory(Str *text, const char *dir) {
    size_t len = strlen(dir) + 1;
    for (const char *at; (at = strstr(str_text(text), dir)) && at[len - 1] == '/';)
        str_remove(text, (size_t)(at - text->data), len);
}

static bool run_guard(GuardRun *run, Guard guard, bool shared, Error *err) {
    switch (guard) {
    case GUARD_WARNINGS: return guard_warnings(run, err);
    case GUARD_AGREEMENT: return shared ? guard_shared(run, err) : guard_agreement(run, err);
    case GUARD_UBSAN: return shared || guard_sanitizer(run, guard, TOOL_UBSAN, err);
    case GUARD_ASAN: return shared || guard_sanitizer(run, guard, TOOL_ASAN, err);
    case GUARD_MSAN: return shared || guard_sanitizer(run, guard, TOOL_MSAN, err);
    case GUARD_FRAMA_C: return guard_frama_c(run, err);
    default: BUG("guard %d", guard);
    }
}

/* The program in a directory, ready for the tools. */
static bool open_run(GuardRun *run, Scratch *scratch, Error *err) {
    run->dir = run->options->dir;
    if (!run->dir) {
        if (!scratch_new(scratch, err) || !program_write(run->program, scratch->path, err))
            return false;
        run->dir = scratch->path;
    }
    CLEANUP(mem_freep) char *tmp = path_of(run->dir, "tmp");
    meaningful_flags(run->options->flags, &run->flags);
    return dir_make(tmp, err);
}

bool guard_known_warnings(const GuardTools *tools, Runner *runner, const Program *program, const GuardOptions *options,
                          StrList *ret_tags, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(guard_run_release) GuardRun run = {tools, runner, program, options, {0}, NULL, NULL};
    const Config *configs[2] = {tool_config(tools, TOOL_GCC), tool_config(tools, TOOL_CLANG)};
    return open_run(&run, &scratch, err) &&
           warnings_list(runner, program, run.dir, configs, ARRAY_LEN(configs), &run.flags, ret_tags, err);
}

bool guard_run(const GuardTools *tools, Runner *runner, const Program *program, const GuardOptions *options,
               GuardReport *ret_report, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(guard_run_release) GuardRun run = {tools, runner, program, options, {0}, NULL, ret_report};
    guard_report_release(ret_report);
    ret_report->complaint = GUARD_NONE;
    if (!open_run(&run, &scratch, err))
        return false;
    unsigned guards = options->guards ? options->guards : GUARDS_DEFAULT;
    bool shared = shares_builds(&run, guards);
    for (Guard guard = 0; guard < GUARD_COUNT; guard++) {
        if (ret_report->complaint != GUARD_NONE && !options->all)
            break;
        if ((guards & GUARD_BIT(guard)) && !run_guard(&run, guard, shared, err))
            return error_context(err, "the guard \"%s\" could not run", guard_names[guard]);
        drop_directory(&ret_report->results[guard].text, run.dir);
    }
    return true;
}

void guard_report_release(GuardReport *report) {
    for (size_t i = 0; i < GUARD_COUNT; i++)
        str_release(&report->results[i].text);
    *report = (GuardReport){.complaint = GUARD_NONE};
}

/* --- The same as a shell script --- */

/* Builds and runs with one tool; leaves TOOL.txt and $TOOL. */
static void append_tool(const GuardRun *run, Tool tool, const char *name, Str *script) {
    CLEANUP(strlist_release) StrList command = {0};
    config_command(tool_config(run->tools, tool), &command);
    strlist_add_all(&command, &run->flags);
    CLEANUP(mem_freep) char *line = strlist_join_shell(&command);
    str_printf(script,
               "timeout 60 %s %s -o guard >/dev/null 2>&1 || exit 1\n"
               "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:symbolize=0 MSAN_OPTIONS=symbolize=0 \\\n"
               "    timeout %.3f ./guard >guard%d.txt 2>guard.err; guard%d=$?\n"
               "grep -qE 'runtime error: |Sanitizer' guard.err && exit 1\n"
               "[ $guard%d -lt 124 ] || [ $guard%d -eq 134 ] || exit 1\n",
               line, name, (double)run_ms(run, true) * 2 / 1000, tool, tool, tool, tool);
}

void guard_script(const GuardTools *tools, const GuardOptions *options, const char *name, Str *ret_script) {
    CLEANUP(guard_run_release) GuardRun run = {tools, NULL, NULL, options, {0}, NULL, NULL};
    unsigned guards = options->guards ? options->guards : GUARDS_DEFAULT;
    const Config *configs[2] = {tool_config(tools, TOOL_GCC), tool_config(tools, TOOL_CLANG)};
    bool shared = shares_builds(&run, guards), agreement = guards & GUARD_BIT(GUARD_AGREEMENT);
    Tool compared[2] = {TOOL_UBSAN_ASAN, TOOL_MSAN};
    meaningful_flags(options->flags, &run.flags);
    if (guards & GUARD_BIT(GUARD_WARNINGS))
        warnings_script(configs, ARRAY_LEN(configs), &run.flags, options->tolerated, name, ret_script);
    size_t count = shared ? 2 : agreement ? voters(&run, compared) : 0;
    for (size_t i = 0; i < count; i++)
        append_tool(&run, compared[i], name, ret_script);
    if (count == 2)
        str_printf(ret_script, "[ $guard%d -eq $guard%d ] && same_output guard%d.txt guard%d.txt || exit 1\n",
                   compared[0], compared[1], compared[0], compared[1]);
    static const struct {
        Guard guard;
        Tool tool;
    } sanitizers[] = {{GUARD_UBSAN, TOOL_UBSAN}, {GUARD_ASAN, TOOL_ASAN}, {GUARD_MSAN, TOOL_MSAN}};
    for (size_t i = 0; !shared && i < ARRAY_LEN(sanitizers); i++)
        if ((guards & GUARD_BIT(sanitizers[i].guard)) && tool_config(tools, sanitizers[i].tool))
            append_tool(&run, sanitizers[i].tool, name, ret_script);
}
