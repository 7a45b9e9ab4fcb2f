#include "campaign/versions.h"

#include <pthread.h>

#include "base/file.h"
#include "judge/oracle.h"

struct Versions {
    pthread_mutex_t lock;
    bool looked;
    Vec(Compiler *) compilers; /* constant once looked for */
};

static bool is_listed(const Json *versions, const char *compiler) {
    for (size_t i = 0; i < json_len(versions); i++) {
        CLEANUP(strlist_release) StrList words = {0};
        const char *command = json_get_text(json_item(versions, i), "command", "");
        if (strlist_split_shell(&words, command, NULL) && words.len && str_equal(path_name(words.items[0]), compiler))
            return true;
    }
    return false;
}

Versions *versions_new(void) {
    Versions *versions = mem_zalloc(1, sizeof *versions);
    pthread_mutex_init(&versions->lock, NULL);
    return versions;
}

void versions_free(Versions *versions) {
    if (!versions)
        return;
    for (size_t i = 0; i < versions->compilers.len; i++)
        compiler_free(versions->compilers.items[i]);
    vec_release(&versions->compilers);
    pthread_mutex_destroy(&versions->lock);
    free(versions);
}

static Compiler *ask(Runner *runner, const char *name, Language language) {
    CLEANUP(strlist_release) StrList command = {0};
    Compiler *compiler = NULL;
    strlist_add(&command, name);
    return compiler_probe(runner, &command, language, &compiler, NULL) ? compiler : NULL;
}

/* Asks what is installed, at the first call. A campaign has one language. */
static void look_for_compilers(Versions *versions, Runner *runner, Language language) {
    CLEANUP(strlist_release) StrList names = {0};
    pthread_mutex_lock(&versions->lock);
    if (!versions->looked)
        compiler_discover(language, &names);
    versions->looked = true;
    for (size_t i = 0; i < names.len; i++) {
        Compiler *compiler = ask(runner, names.items[i], language);
        if (compiler)
            vec_push(&versions->compilers, compiler);
    }
    pthread_mutex_unlock(&versions->lock);
}

/* The failing command with another compiler in front, as one line. */
static char *command_with(const Bug *bug, const char *name) {
    CLEANUP(strlist_release) StrList words = {0};
    CLEANUP(strlist_release) StrList sources = {0};
    bug_sources(bug, &sources);
    strlist_add(&words, name);
    for (size_t i = 1; i < bug->fail_cmd.len && !strlist_contains(&sources, bug->fail_cmd.items[i]); i++)
        strlist_add(&words, bug->fail_cmd.items[i]);
    return strlist_join_shell(&words);
}

static bool try_one(Oracle *oracle, const Bug *bug, const char *name, const char *version, Json *rows, Error *err) {
    CLEANUP(strlist_release) StrList compiler = {0};
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    strlist_add(&compiler, name);
    OracleQuestion question = {.compiler = &compiler};
    if (!oracle_ask(oracle, &question, &answer, err))
        return false;
    CLEANUP(mem_freep) char *command = command_with(bug, name);
    Json *row = json_new_object();
    json_put_text(row, "command", command);
    json_put_text(row, "version", version);
    json_put_text(row, "verdict", verdict_name(answer.verdict));
    json_push(rows, row);
    return true;
}

/* Adds a row for every installed compiler of the family that has none. */
static bool try_all(const Versions *versions, Runner *runner, const Bug *bug, CompilerFamily family, Json *rows,
                    Error *err) {
    CLEANUP(oracle_freep) Oracle *oracle = NULL;
    for (size_t i = 0; i < versions->compilers.len; i++) {
        const Compiler *compiler = versions->compilers.items[i];
        const char *name = compiler->command.items[0];
        if (compiler->family != family || is_listed(rows, name))
            continue;
        if (!oracle && !(oracle = oracle_new(runner, bug, NULL, err)))
            return false;
        if (!try_one(oracle, bug, name, compiler->version_text, rows, err))
            return false;
    }
    return true;
}

bool versions_try(Versions *versions, Runner *runner, const char *bug_dir, Error *err) {
    CLEANUP(bug_release) Bug bug = {0};
    if (!bug_load(bug_dir, &bug, err))
        return false;
    Language language = bug_language(&bug);
    CLEANUP(compiler_freep) Compiler *own = ask(runner, bug.fail_cmd.items[0], language);
    if (!own || own->family == FAMILY_OTHER)
        return true;
    look_for_compilers(versions, runner, language);
    Json *rows = json_has(bug.json, "versions") ? json_copy_deep(json_get(bug.json, "versions")) : json_new_array();
    bool ok = try_all(versions, runner, &bug, own->family, rows, err);
    json_put(bug.json, "versions", rows);
    return ok && bug_save(&bug, err);
}
