#include "triage/triage.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "compiler/identify.h"
#include "triage/guilty.h"
#include "triage/inquiry.h"

enum { MOST_RUNS = 1500 };

typedef enum Driver { DRIVER_OTHER, DRIVER_GCC, DRIVER_CLANG, DRIVER_OPT } Driver;

static Driver driver_of(const Bug *bug) {
    switch (compiler_family_of_name(bug->fail_cmd.len ? bug->fail_cmd.items[0] : bug->compiler)) {
    case FAMILY_CLANG: return DRIVER_CLANG;
    case FAMILY_GCC: return DRIVER_GCC;
    case FAMILY_OPT: return DRIVER_OPT;
    default: return DRIVER_OTHER;
    }
}

/* --- which installed versions have it --- */

static bool ask_version(Inquiry *inquiry, const char *name, TriageFinding *finding, Error *err) {
    CLEANUP(strlist_release) StrList command = {0};
    strlist_add(&command, name);
    CLEANUP(compiler_freep) Compiler *compiler = NULL;
    Language language = bug_language(inquiry->bug);
    if (!compiler_probe(inquiry->runner, &command, language, &compiler, NULL))
        return true; /* a broken installation is not this bug's business */
    OracleQuestion question = {.compiler = &command};
    if (!oracle_ask(inquiry->oracle, &question, &inquiry->answer, err))
        return false;
    inquiry->runs++;
    vec_push(&finding->versions, (TriageVersion){
                                     .compiler = arena_strdup(inquiry->arena, name),
                                     .version = arena_strdup(inquiry->arena, compiler->version_text),
                                     .outcome = outcome_name(inquiry->answer.outcome),
                                 });
    return true;
}

static bool find_versions(Inquiry *inquiry, TriageFinding *finding, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    compiler_discover(bug_language(inquiry->bug), &names);
    for (size_t i = 0; i < names.len; i++)
        if (compiler_family_of_name(names.items[i]) == compiler_family_of_name(inquiry->bug->fail_cmd.items[0]) &&
            !ask_version(inquiry, names.items[i], finding, err))
            return false;
    return true;
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

/* 1. the bug shows; 2. guilty transformation; 3. versions; 4. fingerprint. */
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
    console_status(options->console, "%s: asking the other versions", inquiry->bug->id);
    if (!options->no_versions && bug_language(inquiry->bug) != LANGUAGE_LLVM_IR &&
        !find_versions(inquiry, finding, err))
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
    vec_release(&finding->versions);
}

/* --- what others read --- */

static Json *guilty_json(const TriageFinding *finding) {
    Json *json = json_new_object();
    if (finding->flag)
        json_put_text(json, "flag", finding->flag);
    if (finding->pass)
        json_put_text(json, "pass", finding->pass);
    if (finding->function)
        json_put_text(json, "function", finding->function);
    if (finding->counter)
        json_put_text(json, "counter", finding->counter);
    if (finding->number >= 0) {
        json_put_int(json, "number", finding->number);
        json_put_bool(json, "monotone", finding->monotone);
    }
    if (finding->transformation)
        json_put_int(json, "transformation", finding->transformation);
    if (finding->passes.len)
        json_put_strings(json, finding->together ? "passes_together" : "passes_alone", &finding->passes);
    if (finding->flags.len)
        json_put_strings(json, "flags", &finding->flags);
    if (finding->why_not)
        json_put_text(json, "why_not", finding->why_not);
    return json;
}

static Json *versions_json(const TriageFinding *finding) {
    Json *array = json_new_array();
    for (size_t i = 0; i < finding->versions.len; i++) {
        Json *json = json_new_object();
        json_put_text(json, "compiler", finding->versions.items[i].compiler);
        json_put_text(json, "version", finding->versions.items[i].version);
        json_put_text(json, "outcome", finding->versions.items[i].outcome);
        json_push(array, json);
    }
    return array;
}

static Json *passing_json(const TriageFinding *finding) {
    Json *array = json_new_array();
    for (size_t i = 0; i < finding->passing.len; i++) {
        Json *command = json_new_array();
        for (size_t w = 0; w < finding->passing.items[i].len; w++)
            json_push(command, json_new_text(finding->passing.items[i].items[w]));
        json_push(array, command);
    }
    return array;
}

Json *triage_json(const TriageFinding *finding) {
    Json *json = json_new_object();
    json_put(json, "guilty", guilty_json(finding));
    json_put(json, "installed_versions", versions_json(finding));
    json_put_text(json, "fingerprint", finding->fingerprint);
    json_put_int(json, "compiler_runs", finding->runs);
    json_put(json, "passing", passing_json(finding));
    return json;
}

static char *copy_over(char *old, const char *text) {
    free(old);
    return mem_strdup(text);
}

void triage_record(Bug *bug, const TriageFinding *finding) {
    bug->guilty.flag = copy_over(bug->guilty.flag, finding->flag);
    bug->guilty.pass = copy_over(bug->guilty.pass, finding->pass);
    bug->guilty.function = copy_over(bug->guilty.function, finding->function);
    bug->guilty.number = finding->number;
    for (size_t i = 0; i < finding->passing.len; i++) {
        StrList command = {0};
        strlist_add_all(&command, &finding->passing.items[i]);
        vec_push(&bug->passing, command);
    }
    json_put(bug->json, "triage", triage_json(finding));
    json_drop((Json *)json_get(bug->json, "triage"), "passing"); /* stands in the bug itself */
}

void triage_format(const TriageFinding *finding, Str *ret_text) {
    if (finding->pass)
        str_printf(ret_text, "guilty pass  %s%s%s\n", finding->pass, finding->function ? " on " : "",
                   finding->function ? finding->function : "");
    else
        str_printf(ret_text, "guilty pass  unknown: %s\n", finding->why_not ? finding->why_not : "nothing hides it");
    if (finding->flag)
        str_printf(ret_text, "hidden by    switching off %s\n", finding->flag);
    if (finding->passes.len > 1) {
        CLEANUP(mem_freep) char *passes = strlist_join(&finding->passes, " ");
        str_printf(ret_text, "%s  %s\n", finding->together ? "needs all of" : "also hidden by disabling one of",
                   passes);
    }
    if (finding->number >= 0)
        str_printf(ret_text, "number       %lld%s%s%s\n", (long long)finding->number,
                   finding->counter && !finding->transformation ? " of " : "",
                   finding->counter && !finding->transformation ? finding->counter : "",
                   finding->monotone ? "" : " (not monotone: the bug comes and goes with the number)");
    if (finding->transformation)
        str_printf(ret_text, "counter      %lld of %s\n", (long long)finding->transformation, finding->counter);
    for (size_t i = 0; i < finding->versions.len; i++)
        str_printf(ret_text, "%-12s %s: %s\n", i ? "" : "versions", finding->versions.items[i].compiler,
                   finding->versions.items[i].outcome);
    str_printf(ret_text, "fingerprint  %s\n", finding->fingerprint);
    str_printf(ret_text, "cost         %u compiler runs; %zu passing configurations recorded\n", finding->runs,
               finding->passing.len);
}
