#include "report/highlight.h"

#include <stdlib.h>
#include <string.h>

#include "clang/lex.h"

/* Keywords of C and C++ that programs of generators and reducers have, in the order of bsearch. */
static const char *const keywords[] = {
    "_Alignas", "_Atomic",    "_Bool",   "_Complex",  "__attribute__", "__extension__", "__inline",
    "__int128", "__restrict", "asm",     "auto",      "bool",          "break",         "case",
    "char",     "class",      "const",   "constexpr", "continue",      "default",       "do",
    "double",   "else",       "enum",    "extern",    "float",         "for",           "goto",
    "if",       "inline",     "int",     "long",      "namespace",     "register",      "restrict",
    "return",   "short",      "signed",  "sizeof",    "static",        "struct",        "switch",
    "template", "this",       "typedef", "typename",  "union",         "unsigned",      "using",
    "void",     "volatile",   "while"};

static int compare_words(const void *key, const void *item) { return strcmp(key, *(const char *const *)item); }

static const char *class_of(const char *text, const Token *token) {
    static const char *const of_kind[] = {[TOKEN_NUMBER] = "num",
                                          [TOKEN_CHARACTER] = "str",
                                          [TOKEN_STRING] = "str",
                                          [TOKEN_PUNCTUATION] = NULL,
                                          [TOKEN_STRAY] = NULL};
    if (token->directive)
        return "pre";
    if (token->kind != TOKEN_NAME)
        return of_kind[token->kind];
    char word[16];
    size_t len = token->end - token->begin;
    if (len >= sizeof word)
        return NULL;
    memcpy(word, text + token->begin, len);
    word[len] = '\0';
    return bsearch(word, keywords, sizeof keywords / sizeof *keywords, sizeof *keywords, compare_words) ? "kw" : NULL;
}

static void put_span(Html *html, const char *class, const char *text, size_t len) {
    if (class)
        html_open(html, "span", "class", class, NULL);
    html_text_n(html, text, len);
    if (class)
        html_close(html);
}

/* Between tokens are white space and comments; one class is enough for both. */
static void put_gap(Html *html, const char *text, size_t len) {
    put_span(html, memchr(text, '/', len) ? "cmt" : NULL, text, len);
}

void highlight_c(Html *html, const char *text, size_t len) {
    TokenList tokens = {0};
    size_t at = 0;
    lex(text, len, &tokens);
    for (size_t i = 0; i < tokens.len; i++) {
        const Token *token = &tokens.items[i];
        put_gap(html, text + at, token->begin - at);
        put_span(html, class_of(text, token), text + token->begin, token->end - token->begin);
        at = token->end;
    }
    put_gap(html, text + at, len - at);
    vec_release(&tokens);
}

void highlight_c_line(Html *html, const char *line, bool *in_comment) {
    if (*in_comment) {
        const char *end = strstr(line, "*/");
        size_t len = end ? (size_t)(end + 2 - line) : strlen(line);
        put_span(html, "cmt", line, len);
        line += len;
        *in_comment = end == NULL;
    }
    highlight_c(html, line, strlen(line));
    TokenList tokens = {0};
    lex(line, strlen(line), &tokens);
    const char *rest = line + (tokens.len ? vec_last(&tokens).end : 0), *open = strstr(rest, "/*");
    *in_comment |= open && !strstr(open + 2, "*/");
    vec_release(&tokens);
}

void highlight_diff(Html *html, const char *text) {
    while (*text) {
        size_t len = strcspn(text, "\n");
        const char *class = str_starts(text, "+++") || str_starts(text, "---") || str_starts(text, "@@") ? "hunk"
                            : *text == '+'                                                               ? "add"
                            : *text == '-'                                                               ? "del"
                                                                                                         : NULL;
        put_span(html, class, text, len);
        text += len;
        if (*text == '\n')
            html_text_n(html, text++, 1);
    }
}

void highlight_lines(Html *html, const char *text, const char *other, size_t most) {
    size_t shown = 0;
    for (; *text && shown < most; shown++) {
        size_t len = strcspn(text, "\n"), other_len = strcspn(other, "\n");
        bool differs = len != other_len || memcmp(text, other, len) != 0;
        put_span(html, differs ? "differs" : NULL, text, len);
        html_text_n(html, "\n", 1);
        text += len + (text[len] == '\n');
        other += other_len + (other[other_len] == '\n');
    }
    if (*text)
        html_printf(html, "… %zu more bytes\n", strlen(text));
    else if (shown == 0)
        html_leaf(html, "span", "(nothing)", "class", *other ? "differs" : "cmt", NULL);
}
