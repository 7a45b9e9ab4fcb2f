/* Mutating options instead of programs follows Yang et al. (MultiConf: Isolating Compiler Bugs by Mutating Multiple
 * Configurations); debug counters, which are finer than options, and the lean configuration are our additions. Passes could
 * be switched off one by one (-fdisable-…), but many of them are needed: the program then fails for another reason, which
 * looks as if the bug still showed.
 *
 * Switches are tried in groups, because most have nothing to do with the bug: if it still shows with sixteen more of them
 * off, all sixteen stay off; if it does not, the halves are tried. About 200 flags and counters need some 50 questions.
 * Passes of LLVM are bisected.
 */
#include "isolate/lean.h"

enum { GROUP = 16 };

bool lean_search_ask(LeanSearch *search, const SwitchQuery *query, Error *err) {
    CLEANUP(str_release) Str text = {0};
    switch_list_release(&search->switches);
    switch_release(&search->bisection);
    if (!switches_gcc_flags(query, &search->switches, err) || !switches_gcc_counters(query, &search->switches, err))
        return false;
    return search->switches.len > 0 || switches_llvm_bisection(query, &search->bisection, &text, err);
}

void lean_search_extend(LeanSearch *search, const StrList *command, const StrList *commands, size_t count) {
    for (size_t i = 0; i < count; i++) {
        CLEANUP(strlist_release) StrList words = {0};
        bool extends = true;
        for (size_t w = 0; w < command->len; w++)
            extends &= strlist_contains(&commands[i], command->items[w]);
        for (size_t w = 0; extends && w < commands[i].len; w++)
            if (!strlist_contains(command, commands[i].items[w]))
                strlist_add(&words, commands[i].items[w]);
        CLEANUP(mem_freep) char *name = strlist_join(&words, " ");
        if (words.len && !switch_list_has(&search->switches, name))
            strlist_add_all(&switch_list_add(&search->switches, SWITCH_FLAG, name)->off, &words);
    }
}

static void add_level(LeanSearch *search, const char *level) {
    strlist_add(&switch_list_add(&search->switches, SWITCH_LEVEL, level)->off, level);
    group_search_add(&search->groups, search->switches.len - 1, 1);
}

void lean_search_start(LeanSearch *search, const StrList *command, Rng *rng) {
    SwitchList *switches = &search->switches;
    search->groups.last_first = true;
    search->passes.shows = search->bisection.steps;
    for (size_t i = switches->len; i > 1; i--) { /* every order is equally likely */
        size_t other = rng_below(rng, i);
        Switch moved = switches->items[i - 1];
        switches->items[i - 1] = switches->items[other];
        switches->items[other] = moved;
    }
    for (size_t i = 0; i < switches->len; i += GROUP)
        group_search_add(&search->groups, i, MIN_OF((size_t)GROUP, switches->len - i));
    const char *level = "-O0";
    for (size_t i = 1; i < command->len; i++)
        if (str_starts(command->items[i], "-O"))
            level = command->items[i];
    if (str_equal(level, "-O0"))
        return;
    if (!str_equal(level, "-O") && !str_equal(level, "-O1"))
        add_level(search, "-O1");
    add_level(search, "-O0"); /* added last, tried first */
}

void lean_search_release(LeanSearch *search) {
    switch_list_release(&search->switches);
    group_search_release(&search->groups);
    strlist_release(&search->lean);
    switch_release(&search->bisection);
    vec_release(&search->group);
}

static bool passes_left(const LeanSearch *search) {
    return search->bisection.steps > 0 &&
           (search->passes.shows - search->passes.hidden > 1 || !search->hidden_is_asked);
}

bool lean_search_over(const LeanSearch *search) { return search->groups.groups.len == 0 && !passes_left(search); }

bool lean_search_next(LeanSearch *search, StrList *ret_words) {
    if (lean_search_over(search))
        return false;
    const GroupSearch *groups = &search->groups;
    bool level_is_next =
        groups->groups.len && search->switches.items[vec_last(&groups->groups).first].kind == SWITCH_LEVEL;
    if (passes_left(search) && !level_is_next) {
        search->hidden_is_asked = !step_search_next(&search->passes, &search->limit);
        vec_clear(&search->group);
        switch_limit(&search->bisection, search->limit, ret_words);
        return true;
    }
    group_search_next(&search->groups, &search->group);
    for (size_t i = 0; i < search->group.len; i++)
        strlist_add_all(ret_words, &search->switches.items[search->group.items[i]].off);
    return true;
}

bool lean_search_learn(LeanSearch *search, Outcome outcome) {
    if (search->group.len == 0) {
        step_search_learn(&search->passes, search->limit, outcome);
        return outcome != OUTCOME_FAILS && search->hidden_is_asked;
    }
    for (size_t i = 0; outcome == OUTCOME_FAILS && i < search->group.len; i++)
        strlist_add_all(&search->lean, &search->switches.items[search->group.items[i]].off);
    return group_search_learn(&search->groups, outcome);
}
