/* Other reducers with our test: C-Vise and C-Reduce ask `culprit reduce --test` about every candidate. */
#ifndef REDUCE_EXTERNAL_H
#define REDUCE_EXTERNAL_H

#include "reduce/reduce.h"

/* Reduces `text` (the file `name` of the bug in bug->dir) with the tool that options->with names. */
bool external_reduce(const Bug *bug, const char *name, const ReduceOptions *options, Str *text, Error *err);

#endif
