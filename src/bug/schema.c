/* bug.json, read and written: the one place that knows the names of its members.
 *
 * Texts and lists of the bug itself are tables of (name, place in the struct), which reading and writing share; objects
 * inside (guilty, triage, reduced, versions) have a pair of functions each. Writing starts from the object that is there,
 * so that members which others put into it stay.
 */
#include "bug/schema.h"

#include <stdlib.h>

typedef struct Member {
    const char *name;
    size_t offset; /* in Bug */
} Member;

static const Member texts[] = {
    {"id", offsetof(Bug, id)},
    {"compiler", offsetof(Bug, compiler)},
    {"version", offsetof(Bug, version)},
    {"version_text", offsetof(Bug, version_text)},
    {"target", offsetof(Bug, target)},
    {"expected", offsetof(Bug, expected)},
    {"reach", offsetof(Bug, reach)},
    {"basis", offsetof(Bug, basis)},
    {"truth_match", offsetof(Bug, truth_match)},
    {"generator", offsetof(Bug, generator)},
    {"signature", offsetof(Bug, signature)},
    {"key", offsetof(Bug, key)},
};

static const Member lists[] = {
    {"fail_cmd", offsetof(Bug, fail_cmd)},       {"pass_cmd", offsetof(Bug, pass_cmd)},
    {"run_cmd", offsetof(Bug, run_cmd)},         {"files", offsetof(Bug, files)},
    {"functions", offsetof(Bug, functions)},     {"guards", offsetof(Bug, guards)},
    {"suspects", offsetof(Bug, suspects)},       {"front_cmd", offsetof(Bug, front_cmd)},
    {"codegen_cmd", offsetof(Bug, codegen_cmd)},
};

static char **text_of(Bug *bug, const Member *member) { return (char **)((char *)bug + member->offset); }
static StrList *list_of(Bug *bug, const Member *member) { return (StrList *)((char *)bug + member->offset); }

/* --- Reading --- */

static char *read_text(const Json *json, const char *name) { return mem_strdup(json_get_text(json, name, NULL)); }

/* The short form of people and bug sets, and triage's own, which says more. */
static void read_guilty(const Json *json, Bug *bug) {
    const Json *triage = json_get(json, "triage"), *shortly = json_get(json, "guilty");
    const Json *object = json_has(triage, "guilty") ? json_get(triage, "guilty") : shortly;
    Guilty *guilty = &bug->guilty;
    guilty->flag = read_text(object, "flag");
    guilty->pass = read_text(object, "pass");
    guilty->function = read_text(object, "function");
    guilty->number = json_get_int(object, "number", -1);
    guilty->monotone = json_get_bool(object, "monotone", true);
    guilty->counter = read_text(object, "counter");
    guilty->transformation = json_get_int(object, "transformation", 0);
    guilty->together = json_has(object, "passes_together");
    json_get_strings(object, guilty->together ? "passes_together" : "passes_alone", &guilty->passes);
    json_get_strings(object, "flags", &guilty->flags);
    guilty->damaged_by = read_text(object, "damaged_by");
    guilty->why_not = read_text(object, "why_not");
    bug->fingerprint = read_text(triage, "fingerprint");
    bug->triage_runs = (uint32_t)json_get_int(triage, "compiler_runs", 0);
}

static void read_reduced(const Json *json, ReducedProgram *reduced) {
    json_get_strings(json, "fail_cmd", &reduced->fail_cmd);
    json_get_strings(json, "pass_cmd", &reduced->pass_cmd);
    json_get_strings(json, "front_cmd", &reduced->front_cmd);
    json_get_strings(json, "source_cmd", &reduced->source_cmd);
    reduced->passes_before = (size_t)json_get_int(json, "passes_before", 0);
    reduced->passes = (size_t)json_get_int(json, "passes", 0);
    reduced->tokens_before = (size_t)json_get_int(json, "tokens_before", 0);
    reduced->tokens = (size_t)json_get_int(json, "tokens", 0);
    reduced->bytes_before = (size_t)json_get_int(json, "bytes_before", 0);
    reduced->bytes = (size_t)json_get_int(json, "bytes", 0);
    reduced->stopped = json_get_bool(json, "stopped", false);
    reduced->wall_ms = json_get_int(json, "wall_ms", 0);
    reduced->messages = read_text(json, "messages");
    reduced->actual = read_text(json, "actual");
    reduced->expected = read_text(json, "expected");
    reduced->why_not = read_text(json, "why_not");
}

static void read_tables(const Json *json, Bug *bug) {
    const Json *passing = json_get(json, "passing"), *versions = json_get(json, "versions");
    for (size_t i = 0; i < json_len(passing); i++) {
        const Json *words = json_item(passing, i);
        StrList command = {0};
        for (size_t k = 0; k < json_len(words); k++)
            strlist_add(&command, json_text(json_item(words, k), ""));
        vec_push(&bug->passing, command);
    }
    for (size_t i = 0; i < json_len(versions); i++) {
        const Json *row = json_item(versions, i);
        bug_add_version(bug, json_get_text(row, "command", ""), json_get_text(row, "version", ""),
                        json_get_text(row, "verdict", ""), json_get_text(row, "outcome", NULL));
    }
}

bool schema_read(Bug *bug, Error *err) {
    const Json *json = bug->json, *outputs = json_get(json, "outputs");
    const char *kind;
    if (!json_is_object_value(json))
        return error_set(err, BUG_JSON " is no object");
    if (!json_expect_text(json, "kind", &kind, err) || !verdict_parse(kind, &bug->kind, err))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        *text_of(bug, &texts[i]) = read_text(json, texts[i].name);
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        json_get_strings(json, lists[i].name, list_of(bug, &lists[i]));
    if (bug->fail_cmd.len == 0)
        return error_set(err, BUG_JSON " has no fail_cmd, the list of words that shows the bug");
    bug->run = json_get_bool(json, "run", false);
    bug->tolerance = json_get_real(json, "tolerance", 0);
    bug->suspects_stopped = json_get_bool(json, "suspects_stopped", false);
    bug->has_seed = json_has(json, "seed");
    const char *seed = json_get_text(json, "seed", NULL);
    bug->seed = seed ? strtoull(seed, NULL, 0) : (uint64_t)json_get_int(json, "seed", 0);
    bug->outputs.compiler = read_text(outputs, "compiler");
    bug->outputs.actual = read_text(outputs, "actual");
    bug->outputs.expected = read_text(outputs, "expected");
    read_guilty(json, bug);
    read_reduced(json_get(json, "reduced"), &bug->reduced);
    read_tables(json, bug);
    return true;
}

/* --- Writing --- */

/* The object of that name to write into: a copy of the one that is there, so that its unknown members stay. */
static Json *object_of(const Json *json, const char *name) {
    const Json *old = json_get(json, name);
    return json_is_object_value(old) ? json_copy_deep(old) : json_new_object();
}

static void put_text(Json *json, const char *name, const char *text) {
    if (text)
        json_put_text(json, name, text);
    else
        json_drop(json, name);
}

static void put_int(Json *json, const char *name, int64_t value, bool known) {
    if (known)
        json_put_int(json, name, value);
    else
        json_drop(json, name);
}

static void put_strings(Json *json, const char *name, const StrList *list) {
    if (list->len)
        json_put_strings(json, name, list);
    else
        json_drop(json, name);
}

/* The members of the short form. */
static void put_culprit(Json *object, const Guilty *guilty) {
    put_text(object, "flag", guilty->flag);
    put_text(object, "pass", guilty->pass);
    put_text(object, "function", guilty->function);
    put_int(object, "number", guilty->number, guilty->number >= 0);
}

static void put_guilty(Json *json, const Guilty *guilty) {
    if (!guilty->flag && !guilty->pass && !guilty->function && !json_has(json, "guilty"))
        return;
    Json *object = object_of(json, "guilty");
    put_culprit(object, guilty);
    json_put(json, "guilty", object);
}

Json *bug_triage_json(const Bug *bug) {
    const Guilty *guilty = &bug->guilty;
    Json *json = object_of(bug->json, "triage"), *object = object_of(json, "guilty");
    put_culprit(object, guilty);
    put_text(object, "counter", guilty->counter);
    if (guilty->number >= 0)
        json_put_bool(object, "monotone", guilty->monotone);
    else
        json_drop(object, "monotone");
    put_int(object, "transformation", guilty->transformation, guilty->transformation);
    json_drop(object, guilty->together ? "passes_alone" : "passes_together");
    put_strings(object, guilty->together ? "passes_together" : "passes_alone", &guilty->passes);
    put_strings(object, "flags", &guilty->flags);
    put_text(object, "damaged_by", guilty->damaged_by);
    put_text(object, "why_not", guilty->why_not);
    json_put(json, "guilty", object);
    put_text(json, "fingerprint", bug->fingerprint);
    json_put_int(json, "compiler_runs", bug->triage_runs);
    return json;
}

static void put_reduced(Json *json, const ReducedProgram *reduced) {
    if (!reduced->fail_cmd.len && !reduced->why_not)
        return;
    Json *object = object_of(json, "reduced");
    put_text(object, "why_not", reduced->why_not);
    if (!reduced->fail_cmd.len) {
        json_put(json, "reduced", object);
        return;
    }
    json_put_int(object, "tokens_before", (int64_t)reduced->tokens_before);
    json_put_int(object, "tokens", (int64_t)reduced->tokens);
    json_put_int(object, "bytes_before", (int64_t)reduced->bytes_before);
    json_put_int(object, "bytes", (int64_t)reduced->bytes);
    json_put_bool(object, "stopped", reduced->stopped);
    put_int(object, "wall_ms", reduced->wall_ms, reduced->wall_ms > 0);
    json_put_strings(object, "fail_cmd", &reduced->fail_cmd);
    json_put_strings(object, "pass_cmd", &reduced->pass_cmd);
    put_strings(object, "front_cmd", &reduced->front_cmd);
    put_strings(object, "source_cmd", &reduced->source_cmd);
    put_int(object, "passes_before", (int64_t)reduced->passes_before, reduced->passes_before > 0);
    put_int(object, "passes", (int64_t)reduced->passes, reduced->passes_before > 0);
    put_text(object, "messages", reduced->messages);
    put_text(object, "actual", reduced->actual);
    put_text(object, "expected", reduced->expected);
    json_put(json, "reduced", object);
}

static void put_outputs(Json *json, const Bug *bug) {
    if (!bug->outputs.compiler && !bug->outputs.actual && !bug->outputs.expected)
        return;
    Json *object = object_of(json, "outputs");
    put_text(object, "compiler", bug->outputs.compiler);
    put_text(object, "actual", bug->outputs.actual);
    put_text(object, "expected", bug->outputs.expected);
    json_put(json, "outputs", object);
}

static void put_tables(Json *json, const Bug *bug) {
    Json *versions = json_new_array(), *passing = json_new_array();
    for (size_t i = 0; i < bug->versions.len; i++) {
        const BugVersion *version = &bug->versions.items[i];
        const Json *old = json_item(json_get(json, "versions"), i); /* rows are added and never removed */
        Json *row = json_is_object_value(old) ? json_copy_deep(old) : json_new_object();
        json_put_text(row, "command", version->command);
        json_put_text(row, "version", version->version);
        json_put_text(row, "verdict", version->verdict);
        put_text(row, "outcome", version->outcome);
        json_push(versions, row);
    }
    for (size_t i = 0; i < bug->passing.len; i++) {
        Json *words = json_new_array();
        for (size_t k = 0; k < bug->passing.items[i].len; k++)
            json_push(words, json_new_text(bug->passing.items[i].items[k]));
        json_push(passing, words);
    }
    bool has_versions = bug->versions.len || json_has(json, "versions");
    bool has_passing = bug->passing.len || json_has(json, "passing");
    json_put(json, "versions", versions);
    json_put(json, "passing", passing);
    if (!has_versions)
        json_drop(json, "versions");
    if (!has_passing)
        json_drop(json, "passing");
}

/* JSON's integers are signed: a seed beyond them is written as text. */
static void put_seed(Json *json, uint64_t seed) {
    CLEANUP(str_release) Str text = {0};
    str_append_u64(&text, seed);
    if (seed <= INT64_MAX)
        json_put_int(json, "seed", (int64_t)seed);
    else
        json_put_text(json, "seed", str_text(&text));
}

void schema_write(Bug *bug) {
    if (!bug->json)
        bug->json = json_new_object();
    Json *json = bug->json;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (*text_of(bug, &texts[i]))
            json_put_text(json, texts[i].name, *text_of(bug, &texts[i]));
    json_put_text(json, "kind", verdict_kind(bug->kind));
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        if (list_of(bug, &lists[i])->len || json_has(json, lists[i].name))
            json_put_strings(json, lists[i].name, list_of(bug, &lists[i]));
    json_put_bool(json, "run", bug->run);
    if (bug->tolerance > 0)
        json_put_real(json, "tolerance", bug->tolerance);
    if (bug->suspects_stopped)
        json_put_bool(json, "suspects_stopped", true);
    else
        json_drop(json, "suspects_stopped");
    if (bug->has_seed)
        put_seed(json, bug->seed);
    put_outputs(json, bug);
    put_tables(json, bug);
    put_guilty(json, &bug->guilty);
    if (bug->fingerprint)
        json_put(json, "triage", bug_triage_json(bug));
    put_reduced(json, &bug->reduced);
}
