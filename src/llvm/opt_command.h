/* Calls of opt: "opt-14 -passes=sroa,gvn -slp-threshold=-9 -S in.ll -o out.ll". */
#ifndef LLVM_OPT_COMMAND_H
#define LLVM_OPT_COMMAND_H

#include "base/error.h"
#include "base/strlist.h"

/* The pipeline of -passes=… or -p=…, the last one; NULL where the command has none. */
const char *opt_command_passes(const StrList *command);
/* Appends the same command with another one. */
void opt_command_set_passes(const StrList *command, const char *passes, StrList *ret_command);
/* Appends the options that stay whatever the passes: not the program, the module, nor what says where the result goes. */
void opt_command_options(const StrList *command, StrList *ret_options);
/* The libLLVM that the command's program works with. */
bool opt_command_library(const StrList *command, Str *ret_path, Error *err);

/* All of it at once; an Error if there are no passes. */
typedef struct OptCommand {
    char *passes;
    StrList options;
} OptCommand;

bool opt_command_read(const StrList *command, OptCommand *ret_opt, Error *err);
void opt_command_release(OptCommand *opt);

#endif
