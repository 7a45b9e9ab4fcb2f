#include "clang/lex.h"

#include <ctype.h>
#include <string.h>

typedef struct Lexer {
    const char *text;
    size_t len, at;
    bool directive;     /* inside a preprocessor line */
    bool line_is_empty; /* nothing but white space and comments so far */
} Lexer;

static char peek(const Lexer *lexer, size_t ahead) {
    return lexer->at + ahead < lexer->len ? lexer->text[lexer->at + ahead] : '\0';
}

static bool starts(const Lexer *lexer, const char *word) {
    size_t n = strlen(word);
    return lexer->len - lexer->at >= n && memcmp(lexer->text + lexer->at, word, n) == 0;
}

static void skip_blank(Lexer *lexer) {
    while (lexer->at < lexer->len) {
        if (starts(lexer, "/*")) {
            const char *close = memmem(lexer->text + lexer->at + 2, lexer->len - lexer->at - 2, "*/", 2);
            lexer->at = close ? (size_t)(close - lexer->text) + 2 : lexer->len;
        } else if (starts(lexer, "//")) { /* to the line's end, which a backslash hides */
            while (lexer->at < lexer->len && (peek(lexer, 0) != '\n' || lexer->text[lexer->at - 1] == '\\'))
                lexer->at++;
        } else if (starts(lexer, "\\\n")) {
            lexer->at += 2;
        } else if (peek(lexer, 0) == '\n') {
            lexer->at++;
            lexer->directive = false;
            lexer->line_is_empty = true;
        } else if (isspace((unsigned char)peek(lexer, 0))) {
            lexer->at++;
        } else {
            return;
        }
    }
}

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* A preprocessing number: digits, letters, points, and signs behind an exponent. */
static void lex_number(Lexer *lexer) {
    for (char c = peek(lexer, 0); is_name_char(c) || c == '.'; c = peek(lexer, 0)) {
        bool exponent = strchr("eEpP", c) && (peek(lexer, 1) == '+' || peek(lexer, 1) == '-');
        lexer->at += exponent ? 2 : 1;
    }
}

/* Up to the closing quote; an unclosed one ends with its line, so that the rest of the text keeps its tokens. */
static void lex_quoted(Lexer *lexer, char quote) {
    lexer->at++;
    while (lexer->at < lexer->len && peek(lexer, 0) != quote && peek(lexer, 0) != '\n')
        lexer->at += peek(lexer, 0) == '\\' ? 2 : 1;
    lexer->at = MIN_OF(lexer->at, lexer->len);
    if (peek(lexer, 0) == quote)
        lexer->at++;
}

/* The length of the encoding prefix of a literal, L u U u8, or 0. */
static size_t literal_prefix(const Lexer *lexer) {
    static const char *const prefixes[] = {"u8", "L", "u", "U"};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        char quote = peek(lexer, strlen(prefixes[i]));
        if (starts(lexer, prefixes[i]) && (quote == '"' || quote == '\''))
            return strlen(prefixes[i]);
    }
    return 0;
}

/* Longest first, so that the first match is the token. */
static const char *const punctuators[] = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "<%",
    "%>",  "<:",  ":>",  "%:", "*=", "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "::", "["};

static TokenKind lex_punctuation(Lexer *lexer) {
    for (size_t i = 0; i < ARRAY_LEN(punctuators); i++) {
        if (starts(lexer, punctuators[i])) {
            lexer->at += strlen(punctuators[i]);
            return TOKEN_PUNCTUATION;
        }
    }
    return strchr("](){}.&*+-~!/%<>^|?:;=,#", lexer->text[lexer->at++]) ? TOKEN_PUNCTUATION : TOKEN_STRAY;
}

static TokenKind lex_token(Lexer *lexer) {
    size_t prefix = literal_prefix(lexer);
    char c = peek(lexer, prefix);
    if (c == '"' || c == '\'') {
        lexer->at += prefix;
        lex_quoted(lexer, c);
        return c == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek(lexer, 1)))) {
        lex_number(lexer);
        return TOKEN_NUMBER;
    }
    if (is_name_char(c)) {
        while (is_name_char(peek(lexer, 0)))
            lexer->at++;
        return TOKEN_NAME;
    }
    return lex_punctuation(lexer);
}

void lex(const char *text, size_t len, TokenList *ret_tokens) {
    Lexer lexer = {.text = text, .len = len, .line_is_empty = true};
    for (skip_blank(&lexer); lexer.at < len; skip_blank(&lexer)) {
        Token token = {.begin = (uint32_t)lexer.at};
        lexer.directive |= lexer.line_is_empty && peek(&lexer, 0) == '#';
        lexer.line_is_empty = false;
        token.kind = lex_token(&lexer);
        token.end = (uint32_t)lexer.at;
        token.directive = lexer.directive;
        vec_push(ret_tokens, token);
    }
}

size_t token_at_or_after(const TokenList *tokens, uint32_t offset) {
    size_t low = 0, high = tokens->len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tokens->items[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool token_is(const char *text, const Token *token, const char *spelling) {
    size_t n = strlen(spelling);
    return token->end - token->begin == n && memcmp(text + token->begin, spelling, n) == 0;
}
