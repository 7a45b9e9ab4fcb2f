#include "cli/help.h"

typedef struct HelpArgs {
    bool man;
    const char *completion;
} HelpArgs;

static const Option options[] = {
    OPTION(HelpArgs, man, "man", 0, OPTION_FLAG, NULL, "write the manual page"),
    OPTION(HelpArgs, completion, "completion", 0, OPTION_CHOICE, "bash|zsh|fish", "write the completion for a shell"),
    {0},
};

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const HelpArgs *args = arguments;
    CLEANUP(str_release) Str text = {0};
    Error err;
    if (args->man)
        help_man_page(&text);
    else if (args->completion) {
        if (!help_completion(args->completion, &text, &err))
            return cli_fail(cli, &err);
    } else if (!operands->len)
        help_overview(&text);
    else if (cli_find_command(operands->items[0]))
        help_command(cli_find_command(operands->items[0]), &text);
    else
        return cli_usage(cli, "there is no command '%s'; `culprit help` lists them", operands->items[0]);
    fputs(str_text(&text), cli->out);
    return STATUS_OK;
}

const Command cmd_help = {
    .name = "help",
    .group = "About culprit",
    .summary = "explain a command",
    .operands = "[COMMAND]",
    .examples = "  $ culprit help hunt\n"
                "  $ culprit help --man | man -l -\n"
                "  $ culprit help --completion bash \\\n"
                "        >~/.local/share/bash-completion/completions/culprit\n",
    .options = options,
    .args_size = sizeof(HelpArgs),
    .max_operands = 1,
    .run = run,
};
