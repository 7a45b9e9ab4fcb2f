/* Which source files of the compiler are suspected: isolation of a campaign's bugs with one subject.
 *
 * The subject is an instrumented build of one version of one compiler, so that only that compiler's bugs can be isolated;
 * the others are left alone, and the user is told once for each compiler.
 */
#ifndef EXPLAIN_SUSPECTS_H
#define EXPLAIN_SUSPECTS_H

#include "base/console.h"
#include "bug/bug.h"

typedef struct Suspects Suspects;

/* The subject by name, directory or "stock:CC", as `culprit isolate` takes it. Its tables are loaded (for some subjects
 * made, which takes a while) here. */
bool suspects_new(const char *subject, Console *console, Suspects **ret_suspects, Error *err);
void suspects_free(Suspects *suspects);
DEFINE_FREEP(Suspects, suspects_free)

/* Writes suspects.json and records the most suspicious files in the bug: none where no witness was found. Leaves a bug of
 * another compiler than the subject alone. Two minutes at most, and no more than most_ms; *ret_found tells whether there is
 * a result. Threads may call it at once. */
bool suspects_find(Suspects *suspects, Bug *bug, int64_t most_ms, bool *ret_found, Error *err);

#endif
