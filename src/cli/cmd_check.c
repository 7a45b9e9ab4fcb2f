#include <string.h>

#include "base/table.h"
#include "base/vec.h"
#include "cli/command.h"
#include "judge/guard.h"

typedef struct CheckArgs {
    const char *guards;
    const char *flags;
    int64_t time_ms;
} CheckArgs;

static const Option options[] = {
    OPTION(CheckArgs, guards, "guards", 0, OPTION_TEXT, "LIST",
           "of warnings, agreement, ubsan, asan, msan, frama-c; default: all"),
    OPTION(CheckArgs, flags, "flags", 0, OPTION_TEXT, "FLAGS", "that the programs need to compile, such as -I DIR"),
    OPTION(CheckArgs, time_ms, "time", 0, OPTION_DURATION, "T",
           "that a program may run without sanitizers; default: 10s"),
    {0},
};

/* What all files share. */
typedef struct Check {
    Runner *runner;
    GuardTools *tools[2]; /* by Language: C and C++ programs have different compilers */
    GuardOptions options;
} Check;

static void check_release(Check *check) {
    guard_tools_free(check->tools[LANGUAGE_C]);
    guard_tools_free(check->tools[LANGUAGE_CXX]);
    runner_free(check->runner);
}

static bool check_file(Check *check, const char *path, GuardReport *ret_report, Error *err) {
    CLEANUP(program_release) Program program = {0};
    if (!program_load(path, &program, err))
        return false;
    if (program.language == LANGUAGE_LLVM_IR)
        return error_set(err, "%s is LLVM IR; only C and C++ programs can be checked", path);
    GuardTools **tools = &check->tools[program.language];
    if (!*tools && (!(*tools = guard_tools_new(check->runner, program.language, err)) ||
                    !guard_check_flags(*tools, check->runner, check->options.flags, err)))
        return false;
    return guard_run(*tools, check->runner, &program, &check->options, ret_report, err);
}

static void add_rows(Table *table, const char *path, const GuardReport *report) {
    for (Guard guard = 0; guard < GUARD_COUNT; guard++) {
        const GuardResult *result = &report->results[guard];
        if (result->answer == GUARD_NOT_RUN)
            continue;
        const char *text = str_text(&result->text);
        table_row(table);
        table_cell(table, "%s", path);
        table_cell(table, "%s", guard_name(guard));
        table_cell(table, "%s", guard_answer_name(result->answer));
        table_cell(table, "%.*s", (int)strcspn(text, "\n"), text);
    }
}

static Json *report_json(const char *path, const GuardReport *report) {
    Json *file = json_new_object(), *guards = json_new_array();
    json_put_text(file, "file", path);
    json_put_bool(file, "clean", report->complaint == GUARD_NONE);
    for (Guard guard = 0; guard < GUARD_COUNT; guard++) {
        const GuardResult *result = &report->results[guard];
        Json *item = json_new_object();
        json_put_text(item, "guard", guard_name(guard));
        json_put_text(item, "answer", guard_answer_name(result->answer));
        json_put_text(item, "text", str_text(&result->text));
        json_push(guards, item);
    }
    json_put(file, "guards", guards);
    return file;
}

static bool read_args(const CheckArgs *args, GuardOptions *options_of, StrList *flags, Error *err) {
    options_of->all = true;
    options_of->run_ms = args->time_ms;
    options_of->guards = GUARDS_ALL;
    options_of->flags = flags;
    return (!args->guards || guard_parse_list(args->guards, &options_of->guards, err)) &&
           (!args->flags || strlist_split_shell(flags, args->flags, err));
}

static bool check_args(const Cli *cli, const void *arguments, Error *err) {
    (void)cli;
    GuardOptions unused = {0};
    CLEANUP(strlist_release) StrList flags = {0};
    return read_args(arguments, &unused, &flags, err);
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    CLEANUP(check_release) Check check = {0};
    CLEANUP(strlist_release) StrList flags = {0};
    CLEANUP(json_freep) Json *json = json_new_array();
    CLEANUP(table_freep) Table *table = table_new((const char *const[]){"program", "guard", "answer", "what", NULL});
    Error err;
    if (!read_args(arguments, &check.options, &flags, &err))
        return cli_usage(cli, "%s", err.text);
    check.runner = runner_new(&err);
    bool found = false;
    for (size_t i = 0; i < operands->len; i++) {
        CLEANUP(guard_report_release) GuardReport report = {0};
        console_status(cli->console, "checking %s", operands->items[i]);
        if (!check.runner || !check_file(&check, operands->items[i], &report, &err))
            return cli_fail(cli, &err);
        found |= report.complaint != GUARD_NONE;
        add_rows(table, operands->items[i], &report);
        json_push(json, report_json(operands->items[i], &report));
    }
    console_status_end(cli->console);
    ExitStatus status = found ? STATUS_FINDINGS : STATUS_OK;
    if (cli->json)
        return cli_print_json(cli, TAKE(json), status);
    CLEANUP(str_release) Str text = {0};
    table_format(table, cli->width, cli->color, &text);
    fputs(str_text(&text), cli->out);
    return status;
}

const Command cmd_check = {
    .name = "check",
    .group = "Understand bugs",
    .summary = "tell whether a program is free of undefined behaviour",
    .operands = "FILE|DIR...",
    .details =
        "A program that leans on undefined behaviour is no evidence against a compiler. Guards look at it, cheap\n"
        "ones first: warnings that betray undefined behaviour; whether gcc and clang agree without optimisation;\n"
        "the undefined-behaviour, address and memory sanitizers; Frama-C where it is installed. A directory is\n"
        "one program of several files. Exit status 1: at least one guard complains.\n",
    .examples = "  $ culprit check small.c\n"
                "  $ culprit check --guards warnings,ubsan *.c\n"
                "  $ culprit check --json --flags '-I/usr/include/csmith' prog.c\n",
    .options = options,
    .args_size = sizeof(CheckArgs),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .check = check_args,
    .run = run,
};
