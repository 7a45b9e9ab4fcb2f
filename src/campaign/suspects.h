/* Which source files of the compiler are suspected: isolation of a campaign's bugs with one subject.
 *
 * The subject is an instrumented build of one version of one compiler, so that only that compiler's bugs can be isolated;
 * the others are left alone, and the user is told once for each compiler.
 */
#ifndef CAMPAIGN_SUSPECTS_H
#define CAMPAIGN_SUSPECTS_H

#include "base/console.h"
#include "bug/bug.h"

typedef struct Suspects Suspects;

/* The subject by name, directory or "stock:CC", as `culprit isolate` takes it. Its tables are loaded (for some subjects
 * made, which takes a while) here. */
bool suspects_new(const char *subject, Console *console, Suspects **ret_suspects, Error *err);
void suspects_free(Suspects *suspects);
DEFINE_FREEP(Suspects, suspects_free)

/* Writes suspects.json into bug_dir and lists the most suspicious files. None where the subject is another compiler than
 * the bug's, or where no witness was found. Two minutes at most, and no more than most_ms. Threads
 * may call it at once. */
bool suspects_find(Suspects *suspects, const Bug *bug, const char *bug_dir, int64_t most_ms, StrList *ret_files,
                   Error *err);

#endif
