/* One bug on a screen, for the end of a hunt: what is wrong, the program, the command, the report, what to type next.
 *
 * Made from the bug directory alone, like report.md.
 */
#ifndef REPORT_BRIEF_H
#define REPORT_BRIEF_H

#include "base/error.h"
#include "base/str.h"

/* `culprit` is how the user calls us. A program that is not reduced is not shown: it is long. */
bool report_brief(const char *bug_dir, const char *culprit, Str *ret_text, Error *err);

#endif
