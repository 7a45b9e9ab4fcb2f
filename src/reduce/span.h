/* Spans: pieces of the text that belong together when they go. */
#ifndef REDUCE_SPAN_H
#define REDUCE_SPAN_H

#include "clang/tree.h"

typedef struct Span {
    uint32_t begin, end;
} Span;

Span span_of(const Node *node);
/* A statement or declaration with its semicolon; a function definition ends with its brace. */
Span span_whole(const Tree *tree, const Node *node);
/* An item of a comma-separated list with one of its commas: parameters, arguments, initialisers, enumerators. */
Span span_item(const Tree *tree, const Node *item);

/* The token that starts at or after the byte, before the byte; NULL if there is none. */
const Token *token_from(const Tree *tree, uint32_t offset);
const Token *token_before(const Tree *tree, uint32_t offset);
/* The bracket that closes the one at `open`; NULL if it stays open. */
const Token *token_closing(const Tree *tree, const Token *open);

bool node_editable(const Node *node); /* stands in the text itself, not in a macro or another file */
bool node_has_text(const Tree *tree, const Node *node, const char *text);
/* Every NODE_NAME that refers to the declaration (any of its redeclarations, by name and kind). */
void node_uses(const Tree *tree, const Node *decl, NodeList *ret_uses);
/* Of `int a, b;` b is declared behind a; NULL for the first of a declaration. */
const Node *declared_before(const Node *variable);
bool declared_alone(const Node *variable);
const Node *function_body(const Node *function); /* NULL: a prototype, or no function */
size_t parameter_index(const Node *parameter);
const Node *call_argument(const Node *call, size_t index); /* NULL: there is none, or this is no call */
/* The expression statement that is nothing but this expression (parentheses aside), or NULL. */
const Node *node_own_statement(const Node *expression);

#endif
