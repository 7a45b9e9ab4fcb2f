/* The subcommands, in the order of the help text. */
#include "cli/command.h"

const Command *const cli_commands[] = {
    /* clang-format off */
    &cmd_gen,
    &cmd_hunt,
    &cmd_seq,
    &cmd_bugs,
    &cmd_replay,
    &cmd_check,
    &cmd_reduce,
    &cmd_triage,
    &cmd_isolate,
    &cmd_rank,
    &cmd_report,
    &cmd_bench,
    &cmd_subject,
    &cmd_cover,
    &cmd_help,
    NULL,
    /* clang-format on */
};

const Command *cli_find_command(const char *name) {
    for (const Command *const *command = cli_commands; *command; command++)
        if (str_equal((*command)->name, name))
            return *command;
    return NULL;
}
