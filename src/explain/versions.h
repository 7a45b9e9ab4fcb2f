/* Which installed versions have a bug.
 *
 * Versions remembers what is installed, so that each compiler is asked for its facts once. Threads share it.
 */
#ifndef EXPLAIN_VERSIONS_H
#define EXPLAIN_VERSIONS_H

#include "base/arena.h"
#include "bug/bug.h"

typedef struct Versions Versions;

Versions *versions_new(void);
void versions_free(Versions *versions);
DEFINE_FREEP(Versions, versions_free)

/* Tries the bug with the installed compilers of its family and architecture, and adds what they do to bug->versions. Those
 * that have a row there with the failing optimisation level are not tried again; a compiler that was upgraded is. For bugs of
 * opt these are the other LLVMs; one that lacks a pass is "not-applicable". */
bool versions_try(Versions *versions, Runner *runner, Bug *bug, Error *err);

typedef struct VersionAnswer {
    const char *compiler; /* "gcc-12" */
    const char *version;  /* what it says about itself */
    const char *outcome;  /* "fails", "passes", "other", "not-applicable" */
} VersionAnswer;

typedef Vec(VersionAnswer) VersionAnswers;

/* The rows of bug->versions that answer the question: those with the failing optimisation level, or
 * with the passes of the bug. */
void versions_list(const Bug *bug, Arena *arena, VersionAnswers *ret_answers);

#endif
