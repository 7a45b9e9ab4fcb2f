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

#include "compiler/compiler.h"

/* Adds the set `name` of the file, or all its sets where name is NULL. Errors carry file and line. */
bool matrix_add_set(Matrix *matrix, Runner *runner, Language language, const char *path, const char *name, Error *err);
/* Only the command lines, in order; `text` may come from anywhere, `path` is for messages. */
bool setfile_commands(const char *text, const char *path, const char *name, StrList *ret_commands, Error *err);

#endif
