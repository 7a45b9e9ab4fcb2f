#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "page/page.h"
#include "page/serve.h"
#include "proc/interrupt.h"
#include "proc/launch.h"

typedef struct ReportArgs {
    const char *output, *serve;
    bool open;
} ReportArgs;

static const Option options[] = {
    OPTION(ReportArgs, output, "output", 'o', OPTION_TEXT, "FILE", "the page (default: report.html in DIR)"),
    OPTION(ReportArgs, open, "open", 0, OPTION_FLAG, NULL, "show it in the browser ($BROWSER, or xdg-open)"),
    OPTION(ReportArgs, serve, "serve", 0, OPTION_TEXT, "PORT",
           "serve it on 127.0.0.1 instead, up to date while a campaign runs; 0: any port"),
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

static bool open_page(const char *address, Error *err) {
    const char *browser = getenv("BROWSER");
    const char *const command[] = {browser && *browser ? browser : "xdg-open", address, NULL};
    return launch_detached(command, err) ||
           error_context(err, "cannot open the page by itself; point your browser at %s", address);
}

static bool parse_port(const char *text, uint16_t *ret_port) {
    char *end;
    unsigned long port = strtoul(text, &end, 10);
    *ret_port = (uint16_t)port;
    return end != text && *end == '\0' && *text != '-' && port <= UINT16_MAX;
}

static bool check(const Cli *cli, const void *arguments, Error *err) {
    (void)cli;
    const ReportArgs *args = arguments;
    uint16_t port;
    if (args->serve && !parse_port(args->serve, &port))
        return error_set(err, "--serve needs a port, a number up to 65535; not '%s'", args->serve);
    return !args->serve || !args->output || error_set(err, "a page is served or written: give --serve or --output");
}

/* Until the user interrupts. */
static ExitStatus serve(Cli *cli, const char *path, const ReportArgs *args) {
    CLEANUP(server_stopp) Server *server = NULL;
    CLEANUP(str_release) Str address = {0}, page = {0};
    uint16_t port;
    Error err;
    parse_port(args->serve, &port);
    interrupt_catch();
    if (!page_make(path, true, &page, &err) || !server_start(path, port, &server, &err))
        return cli_fail(cli, &err);
    str_printf(&address, "http://127.0.0.1:%u/", server_port(server));
    if (cli->json) {
        Json *json = json_new_object();
        json_put_text(json, "address", str_text(&address));
        cli_print_json(cli, json, STATUS_OK);
    } else {
        fprintf(cli->out, "%s\n", str_text(&address));
    }
    fflush(cli->out);
    console_info(cli->console, "serving %s until you press Ctrl-C", path);
    if (args->open && !open_page(str_text(&address), &err))
        console_warn(cli->console, "%s", err.text);
    while (interrupt_count() == 0)
        usleep(200000);
    return STATUS_OK;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const ReportArgs *args = arguments;
    const char *path = operands->len ? operands->items[0] : "culprit-out";
    CLEANUP(str_release) Str html = {0}, output = {0};
    Error err;
    if (args->serve)
        return serve(cli, path, args);
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
    return !args->open || open_page(str_text(&output), &err) ? STATUS_OK : cli_fail(cli, &err);
}

const Command cmd_report = {
    .name = "report",
    .group = "Understand bugs",
    .summary = "make a page of a campaign, a bug, an isolation or a benchmark",
    .operands = "[DIR | FILE]",
    .details = "Writes one HTML file that needs nothing else: plots, tables, and every bug with its program, commands, "
               "outputs, guilty pass, suspects and the text for the bug tracker. DIR is a campaign or a bug "
               "directory, FILE a suspects.json or a journal of `culprit bench`. It may be asked while the campaign "
               "runs.\n",
    .examples = "  $ culprit report culprit-out -o page.html\n"
                "  $ culprit report culprit-out --serve 8000 --open\n"
                "  $ culprit report culprit-out/bugs/gcc-12-crash-1042 --open\n",
    .options = options,
    .args_size = sizeof(ReportArgs),
    .max_operands = 1,
    .check = check,
    .run = run,
};
