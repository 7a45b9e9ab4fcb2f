/* Shape: how a bug's program is laid out for reduction, in a directory of its own. */
#ifndef REDUCE_SHAPE_H
#define REDUCE_SHAPE_H

#include "reduce/interesting.h"

/* The first shape in which the bug shows: one file without macros, one file, the files as they are with their headers
 * put in. Gives the bug in that shape and an interestingness test that has seen it. An Error if it shows in none. */
bool shape_open(const Bug *bug, const ReduceOptions *options, const char *dir, Bug *ret_bug, Interestingness **ret_test,
                Error *err);

#endif
