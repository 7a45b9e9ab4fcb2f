/* Html: writes a document in which text is always text.
 *
 * There is no way to put markup but by the name of an element or an attribute, which are words of our own; every text and
 * every attribute's value goes through escaping, so that what a program printed, a file name or a compiler's message can
 * never become part of the page. Bytes that are no UTF-8, and control characters, are replaced by U+FFFD.
 *
 *     Html html = {.out = &text};
 *     html_open(&html, "p", "class", "note", NULL);              attributes in pairs, up to NULL; a NULL value leaves one out
 *     html_text(&html, "a < b");
 *     html_close(&html);                                         the element opened last
 *     html_leaf(&html, "td", str_text(&name), "class", "name", NULL);
 *
 * The document must close what it opens: html_close_to returns to a depth that was kept.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "base/str.h"

enum { HTML_DEPTH = 64 };

typedef struct Html {
    Str *out;
    const char *open[HTML_DEPTH]; /* names of the elements that are open */
    size_t depth;
} Html;

void html_open(Html *html, const char *tag, ...) __attribute__((sentinel));
void html_void(Html *html, const char *tag, ...)
    __attribute__((sentinel)); /* an element without content: meta, input, br */
void html_close(Html *html);
void html_close_to(Html *html, size_t depth);
void html_text(Html *html, const char *text); /* NULL: nothing */
void html_text_n(Html *html, const char *text, size_t len);
void html_printf(Html *html, const char *format, ...) PRINTF_LIKE(2, 3); /* escaped as a whole */
/* An element with a text in it. */
void html_leaf(Html *html, const char *tag, const char *text, ...) __attribute__((sentinel));

/* Text as it is, for the style sheet and scripts that come with culprit, and nothing else: BUG() where it contains what
 * would end its element. */
void html_asset(Html *html, const char *tag, const char *text, size_t len);

/* The escaping itself: also fit for attribute values in double quotes. */
void html_escape(Str *out, const char *text, size_t len);

#endif
