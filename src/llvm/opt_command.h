/* Commands of opt: "opt-14 -passes=sroa,gvn -slp-threshold=-9 -S in.ll -o out.ll". */
#ifndef LLVM_OPT_COMMAND_H
#define LLVM_OPT_COMMAND_H

#include "base/strlist.h"

/* The pipeline of -passes=…; NULL where the command has none. */
const char *opt_command_passes(const StrList *command);
/* The same command with another one. */
void opt_command_set_passes(const StrList *command, const char *passes, StrList *ret_command);
/* Options that are the library's and not opt's own: what -passes, -S, -o and the like do not cover. */
void opt_command_options(const StrList *command, StrList *ret_options);
/* The libLLVM that the command's program works with. */
bool opt_command_library(const StrList *command, Str *ret_path, Error *err);

#endif
