/* One bug on a page: everything its directory holds, in the order in which a maintainer asks.
 *
 * The reduced program beside the commands; outputs side by side; versions; the guilty pass; the suspects with their evidence;
 * witnesses; the text for the bug tracker and the script that reproduces it, each with a copy button.
 */
#ifndef REPORT_BUG_SECTION_H
#define REPORT_BUG_SECTION_H

#include "bug/bug.h"
#include "report/html.h"

/* What a campaign knows of a bug beside its directory; zeroed: nothing. */
typedef struct BugContext {
    uint64_t hits, directories, merged;
    const char *first_seen; /* for people; may be NULL */
    bool open;              /* unfolded from the start */
    bool brief;             /* one of very many: what is long is left to a page of its own */
} BugContext;

enum { BUGS_BRIEF = 200 }; /* lists that are longer are brief: their page would be slow to open */

/* A <details> element whose summary is one line; data-compiler, data-kind and data-pass are what lists filter by. */
void bug_section(Html *html, const Bug *bug, const BugContext *context);

/* A coloured word for a verdict or kind, as in "wrong-code". */
void bug_badge(Html *html, const char *kind);

#endif
