/* What libclang does not say: what a child is to its parent, and where an operator stands. Both follow from the order
 * of the children and from the tokens between them.
 */
#include <string.h>

#include "clang/internal.h"

static void set_roles(Node *node, const NodeRole *roles, size_t count) {
    size_t i = 0;
    for (Node *child = node->first; child; child = child->next, i++)
        child->role = (uint8_t)roles[MIN_OF(i, count - 1)];
}

/* for (FIRST; CONDITION; STEP) BODY: any of the first three may be missing, so the semicolons decide. */
static void set_for_roles(const Tree *tree, Node *node) {
    const TokenList *tokens = &tree->tokens;
    uint32_t semicolons[2] = {node->end, node->end}, close = node->end;
    size_t found = 0, depth = 0;
    for (size_t i = token_at_or_after(tokens, node->begin); i < tokens->len && tokens->items[i].begin < node->end;
         i++) {
        char c = tree->text[tokens->items[i].begin];
        if (tokens->items[i].kind != TOKEN_PUNCTUATION)
            continue;
        depth += c == '(' || c == '{' || c == '[';
        if (c == ';' && depth == 1 && found < 2)
            semicolons[found++] = tokens->items[i].begin;
        if ((c == ')' || c == '}' || c == ']') && depth-- == 1) {
            close = tokens->items[i].begin;
            break;
        }
    }
    for (Node *child = node->first; child; child = child->next)
        child->role = child->begin < semicolons[0]   ? ROLE_FIRST
                      : child->begin < semicolons[1] ? ROLE_CONDITION
                      : child->begin < close         ? ROLE_STEP
                                                     : ROLE_BODY;
}

static void set_node_roles(const Tree *tree, Node *node) {
    static const NodeRole branch[] = {ROLE_CONDITION, ROLE_THEN, ROLE_ELSE};
    static const NodeRole loop[] = {ROLE_CONDITION, ROLE_BODY};
    static const NodeRole do_loop[] = {ROLE_BODY, ROLE_CONDITION};
    static const NodeRole call[] = {ROLE_CALLEE, ROLE_ARGUMENT};
    static const NodeRole pair[] = {ROLE_LEFT, ROLE_RIGHT};
    switch (node->kind) {
    case NODE_IF:
    case NODE_CONDITIONAL: set_roles(node, branch, 3); break;
    case NODE_WHILE:
    case NODE_SWITCH: set_roles(node, loop, 2); break;
    case NODE_DO: set_roles(node, do_loop, 2); break;
    case NODE_CALL: set_roles(node, call, 2); break;
    case NODE_BINARY:
    case NODE_ASSIGN:
    case NODE_SUBSCRIPT: set_roles(node, pair, 2); break;
    case NODE_FOR: set_for_roles(tree, node); break;
    case NODE_CASE: /* case LOW ... HIGH: BODY */
        for (Node *child = node->first; child; child = child->next)
            child->role = child->next ? ROLE_BOUND : ROLE_BODY;
        break;
    case NODE_FUNCTION:
    case NODE_DEFAULT:
    case NODE_LABEL:
        if (node->last)
            node->last->role = node->last->kind == NODE_COMPOUND || node->kind != NODE_FUNCTION ? ROLE_BODY : ROLE_NONE;
        break;
    case NODE_VARIABLE:
    case NODE_FIELD:
    case NODE_ENUMERATOR:
        for (Node *child = node->first; child; child = child->next)
            if (child->role == ROLE_NONE && node_is_expression(child))
                child->role = ROLE_BOUND;
        break;
    default: break;
    }
}

static void find_operator(const Tree *tree, Node *node) {
    const TokenList *tokens = &tree->tokens;
    if ((node->flags & NODE_IN_MACRO) || node->op == OP_NONE || !node->first)
        return;
    bool postfix = node->op == OP_POST_INC || node->op == OP_POST_DEC;
    bool prefix = node->kind == NODE_UNARY && !postfix;
    size_t at = token_at_or_after(tokens, prefix ? node->begin : node->first->end);
    if (at < tokens->len && token_is(tree->text, &tokens->items[at], operator_spelling(node->op))) {
        node->op_begin = tokens->items[at].begin;
        node->op_end = tokens->items[at].end;
    }
}

static bool is_constant_context(const Node *node) {
    const Node *parent = node->parent;
    if (node->kind == NODE_STATIC_ASSERT || node->kind == NODE_ATTRIBUTE || node->role == ROLE_BOUND)
        return true;
    return node->role == ROLE_INITIALIZER && (parent->flags & NODE_STATIC);
}

void tree_assign_roles(Tree *tree) {
    for (Node *node = tree->root; node; node = node_next(node, tree->root)) {
        node->index = (uint32_t)tree->nodes++;
        set_node_roles(tree, node);
        if (node->kind == NODE_UNARY || node->kind == NODE_BINARY || node->kind == NODE_ASSIGN)
            find_operator(tree, node);
        if (node->parent && ((node->parent->flags & NODE_CONSTANT) || is_constant_context(node)))
            node->flags |= NODE_CONSTANT;
    }
    for (size_t i = 0; i < tree->externals.len; i++)
        tree->externals.items[i]->index = (uint32_t)tree->nodes++;
}
