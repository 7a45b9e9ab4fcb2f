/* How often fixes touched each file of a compiler's sources before: where there were many bugs, there are more.
 *
 * From the log of a repository if the sources are one, else from the ChangeLogs that GCC's sources contain. Both end at that
 * version, so that the answer to a bug it has is not in them.
 */
#ifndef SUBJECT_FIXES_H
#define SUBJECT_FIXES_H

#include "base/error.h"
#include "base/map.h"
#include "proc/run.h"

/* Adds to the map: path below the root -> number of fixes. Sources without a history add nothing. */
bool fixes_count(const char *source_root, Runner *runner, Map *ret_fixes, Error *err);

/* The reader of one ChangeLog, whose paths are relative to `folder` ("gcc"). */
void fixes_read_changelog(const char *text, const char *folder, Map *ret_fixes);

#endif
