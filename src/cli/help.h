/* Help texts, the manual page and shell completions, all written from the command table. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

void help_overview(Str *ret_text);
void help_command(const Command *command, Str *ret_text);
void help_man_page(Str *ret_text);
bool help_completion(const char *shell, Str *ret_text, Error *err); /* bash, zsh or fish */

#endif
