/* Bugs of opt: passes, then the C program, then the module. */
#ifndef REDUCE_OPT_H
#define REDUCE_OPT_H

#include "reduce/reduce.h"

typedef bool ReduceSource(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err);

/* `reduce_source` reduces a C program. */
bool reduce_opt(const Bug *bug, const ReduceOptions *options, ReduceSource *reduce_source, ReduceResult *ret_result,
                Error *err);

#endif
