#include "triage/triage.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "triage/guilty.h"
#include "triage/inquiry.h"

enum { MOST_RUNS = 1500 };

typedef enum Driver { DRIVER_OTHER, DRIVER_GCC, DRIVER_CLANG, DRIVER_OPT } Driver;

/* By the program's name: "gcc-11", "x86_64-linux-gnu-g++-12", "clang++-14", "opt-19". */
static Driver driver_of(const Bug *bug) {
    const char *name = bug->fail_cmd.len ? bug->fail_cmd.items[0] : bug->compiler;
    const char *slash = strrchr(name, '/');
    name = slash ? slash + 1 : name;
    if (strstr(name, "clang"))
        return DRIVER_CLANG;
    if (strstr(name, "gcc") || strstr(name, "g++"))
        return DRIVER_GCC;
    return str_equal(name, "opt") || str_starts(name, "opt-") ? DRIVER_OPT : DRIVER_OTHER;
}

/* --- what tells the bug from others --- */

/* Crashes by where the compiler died; wrong code by the guilty pass; else by what the program uses. */
static bool find_fingerprint(Inquiry *inquiry, TriageFinding *finding, Error *err) {
    const Bug *bug = inquiry->bug;
    const char *what;
    if (oracle_signature(inquiry->oracle))
        what = signature_text(oracle_signature(inquiry->oracle), inquiry->arena);
    else if (finding->pass)
        what = finding->pass;
    else if (finding->flag)
        what = finding->flag;
    else if (bug_language(bug) == LANGUAGE_LLVM_IR)
        what = bug->id;
    else {
        const Str *text = oracle_source_text(inquiry->oracle);
        what = features_of(oracle_source_name(inquiry->oracle), str_text(text), text->len, inquiry->arena, err);
        if (!what)
            return false;
    }
    finding->fingerprint = arena_printf(inquiry->arena, "%s: %s: %s", bug->compiler, verdict_kind(bug->kind), what);
    return true;
}

static bool find_guilty(Inquiry *inquiry, Driver driver, TriageFinding *finding, Error *err) {
    switch (driver) {
    case DRIVER_GCC: return guilty_gcc(inquiry, finding, err);
    case DRIVER_CLANG: return guilty_llvm(inquiry, false, finding, err);
    case DRIVER_OPT: return guilty_llvm(inquiry, true, finding, err);
    default: finding->why_not = "this compiler has no switches to search"; return true;
    }
}

/* 1. the bug shows; 2. guilty transformation; 3. fingerprint. */
static bool investigate(Inquiry *inquiry, const TriageOptions *options, TriageFinding *finding, Error *err) {
    CLEANUP(strlist_release) StrList nothing = {0};
    Driver driver = driver_of(inquiry->bug);
    Outcome outcome;
    if (!inquiry_ask(inquiry, &nothing, &outcome, err))
        return false;
    if (outcome != OUTCOME_FAILS)
        return error_set(err, "%s does not reproduce here (%s); try `culprit replay`", inquiry->bug->id,
                         inquiry->answer.why ? inquiry->answer.why : outcome_name(inquiry->answer.outcome));
    console_status(options->console, "%s: searching the guilty pass", inquiry->bug->id);
    if (!find_guilty(inquiry, driver, finding, err))
        return false;
    return find_fingerprint(inquiry, finding, err);
}

bool triage_bug(Runner *runner, const Bug *bug, const TriageOptions *options, Arena *arena, TriageFinding *ret_finding,
                Error *err) {
    TriageFinding finding = {.number = -1, .monotone = true};
    CLEANUP(inquiry_release) Inquiry inquiry = {0};
    uint32_t most_runs = options->most_runs ? options->most_runs : MOST_RUNS;
    if (!inquiry_open(&inquiry, runner, bug, most_runs, arena, err) || !investigate(&inquiry, options, &finding, err)) {
        triage_release(&finding);
        return error_context(err, "cannot triage %s", bug->id);
    }
    for (size_t i = 0; i < inquiry.passing.len; i++)
        vec_push(&finding.passing, inquiry.passing.items[i]);
    vec_clear(&inquiry.passing); /* moved */
    finding.runs = inquiry.runs;
    *ret_finding = finding;
    return true;
}

void triage_release(TriageFinding *finding) {
    strlist_release(&finding->flags);
    strlist_release(&finding->passes);
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
