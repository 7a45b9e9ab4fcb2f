/* Lexing: the tokens of a C text with their byte ranges. It needs no parser, so it works on text that does not compile.
 *
 * Comments and white space are no tokens. Backslash-newline inside a token is not joined: such tokens are rare, and the
 * ranges stay true to the text.
 */
#ifndef CLANG_LEX_H
#define CLANG_LEX_H

#include "base/vec.h"

typedef enum TokenKind {
    TOKEN_NAME, /* identifiers and keywords */
    TOKEN_NUMBER,
    TOKEN_CHARACTER,
    TOKEN_STRING,
    TOKEN_PUNCTUATION,
    TOKEN_STRAY, /* a byte that starts no token */
} TokenKind;

typedef struct Token {
    TokenKind kind;
    uint32_t begin, end; /* bytes */
    bool directive;      /* on the line of a preprocessor directive */
} Token;

typedef Vec(Token) TokenList;

void lex(const char *text, size_t len, TokenList *ret_tokens); /* appends, in the order of the text */

/* The first token at or after the byte, as an index; tokens->len if there is none. */
size_t token_at_or_after(const TokenList *tokens, uint32_t offset);
bool token_is(const char *text, const Token *token, const char *spelling);

#endif
