/* Inside src/page: one function for each kind of page; each writes what stands inside <main>. */
#ifndef PAGE_KINDS_H
#define PAGE_KINDS_H

#include "base/error.h"
#include "base/strlist.h"
#include "report/html.h"

bool campaign_page(Html *html, const char *dir, Error *err);
bool bugs_page(Html *html, const StrList *dirs, Error *err);
bool isolation_page(Html *html, const char *file, Error *err);
bool bench_page(Html *html, const char *journal, Error *err);

/* For campaign_page and bugs_page: the fields that filter a list of bugs, and the list. Words are those that occur. */
void bug_filters(Html *html, const StrList *compilers, const StrList *kinds, const StrList *passes, size_t bugs);

#endif
