#include "base/file.h"
#include "cli/command.h"
#include "page/page.h"

typedef struct ReportArgs {
    const char *output;
} ReportArgs;

static const ReportArgs defaults = {.output = NULL};

static const Option options[] = {
    OPTION(ReportArgs, output, "output", 'o', OPTION_TEXT, "FILE", "the page (default: report.html in DIR)"),
    {0},
};

/* Beside what it is about: in a directory, or with a file's name. */
static void default_output(const char *path, Str *ret_output) {
    str_append(ret_output, path);
    if (dir_exists(path))
        path_join(ret_output, "report.html");
    else
        str_append(ret_output, ".html");
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const ReportArgs *args = arguments;
    const char *path = operands->len ? operands->items[0] : "culprit-out";
    CLEANUP(str_release) Str html = {0}, output = {0};
    Error err;
    if (args->output)
        str_append(&output, args->output);
    else
        default_output(path, &output);
    if (!page_make(path, false, &html, &err) || !file_write(str_text(&output), str_text(&html), html.len, &err))
        return cli_fail(cli, &err);
    if (cli->json) {
        Json *json = json_new_object();
        json_put_text(json, "page", str_text(&output));
        json_put_int(json, "bytes", (int64_t)html.len);
        return cli_print_json(cli, json, STATUS_OK);
    }
    fprintf(cli->out, "%s\n", str_text(&output));
    return STATUS_OK;
}

const Command cmd_report = {
    .name = "report",
    .group = "Understand bugs",
    .summary = "make a page of a campaign, a bug, an isolation or a benchmark",
    .operands = "[DIR | FILE]",
    .details = "Writes one HTML file that needs nothing else: plots, tables, and every bug with its program, commands, "
               "outputs, "
               "guilty pass, suspects and the text for the bug tracker. DIR is a campaign or a bug directory, FILE a "
               "suspects.json or a journal of `culprit bench`. It may be asked while the campaign runs.\n",
    .examples = "  $ culprit report culprit-out -o page.html\n",
    .options = options,
    .args_size = sizeof(ReportArgs),
    .defaults = &defaults,
    .max_operands = 1,
    .run = run,
};
