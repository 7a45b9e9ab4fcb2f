/* Stack dumps that compilers print about themselves: LLVM's, GCC's, the sanitizers'. */
#ifndef COMPILER_FRAMES_H
#define COMPILER_FRAMES_H

#include "base/arena.h"
#include "base/str.h"

/* The names of at most `max` frames, innermost first, without crash handling and without repetitions. Unnamed frames are
 * "library+offset". Returns how many. */
size_t frames_read(const char *text, Arena *arena, const char **ret_names, size_t max);
/* The same for comparing two dumps: recursion is sorted, for its depth at the end of the stack is chance. */
size_t frames_read_sorted(const char *text, Arena *arena, const char **ret_names, size_t max);

/* Appends the name of a function as a demangler prints it, without arguments, template arguments and what follows. */
void frame_name(const char *text, size_t len, Str *ret_name);

#endif
