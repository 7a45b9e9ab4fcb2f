/* Debug counters: GCC (-fdbg-cnt) and LLVM built with assertions (-debug-counter) number the transformations of some passes
 * and can be told to stop after so many. */
#ifndef TRIAGE_COUNTERS_H
#define TRIAGE_COUNTERS_H

#include "triage/guilty.h"

typedef struct Counters {
    Inquiry *inquiry;
    StrList names; /* of those that counted anything */
    Vec(int64_t) counts;
    /* Appends the flags that let the counter allow only the first `limit` transformations. */
    void (*add_limit)(const struct Counters *counters, const char *name, int64_t limit, StrList *flags);
    const char *prefix; /* before each flag, for add_limit; NULL: none */
    bool ranges;        /* LLVM 19 and later, for add_limit */
} Counters;

void counters_add(Counters *counters, const char *name, int64_t count);
void counters_release(Counters *counters);
/* Where exactly one counter, held at 0, hides the bug: its name, and the count at which the bug appears. *ret_name stays
 * NULL otherwise. */
bool counters_search(const Counters *counters, const char **ret_name, Step *ret_step, Error *err);

#endif
