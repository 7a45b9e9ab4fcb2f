/* Search among switches: which of them, off, hide the bug? Pure: the caller asks the compiler. */
#ifndef TRIAGE_SEARCH_H
#define TRIAGE_SEARCH_H

#include "base/error.h"
#include "base/vec.h"

typedef enum Sight {
    SIGHT_SHOWS,  /* the bug is there */
    SIGHT_HIDDEN, /* the compiler does what it should */
    SIGHT_BROKEN, /* neither: another failure, a refused option */
} Sight;

/* What happens with the `count` switches off? False only where the machine fails. */
typedef bool SearchAsk(void *context, const size_t *switches, size_t count, Sight *ret_sight, Error *err);
/* What happens when only the first `limit` steps are taken? */
typedef bool SearchAskLimit(void *context, int64_t limit, Sight *ret_sight, Error *err);

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
