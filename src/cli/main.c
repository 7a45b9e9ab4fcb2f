/* main: find the command, parse its options, run it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/table.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"

ExitStatus cli_fail(Cli *cli, const Error *err) {
    console_error(cli->console, "%s", err->text);
    return err->is_usage ? STATUS_USAGE : STATUS_FAILED;
}

ExitStatus cli_usage(Cli *cli, const char *format, ...) {
    CLEANUP(str_release) Str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    console_error(cli->console, "%s", str_text(&text));
    return STATUS_USAGE;
}

ExitStatus cli_print_json(Cli *cli, Json *json, ExitStatus status) {
    CLEANUP(str_release) Str text = {0};
    json_format(json, cli->width > 0, &text);
    json_free(json);
    fprintf(cli->out, "%s\n", str_text(&text));
    return status;
}

static ColorMode color_mode(const char *word) {
    return str_equal(word, "always") ? COLOR_ALWAYS : str_equal(word, "never") ? COLOR_NEVER : COLOR_AUTO;
}

static ConsoleLevel verbosity(const GlobalArgs *globals) {
    return globals->quiet ? CONSOLE_ERROR : globals->verbose ? CONSOLE_DEBUG : CONSOLE_INFO;
}

static Cli cli_from(const GlobalArgs *globals) {
    Cli cli = {
        .console = console_new(stderr, verbosity(globals), color_mode(globals->color)),
        .out = stdout,
        .json = globals->json,
        .color = color_enabled(stdout, color_mode(globals->color)),
        .width = terminal_width(STDOUT_FILENO),
        .jobs = globals->jobs ? globals->jobs : (size_t)MAX_OF(sysconf(_SC_NPROCESSORS_ONLN), 1L),
        .has_seed = globals->seed != NULL,
    };
    if (!cli.has_seed && getrandom(&cli.seed, sizeof cli.seed, 0) == sizeof cli.seed)
        cli.seed >>= 32; /* short enough to type again */
    return cli;
}

static ExitStatus show_help(const Command *command) {
    CLEANUP(str_release) Str text = {0};
    if (command)
        help_command(command, &text);
    else
        help_overview(&text);
    fputs(str_text(&text), stdout);
    return STATUS_OK;
}

static ExitStatus unknown_command(Cli *cli, const char *name) {
    const char *names[64];
    size_t count = 0;
    for (; cli_commands[count]; count++)
        names[count] = cli_commands[count]->name;
    names[count] = NULL;
    const char *near = suggest(name, names);
    return near ? cli_usage(cli, "there is no command '%s'; did you mean '%s'?", name, near)
                : cli_usage(cli, "there is no command '%s'; `culprit help` lists them", name);
}

static bool operand_count_fits(const Command *command, size_t count, Error *err) {
    if (count < command->min_operands)
        return error_set(err, "`culprit %s` needs more: culprit %s %s", command->name, command->name,
                         command->operands);
    if (count > command->max_operands)
        return error_set(err, "`culprit %s` takes fewer operands: culprit %s %s", command->name, command->name,
                         command->operands);
    return true;
}

/* What was written must have arrived: a full disk is not a success. */
static ExitStatus flush_output(Cli *cli, ExitStatus status) {
    Error err;
    if (fflush(cli->out) == 0 && !ferror(cli->out))
        return status;
    error_errno(&err, "cannot write the output");
    return cli_fail(cli, &err);
}

static bool read_seed(const char *text, uint64_t *ret_seed, Error *err) {
    return !text || units_parse_count(text, ret_seed, err) || error_context(err, "--seed");
}

static ExitStatus run_command(const Command *command, GlobalArgs *globals, char **words) {
    CLEANUP(mem_freep) void *args = mem_zalloc(1, MAX_OF(command->args_size, (size_t)1));
    CLEANUP(strlist_release) StrList operands = {0};
    if (command->defaults)
        memcpy(args, command->defaults, command->args_size);
    Error err;
    size_t used;
    bool parsed = options_parse(command->options, args, globals, words, false, &operands, &used, &err);
    Cli cli = cli_from(globals);
    ExitStatus status;
    if (parsed && globals->help)
        status = show_help(command);
    else if (!parsed || !read_seed(globals->seed, &cli.seed, &err) ||
             (command->check && !command->check(&cli, args, &err)) || !operand_count_fits(command, operands.len, &err))
        status = cli_usage(&cli, "%s", err.text);
    else
        status = flush_output(&cli, command->run(&cli, args, &operands));
    options_release(command->options, args);
    console_free(cli.console);
    return status;
}

int main(int argc, char **argv) {
    GlobalArgs globals = {0};
    CLEANUP(strlist_release) StrList operands = {0};
    Error err;
    size_t used;
    if (argc == 2 && str_equal(argv[1], "--version"))
        return puts("culprit " CULPRIT_VERSION) < 0 ? STATUS_FAILED : STATUS_OK;
    bool parsed = options_parse(NULL, NULL, &globals, argv + 1, true, &operands, &used, &err);
    const Command *command = operands.len ? cli_find_command(operands.items[0]) : NULL;
    if (parsed && command)
        return run_command(command, &globals, argv + 1 + used);
    if (parsed && !operands.len && (globals.help || argc == 1))
        return show_help(NULL);
    Cli cli = cli_from(&globals);
    ExitStatus status = !parsed        ? cli_usage(&cli, "%s", err.text)
                        : operands.len ? unknown_command(&cli, operands.items[0])
                                       : cli_usage(&cli, "no command given; `culprit help` lists them");
    console_free(cli.console);
    return status;
}
