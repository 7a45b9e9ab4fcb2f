/* A call of opt, taken apart: its passes, and the options that stay when other passes are put in their place.
 *
 *     OptCommand opt;
 *     if (!opt_command_read(&bug->fail_cmd, &opt, err)) …            no -passes=…
 *     opt_command_with(&opt, &bug->fail_cmd, "function(sroa)", &command);
 */
#ifndef LLVM_OPT_COMMAND_H
#define LLVM_OPT_COMMAND_H

#include "base/strlist.h"

typedef struct OptCommand {
    char *passes;    /* the string */
    size_t at;       /* the word that it ends */
    size_t prefix;   /* what stands before it in that word: "-passes=" */
    StrList options; /* all other words but the program, the module and what says where the result goes */
} OptCommand;

bool opt_command_read(const StrList *command, OptCommand *ret_opt, Error *err);
void opt_command_release(OptCommand *opt);
/* Appends the command with other passes. */
void opt_command_with(const OptCommand *opt, const StrList *command, const char *passes, StrList *ret_command);

#endif
