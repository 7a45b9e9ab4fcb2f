/* Set files: named sets of compilers x options. docs/set-files.md describes the format by example.
 *
 *     # comments run to the end of the line
 *     [nightly]
 *     compilers gcc-11, gcc-12 -m32, clang-14
 *     options   -O0 | -O2 | -O3 -fno-inline
 *
 * Every compiler of a block is combined with every option list of it; a set may have several blocks.
 */
#ifndef COMPILER_SETFILE_H
#define COMPILER_SETFILE_H

#include "base/strlist.h"

/* Appends the command lines of the set `name`, or of all sets where name is NULL, in order. `path` is for messages, which
 * carry file and line. */
bool setfile_commands(const char *text, const char *path, const char *name, StrList *ret_commands, Error *err);

#endif
