#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "explain/explain.h"
#include "judge/bug_from_file.h"
#include "proc/interrupt.h"

typedef struct ReduceArgs {
    const char *cc, *fail, *pass, *with, *guards, *output, *test, *export;
    int64_t time_ms;
} ReduceArgs;

static const Option options[] = {
    OPTION(ReduceArgs, cc, "cc", 0, OPTION_TEXT, "CMD", "the compiler, for a FILE"),
    OPTION(ReduceArgs, fail, "fail", 0, OPTION_TEXT, "FLAGS", "options that show the bug, for a FILE"),
    OPTION(ReduceArgs, pass, "pass", 0, OPTION_TEXT, "FLAGS", "options that do not (default: the same at -O0)"),
    OPTION(ReduceArgs, with, "with", 0, OPTION_CHOICE, "cvise|creduce", "let that tool reduce, with the same test"),
    OPTION(ReduceArgs, guards, "guards", 0, OPTION_TEXT, "LIST",
           "checks against undefined behaviour: warnings,agreement,ubsan,asan,msan or none"),
    OPTION(ReduceArgs, time_ms, "time", 't', OPTION_DURATION, "T", "stop after that time with the smallest so far"),
    OPTION(ReduceArgs, output, "output", 'o', OPTION_TEXT, "FILE",
           "where to write (default: reduced.c or reduced.ll in the bug directory, FILE.reduced.c beside a FILE; - for "
           "standard output)"),
    OPTION(ReduceArgs, test, "test", 0, OPTION_TEXT, "FILE",
           "do not reduce: exit 0 if FILE shows the same bug, 1 if not; for other reducers"),
    OPTION(ReduceArgs, export, "export", 0, OPTION_TEXT, "DIR",
           "do not reduce: write the program and the test as a shell script there, for other reducers"),
    {0},
};

static bool read_guards(const ReduceArgs *args, ReduceOptions *reduce, Error *err) {
    if (args->guards && !guard_parse_list(args->guards, &reduce->guards, err))
        return false;
    reduce->no_guards = args->guards && !reduce->guards;
    return true;
}

static bool check(const Cli *cli, const void *arguments, Error *err) {
    (void)cli;
    return read_guards(arguments, &(ReduceOptions){0}, err);
}

static bool open_bug(const ReduceArgs *args, const char *operand, Bug *ret_bug, Error *err) {
    bool described = args->cc && args->fail;
    if (dir_exists(operand) || (!file_exists(operand) && !described))
        return bug_load(operand, ret_bug, err);
    if (!described)
        return error_usage(err, "%s is a file: say how it fails, with --cc gcc-12 --fail -O2", operand);
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    return runner && bug_from_file(runner, operand, args->cc, args->fail, args->pass, ret_bug, err);
}

static char *output_path(const ReduceArgs *args, const char *operand, const Program *program) {
    if (args->output)
        return mem_strdup(args->output);
    const char *name = program->files.len == 1 ? program->files.items[0].name : BUG_REDUCED;
    if (dir_exists(operand))
        return path_of(operand, name);
    Str path = {0};
    const char *dot = strrchr(path_name(operand), '.'), *ending = strrchr(name, '.');
    str_append_n(&path, operand, dot ? (size_t)(dot - operand) : strlen(operand));
    str_printf(&path, ".reduced%s", ending ? ending : "");
    return str_detach(&path);
}

/* The program, or of several files all with a line in front that names them. */
static void append_program(const Program *program, Str *ret_text) {
    for (size_t i = 0; i < program->files.len; i++) {
        if (program->files.len > 1)
            str_printf(ret_text, "/* %s */\n", program->files.items[i].name);
        str_append_n(ret_text, program->files.items[i].text, program->files.items[i].len);
    }
}

/* One file, or a directory of several. */
static bool write_program(const Program *program, const char *path, Error *err) {
    if (str_equal(path, "-"))
        return true;
    if (program->files.len == 1)
        return file_write(path, program->files.items[0].text, program->files.items[0].len, err);
    return dir_make(path, err) && program_write(program, path, err);
}

static bool save_in_bug(Bug *bug, const ReduceResult *result, Error *err) {
    return reduce_keep(bug, result, err) && bug_save(bug, err) && explain_publish(bug, err) &&
           explain_tell_store(bug, err);
}

static Json *result_json(const ReduceResult *result, const char *path) {
    Json *json = json_new_object();
    json_put_text(json, "file", path);
    json_put_int(json, "tokens_before", (int64_t)result->tokens_before);
    json_put_int(json, "tokens", (int64_t)result->tokens_after);
    json_put_int(json, "bytes_before", (int64_t)result->bytes_before);
    json_put_int(json, "bytes", (int64_t)result->bytes_after);
    json_put_int(json, "tries", (int64_t)result->counts.tries);
    json_put_int(json, "tested", (int64_t)result->counts.tested);
    json_put_int(json, "refused_by_guards", (int64_t)result->counts.guarded);
    json_put_int(json, "rounds", (int64_t)result->rounds);
    json_put_bool(json, "stopped", result->stopped);
    CLEANUP(str_release) Str text = {0}, source = {0};
    append_program(&result->program, &text);
    json_put_text(json, "text", str_text(&text));
    json_put_strings(json, "fail_cmd", &result->bug.fail_cmd);
    if (result->passes_before) {
        json_put_int(json, "passes_before", (int64_t)result->passes_before);
        json_put_int(json, "passes", (int64_t)result->passes_after);
    }
    append_program(&result->source, &source);
    if (source.len)
        json_put_text(json, "source", str_text(&source));
    return json;
}

static void print_result(Cli *cli, const ReduceResult *result, const char *path) {
    const ReduceCounts *counts = &result->counts;
    console_info(cli->console,
                 "%zu tokens, %zu bytes (of %zu and %zu)%s; %llu tries: %llu refused by the parser, %llu compiled, "
                 "%llu refused by guards",
                 result->tokens_after, result->bytes_after, result->tokens_before, result->bytes_before,
                 result->stopped ? ", stopped early" : "", (unsigned long long)counts->tries,
                 (unsigned long long)counts->unparsed, (unsigned long long)counts->tested,
                 (unsigned long long)counts->guarded);
    if (!str_equal(path, "-"))
        console_info(cli->console, "written to %s", path);
    if (result->passes_before) {
        CLEANUP(mem_freep) char *command = strlist_join_shell(&result->bug.fail_cmd);
        console_info(cli->console, "fails: %s", command);
    }
    CLEANUP(str_release) Str text = {0};
    append_program(&result->program, &text);
    fputs(str_text(&text), cli->out);
}

static ExitStatus test_file(Cli *cli, const Bug *bug, const ReduceOptions *reduce, const char *path) {
    CLEANUP(str_release) Str text = {0}, why = {0};
    bool interesting;
    Error err;
    if (!file_read(path, &text, &err) || !reduce_test(bug, reduce, &text, &interesting, &why, &err))
        return cli_fail(cli, &err);
    if (!interesting)
        console_info(cli->console, "%s", str_text(&why));
    return interesting ? STATUS_OK : STATUS_FINDINGS;
}

static ExitStatus export_test(Cli *cli, const Bug *bug, const ReduceOptions *reduce, const char *dir) {
    CLEANUP(str_release) Str name = {0};
    Error err;
    if (!reduce_export(bug, reduce, dir, &name, &err))
        return cli_fail(cli, &err);
    console_info(cli->console, "try: cd %s && cvise ./test.sh %s", dir, str_text(&name));
    return STATUS_OK;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const ReduceArgs *args = arguments;
    const char *operand = operands->items[0];
    ReduceOptions reduce = {.jobs = cli->jobs, .time_ms = args->time_ms, .console = cli->console, .with = args->with};
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(reduce_result_release) ReduceResult result = {0};
    Error err;
    interrupt_catch();
    if (!read_guards(args, &reduce, &err) || !open_bug(args, operand, &bug, &err))
        return cli_fail(cli, &err);
    if (args->test)
        return test_file(cli, &bug, &reduce, args->test);
    if (args->export)
        return export_test(cli, &bug, &reduce, args->export);
    if (!explain_reduce(&bug, &reduce, &result, &err))
        return cli_fail(cli, &err);
    CLEANUP(mem_freep) char *path = output_path(args, operand, &result.program);
    bool in_bug = !args->output && !bug.loose;
    if (!(in_bug ? save_in_bug(&bug, &result, &err) : write_program(&result.program, path, &err)))
        return cli_fail(cli, &err);
    if (cli->json)
        return cli_print_json(cli, result_json(&result, path), STATUS_OK);
    print_result(cli, &result, path);
    return STATUS_OK;
}

const Command cmd_reduce = {
    .name = "reduce",
    .group = "Understand bugs",
    .summary = "shrink a failing program, keeping the same bug",
    .operands = "BUG | FILE --cc CMD --fail FLAGS [--pass FLAGS]",
    .details =
        "The test that a smaller program is the same bug comes from the verdict: same compiler and options, "
        "same kind,\n"
        "same signature of a crash; for wrong code the program must also be free of undefined behaviour and\n"
        "uninitialised reads. Interrupt at any time: the smallest program so far is kept, and the next\n"
        "reduction of that bug goes on from there.\n"
        "Bugs of opt: the passes that are not needed go first, then C sources, then the module if opt itself\n"
        "fails (reduced.ll, with reduced.c beside it). A wrong result ends with the C program, which has guards.\n",
    .examples = "  $ culprit reduce culprit-out/bugs/1f3a\n"
                "  $ culprit reduce fail.c --cc gcc-12 --fail -O3 --pass -O0 -o small.c\n"
                "  $ culprit reduce fail.c --cc gcc-11 --fail -O2 --with cvise\n"
                "  $ culprit reduce fail.ll --cc opt-14 --fail \"-passes=gvn -S\"\n",
    .options = options,
    .args_size = sizeof(ReduceArgs),
    .min_operands = 1,
    .max_operands = 1,
    .check = check,
    .run = run,
};
