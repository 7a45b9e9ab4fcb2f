/* Two searches.
 *
 * Which switches hide the bug when off? Adaptive group testing: a group of switches is turned off together; while the bug
 * still shows, none of the group matters; otherwise it is halved. With k guilty ones among n this asks about 2 k log2 n
 * times. A group that breaks the compiler says nothing, so it is halved too. A group that hides the bug while neither
 * half does holds a conjunction: it is kept and shrunk to a smallest set by removing ever smaller parts (delta debugging,
 * Zeller and Hildebrandt 2002, the complement half).
 *
 * After which step does the bug show? Binary search, plus a few probes behind the answer that tell whether the bug stays
 * once it is there: if it does not, "the first step" is one of several changes.
 */
#include "switches/group_search.h"

#include <string.h>

static void set_group(Indices *indices, const SwitchGroup *group) {
    vec_clear(indices);
    for (size_t i = 0; i < group->count; i++)
        vec_push(indices, group->first + i);
}

void group_search_add(GroupSearch *search, size_t first, size_t count) {
    if (count)
        vec_push(&search->groups, (SwitchGroup){.first = first, .count = count});
}

bool group_search_next(GroupSearch *search, Indices *ret_group) {
    if (!search->groups.len)
        return false;
    search->current = vec_pop(&search->groups);
    set_group(ret_group, &search->current);
    return true;
}

bool group_search_learn(GroupSearch *search, Outcome outcome) {
    SwitchGroup group = search->current;
    if (outcome == OUTCOME_PASSES && group.count == 1)
        vec_push(&search->alone, group.first);
    if (outcome != OUTCOME_FAILS && group.count > 1) {
        size_t half = group.count / 2;
        group.alone_before = search->alone.len;
        group.halved = true;
        if (outcome == OUTCOME_PASSES)
            vec_push(&search->groups, group);
        SwitchGroup first = {.first = group.first, .count = half};
        SwitchGroup second = {.first = group.first + half, .count = group.count - half};
        vec_push(&search->groups, search->last_first ? first : second);
        vec_push(&search->groups, search->last_first ? second : first);
    }
    /* Groups whose halves are done: did any member hide the bug alone? */
    for (; search->groups.len && vec_last(&search->groups).halved; search->groups.len--) {
        const SwitchGroup *done = &vec_last(&search->groups);
        if (search->alone.len == done->alone_before && (!search->together.len || done->count < search->together.len))
            set_group(&search->together, done);
    }
    return outcome != OUTCOME_FAILS && group.count == 1;
}

void group_search_release(GroupSearch *search) {
    vec_release(&search->groups);
    vec_release(&search->alone);
    vec_release(&search->together);
}

/* Removes parts of the set for as long as the rest still hides the bug. */
static bool shrink(Indices *set, SearchAsk *ask, void *context, Error *err) {
    for (size_t part = set->len / 2; part >= 1; part /= 2) {
        for (size_t at = 0; at + part <= set->len && set->len > 1;) {
            Indices rest = {0};
            for (size_t i = 0; i < set->len; i++)
                if (i < at || i >= at + part)
                    vec_push(&rest, set->items[i]);
            Outcome outcome = OUTCOME_OTHER;
            bool asked = rest.len == 0 || ask(context, rest.items, rest.len, &outcome, err);
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
    GroupSearch search = {0};
    Indices group = {0};
    Outcome outcome;
    bool ok = true;
    group_search_add(&search, 0, count);
    while (ok && group_search_next(&search, &group)) {
        ok = ask(context, group.items, group.len, &outcome, err);
        if (ok)
            group_search_learn(&search, outcome);
    }
    if (search.alone.len)
        vec_clear(&search.together);
    ok = ok && (!search.together.len || shrink(&search.together, ask, context, err));
    for (size_t i = 0; ok && i < search.alone.len; i++)
        vec_push(ret_alone, search.alone.items[i]);
    for (size_t i = 0; ok && i < search.together.len; i++)
        vec_push(ret_together, search.together.items[i]);
    vec_release(&group);
    group_search_release(&search);
    return ok;
}

bool step_search_next(const StepSearch *search, int64_t *ret_limit) {
    *ret_limit = search->hidden + (search->shows - search->hidden) / 2;
    return search->shows - search->hidden > 1;
}

/* What is broken at a limit does not show there. */
void step_search_learn(StepSearch *search, int64_t limit, Outcome outcome) {
    *(outcome == OUTCOME_FAILS ? &search->shows : &search->hidden) = limit;
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
    StepSearch search = {.shows = last};
    for (int64_t middle; step_search_next(&search, &middle);) {
        if (!ask(context, middle, &outcome, err))
            return false;
        step_search_learn(&search, middle, outcome);
    }
    for (int64_t i = 1; i <= PROBES && ret_step->monotone; i++) {
        int64_t probe = search.shows + (last - search.shows) * i / (PROBES + 1);
        if (probe > search.shows && !ask(context, probe, &outcome, err))
            return false;
        ret_step->monotone = probe <= search.shows || outcome == OUTCOME_FAILS;
    }
    ret_step->found = true;
    ret_step->number = search.shows;
    return true;
}
