/* report.md of one bug: what a maintainer asks for, ready to paste into a bug tracker.
 *
 * Made from the bug and the files of its directory alone, so that it can be written again whenever reduction, triage or
 * isolation have added something.
 */
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include "bug/bug.h"

/* One line: compiler, version, what is wrong, at which level, on which target. */
void report_title(const Bug *bug, Str *ret_text);
void report_markdown(const Bug *bug, Str *ret_text);
bool report_markdown_write(const Bug *bug, Error *err); /* report.md in its directory */

#endif
