/* Document: the page around its sections: head, policy, style, scripts.
 *
 * The page is one file. Style sheet and scripts are files of the project (src/report/assets, installed to
 * lib/culprit/report) that are copied into it; a Content-Security-Policy names them by their hashes and forbids everything
 * else: other scripts, styles in attributes, images, frames, forms, and every connection, unless the page is live (served).
 *
 *     Html html = {.out = &text};
 *     if (!document_begin(&html, "Title", false, err)) …
 *     sections …
 *     document_end(&html);
 */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include "base/error.h"
#include "report/html.h"

bool document_begin(Html *html, const char *title, bool live, Error *err);
void document_end(Html *html);

/* A section with a heading; its `id` is what the page's navigation points at. The caller closes it by html_close. */
void document_section(Html *html, const char *id, const char *heading);
/* Links to sections, in pairs of id and name, up to NULL. */
void document_navigation(Html *html, ...) __attribute__((sentinel));

/* A figure of the summary: large, with what it counts below. */
void document_tile(Html *html, const char *figure, const char *name, const char *note);
/* A text of many lines with a copy button; `label` names it for those who do not see it. Close with document_code_end. */
void document_code_begin(Html *html, const char *label);
void document_code_end(Html *html);

/* Figures for people: 1,234,567; 12.3 h; 4.5 KB. They append. */
void document_count(Str *text, uint64_t value);
void document_seconds(Str *text, double seconds);

#endif
