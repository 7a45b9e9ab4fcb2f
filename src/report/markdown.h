/* report.md of one bug: what a maintainer asks for, ready to paste into a bug tracker.
 *
 * Made from the bug directory alone (bug.json, test/, outputs/, and where they exist reduced.c and suspects.json), so
 * that it can be written again whenever reduction, triage or isolation have added something.
 */
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include "base/error.h"
#include "base/str.h"

bool report_markdown(const char *bug_dir, Str *ret_text, Error *err);
bool report_markdown_write(const char *bug_dir, Error *err); /* bug_dir/report.md */

#endif
