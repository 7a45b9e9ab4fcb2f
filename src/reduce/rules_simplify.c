/* Simplification: control flow becomes straight, expressions become their operands or constants. */
#include <string.h>

#include "base/str.h"
#include "reduce/format.h"
#include "reduce/rules.h"
#include "reduce/span.h"

/* Replaces `node` by the text of its part. */
static void replace_by(const Tree *tree, Atoms *atoms, Span whole, Span part) {
    atoms_begin(atoms);
    atoms_edit(atoms, whole.begin, whole.end, tree->text + part.begin, part.end - part.begin);
}

/* --- Statements --- */

static void replace_statement(const Tree *tree, Atoms *atoms, const Node *statement, const Node *part) {
    if (!part || !node_editable(part) || !node_editable(statement))
        return;
    Span span = span_whole(tree, part);
    if (node_is_statement(part)) {
        replace_by(tree, atoms, span_whole(tree, statement), span);
        return;
    }
    CLEANUP(str_release) Str text = {0}; /* an expression: "if (e) …" becomes "e;" */
    str_append_n(&text, tree->text + part->begin, part->end - part->begin);
    str_append_char(&text, ';');
    Span whole = span_whole(tree, statement);
    atoms_replace(atoms, whole.begin, whole.end, str_text(&text));
}

static bool is_controlled(const Node *node) {
    switch (node->kind) {
    case NODE_IF:
    case NODE_SWITCH:
    case NODE_WHILE:
    case NODE_DO:
    case NODE_FOR:
    case NODE_LABEL:
    case NODE_CASE:
    case NODE_DEFAULT: return true;
    default: return false;
    }
}

static void propose_bodies(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (is_controlled(node))
            replace_statement(tree, atoms, node, node_child(node, node->kind == NODE_IF ? ROLE_THEN : ROLE_BODY));
}

static void propose_else(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (node->kind == NODE_IF)
            replace_statement(tree, atoms, node, node_child(node, ROLE_ELSE));
}

static void propose_conditions(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (is_controlled(node) || node->kind == NODE_RETURN)
            replace_statement(tree, atoms, node,
                              node->kind == NODE_RETURN ? node->first : node_child(node, ROLE_CONDITION));
}

/* "if (c) s; else t;" without "else t;" */
static void propose_no_else(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *otherwise = node->kind == NODE_IF ? node_child(node, ROLE_ELSE) : NULL;
        const Token *word = otherwise && node_editable(otherwise) ? token_before(tree, otherwise->begin) : NULL;
        if (word && token_is(tree->text, word, "else"))
            atoms_remove(atoms, word->begin, span_whole(tree, otherwise).end);
    }
}

/* for (a; b; c) s becomes { a; s } */
static void propose_once(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *first = node->kind == NODE_FOR ? node_child(node, ROLE_FIRST) : NULL;
        const Node *body = first ? node_child(node, ROLE_BODY) : NULL;
        if (!body || !node_editable(node) || !node_editable(first) || !node_editable(body))
            continue;
        CLEANUP(str_release) Str text = {0};
        Span span = span_whole(tree, body);
        bool closed = tree->text[first->end - 1] == ';';
        str_printf(&text, "{ %.*s%s %.*s }", (int)(first->end - first->begin), tree->text + first->begin,
                   closed ? "" : ";", (int)(span.end - span.begin), tree->text + span.begin);
        atoms_replace(atoms, node->begin, span.end, str_text(&text));
    }
}

/* Up to and with the next token of that spelling. */
static void drop_through(const Tree *tree, Atoms *atoms, uint32_t begin, uint32_t from, const char *spelling) {
    for (const Token *token = token_from(tree, from); token; token = token_from(tree, token->end))
        if (token_is(tree->text, token, spelling)) {
            atoms_edit(atoms, begin, token->end, "", 0);
            return;
        }
}

/* switch (c) { case 1: s; break; default: t; } becomes { s; t; } */
static void propose_no_switch(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *body = node->kind == NODE_SWITCH && node_editable(node) ? node_child(node, ROLE_BODY) : NULL;
        if (!body || !node_editable(body))
            continue;
        atoms_begin(atoms);
        atoms_edit(atoms, node->begin, body->begin, "", 0);
        for (const Node *inner = body; inner; inner = node_next(inner, body)) {
            const Node *bound = inner->kind == NODE_CASE ? node_child(inner, ROLE_BOUND) : NULL;
            if (bound || inner->kind == NODE_DEFAULT)
                drop_through(tree, atoms, inner->begin, bound ? bound->end : inner->begin, ":");
            else if (inner->kind == NODE_BREAK)
                atoms_edit(atoms, inner->begin, inner->end, "", 0);
        }
    }
}

/* for (a; b; c) with its parts empty, while (c) as if (c) */
static void propose_loops(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->kind == NODE_WHILE && node_editable(node))
            atoms_replace(atoms, node->begin, node->begin + (uint32_t)strlen("while"), "if");
        static const NodeRole parts[] = {ROLE_FIRST, ROLE_STEP, ROLE_CONDITION};
        for (size_t i = 0; node->kind == NODE_FOR && i < ARRAY_LEN(parts); i++) {
            const Node *part = node_child(node, parts[i]);
            if (part && node_editable(part))
                atoms_remove(atoms, part->begin, part->end);
        }
    }
}

/* { s; t; } inside a block, or around a single statement, loses its braces. */
static void propose_blocks(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->kind != NODE_COMPOUND || !node_editable(node) || !node->parent || node->parent->kind == NODE_FUNCTION)
            continue;
        if (node->parent->kind == NODE_COMPOUND || (node->first && node->first == node->last)) {
            atoms_begin(atoms);
            atoms_edit(atoms, node->begin, node->begin + 1, " ", 1);
            atoms_edit(atoms, node->end - 1, node->end, " ", 1);
        }
    }
}

/* --- Expressions --- */

static bool is_replaceable(const Node *node) {
    return node_is_expression(node) && node_editable(node) && node->kind != NODE_INIT_LIST;
}

static bool is_value(const Node *node) {
    return is_replaceable(node) && type_is_scalar(node->converted ? node->converted : node->type) &&
           !node_is_modified(node) && node->role != ROLE_CALLEE;
}

static void propose_constant(const Tree *tree, Atoms *atoms, const char *constant) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (is_value(node) && !node_has_text(tree, node, "0") && !node_has_text(tree, node, constant) &&
            !(node_own_statement(node)))
            atoms_replace(atoms, node->begin, node->end, constant);
}

static void propose_zero(const Tree *tree, Atoms *atoms) { propose_constant(tree, atoms, "0"); }
static void propose_one(const Tree *tree, Atoms *atoms) { propose_constant(tree, atoms, "1"); }

/* Every expression by its operand at that place, outermost first. */
static void propose_operand(const Tree *tree, Atoms *atoms, size_t place) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (!is_replaceable(node) || (node->kind == NODE_MEMBER) || node->kind == NODE_SIZEOF)
            continue;
        size_t i = 0;
        for (const Node *child = node->first; child; child = child->next, i++) {
            bool whole = child->begin == node->begin && child->end == node->end;
            if (i != place || !node_is_expression(child) || !node_editable(child) || whole ||
                child->role == ROLE_CALLEE)
                continue;
            replace_by(tree, atoms, span_of(node), span_of(child));
            format_follow(tree, atoms, node, child->type);
        }
    }
}

static void propose_first(const Tree *tree, Atoms *atoms) { propose_operand(tree, atoms, 0); }
static void propose_second(const Tree *tree, Atoms *atoms) { propose_operand(tree, atoms, 1); }
static void propose_third(const Tree *tree, Atoms *atoms) { propose_operand(tree, atoms, 2); }

/* The operand of & in *&x and (&x)->m; NULL for other expressions. */
static const Node *address_operand(const Node *node) {
    bool reads = (node->kind == NODE_UNARY && node->op == OP_DEREF) || node->kind == NODE_MEMBER;
    const Node *inner = reads && node->first ? node_without_parens(node->first) : NULL;
    bool address = inner && inner->kind == NODE_UNARY && inner->op == OP_ADDRESS && node_editable(inner);
    return address ? inner->first : NULL;
}

/* *&x as x, (&x)->m as x.m */
static void propose_no_address(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *operand = node_editable(node) ? address_operand(node) : NULL;
        if (!operand)
            continue;
        CLEANUP(str_release) Str text = {0};
        str_append_n(&text, tree->text + operand->begin, operand->end - operand->begin);
        if (node->kind == NODE_MEMBER)
            str_printf(&text, ".%s", node->name);
        atoms_replace(atoms, node->begin, node->end, str_text(&text));
    }
}

/* a += b as a = b, a[i] as a[0] */
static void propose_plainer(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (!node_editable(node))
            continue;
        if (node->kind == NODE_ASSIGN && node->op != OP_ASSIGN && node->op_end > node->op_begin)
            atoms_replace(atoms, node->op_begin, node->op_end, "=");
        if (node->kind == NODE_SUBSCRIPT && node->last && !node_has_text(tree, node->last, "0"))
            atoms_replace(atoms, node->last->begin, node->last->end, "0");
    }
}

/* Integer constants lose their suffix, become 1, or half of what they were. */
static void propose_integers(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->kind != NODE_INTEGER || !node_editable(node) || !node->has_value)
            continue;
        size_t len = node->end - node->begin;
        const char *text = tree->text + node->begin;
        bool hexadecimal = len > 1 && (text[1] == 'x' || text[1] == 'X');
        size_t digits = strspn(text, hexadecimal ? "0123456789abcdefABCDEFxX" : "0123456789");
        if (digits < len) {
            atoms_begin(atoms);
            atoms_edit(atoms, node->begin, node->end, text, digits);
        }
        CLEANUP(str_release) Str half = {0};
        str_append_u64(&half, (uint64_t)node->value / 2);
        if ((uint64_t)node->value > 3)
            atoms_replace(atoms, node->begin, node->end, str_text(&half));
        str_clear(&half);
        str_append_u64(&half, (uint64_t)node->value);
        if (half.len < digits)
            atoms_replace(atoms, node->begin, node->end, str_text(&half));
    }
}

const Rule simplification_rules[] = {
    {.name = "bodies", .propose = propose_bodies},
    {.name = "else parts", .propose = propose_else},
    {.name = "without else", .propose = propose_no_else},
    {.name = "conditions", .propose = propose_conditions},
    {.name = "without switch", .propose = propose_no_switch},
    {.name = "loops once", .propose = propose_once},
    {.name = "loop heads", .propose = propose_loops},
    {.name = "blocks", .propose = propose_blocks},
    {.name = "zero", .propose = propose_zero},
    {.name = "first operands", .propose = propose_first},
    {.name = "second operands", .propose = propose_second},
    {.name = "third operands", .propose = propose_third},
    {.name = "one", .propose = propose_one},
    {.name = "no address", .propose = propose_no_address},
    {.name = "plainer forms", .propose = propose_plainer},
    {.name = "smaller constants", .propose = propose_integers, .again = true},
    {0},
};
