/* Two searches.
 *
 * Which switches hide the bug when off? Adaptive group testing: a group of switches is turned off together; while the bug
 * still shows, none of the group matters; otherwise it is halved. With k guilty ones among n this asks about 2 k log2 n
 * times. A group that breaks the compiler says nothing, so it is halved too. A group that hides the bug while neither
 * half does holds a conjunction: it is kept and shrunk to a smallest set by removing ever smaller parts (delta debugging,
 * Zeller and Hildebrandt 2002, the complement half).
 *
 * After which step does the bug show? Binary search, plus a few probes behind the answer that tell whether the bug stays
 * once it is there: where it does not, "the first step" is one of several changes.
 */
#include "switches/group_search.h"

#include <string.h>

typedef struct Search {
    SearchAsk *ask;
    void *context;
    Indices *alone;
    Indices *together; /* the smallest group seen that hides while its halves do not */
} Search;

/* Records what hides the bug among the switches [first, first + count). */
static bool search_group(const Search *search, size_t first, size_t count, Error *err) {
    CLEANUP(mem_freep) size_t *group = mem_zalloc(count, sizeof *group);
    for (size_t i = 0; i < count; i++)
        group[i] = first + i;
    Outcome outcome;
    if (!search->ask(search->context, group, count, &outcome, err))
        return false;
    if (outcome == OUTCOME_FAILS)
        return true;
    if (count == 1) {
        if (outcome == OUTCOME_PASSES)
            vec_push(search->alone, first);
        return true;
    }
    size_t before = search->alone->len, half = count / 2;
    if (!search_group(search, first, half, err) || !search_group(search, first + half, count - half, err))
        return false;
    if (outcome == OUTCOME_PASSES && search->alone->len == before &&
        (!search->together->len || count < search->together->len)) {
        vec_clear(search->together);
        for (size_t i = 0; i < count; i++)
            vec_push(search->together, group[i]);
    }
    return true;
}

/* Removes parts of the set for as long as the rest still hides the bug. */
static bool shrink(const Search *search, Error *err) {
    Indices *set = search->together;
    for (size_t part = set->len / 2; part >= 1; part /= 2) {
        for (size_t at = 0; at + part <= set->len && set->len > 1;) {
            Indices rest = {0};
            for (size_t i = 0; i < set->len; i++)
                if (i < at || i >= at + part)
                    vec_push(&rest, set->items[i]);
            Outcome outcome = OUTCOME_OTHER;
            bool asked = rest.len == 0 || search->ask(search->context, rest.items, rest.len, &outcome, err);
            if (asked && outcome == OUTCOME_PASSES) {
                vec_release(set);
                *set = rest;
            } else {
                vec_release(&rest);
                at += part;
            }
            if (!asked)
                return false;
        }
    }
    return true;
}

bool search_switches(size_t count, SearchAsk *ask, void *context, Indices *ret_alone, Indices *ret_together,
                     Error *err) {
    Search search = {ask, context, ret_alone, ret_together};
    if (!count)
        return true;
    if (!search_group(&search, 0, count, err))
        return false;
    if (ret_alone->len)
        vec_clear(ret_together);
    return !ret_together->len || shrink(&search, err);
}

bool search_step(int64_t last, SearchAskLimit *ask, void *context, Step *ret_step, Error *err) {
    enum { PROBES = 4 };
    Outcome outcome;
    *ret_step = (Step){.monotone = true};
    if (!ask(context, last, &outcome, err))
        return false;
    if (outcome != OUTCOME_FAILS)
        return true;
    if (!ask(context, 0, &outcome, err))
        return false;
    if (outcome != OUTCOME_PASSES)
        return true;
    /* Hidden at low, shows at high. What is broken at the middle does not show there. */
    int64_t low = 0, high = last;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (!ask(context, middle, &outcome, err))
            return false;
        *(outcome == OUTCOME_FAILS ? &high : &low) = middle;
    }
    for (int64_t i = 1; i <= PROBES && ret_step->monotone; i++) {
        int64_t probe = high + (last - high) * i / (PROBES + 1);
        if (probe > high && !ask(context, probe, &outcome, err))
            return false;
        ret_step->monotone = probe <= high || outcome == OUTCOME_FAILS;
    }
    ret_step->found = true;
    ret_step->number = high;
    return true;
}
