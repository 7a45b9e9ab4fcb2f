#include "bug/bug.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compiler/identify.h"

/* --- Reading --- */

static char *dup_text(const Json *json, const char *name) { return mem_strdup(json_get_text(json, name, NULL)); }

static void read_guilty(const Json *json, Guilty *guilty) {
    const Json *object = json_get(json, "guilty");
    guilty->flag = dup_text(object, "flag");
    guilty->pass = dup_text(object, "pass");
    guilty->function = dup_text(object, "function");
    guilty->number = json_get_int(object, "number", -1);
}

static void read_passing(const Json *json, Bug *bug) {
    const Json *list = json_get(json, "passing");
    for (size_t i = 0; i < json_len(list); i++) {
        const Json *words = json_item(list, i);
        StrList command = {0};
        for (size_t k = 0; k < json_len(words); k++)
            strlist_add(&command, json_text(json_item(words, k), ""));
        vec_push(&bug->passing, command);
    }
}

/* A seed is a 64-bit number; JSON's integers are signed, so large ones are written as text. */
static void read_seed(const Json *json, Bug *bug) {
    bug->has_seed = json_has(json, "seed");
    const char *text = json_get_text(json, "seed", NULL);
    bug->seed = text ? strtoull(text, NULL, 0) : (uint64_t)json_get_int(json, "seed", 0);
}

static bool read_fields(Bug *bug, Error *err) {
    const Json *json = bug->json;
    const char *kind;
    if (!json_is_object_value(json))
        return error_set(err, "bug.json is no object");
    if (!json_expect_text(json, "kind", &kind, err) || !verdict_parse(kind, &bug->kind, err))
        return false;
    json_get_strings(json, "fail_cmd", &bug->fail_cmd);
    json_get_strings(json, "pass_cmd", &bug->pass_cmd);
    json_get_strings(json, "run_cmd", &bug->run_cmd);
    json_get_strings(json, "files", &bug->files);
    json_get_strings(json, "functions", &bug->functions);
    if (bug->fail_cmd.len == 0)
        return error_set(err, "bug.json has no fail_cmd, the list of words that shows the bug");
    bug->id = dup_text(json, "id");
    bug->compiler = dup_text(json, "compiler");
    bug->version = dup_text(json, "version");
    bug->expected = dup_text(json, "expected");
    bug->truth_match = dup_text(json, "truth_match");
    bug->generator = dup_text(json, "generator");
    bug->signature = dup_text(json, "signature");
    bug->run = json_get_bool(json, "run", false);
    bug->tolerance = json_get_real(json, "tolerance", 0);
    read_seed(json, bug);
    read_guilty(json, &bug->guilty);
    read_passing(json, bug);
    return true;
}

bool bug_load(const char *dir, Bug *ret_bug, Error *err) {
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(str_release) Str absolute = {0};
    CLEANUP(mem_freep) char *path = path_of(dir, "bug.json");
    if (!path_absolute(dir, &absolute, err) || !json_read_file(path, &bug.json, err) || !read_fields(&bug, err))
        return error_context(err, "cannot load the bug in %s", dir);
    bug.dir = str_detach(&absolute);
    if (!bug.id)
        bug.id = mem_strdup(path_name(bug.dir));
    *ret_bug = bug;
    bug = (Bug){0};
    return true;
}

/* --- Writing --- */

static void put_text(Json *json, const char *name, const char *text) {
    if (text)
        json_put_text(json, name, text);
}

static void put_list(Json *json, const char *name, const StrList *list) {
    if (list->len > 0 || json_has(json, name))
        json_put_strings(json, name, list);
}

static void put_guilty(Json *json, const Guilty *guilty) {
    if (!guilty->flag && !guilty->pass && !guilty->function)
        return;
    /* Members that others added to the object stay. */
    const Json *old = json_get(json, "guilty");
    Json *object = old ? json_copy_deep(old) : json_new_object();
    put_text(object, "flag", guilty->flag);
    put_text(object, "pass", guilty->pass);
    put_text(object, "function", guilty->function);
    if (guilty->number >= 0)
        json_put_int(object, "number", guilty->number);
    json_put(json, "guilty", object);
}

static void put_passing(Json *json, const Bug *bug) {
    if (bug->passing.len == 0)
        return;
    Json *list = json_new_array();
    for (size_t i = 0; i < bug->passing.len; i++) {
        Json *words = json_new_array();
        for (size_t k = 0; k < bug->passing.items[i].len; k++)
            json_push(words, json_new_text(bug->passing.items[i].items[k]));
        json_push(list, words);
    }
    json_put(json, "passing", list);
}

static void put_seed(Json *json, uint64_t seed) {
    CLEANUP(str_release) Str text = {0};
    str_append_u64(&text, seed);
    if (seed <= INT64_MAX)
        json_put_int(json, "seed", (int64_t)seed);
    else
        json_put_text(json, "seed", str_text(&text));
}

static void replace_command(const Json *reduced, const char *name, StrList *command) {
    strlist_clear(command);
    json_get_strings(reduced, name, command);
}

bool bug_load_smallest(const char *dir, Bug *ret_bug, bool *ret_is_reduced, Error *err) {
    if (!bug_load(dir, ret_bug, err))
        return false;
    const Json *reduced = json_get(ret_bug->json, "reduced");
    *ret_is_reduced = reduced != NULL;
    if (reduced) {
        replace_command(reduced, "fail_cmd", &ret_bug->fail_cmd);
        replace_command(reduced, "pass_cmd", &ret_bug->pass_cmd);
    }
    return true;
}

bool bug_save(Bug *bug, Error *err) {
    if (!bug->json)
        bug->json = json_new_object();
    Json *json = bug->json;
    put_text(json, "id", bug->id);
    put_text(json, "compiler", bug->compiler);
    put_text(json, "version", bug->version);
    json_put_text(json, "kind", verdict_kind(bug->kind));
    put_list(json, "fail_cmd", &bug->fail_cmd);
    put_list(json, "pass_cmd", &bug->pass_cmd);
    json_put_bool(json, "run", bug->run);
    put_list(json, "run_cmd", &bug->run_cmd);
    put_text(json, "expected", bug->expected);
    put_list(json, "files", &bug->files);
    put_list(json, "functions", &bug->functions);
    put_text(json, "truth_match", bug->truth_match);
    put_text(json, "generator", bug->generator);
    put_text(json, "signature", bug->signature);
    if (bug->has_seed)
        put_seed(json, bug->seed);
    put_guilty(json, &bug->guilty);
    put_passing(json, bug);
    CLEANUP(mem_freep) char *path = path_of(bug->dir, "bug.json");
    return json_write_file(path, json, err);
}

void bug_release(Bug *bug) {
    char *const texts[] = {bug->dir,         bug->id,          bug->compiler,       bug->version,
                           bug->expected,    bug->truth_match, bug->generator,      bug->signature,
                           bug->guilty.flag, bug->guilty.pass, bug->guilty.function};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
    StrList *const lists[] = {&bug->fail_cmd, &bug->pass_cmd, &bug->run_cmd, &bug->files, &bug->functions};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        strlist_release(lists[i]);
    for (size_t i = 0; i < bug->passing.len; i++)
        strlist_release(&bug->passing.items[i]);
    vec_release(&bug->passing);
    json_free(bug->json);
    *bug = (Bug){0};
}

/* --- Files --- */

/* What culprit writes beside the test; a run needs none of it. */
static bool is_result(const char *name) {
    static const char *const results[] = {"bug.json",         "reduced.c", "reduced.cpp", "repro.sh",
                                          "repro-reduced.sh", "Makefile",  "report.md",   "suspects.json"};
    for (size_t i = 0; i < ARRAY_LEN(results); i++) {
        if (strcmp(name, results[i]) == 0)
            return true;
    }
    return false;
}

static bool copy_entry(const Bug *bug, const char *name, const char *dir, Error *err) {
    CLEANUP(mem_freep) char *from = path_of(bug->dir, name);
    CLEANUP(mem_freep) char *to = path_of(dir, name);
    return dir_exists(from) ? dir_copy(from, to, err) : file_copy(from, to, err);
}

bool bug_copy_to(const Bug *bug, const char *dir, Error *err) {
    CLEANUP(strlist_release) StrList names = {0}, sources = {0};
    bug_sources(bug, &sources);
    if (bug->loose)
        strlist_add_all(&names, &sources);
    else if (!dir_list(bug->dir, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        if (is_result(names.items[i]) && !strlist_contains(&sources, names.items[i]))
            continue;
        if (!copy_entry(bug, names.items[i], dir, err))
            return error_context(err, "cannot copy the bug %s", bug->id);
    }
    return true;
}

void bug_sources(const Bug *bug, StrList *ret_names) {
    for (size_t i = 1; i < bug->fail_cmd.len; i++) {
        const char *word = bug->fail_cmd.items[i];
        if (*word == '-' || *word == '/' || strcmp(bug->fail_cmd.items[i - 1], "-o") == 0 || !program_is_source(word))
            continue;
        CLEANUP(mem_freep) char *path = path_of(bug->dir, word);
        if (file_exists(path))
            strlist_add(ret_names, word);
    }
}

Language bug_language(const Bug *bug) {
    CLEANUP(strlist_release) StrList names = {0};
    bug_sources(bug, &names);
    return names.len > 0 ? language_of_file(names.items[0]) : LANGUAGE_C;
}

CompilerFamily bug_suspect(const Bug *bug) {
    CompilerFamily at_fault = compiler_family_of_name(bug->fail_cmd.items[0]);
    bool vouched = bug->pass_cmd.len == 0 || compiler_family_of_name(bug->pass_cmd.items[0]) == at_fault;
    return vouched ? FAMILY_OTHER : at_fault;
}

static bool is_bug_dir(const char *dir) {
    CLEANUP(mem_freep) char *path = path_of(dir, "bug.json");
    return file_exists(path);
}

static bool find_below(const char *path, StrList *ret_dirs, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_list(path, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *dir = path_of(path, names.items[i]);
        if (is_bug_dir(dir))
            strlist_add(ret_dirs, dir);
    }
    return true;
}

bool bug_find_all(const char *path, StrList *ret_dirs, Error *err) {
    if (is_bug_dir(path)) {
        strlist_add(ret_dirs, path);
        return true;
    }
    CLEANUP(mem_freep) char *folder = path_of(path, "bugs");
    if (dir_exists(folder))
        return find_below(folder, ret_dirs, err);
    if (!dir_exists(path))
        return error_set(err, "%s is no directory of bugs", path);
    return find_below(path, ret_dirs, err);
}
