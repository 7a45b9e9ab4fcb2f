#include "triage/inquiry.h"

#include <stdlib.h>

/* -opt-bisect-limit prints a line per pass and function; large programs make megabytes of it. */
static const uint64_t message_bytes = 64 << 20;

bool inquiry_open(Inquiry *inquiry, Runner *runner, const Bug *bug, uint32_t most_runs, Arena *arena, Error *err) {
    *inquiry = (Inquiry){.runner = runner, .bug = bug, .arena = arena, .most_runs = most_runs};
    OracleOptions options = {.compile_limits = execute_defaults().compile_limits};
    options.compile_limits.output_bytes = message_bytes;
    inquiry->oracle = oracle_new(runner, bug, &options, err);
    return inquiry->oracle != NULL;
}

void inquiry_release(Inquiry *inquiry) {
    for (size_t i = 0; i < inquiry->passing.len; i++)
        strlist_release(&inquiry->passing.items[i]);
    vec_release(&inquiry->passing);
    map_release(&inquiry->known);
    oracle_answer_release(&inquiry->answer);
    oracle_free(inquiry->oracle);
    *inquiry = (Inquiry){0};
}

bool inquiry_exhausted(const Inquiry *inquiry) { return inquiry->runs >= inquiry->most_runs; }

static Outcome outcome_of(const OracleAnswer *answer) {
    switch (answer->outcome) {
    case OUTCOME_FAILS: return OUTCOME_FAILS;
    case OUTCOME_PASSES: return OUTCOME_PASSES;
    default: return OUTCOME_OTHER;
    }
}

bool inquiry_ask(Inquiry *inquiry, const StrList *flags, Outcome *ret_outcome, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add_all(&command, &inquiry->bug->fail_cmd);
    strlist_add_all(&command, flags);
    CLEANUP(mem_freep) char *line = strlist_join_shell(&command);
    bool is_new;
    MapEntry *entry = map_insert_str(&inquiry->known, line, &is_new);
    if (is_new && inquiry_exhausted(inquiry))
        entry->value = OUTCOME_OTHER;
    else if (is_new) {
        OracleQuestion question = {.fail_cmd = &command};
        if (!oracle_ask(inquiry->oracle, &question, &inquiry->answer, err))
            return false;
        inquiry->runs++;
        entry->value = outcome_of(&inquiry->answer);
        if (entry->value == OUTCOME_PASSES) {
            vec_push(&inquiry->passing, command);
            command = (StrList){0}; /* kept */
        }
    }
    *ret_outcome = (Outcome)entry->value;
    return true;
}

bool inquiry_print(Inquiry *inquiry, const StrList *flags, Str *ret_text, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add_all(&command, &inquiry->bug->fail_cmd);
    strlist_add_all(&command, flags);
    ProcRequest request = {
        .argv = (const char *const *)command.items,
        .dir = oracle_dir(inquiry->oracle),
        .limits = execute_defaults().compile_limits,
        .merge_output = true,
    };
    request.limits.output_bytes = message_bytes;
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (!runner_run(inquiry->runner, &request, &result, err))
        return false;
    inquiry->runs++;
    str_append_n(ret_text, str_text(&result.out), result.out.len);
    return true;
}
