/* Recipes: how to build instrumented compilers from the distribution's sources, and how to register a build that the
 * user has made.
 *
 * Recipes are files of lib/culprit/subjects, fragments of shell; subjects/build says what they may use. Lines
 * `about="…"`, `disk=6GiB`, `memory=2GiB` and `steps=800` at their start are read here.
 */
#ifndef SUBJECT_RECIPE_H
#define SUBJECT_RECIPE_H

#include "subject/subject.h"

typedef struct Recipe {
    char *name, *path;
    char *about;     /* one line for people */
    uint64_t disk;   /* bytes the build needs */
    uint64_t memory; /* bytes of one compilation at its worst */
    size_t steps;    /* compilations in a build, for the progress display; 0: unknown */
} Recipe;

bool recipe_find(const char *name, Recipe *ret_recipe, Error *err);
void recipe_release(Recipe *recipe);
bool recipes_list(StrList *ret_names, Error *err);

/* Builds, or goes on building, and registers the subject: it is called like its recipe, with "-gcov" behind if the
 * provider is gcov. `jobs` bounds the compilations at once. An interrupt (proc/interrupt.h) ends it with an Error that
 * says how to go on. */
bool recipe_build(const Recipe *recipe, const char *provider, size_t jobs, Console *console, Subject *ret_subject,
                  Error *err);

/* Registers the build in `dir` under `name`: finds its instrumented modules; `command` is how to call it. `source_dir`
 * may be NULL: then dir. */
bool subject_add(const char *name, const char *dir, const char *provider, const StrList *command, const char *version,
                 const char *source_dir, Subject *ret_subject, Error *err);

#endif
