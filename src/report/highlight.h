/* Texts with colours: C by the words of the language, diffs by their lines, two outputs by where they differ.
 *
 * Everything goes through Html, and adds only <span> with a class: kw, num, str, cmt, pre; add, del, hunk; differs.
 */
#ifndef REPORT_HIGHLIGHT_H
#define REPORT_HIGHLIGHT_H

#include "report/html.h"

void highlight_c(Html *html, const char *text, size_t len);
/* One line of several; whether it begins, and ends, inside of a comment. */
void highlight_c_line(Html *html, const char *line, bool *in_comment);
void highlight_diff(Html *html, const char *text);
/* `text`, with the lines marked that differ from those of `other`. At most `most` lines; what is left out is said. */
void highlight_lines(Html *html, const char *text, const char *other, size_t most);

#endif
