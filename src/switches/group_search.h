/* Search among switches: which of them, off, hide the bug? Pure: the caller asks the compiler. */
#ifndef SWITCHES_GROUP_SEARCH_H
#define SWITCHES_GROUP_SEARCH_H

#include "base/error.h"
#include "base/vec.h"
#include "compiler/verdict.h"

/* What happens with the `count` switches off? False only where the machine fails. */
typedef bool SearchAsk(void *context, const size_t *switches, size_t count, Outcome *ret_outcome, Error *err);
/* What happens when only the first `limit` steps are taken? */
typedef bool SearchAskLimit(void *context, int64_t limit, Outcome *ret_outcome, Error *err);

typedef Vec(size_t) Indices;

/* The switches that hide the bug alone, in order; where none does, ret_together gets a smallest set that does (left
 * empty where even all of them do not). */
bool search_switches(size_t count, SearchAsk *ask, void *context, Indices *ret_alone, Indices *ret_together,
                     Error *err);

typedef struct Step {
    bool found;
    int64_t number; /* the smallest limit in [1, last] at which the bug shows; it is hidden at number - 1 */
    bool monotone;  /* it showed at every larger limit that was tried */
} Step;

/* Needs: hidden at 0, shows at `last`; where that is not so, found is false. */
bool search_step(int64_t last, SearchAskLimit *ask, void *context, Step *ret_step, Error *err);

#endif
