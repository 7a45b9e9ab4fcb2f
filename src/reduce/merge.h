/* Merging: a program of several files as one, local headers put in where they are included. */
#ifndef REDUCE_MERGE_H
#define REDUCE_MERGE_H

#include "toolchain/bug.h"

/* Appends the merged text of the bug's sources, in the order of its command. */
bool merge_sources(const Bug *bug, Str *ret_text, Error *err);
/* A bug like the given one in the directory `dir`, with `text` in one file `name` in place of its sources. */
bool merge_bug(const Bug *bug, const char *dir, const char *name, const Str *text, Bug *ret_bug, Error *err);

#endif
