#include "clang/tree.h"

#include <stdlib.h>
#include <string.h>

void tree_free(Tree *tree) {
    if (!tree)
        return;
    arena_release(&tree->arena);
    vec_release(&tree->externals);
    vec_release(&tree->tokens);
    free(tree);
}

Node *node_skip(const Node *node, const Node *top) {
    while (node != top && !node->next)
        node = node->parent;
    return node == top ? NULL : node->next;
}

Node *node_next(const Node *node, const Node *top) { return node->first ? node->first : node_skip(node, top); }

Node *node_child(const Node *node, NodeRole role) {
    Node *child = node->first;
    while (child && child->role != role)
        child = child->next;
    return child;
}

size_t node_child_count(const Node *node) {
    size_t count = 0;
    for (const Node *child = node->first; child; child = child->next)
        count++;
    return count;
}

/* Variables of one declaration overlap, so all children are looked at, the smallest cover wins. */
Node *node_at(const Tree *tree, uint32_t begin, uint32_t end) {
    Node *node = tree->root;
    for (;;) {
        Node *inner = NULL;
        for (Node *child = node->first; child; child = child->next)
            if (child->begin <= begin && end <= child->end &&
                (!inner || child->end - child->begin < inner->end - inner->begin))
                inner = child;
        if (!inner)
            return node;
        node = inner;
    }
}

Node *node_function(const Node *node) {
    for (; node; node = node->parent)
        if (node->kind == NODE_FUNCTION && (node->flags & NODE_DEFINITION))
            return (Node *)node;
    return NULL;
}

Node *node_statement(const Node *node) {
    while (node && !node_is_statement(node))
        node = node->parent;
    return (Node *)node;
}

bool node_contains(const Node *outer, const Node *inner) {
    while (inner && inner != outer)
        inner = inner->parent;
    return inner != NULL;
}

bool node_is_expression(const Node *node) {
    return node->kind >= NODE_NAME || (node->kind == NODE_OTHER && node->type);
}

bool node_is_declaration(const Node *node) { return node->kind >= NODE_FUNCTION && node->kind <= NODE_TYPEDEF; }

bool node_is_statement(const Node *node) {
    if (node->kind >= NODE_COMPOUND && node->kind <= NODE_ASM)
        return true;
    const Node *parent = node->parent;
    if (!parent || !node_is_expression(node))
        return false;
    if (parent->kind == NODE_IF)
        return node->role == ROLE_THEN || node->role == ROLE_ELSE;
    return parent->kind == NODE_COMPOUND || node->role == ROLE_BODY;
}

const Node *node_without_parens(const Node *node) {
    while (node->kind == NODE_PAREN && node->first)
        node = node->first;
    return node;
}

bool node_is_lvalue(const Node *node) {
    node = node_without_parens(node);
    if (node->kind == NODE_NAME)
        return node->decl && (node->decl->kind == NODE_VARIABLE || node->decl->kind == NODE_PARAMETER);
    return node->kind == NODE_MEMBER || node->kind == NODE_SUBSCRIPT ||
           (node->kind == NODE_UNARY && node->op == OP_DEREF) || node->kind == NODE_COMPOUND_LITERAL;
}

/* Goes up while the parent denotes a part of the same object: x.member, (x), x[i] of an array. */
static const Node *whole_access(const Node *node) {
    for (const Node *parent = node->parent; parent; node = parent, parent = node->parent) {
        bool part = parent->kind == NODE_PAREN ||
                    (parent->kind == NODE_MEMBER && node->type && node->type->class == TYPE_RECORD) ||
                    (parent->kind == NODE_SUBSCRIPT && node->role == ROLE_LEFT && node->type &&
                     (node->type->class == TYPE_ARRAY || node->type->class == TYPE_VECTOR));
        if (!part)
            break;
    }
    return node;
}

bool node_is_modified(const Node *node) {
    const Node *whole = whole_access(node), *parent = whole->parent;
    if (!parent)
        return false;
    if (whole->type && whole->type->class == TYPE_ARRAY && parent->kind != NODE_SIZEOF)
        return true;
    if (parent->kind == NODE_UNARY)
        return operator_category(parent->op) == CATEGORY_STEP || parent->op == OP_ADDRESS || parent->op == OP_REAL ||
               parent->op == OP_IMAG;
    return parent->kind == NODE_ASM || (parent->kind == NODE_ASSIGN && whole->role == ROLE_LEFT);
}

uint32_t statement_end(const Tree *tree, const Node *statement) {
    size_t i = token_at_or_after(&tree->tokens, statement->end);
    bool closed = statement->end > 0 && (tree->text[statement->end - 1] == ';' || statement->kind == NODE_COMPOUND);
    if (closed || i == tree->tokens.len || !token_is(tree->text, &tree->tokens.items[i], ";"))
        return statement->last && statement->end == statement->last->end && node_is_statement(statement->last)
                   ? statement_end(tree, statement->last)
                   : statement->end;
    return tree->tokens.items[i].end;
}

const char *node_kind_name(NodeKind kind) {
    static const char *const names[] = {
        "root",
        "other",
        "function",
        "variable",
        "parameter",
        "field",
        "record",
        "enum",
        "enumerator",
        "typedef",
        "type-ref",
        "attribute",
        "static-assert",
        "compound",
        "declaration",
        "label",
        "case",
        "default",
        "if",
        "switch",
        "while",
        "do",
        "for",
        "goto",
        "indirect-goto",
        "continue",
        "break",
        "return",
        "null",
        "asm",
        "name",
        "member",
        "integer",
        "float",
        "character",
        "string",
        "imaginary",
        "call",
        "unary",
        "binary",
        "assign",
        "conditional",
        "cast",
        "paren",
        "subscript",
        "init-list",
        "compound-literal",
        "sizeof",
        "statement-expression",
        "address-of-label",
        "generic",
    };
    return names[kind];
}
