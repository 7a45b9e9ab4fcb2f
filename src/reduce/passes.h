/* The passes of a bug of opt: the shortest -passes=… with the same bug, for reductions and campaigns.
 *
 * Candidates are tried in LLVM's own process where opt has a libLLVM beside it (judge/served.h), else by opt's. What is
 * found is confirmed by the oracle with the plain command; where the two disagree, the search is done again with opt.
 */
#ifndef REDUCE_PASSES_H
#define REDUCE_PASSES_H

#include "base/console.h"
#include "bug/bug.h"
#include "proc/run.h"

typedef struct PassesResult {
    StrList fail_cmd;     /* the bug's, with what is left */
    size_t before, after; /* passes; equal: nothing could be removed, or the pipeline could not be taken apart */
    bool stopped;         /* by the user or the clock */
} PassesResult;

/* Whether the bug is one of opt with passes to reduce. */
bool passes_apply(const Bug *bug);
/* `end_ms` of clock_ms, 0: until done; `console` may be NULL. */
bool passes_reduce(Runner *runner, const Bug *bug, int64_t end_ms, Console *console, PassesResult *ret_result,
                   Error *err);
void passes_result_release(PassesResult *result);

#endif
