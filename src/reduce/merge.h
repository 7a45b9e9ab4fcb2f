/* Merging: a program of several files as one, its own headers put in and its macros expanded. */
#ifndef REDUCE_MERGE_H
#define REDUCE_MERGE_H

#include "bug/bug.h"

/* Appends the texts of these sources of the bug, its own headers included. */
bool merge_sources(const Bug *bug, const StrList *sources, Str *ret_text, Error *err);
/* Appends the text with its macros expanded and its conditional parts decided; nothing where the preprocessor fails. */
bool merge_flatten(Runner *runner, const Bug *bug, const Str *text, const char *dir, Str *ret_flat, Error *err);
/* A bug like the given one in the directory `dir`, with the files in place of its sources, in their order; fewer files
 * than sources: the rest of the sources go. `flat` texts need no -I. */
bool merge_bug(const Bug *bug, const char *dir, const Program *files, bool flat, Bug *ret_bug, Error *err);

#endif
