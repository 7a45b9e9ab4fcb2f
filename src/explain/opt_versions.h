/* Which installed LLVMs have a bug of opt: each is tried as a whole, its opt on what its front end makes of the program, its
 * back end on what opt leaves. */
#ifndef EXPLAIN_OPT_VERSIONS_H
#define EXPLAIN_OPT_VERSIONS_H

#include "bug/bug.h"
#include "proc/run.h"

/* Adds a row for every other LLVM of which bug->versions has none. The bug must be one that passes_apply to. */
bool opt_versions_try(Runner *runner, Bug *bug, Error *err);
/* Whether the row is about the bug's own passes, not about the default pipelines. */
bool opt_version_answers(const Bug *bug, const StrList *command);

#endif
