#include "reduce/layout.h"

#include <string.h>

#include "clang/lex.h"

typedef struct Layout {
    const char *text;
    Str *out;
    int depth;       /* of braces */
    int parentheses; /* open now: a semicolon inside a for head ends no line */
    int lists;       /* braces of initialisers open now: they stay on the line */
    bool line_start;
} Layout;

static void new_line(Layout *layout) {
    if (!layout->line_start)
        str_append_char(layout->out, '\n');
    layout->line_start = true;
}

static bool is_word(const Token *token) {
    return token->kind == TOKEN_NAME || token->kind == TOKEN_NUMBER || token->kind == TOKEN_STRING ||
           token->kind == TOKEN_CHARACTER;
}

static bool one_of(const char *text, const Token *token, const char *const *spellings) {
    for (; *spellings; spellings++)
        if (token_is(text, token, *spellings))
            return true;
    return false;
}

/* A sign or star behind a word or a closing bracket has two operands. */
static bool is_binary(const char *text, const Token *before, const Token *token) {
    static const char *const closing[] = {")", "]", NULL};
    static const char *const keywords[] = {"return", "case", "goto", "else", NULL};
    static const char *const either[] = {"+", "-", "*", "&", NULL};
    static const char *const never[] = {"++", "--", "!", "~", ".", "->", ",", ";",   ":",
                                        "?",  "(",  ")", "[", "]", "{",  "}", "...", NULL};
    if (token->kind != TOKEN_PUNCTUATION)
        return false;
    if (one_of(text, token, either))
        return before && ((is_word(before) && !one_of(text, before, keywords)) || one_of(text, before, closing));
    return !one_of(text, token, never);
}

/* Whether a space stands between two tokens of one line. */
static bool is_spaced(const char *text, const Token *before2, const Token *before, const Token *token) {
    static const char *const tight_after[] = {"(", "[", "!", "~", ".", "->", "++", "--", NULL};
    static const char *const tight_before[] = {")", "]", ",", ";", ".", "->", "[", "++", "--", ":", NULL};
    static const char *const heads[] = {"if", "for", "while", "switch", "return", NULL};
    if (is_word(before) && is_word(token))
        return true;
    if (is_binary(text, before, token) || is_binary(text, before2, before))
        return true;
    if (token_is(text, token, "("))
        return !is_word(before) || one_of(text, before, heads)
                   ? !one_of(text, before, tight_after) && !token_is(text, before, ")")
                   : false;
    if (one_of(text, token, tight_before) || one_of(text, before, tight_after))
        return token_is(text, token, "++") || token_is(text, token, "--")
                   ? false
                   : token_is(text, before, ")") && is_word(token);
    bool unary =
        before->kind == TOKEN_PUNCTUATION && strchr("+-*&", text[before->begin]) && before->end - before->begin == 1;
    return !unary;
}

static void put(Layout *layout, const Token *before2, const Token *before, const Token *token) {
    if (layout->line_start)
        for (int i = 0; i < layout->depth; i++)
            str_append(layout->out, "  ");
    else if (is_spaced(layout->text, before2, before, token))
        str_append_char(layout->out, ' ');
    str_append_n(layout->out, layout->text + token->begin, token->end - token->begin);
    layout->line_start = false;
}

/* A directive is kept to the letter, on a line of its own; returns the index of its last token. */
static size_t put_directive(Layout *layout, const TokenList *tokens, size_t i, size_t len) {
    new_line(layout);
    const char *line = layout->text + tokens->items[i].begin;
    const char *end = memchr(line, '\n', len - tokens->items[i].begin);
    size_t line_len = end ? (size_t)(end - line) : len - tokens->items[i].begin;
    while (end && end[-1] == '\\') { /* continued */
        const char *next = memchr(end + 1, '\n', len - (size_t)(end + 1 - layout->text));
        line_len = next ? (size_t)(next - line) : len - tokens->items[i].begin;
        end = next;
    }
    str_append_n(layout->out, line, line_len);
    str_append_char(layout->out, '\n');
    uint32_t stop = tokens->items[i].begin + (uint32_t)line_len;
    while (i + 1 < tokens->len && tokens->items[i + 1].begin < stop)
        i++;
    return i;
}

/* Whether what follows a closing brace stays on its line: ";", the "while" of a do, the name that a struct declares. */
static bool belongs_to_brace(const char *text, const Token *after, const Token *after2) {
    static const char *const ends[] = {";", ",", ")", "while", "*", NULL};
    static const char *const name_ends[] = {";", ",", "=", "[", NULL};
    if (!after || after->directive)
        return false;
    return one_of(text, after, ends) || (after->kind == TOKEN_NAME && after2 && one_of(text, after2, name_ends));
}

static void put_token(Layout *layout, const TokenList *tokens, size_t i) {
    const Token *token = &tokens->items[i], *before = i ? token - 1 : NULL, *before2 = i > 1 ? token - 2 : NULL;
    const Token *after = i + 1 < tokens->len ? token + 1 : NULL;
    bool open = token_is(layout->text, token, "{"), close = token_is(layout->text, token, "}");
    bool list = open && before && (token_is(layout->text, before, "=") || layout->lists);
    layout->lists += list;
    if (close && !layout->lists) {
        layout->depth -= layout->depth > 0;
        new_line(layout);
    }
    put(layout, before2, before, token);
    layout->parentheses += token_is(layout->text, token, "(");
    layout->parentheses -= token_is(layout->text, token, ")") && layout->parentheses;
    if (open && !list) {
        layout->depth++;
        new_line(layout);
    } else if (close && layout->lists)
        layout->lists--;
    else if (close && !belongs_to_brace(layout->text, after, i + 2 < tokens->len ? token + 2 : NULL))
        new_line(layout);
    else if (token_is(layout->text, token, ";") && !layout->parentheses)
        new_line(layout);
    else if (token_is(layout->text, token, ":") && !layout->parentheses && before2 == NULL)
        new_line(layout);
}

void layout(const char *text, size_t len, Str *ret_text) {
    TokenList tokens = {0};
    lex(text, len, &tokens);
    Layout state = {.text = text, .out = ret_text, .line_start = true};
    for (size_t i = 0; i < tokens.len; i++)
        if (tokens.items[i].directive)
            i = put_directive(&state, &tokens, i, len), state.line_start = true;
        else
            put_token(&state, &tokens, i);
    new_line(&state);
    vec_release(&tokens);
}
