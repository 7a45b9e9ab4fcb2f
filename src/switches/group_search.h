/* Search among switches: which of them, off, hide the bug? After which step does it show? Pure: the caller asks the compiler.
 *
 * Both searches are small state machines that give the next question and learn its answer, so that one caller can ask on the
 * spot (search_switches, search_step) and another in its own time, one question among others:
 *
 *     group_search_add(&search, 0, count);
 *     while (group_search_next(&search, &group)) group_search_learn(&search, outcome of having the group off);
 */
#ifndef SWITCHES_GROUP_SEARCH_H
#define SWITCHES_GROUP_SEARCH_H

#include "base/error.h"
#include "base/vec.h"
#include "compiler/verdict.h"

typedef Vec(size_t) Indices;

/* Switches [first, first + count). */
typedef struct SwitchGroup {
    size_t first, count;
    bool halved;         /* it hides the bug, and its halves lie above it on the stack */
    size_t alone_before; /* what had been found when it was halved */
} SwitchGroup;

/* Zeroed is empty. */
typedef struct GroupSearch {
    bool last_first;         /* of two halves the second is tried first */
    Vec(SwitchGroup) groups; /* still to be tried; the last is next */
    SwitchGroup current;     /* under test */
    Indices alone;           /* switches that hide the bug alone */
    Indices together;        /* the smallest group seen that hides it while none of its members does alone */
} GroupSearch;

void group_search_add(GroupSearch *search, size_t first, size_t count); /* is tried before those there are */
/* Takes out the next group, in ascending order; false when none is left. */
bool group_search_next(GroupSearch *search, Indices *ret_group);
/* What came of it. A group with which the bug does not show is halved; true if it was a single switch. */
bool group_search_learn(GroupSearch *search, Outcome outcome);
void group_search_release(GroupSearch *search);

/* What happens with the `count` switches off? False only when the machine fails. */
typedef bool SearchAsk(void *context, const size_t *switches, size_t count, Outcome *ret_outcome, Error *err);
/* What happens when only the first `limit` steps are taken? */
typedef bool SearchAskLimit(void *context, int64_t limit, Outcome *ret_outcome, Error *err);

/* The switches that hide the bug alone, in order; if none does, ret_together gets a smallest set that does (left empty if
 * even all of them do not). */
bool search_switches(size_t count, SearchAsk *ask, void *context, Indices *ret_alone, Indices *ret_together,
                     Error *err);

/* The bug is hidden when `hidden` steps are taken and shows when `shows` are. */
typedef struct StepSearch {
    int64_t hidden, shows;
} StepSearch;

/* The middle; false when the two are neighbours. */
bool step_search_next(const StepSearch *search, int64_t *ret_limit);
void step_search_learn(StepSearch *search, int64_t limit, Outcome outcome);

typedef struct Step {
    bool found;
    int64_t number; /* the smallest limit in [1, last] at which the bug shows; it is hidden at number - 1 */
    bool monotone;  /* it showed at every larger limit that was tried */
} Step;

/* Needs: hidden at 0, shows at `last`; found is false if that is not so. */
bool search_step(int64_t last, SearchAskLimit *ask, void *context, Step *ret_step, Error *err);

#endif
