#include "triage/triage.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "compiler/identify.h"
#include "triage/guilty.h"
#include "llvm/opt_command.h"
#include "llvm/pipeline.h"

enum { MOST_RUNS = 1500 };

/* --- What tells the bug from others --- */

/* The last pass of opt's sequence, without parameters: passes are meant to work independently, so that LLVM's maintainers
 * hold the last one of a reduced sequence to be guilty, and so does CTOS (TSE 2021, section 4.2). NULL: there is none. */
static const char *last_pass(const Bug *bug, Arena *arena) {
    Pipeline pipeline = {0};
    const char *text = opt_command_passes(&bug->fail_cmd), *last = NULL;
    if (text && compiler_family_of_name(bug->fail_cmd.items[0]) == FAMILY_OPT &&
        pipeline_parse(text, arena, &pipeline, NULL) && pipeline.len > 0)
        last = arena_strndup(arena, vec_last(&pipeline).text, pass_name_len(vec_last(&pipeline).text));
    vec_release(&pipeline);
    return last;
}

/* Crashes by where the compiler died; wrong code by the guilty pass; else by what the program uses. What opt does is told
 * apart by the last pass of its sequence besides. */
static bool find_fingerprint(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    const Bug *bug = oracle->bug;
    const char *what, *last = last_pass(bug, oracle->arena);
    if (oracle_signature(oracle->oracle))
        what = signature_text(oracle_signature(oracle->oracle), oracle->arena);
    else if (finding->pass)
        what = finding->pass;
    else if (finding->flag)
        what = finding->flag;
    else if (bug_language(bug) == LANGUAGE_LLVM_IR)
        what = bug->id;
    else {
        const Str *text = oracle_source_text(oracle->oracle);
        what = features_of(oracle_source_name(oracle->oracle), str_text(text), text->len, oracle->arena, err);
        if (!what)
            return false;
    }
    if (last && !oracle_signature(oracle->oracle))
        what = last;
    else if (last)
        what = arena_printf(oracle->arena, "%s: %s", last, what);
    finding->fingerprint = arena_printf(oracle->arena, "%s: %s: %s", bug->compiler, verdict_kind(bug->kind), what);
    return true;
}

bool guilty_counter(CachedOracle *oracle, const SwitchList *counters, TriageFinding *finding, Step *ret_step,
                    Error *err) {
    const Switch *counter;
    if (!cached_oracle_search_counters(oracle, counters, &counter, ret_step, err))
        return false;
    if (!counter)
        return true;
    finding->counter = arena_strdup(oracle->arena, counter->name);
    switch_limit(counter, ret_step->number, &finding->step_shows);
    switch_limit(counter, ret_step->number - 1, &finding->step_hides);
    return true;
}

bool guilty_ask_checks(CachedOracle *oracle, const char *option, bool *ret_crashes, Error *err) {
    CLEANUP(strlist_release) StrList words = {0};
    Outcome outcome;
    strlist_add(&words, option);
    uint32_t runs = oracle->runs;
    if (!cached_oracle_ask(oracle, &words, &outcome, err))
        return false;
    *ret_crashes = oracle->runs > runs && oracle->answer.verdict == VERDICT_CRASH;
    return true;
}

static bool find_guilty(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    const Bug *bug = oracle->bug;
    CompilerIdentity compiler;
    if (!compiler_identify(oracle->runner, &bug->fail_cmd, &compiler, err))
        return false;
    switch (compiler.family) {
    case FAMILY_GCC: return guilty_gcc(oracle, finding, err);
    case FAMILY_CLANG:
    case FAMILY_OPT:
    case FAMILY_LLC:
        if (!guilty_llvm(oracle, finding, err))
            return false;
        if (!finding->pass && (finding->pass = last_pass(bug, oracle->arena))) {
            strlist_add(&finding->passes, finding->pass);
            finding->why_not = NULL;
        }
        return true;
    default: finding->why_not = "this compiler has no switches to search"; return true;
    }
}

/* 1. the bug shows; 2. guilty transformation; 3. fingerprint. */
static bool investigate(CachedOracle *oracle, const TriageOptions *options, TriageFinding *finding, Error *err) {
    CLEANUP(strlist_release) StrList nothing = {0};
    Outcome outcome;
    if (!cached_oracle_ask(oracle, &nothing, &outcome, err))
        return false;
    if (outcome != OUTCOME_FAILS)
        return error_set(err, "%s does not reproduce here (%s); try `culprit replay`", oracle->bug->id,
                         oracle->answer.why ? oracle->answer.why : outcome_name(oracle->answer.outcome));
    console_status(options->console, "%s: searching the guilty pass", oracle->bug->id);
    if (!find_guilty(oracle, finding, err))
        return false;
    return find_fingerprint(oracle, finding, err);
}

bool triage_bug(Runner *runner, const Bug *bug, const TriageOptions *options, Arena *arena, TriageFinding *ret_finding,
                Error *err) {
    TriageFinding finding = {.number = -1, .monotone = true};
    CLEANUP(cached_oracle_release) CachedOracle oracle = {0};
    uint32_t most_runs = options->most_runs ? options->most_runs : MOST_RUNS;
    if (!cached_oracle_open(&oracle, runner, bug, most_runs, arena, err) ||
        !investigate(&oracle, options, &finding, err)) {
        triage_release(&finding);
        return error_context(err, "cannot triage %s", bug->id);
    }
    for (size_t i = 0; i < oracle.passing.len; i++)
        vec_push(&finding.passing, oracle.passing.items[i]);
    vec_clear(&oracle.passing); /* moved */
    finding.runs = oracle.runs;
    *ret_finding = finding;
    return true;
}

void triage_release(TriageFinding *finding) {
    strlist_release(&finding->flags);
    strlist_release(&finding->passes);
    strlist_release(&finding->step_shows);
    strlist_release(&finding->step_hides);
    for (size_t i = 0; i < finding->passing.len; i++)
        strlist_release(&finding->passing.items[i]);
    vec_release(&finding->passing);
}

void triage_record(Bug *bug, const TriageFinding *finding) {
    Guilty *guilty = &bug->guilty;
    bug_set_text(&guilty->flag, finding->flag);
    bug_set_text(&guilty->pass, finding->pass);
    bug_set_text(&guilty->function, finding->function);
    bug_set_text(&guilty->counter, finding->counter);
    bug_set_text(&guilty->damaged_by, finding->damaged_by);
    bug_set_text(&guilty->why_not, finding->why_not);
    bug_set_list(&guilty->passes, &finding->passes);
    bug_set_list(&guilty->flags, &finding->flags);
    guilty->number = finding->number;
    guilty->monotone = finding->monotone;
    guilty->transformation = finding->transformation;
    guilty->together = finding->together;
    bug_set_text(&bug->fingerprint, finding->fingerprint);
    bug->triage_runs = finding->runs;
    for (size_t i = 0; i < finding->passing.len; i++)
        bug_add_passing(bug, &finding->passing.items[i]);
}
