/* Layout: the same tokens as people write them, one statement a line, indented; comments and blank lines go. */
#ifndef REDUCE_LAYOUT_H
#define REDUCE_LAYOUT_H

#include "base/str.h"

void layout(const char *text, size_t len, Str *ret_text); /* appends */

#endif
