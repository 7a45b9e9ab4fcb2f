#include "report/document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/sha256.h"

static bool read_asset(const char *name, Str *ret_text, Error *err) {
    CLEANUP(str_release) Str path = {0};
    return path_runtime(name, &path, err) && file_read(str_text(&path), ret_text, err);
}

static void append_hash(Str *policy, const Str *asset) {
    char hash[SHA256_BASE64_SIZE];
    sha256_base64(str_text(asset), asset->len, hash);
    str_printf(policy, " 'sha256-%s'", hash);
}

static void append_head(Html *html, const char *title, const Str *style, const Str *script, const Str *live_script) {
    CLEANUP(str_release) Str policy = {0};
    str_append(&policy, "default-src 'none'; style-src");
    append_hash(&policy, style);
    str_append(&policy, "; script-src");
    append_hash(&policy, script);
    if (live_script->len) {
        append_hash(&policy, live_script);
        str_append(&policy, "; connect-src 'self'");
    }
    str_append(&policy, "; base-uri 'none'; form-action 'none'");
    html_open(html, "head", NULL);
    html_void(html, "meta", "charset", "utf-8", NULL);
    html_void(html, "meta", "http-equiv", "Content-Security-Policy", "content", str_text(&policy), NULL);
    html_void(html, "meta", "name", "viewport", "content", "width=device-width, initial-scale=1", NULL);
    html_void(html, "meta", "name", "color-scheme", "content", "light dark", NULL);
    html_void(html, "meta", "name", "referrer", "content", "no-referrer", NULL);
    html_leaf(html, "title", title, NULL);
    html_asset(html, "style", str_text(style), style->len);
    html_close(html);
}

bool document_begin(Html *html, const char *title, bool live, Error *err) {
    CLEANUP(str_release) Str style = {0}, script = {0}, live_script = {0};
    if (!read_asset("report/page.css", &style, err) || !read_asset("report/page.js", &script, err) ||
        (live && !read_asset("report/live.js", &live_script, err)))
        return false;
    str_append(html->out, "<!doctype html>\n");
    html_open(html, "html", "lang", "en", NULL);
    append_head(html, title, &style, &script, &live_script);
    html_open(html, "body", NULL);
    html_leaf(html, "a", "Skip to the results", "href", "#main", "class", "skip", NULL);
    /* Scripts stand in front of what they act on and wait for the document, so that none can be split by a text. */
    html_asset(html, "script", str_text(&script), script.len);
    if (live)
        html_asset(html, "script", str_text(&live_script), live_script.len);
    html_open(html, "main", "id", "main", "tabindex", "-1", NULL);
    return true;
}

void document_end(Html *html) {
    html_open(html, "footer", NULL);
    html_text(html, "Made by culprit report. The page is complete in itself: it loads nothing and sends nothing.");
    html_close(html);
    html_close_to(html, 0);
    str_append_char(html->out, '\n');
}

void document_section(Html *html, const char *id, const char *heading) {
    html_open(html, "section", "id", id, NULL);
    html_leaf(html, "h2", heading, NULL);
}

void document_navigation(Html *html, ...) {
    va_list links;
    va_start(links, html);
    html_open(html, "nav", "aria-label", "Sections", NULL);
    for (const char *id; (id = va_arg(links, const char *));) {
        CLEANUP(str_release) Str target = {0};
        str_printf(&target, "#%s", id);
        html_leaf(html, "a", va_arg(links, const char *), "href", str_text(&target), NULL);
    }
    html_close(html);
    va_end(links);
}

void document_tile(Html *html, const char *figure, const char *name, const char *note) {
    html_open(html, "div", "class", "tile", NULL);
    html_leaf(html, "dt", name, NULL);
    html_leaf(html, "dd", figure, NULL);
    if (note && *note)
        html_leaf(html, "dd", note, "class", "note", NULL);
    html_close(html);
}

void document_code_begin(Html *html, const char *label) {
    CLEANUP(str_release) Str action = {0};
    str_printf(&action, "Copy %s", label);
    html_open(html, "div", "class", "code", NULL);
    html_leaf(html, "button", "Copy", "type", "button", "class", "copy", "hidden", "", "aria-label", str_text(&action),
              NULL);
    html_open(html, "pre", "tabindex", "0", "role", "region", "aria-label", label, NULL);
}

void document_code_end(Html *html) {
    html_close(html);
    html_close(html);
}

void document_count(Str *text, uint64_t value) {
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            str_append_char(text, ',');
        str_append_char(text, digits[i]);
    }
}

void document_seconds(Str *text, double seconds) {
    if (seconds < 1)
        str_printf(text, "%.0f ms", seconds * 1000);
    else if (seconds < 120)
        str_printf(text, "%.3g s", seconds);
    else if (seconds < 2 * 3600)
        str_printf(text, "%.3g min", seconds / 60);
    else
        str_printf(text, "%.3g h", seconds / 3600);
}
