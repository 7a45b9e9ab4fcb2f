/* Bugs of opt: passes, then the C program, then the module. */
#ifndef REDUCE_OPT_H
#define REDUCE_OPT_H

#include "reduce/reduce.h"

typedef bool ReduceSource(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err);

/* `reduce_source` reduces a C program. */
bool reduce_opt(const Bug *bug, const ReduceOptions *options, ReduceSource *reduce_source, ReduceResult *ret_result,
                Error *err);

/* The bug with its module, as text, as the one source: what front_cmd makes of the sources, where there is one. `dir` must stay
 * as long as the bug is used. */
bool opt_module_bug(Runner *runner, const Bug *bug, const char *dir, Bug *ret_bug, Error *err);

#endif
