#include "reduce/span.h"

#include <string.h>

#include "base/str.h"

Span span_of(const Node *node) { return (Span){node->begin, node->end}; }

Span span_whole(const Tree *tree, const Node *node) {
    if (node->kind == NODE_FUNCTION && node->last && node->last->kind == NODE_COMPOUND)
        return span_of(node);
    uint32_t end = statement_end(tree, node);
    return (Span){node->begin, MAX_OF(end, node->end)};
}

const Token *token_from(const Tree *tree, uint32_t offset) {
    size_t i = token_at_or_after(&tree->tokens, offset);
    return i < tree->tokens.len ? &tree->tokens.items[i] : NULL;
}

const Token *token_before(const Tree *tree, uint32_t offset) {
    size_t i = token_at_or_after(&tree->tokens, offset);
    return i ? &tree->tokens.items[i - 1] : NULL;
}

Span span_item(const Tree *tree, const Node *item) {
    const Token *after = token_from(tree, item->end), *before = token_before(tree, item->begin);
    if (after && token_is(tree->text, after, ","))
        return (Span){item->begin, after->end};
    if (before && token_is(tree->text, before, ","))
        return (Span){before->begin, item->end};
    return span_of(item);
}

const Token *token_closing(const Tree *tree, const Token *open) {
    const Token *end = tree->tokens.items + tree->tokens.len;
    int depth = 0;
    for (const Token *token = open; token < end; token++) {
        char c = tree->text[token->begin];
        bool single = token->end - token->begin == 1 && token->kind == TOKEN_PUNCTUATION;
        depth += single && strchr("([{", c) != NULL;
        depth -= single && strchr(")]}", c) != NULL;
        if (!depth)
            return token;
    }
    return NULL;
}

bool node_editable(const Node *node) {
    return !(node->flags & (NODE_IN_MACRO | NODE_EXTERNAL)) && node->end > node->begin;
}

bool node_has_text(const Tree *tree, const Node *node, const char *text) {
    size_t len = strlen(text);
    return node->end - node->begin == len && memcmp(tree->text + node->begin, text, len) == 0;
}

void node_uses(const Tree *tree, const Node *decl, NodeList *ret_uses) {
    for (Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->kind != NODE_NAME || !node->decl || !node_editable(node))
            continue;
        bool same_function = node->decl->kind == NODE_FUNCTION && decl->kind == NODE_FUNCTION && node->decl->name &&
                             str_equal(node->decl->name, decl->name);
        if (node->decl == decl || same_function)
            vec_push(ret_uses, node);
    }
}

/* Inside functions a declaration is a node around its variables; elsewhere they start together. */
const Node *declared_before(const Node *variable) {
    const Node *previous = variable->previous;
    bool together = previous && previous->kind == variable->kind &&
                    (previous->begin == variable->begin || variable->parent->kind == NODE_DECLARATION);
    return together ? previous : NULL;
}

bool declared_alone(const Node *variable) {
    return !declared_before(variable) && !(variable->next && declared_before(variable->next));
}

const Node *function_body(const Node *function) {
    return function->kind == NODE_FUNCTION && function->last && function->last->kind == NODE_COMPOUND ? function->last
                                                                                                      : NULL;
}

size_t parameter_index(const Node *parameter) {
    size_t index = 0;
    for (const Node *node = parameter->parent->first; node != parameter; node = node->next)
        index += node->kind == NODE_PARAMETER;
    return index;
}

const Node *call_argument(const Node *call, size_t index) {
    for (const Node *child = call->kind == NODE_CALL ? call->first : NULL; child; child = child->next)
        if (child->role == ROLE_ARGUMENT && !index--)
            return child;
    return NULL;
}

const Node *node_own_statement(const Node *expression) {
    const Node *node = expression;
    while (node->parent && node->parent->kind == NODE_PAREN)
        node = node->parent;
    return node_is_statement(node) ? node : NULL;
}
