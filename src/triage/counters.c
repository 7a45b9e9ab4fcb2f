#include "triage/counters.h"

void counters_add(Counters *counters, const char *name, int64_t count) {
    strlist_add(&counters->names, name);
    vec_push(&counters->counts, count);
}

void counters_release(Counters *counters) {
    strlist_release(&counters->names);
    vec_release(&counters->counts);
}

static bool ask_off(void *context, const size_t *switches, size_t count, Outcome *ret_outcome, Error *err) {
    const Counters *counters = context;
    CLEANUP(strlist_release) StrList flags = {0};
    for (size_t i = 0; i < count; i++)
        counters->add_limit(counters, counters->names.items[switches[i]], 0, &flags);
    return inquiry_ask(counters->inquiry, &flags, ret_outcome, err);
}

typedef struct OneCounter {
    const Counters *counters;
    const char *name;
} OneCounter;

static bool ask_limit(void *context, int64_t limit, Outcome *ret_outcome, Error *err) {
    const OneCounter *one = context;
    CLEANUP(strlist_release) StrList flags = {0};
    one->counters->add_limit(one->counters, one->name, limit, &flags);
    return inquiry_ask(one->counters->inquiry, &flags, ret_outcome, err);
}

bool counters_search(const Counters *counters, const char **ret_name, Step *ret_step, Error *err) {
    Indices alone = {0}, together = {0};
    bool ok = search_switches(counters->names.len, ask_off, (void *)counters, &alone, &together, err);
    if (ok && alone.len == 1) {
        OneCounter one = {counters, counters->names.items[alone.items[0]]};
        ok = search_step(counters->counts.items[alone.items[0]], ask_limit, &one, ret_step, err);
        if (ok && ret_step->found)
            *ret_name = arena_strdup(counters->inquiry->arena, one.name);
    }
    vec_release(&alone);
    vec_release(&together);
    return ok;
}
