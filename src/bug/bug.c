#include "bug/bug.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "bug/schema.h"
#include "compiler/identify.h"

bool bug_load(const char *dir, Bug *ret_bug, Error *err) {
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(str_release) Str absolute = {0};
    CLEANUP(mem_freep) char *path = path_of(dir, BUG_JSON);
    if (!file_exists(path))
        return error_set(err, "there is no bug in %s: give a directory with a " BUG_JSON, dir);
    if (!path_absolute(dir, &absolute, err) || !json_read_file(path, &bug.json, err) || !schema_read(&bug, err))
        return error_context(err, "cannot load the bug in %s", dir);
    bug.dir = str_detach(&absolute);
    if (!bug.id)
        bug.id = mem_strdup(path_name(bug.dir));
    *ret_bug = bug;
    bug = (Bug){0};
    return true;
}

bool bug_save(Bug *bug, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(bug->dir, BUG_JSON);
    schema_write(bug);
    return json_write_file(path, bug->json, err);
}

void bug_release(Bug *bug) {
    const Guilty *guilty = &bug->guilty;
    char *const texts[] = {
        bug->dir,
        bug->id,
        bug->compiler,
        bug->version,
        bug->version_text,
        bug->target,
        bug->expected,
        bug->reach,
        bug->basis,
        bug->truth_match,
        bug->generator,
        bug->signature,
        bug->key,
        bug->outputs.compiler,
        bug->outputs.actual,
        bug->outputs.expected,
        bug->fingerprint,
        guilty->flag,
        guilty->pass,
        guilty->function,
        guilty->counter,
        guilty->damaged_by,
        guilty->why_not,
        bug->reduced.messages,
        bug->reduced.actual,
        bug->reduced.expected,
        bug->reduced.why_not,
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
    StrList *const lists[] = {&bug->fail_cmd,          &bug->pass_cmd,
                              &bug->run_cmd,           &bug->files,
                              &bug->functions,         &bug->guards,
                              &bug->guilty.passes,     &bug->guilty.flags,
                              &bug->reduced.fail_cmd,  &bug->reduced.pass_cmd,
                              &bug->suspects,          &bug->front_cmd,
                              &bug->codegen_cmd,       &bug->reduced.front_cmd,
                              &bug->reduced.source_cmd};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        strlist_release(lists[i]);
    for (size_t i = 0; i < bug->passing.len; i++)
        strlist_release(&bug->passing.items[i]);
    vec_release(&bug->passing);
    for (size_t i = 0; i < bug->versions.len; i++) {
        const BugVersion *version = &bug->versions.items[i];
        free(version->command);
        free(version->version);
        free(version->verdict);
        free(version->outcome);
    }
    vec_release(&bug->versions);
    json_free(bug->json);
    *bug = (Bug){0};
}

bool bug_is_reduced(const Bug *bug) { return bug->reduced.fail_cmd.len > 0; }

Bug bug_smallest(const Bug *bug) {
    Bug view = *bug;
    if (bug_is_reduced(bug)) {
        view.fail_cmd = bug->reduced.fail_cmd;
        view.pass_cmd = bug->reduced.pass_cmd;
        view.front_cmd = bug->reduced.front_cmd;
    }
    return view;
}

/* --- What is found out --- */

void bug_set_text(char **text, const char *value) {
    free(*text);
    *text = mem_strdup(value);
}

void bug_set_list(StrList *list, const StrList *value) {
    strlist_clear(list);
    strlist_add_all(list, value);
}

void bug_add_version(Bug *bug, const char *command, const char *version, const char *verdict, const char *outcome) {
    vec_push(&bug->versions,
             (BugVersion){mem_strdup(command), mem_strdup(version), mem_strdup(verdict), mem_strdup(outcome)});
}

void bug_add_passing(Bug *bug, const StrList *command) {
    for (size_t i = 0; i < bug->passing.len; i++) {
        const StrList *known = &bug->passing.items[i];
        size_t same = 0;
        while (same < known->len && same < command->len && str_equal(known->items[same], command->items[same]))
            same++;
        if (same == known->len && same == command->len)
            return;
    }
    StrList copy = {0};
    strlist_add_all(&copy, command);
    vec_push(&bug->passing, copy);
}

/* --- Files --- */

/* What culprit writes beside the test; a run needs none of it. */
static bool is_result(const char *name) {
    static const char *const results[] = {BUG_JSON,     BUG_REDUCED_FILE,   BUG_REDUCED_MODULE, "reduced.cpp",
                                          BUG_SCRIPT,   BUG_REDUCED_SCRIPT, BUG_MAKEFILE,       BUG_REPORT,
                                          BUG_SUSPECTS, BUG_UNDONE};
    return str_is_any(name, results, ARRAY_LEN(results));
}

static bool copy_entry(const Bug *bug, const char *name, const char *dir, Error *err) {
    CLEANUP(mem_freep) char *from = path_of(bug->dir, name);
    CLEANUP(mem_freep) char *to = path_of(dir, name);
    return dir_exists(from) ? dir_copy(from, to, err) : file_copy(from, to, err);
}

static bool climbs(const char *name) { return str_starts(name, "../") || strstr(name, "/../"); }

bool bug_stays_inside(const Bug *bug, Error *err) {
    const StrList *const commands[] = {&bug->front_cmd, &bug->fail_cmd, &bug->pass_cmd};
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        for (size_t k = 1; k < commands[i]->len; k++) {
            const char *word = commands[i]->items[k];
            if (program_is_source(word) && climbs(word))
                return error_set(
                    err,
                    "the bug %s names %s, which lies outside its directory; copy that file into %s and name "
                    "the copy in " BUG_JSON,
                    bug->id, word, bug->dir);
        }
    }
    return true;
}

bool bug_copy_to(const Bug *bug, const char *dir, Error *err) {
    CLEANUP(strlist_release) StrList names = {0}, sources = {0};
    if (!bug_stays_inside(bug, err))
        return false;
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

bool bug_read_file(const Bug *bug, const char *name, Str *ret_text) {
    CLEANUP(mem_freep) char *path = path_of(bug->dir, name);
    return file_exists(path) && path_is_below(bug->dir, path) && file_read(path, ret_text, NULL);
}

const StrList *bug_source_command(const Bug *bug) { return bug->front_cmd.len ? &bug->front_cmd : &bug->fail_cmd; }

void bug_sources(const Bug *bug, StrList *ret_names) {
    const StrList *command = bug_source_command(bug);
    for (size_t i = 1; i < command->len; i++) {
        const char *word = command->items[i];
        if (*word == '-' || *word == '/' || strcmp(command->items[i - 1], "-o") == 0 || !program_is_source(word))
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
    CLEANUP(mem_freep) char *path = path_of(dir, BUG_JSON);
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
        return error_set(err, "%s is no directory of bugs: give a bug's directory, a folder of them or a campaign",
                         path);
    return find_below(path, ret_dirs, err);
}

bool bug_find_any(const StrList *paths, StrList *ret_dirs, Error *err) {
    for (size_t i = 0; i < paths->len; i++)
        if (!bug_find_all(paths->items[i], ret_dirs, err))
            return false;
    return ret_dirs->len > 0 ||
           error_set(err, "there is no bug in %s: give a bug's directory, a folder of them or a campaign",
                     paths->items[0]);
}
