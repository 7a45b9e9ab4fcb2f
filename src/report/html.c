#include "report/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* The length of the UTF-8 sequence at `text`, or 0 if it is none: overlong forms, surrogates and what lies beyond U+10FFFF
 * are none. */
static size_t sequence_len(const unsigned char *text, size_t len) {
    unsigned char first = text[0];
    if (first < 0x80)
        return 1;
    size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
    bool surrogate = first == 0xed && text[1] > 0x9f, beyond = first == 0xf4 && text[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : n;
}

/* Bidirectional controls would let a hostile text reorder what stands around it (CVE-2021-42574): U+202A to U+202E and
 * U+2066 to U+2069. C1 controls are as invisible. */
static bool is_deceptive(const unsigned char *text, size_t n) {
    if (n == 2)
        return text[0] == 0xc2 && text[1] < 0xa0;
    if (n != 3 || text[0] != 0xe2)
        return false;
    return (text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
           (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9);
}

void html_escape(Str *out, const char *text, size_t len) {
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0, n; i < len; i += n) {
        unsigned char c = bytes[i];
        n = sequence_len(bytes + i, len - i);
        if (n == 0 || is_deceptive(bytes + i, n) || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            str_append(out, REPLACEMENT);
        else if (c == '&')
            str_append(out, "&amp;");
        else if (c == '<')
            str_append(out, "&lt;");
        else if (c == '>')
            str_append(out, "&gt;");
        else if (c == '"')
            str_append(out, "&quot;");
        else if (c == '\'')
            str_append(out, "&#39;");
        else
            str_append_n(out, text + i, n);
        n = n ? n : 1;
    }
}

static void append_tag(Html *html, const char *tag, va_list attributes) {
    str_printf(html->out, "<%s", tag);
    for (const char *name; (name = va_arg(attributes, const char *));) {
        const char *value = va_arg(attributes, const char *);
        if (!value)
            continue;
        str_printf(html->out, " %s=\"", name);
        html_escape(html->out, value, strlen(value));
        str_append_char(html->out, '"');
    }
    str_append_char(html->out, '>');
}

static void push(Html *html, const char *tag) {
    BUG_ON(html->depth == HTML_DEPTH);
    html->open[html->depth++] = tag;
}

void html_open(Html *html, const char *tag, ...) {
    va_list attributes;
    va_start(attributes, tag);
    append_tag(html, tag, attributes);
    va_end(attributes);
    push(html, tag);
}

void html_void(Html *html, const char *tag, ...) {
    va_list attributes;
    va_start(attributes, tag);
    append_tag(html, tag, attributes);
    va_end(attributes);
}

void html_close(Html *html) {
    BUG_ON(html->depth == 0);
    str_printf(html->out, "</%s>", html->open[--html->depth]);
}

void html_close_to(Html *html, size_t depth) {
    while (html->depth > depth)
        html_close(html);
}

void html_text(Html *html, const char *text) {
    if (text)
        html_escape(html->out, text, strlen(text));
}

void html_text_n(Html *html, const char *text, size_t len) { html_escape(html->out, text, len); }

void html_printf(Html *html, const char *format, ...) {
    CLEANUP(str_release) Str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    html_escape(html->out, str_text(&text), text.len);
}

void html_leaf(Html *html, const char *tag, const char *text, ...) {
    va_list attributes;
    va_start(attributes, text);
    append_tag(html, tag, attributes);
    va_end(attributes);
    html_text(html, text);
    str_printf(html->out, "</%s>", tag);
}

void html_asset(Html *html, const char *tag, const char *text, size_t len) {
    BUG_ON(memmem(text, len, "</", 2) || memmem(text, len, "<!--", 4));
    str_printf(html->out, "<%s>", tag);
    str_append_n(html->out, text, len);
    str_printf(html->out, "</%s>", tag);
}
