#include "explain/versions.h"

#include <pthread.h>
#include <string.h>

#include "base/file.h"
#include "explain/opt_versions.h"
#include "judge/oracle.h"
#include "reduce/passes.h"

typedef struct Installed {
    bool looked;
    Vec(Compiler *) compilers; /* constant once looked for */
} Installed;

struct Versions {
    pthread_mutex_t lock;
    Installed installed[2]; /* by Language: C and C++ have different compilers */
};

/* Whether the row is about that compiler and the optimisation level that fails. */
static bool is_about(const BugVersion *row, const Bug *bug, const Compiler *compiler) {
    CLEANUP(strlist_release) StrList words = {0};
    return str_equal(row->version, compiler->version_text) && strlist_split_shell(&words, row->command, NULL) &&
           words.len && str_equal(path_name(words.items[0]), path_name(compiler->command.items[0])) &&
           str_equal(config_level(&words), config_level(&bug->fail_cmd));
}

Versions *versions_new(void) {
    Versions *versions = mem_zalloc(1, sizeof *versions);
    pthread_mutex_init(&versions->lock, NULL);
    return versions;
}

void versions_free(Versions *versions) {
    if (!versions)
        return;
    for (size_t language = 0; language < ARRAY_LEN(versions->installed); language++) {
        Installed *installed = &versions->installed[language];
        for (size_t i = 0; i < installed->compilers.len; i++)
            compiler_free(installed->compilers.items[i]);
        vec_release(&installed->compilers);
    }
    pthread_mutex_destroy(&versions->lock);
    free(versions);
}

static Compiler *ask(Runner *runner, const char *name, Language language) {
    CLEANUP(strlist_release) StrList command = {0};
    Compiler *compiler = NULL;
    strlist_add(&command, name);
    return compiler_probe(runner, &command, language, &compiler, NULL) ? compiler : NULL;
}

/* Asks what is installed, at the first call. */
static const Installed *look_for_compilers(Versions *versions, Runner *runner, Language language) {
    CLEANUP(strlist_release) StrList names = {0};
    Installed *installed = &versions->installed[language];
    pthread_mutex_lock(&versions->lock);
    if (!installed->looked)
        compiler_discover(language, &names);
    installed->looked = true;
    for (size_t i = 0; i < names.len; i++) {
        Compiler *compiler = ask(runner, names.items[i], language);
        if (compiler)
            vec_push(&installed->compilers, compiler);
    }
    pthread_mutex_unlock(&versions->lock);
    return installed;
}

/* The failing command with another compiler in front, up to the program, as one line. */
static char *command_with(const Bug *bug, const char *name) {
    CLEANUP(strlist_release) StrList words = {0};
    CLEANUP(strlist_release) StrList sources = {0};
    bug_sources(bug, &sources);
    strlist_add(&words, name);
    for (size_t i = 1; i < bug->fail_cmd.len && !strlist_contains(&sources, bug->fail_cmd.items[i]); i++)
        strlist_add(&words, bug->fail_cmd.items[i]);
    return strlist_join_shell(&words);
}

/* Another architecture's programs would need another emulator. */
static bool is_comparable(const Compiler *compiler, const Compiler *own) {
    size_t len = strcspn(own->target, "-");
    return compiler->family == own->family && compiler->cross == own->cross && len == strcspn(compiler->target, "-") &&
           memcmp(compiler->target, own->target, len) == 0;
}

static bool is_known(const Bug *bug, const Compiler *compiler) {
    for (size_t i = 0; i < bug->versions.len; i++)
        if (is_about(&bug->versions.items[i], bug, compiler))
            return true;
    return false;
}

/* `smallest` is a view of `bug`, which gets the rows. */
static bool try_all(const Installed *installed, Runner *runner, const Compiler *own, const Bug *smallest, Bug *bug,
                    Error *err) {
    CLEANUP(oracle_freep) Oracle *oracle = NULL;
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    for (size_t i = 0; i < installed->compilers.len; i++) {
        const Compiler *compiler = installed->compilers.items[i];
        if (!is_comparable(compiler, own) || is_known(bug, compiler))
            continue;
        if (!oracle && !(oracle = oracle_new(runner, smallest, NULL, err)))
            return false;
        OracleQuestion question = {.compiler = &compiler->command};
        if (!oracle_ask(oracle, &question, &answer, err))
            return false;
        CLEANUP(mem_freep) char *command = command_with(smallest, compiler->command.items[0]);
        bug_add_version(bug, command, compiler->version_text, verdict_name(answer.verdict),
                        outcome_name(answer.outcome));
    }
    return true;
}

bool versions_try(Versions *versions, Runner *runner, Bug *bug, Error *err) {
    if (passes_apply(bug))
        return opt_versions_try(runner, bug, err);
    const Bug smallest = bug_smallest(bug);
    Language language = bug_language(bug);
    if (language == LANGUAGE_LLVM_IR)
        return true;
    CLEANUP(compiler_freep) Compiler *own = ask(runner, bug->fail_cmd.items[0], language);
    if (!own || own->family == FAMILY_OTHER)
        return true;
    return try_all(look_for_compilers(versions, runner, language), runner, own, &smallest, bug, err);
}

void versions_list(const Bug *bug, Arena *arena, VersionAnswers *ret_answers) {
    for (size_t i = 0; i < bug->versions.len; i++) {
        const BugVersion *row = &bug->versions.items[i];
        CLEANUP(strlist_release) StrList words = {0};
        if (!strlist_split_shell(&words, row->command, NULL) || !words.len ||
            !(passes_apply(bug) ? opt_version_answers(bug, &words)
                                : str_equal(config_level(&words), config_level(&bug->fail_cmd))))
            continue;
        Outcome outcome = str_equal(row->verdict, verdict_name(VERDICT_OK))  ? OUTCOME_PASSES
                          : str_equal(row->verdict, verdict_name(bug->kind)) ? OUTCOME_FAILS
                                                                             : OUTCOME_OTHER;
        vec_push(ret_answers, (VersionAnswer){
                                  .compiler = arena_strdup(arena, path_name(words.items[0])),
                                  .version = row->version,
                                  .outcome = row->outcome ? row->outcome : outcome_name(outcome),
                              });
    }
}
