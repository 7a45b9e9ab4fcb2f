#include "triage/cached_oracle.h"

#include <stdlib.h>

bool cached_oracle_open(CachedOracle *cached, Runner *runner, const Bug *bug, uint32_t most_runs, Arena *arena,
                        Error *err) {
    *cached = (CachedOracle){.runner = runner, .bug = bug, .arena = arena, .most_runs = most_runs};
    OracleOptions options = {.compile_limits = execute_defaults().compile_limits};
    options.compile_limits.output_bytes = 64 << 20; /* of lines about skipped passes, see switches_ask_words */
    cached->oracle = oracle_new(runner, bug, &options, err);
    return cached->oracle != NULL;
}

void cached_oracle_release(CachedOracle *cached) {
    for (size_t i = 0; i < cached->passing.len; i++)
        strlist_release(&cached->passing.items[i]);
    vec_release(&cached->passing);
    map_release(&cached->known);
    oracle_answer_release(&cached->answer);
    oracle_free(cached->oracle);
    *cached = (CachedOracle){0};
}

bool cached_oracle_exhausted(const CachedOracle *cached) { return cached->runs >= cached->most_runs; }

bool cached_oracle_ask(CachedOracle *cached, const StrList *words, Outcome *ret_outcome, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add_all(&command, &cached->bug->fail_cmd);
    strlist_add_all(&command, words);
    CLEANUP(mem_freep) char *line = strlist_join_shell(&command);
    bool is_new;
    MapEntry *entry = map_insert_str(&cached->known, line, &is_new);
    if (is_new && cached_oracle_exhausted(cached))
        entry->value = OUTCOME_OTHER;
    else if (is_new) {
        OracleQuestion question = {.fail_cmd = &command};
        if (!oracle_ask(cached->oracle, &question, &cached->answer, err))
            return false;
        cached->runs++;
        Outcome outcome = cached->answer.outcome;
        entry->value = outcome == OUTCOME_FAILS || outcome == OUTCOME_PASSES ? outcome : OUTCOME_OTHER;
        if (outcome == OUTCOME_PASSES) {
            vec_push(&cached->passing, command);
            command = (StrList){0}; /* kept */
        }
    }
    *ret_outcome = (Outcome)entry->value;
    return true;
}

SwitchQuery cached_oracle_query(CachedOracle *cached) {
    return (SwitchQuery){.runner = cached->runner,
                         .command = &cached->bug->fail_cmd,
                         .dir = oracle_dir(cached->oracle),
                         .runs = &cached->runs};
}

typedef struct SwitchQuestion {
    CachedOracle *cached;
    const SwitchList *switches;
    const Switch *counted; /* for ask_limit */
} SwitchQuestion;

static bool ask_off(void *context, const size_t *switches, size_t count, Outcome *ret_outcome, Error *err) {
    const SwitchQuestion *question = context;
    CLEANUP(strlist_release) StrList words = {0};
    for (size_t i = 0; i < count; i++)
        strlist_add_all(&words, &question->switches->items[switches[i]].off);
    return cached_oracle_ask(question->cached, &words, ret_outcome, err);
}

static bool ask_limit(void *context, int64_t limit, Outcome *ret_outcome, Error *err) {
    const SwitchQuestion *question = context;
    CLEANUP(strlist_release) StrList words = {0};
    switch_limit(question->counted, limit, &words);
    return cached_oracle_ask(question->cached, &words, ret_outcome, err);
}

bool cached_oracle_search(CachedOracle *cached, const SwitchList *switches, Indices *ret_alone, Indices *ret_together,
                          Error *err) {
    SwitchQuestion question = {.cached = cached, .switches = switches};
    return search_switches(switches->len, ask_off, &question, ret_alone, ret_together, err);
}

bool cached_oracle_search_step(CachedOracle *cached, const Switch *a_switch, Step *ret_step, Error *err) {
    SwitchQuestion question = {.cached = cached, .counted = a_switch};
    return search_step(a_switch->steps, ask_limit, &question, ret_step, err);
}

bool cached_oracle_search_counters(CachedOracle *cached, const SwitchList *counters, const Switch **ret_counter,
                                   Step *ret_step, Error *err) {
    Indices alone = {0}, together = {0};
    SwitchList counted = {0}; /* borrows from counters */
    Indices places = {0};     /* theirs */
    *ret_counter = NULL;
    for (size_t i = 0; i < counters->len; i++) {
        if (counters->items[i].steps == 0)
            continue;
        vec_push(&counted, counters->items[i]);
        vec_push(&places, i);
    }
    bool ok = cached_oracle_search(cached, &counted, &alone, &together, err);
    if (ok && alone.len == 1) {
        const Switch *counter = &counters->items[places.items[alone.items[0]]];
        ok = cached_oracle_search_step(cached, counter, ret_step, err);
        if (ok && ret_step->found)
            *ret_counter = counter;
    }
    vec_release(&places);
    vec_release(&alone);
    vec_release(&together);
    vec_release(&counted);
    return ok;
}
