/* Pages: one self-contained HTML file about whatever lies at a path.
 *
 *     a campaign's directory         summary, plots, clusters, a section per bug
 *     a bug directory, or several    a section per bug
 *     suspects.json                  an isolation
 *     a journal of `culprit bench`   Top-n, box plots, a row per bug
 *
 * A page is made from what is there now; nothing is changed.
 */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "base/error.h"
#include "base/str.h"

typedef enum PageKind {
    PAGE_CAMPAIGN,
    PAGE_BUGS,
    PAGE_ISOLATION,
    PAGE_BENCH,
} PageKind;

bool page_kind(const char *path, PageKind *ret_kind, Error *err);
/* `live`: for a server, which tells the page when something changed. */
bool page_make(const char *path, bool live, Str *ret_html, Error *err);
/* A text that differs whenever the page would: cheap enough to be asked every second. */
bool page_stamp(const char *path, Str *ret_stamp, Error *err);

#endif
