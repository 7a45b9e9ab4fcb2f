/* Data becomes plain: arrays and pointers become what they hold, members and elements variables of their own;
 * declarations of the same type become one. */
#include <string.h>

#include "base/str.h"
#include "reduce/rules.h"
#include "reduce/span.h"

enum { GROWTH = 12 }; /* tokens: a declaration more, before the aggregate goes */

/* Arrays lose their first dimension, with the subscripts of all uses. */
static void propose_scalars(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        bool array =
            (node->kind == NODE_VARIABLE || node->kind == NODE_FIELD) && node->type && node->type->class == TYPE_ARRAY;
        if (!array || !node_editable(node) || !node->name_begin)
            continue;
        const Token *open = token_from(tree, node->name_begin + (uint32_t)strlen(node->name));
        const Token *close = open && token_is(tree->text, open, "[") ? token_closing(tree, open) : NULL;
        if (!close)
            continue;
        atoms_begin(atoms);
        atoms_edit(atoms, open->begin, close->end, "", 0);
        for (const Node *use = tree->root; use; use = node_next(use, tree->root)) {
            bool names_it =
                (use->kind == NODE_NAME || use->kind == NODE_MEMBER) && use->decl == node && node_editable(use);
            if (names_it && use->parent->kind == NODE_SUBSCRIPT && use->parent->first == use)
                atoms_edit(atoms, use->end, use->parent->end, "", 0);
        }
        const Node *list = node_child(node, ROLE_INITIALIZER);
        if (list && list->kind == NODE_INIT_LIST && list->first && node_editable(list))
            atoms_edit(atoms, list->begin, list->end, tree->text + list->first->begin,
                       list->first->end - list->first->begin);
    }
}

/* --- Members and elements --- */

/* s.m or a[1] around a use of s or a; NULL if it is used as a whole, or the part is not known or not scalar. */
static const Node *part_of(const Node *use) {
    const Node *part = use->parent;
    bool member = part->kind == NODE_MEMBER && part->decl;
    bool element = part->kind == NODE_SUBSCRIPT && part->last->kind == NODE_INTEGER;
    bool scalar = (member || element) && part->first == use && node_editable(part) && type_is_scalar(part->type);
    return scalar ? part : NULL;
}

/* Do both name the same part, by their text behind the variable? */
static bool same_part(const Tree *tree, const Node *a, const Node *b) {
    uint32_t len = a->end - a->first->end;
    return len == b->end - b->first->end && memcmp(tree->text + a->first->end, tree->text + b->first->end, len) == 0;
}

/* If the initialiser is a flat list without designators, the part's value in it; NULL otherwise. */
static const Node *initial_part(const Tree *tree, const Node *variable, const Node *part) {
    const Node *list = node_child(variable, ROLE_INITIALIZER);
    if (!list || list->kind != NODE_INIT_LIST || memchr(tree->text + list->begin, '=', list->end - list->begin))
        return NULL;
    int64_t index = 0;
    if (part->kind == NODE_SUBSCRIPT)
        index = part->last->value;
    else
        for (const Node *field = part->decl->previous; field; field = field->previous)
            index += field->kind == NODE_FIELD;
    const Node *value = list->first;
    while (value && index-- > 0)
        value = value->next;
    return value && value->kind != NODE_INIT_LIST ? value : NULL;
}

/* s.m becomes a variable s_1 of its own, declared in front of s. */
static void propose_part(const Tree *tree, Atoms *atoms, const Node *variable, const NodeList *uses, size_t first) {
    const Node *part = part_of(uses->items[first]);
    const Node *value = initial_part(tree, variable, part);
    CLEANUP(str_release) Str name = {0}, declaration = {0};
    str_printf(&name, "%s_%zu", variable->name, first + 1);
    str_printf(&declaration, "%s%s %s", variable->flags & NODE_INTERNAL ? "static " : "", part->type->bare,
               str_text(&name));
    if (value)
        str_printf(&declaration, " = %.*s", (int)(value->end - value->begin), tree->text + value->begin);
    else if (!(variable->flags & NODE_STATIC) && node_child(variable, ROLE_INITIALIZER))
        str_append(&declaration, " = 0");
    str_append(&declaration, "; ");
    atoms_begin(atoms);
    atoms_edit(atoms, variable->begin, variable->begin, str_text(&declaration), declaration.len);
    for (size_t i = first; i < uses->len; i++) {
        const Node *other = part_of(uses->items[i]);
        if (other && same_part(tree, part, other))
            atoms_edit(atoms, other->begin, other->end, str_text(&name), name.len);
    }
}

static void propose_parts(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        bool aggregate = node->kind == NODE_VARIABLE && node->type &&
                         (node->type->class == TYPE_RECORD || node->type->class == TYPE_ARRAY);
        if (!aggregate || !node_editable(node) || !node->name_begin)
            continue;
        CLEANUP(node_list_release) NodeList uses = {0};
        node_uses(tree, node, &uses);
        for (size_t i = 0; i < uses.len; i++) {
            const Node *part = part_of(uses.items[i]);
            bool is_new = part != NULL;
            for (size_t j = 0; is_new && j < i; j++)
                is_new = !part_of(uses.items[j]) || !same_part(tree, part, part_of(uses.items[j]));
            if (is_new)
                propose_part(tree, atoms, node, &uses, i);
        }
    }
}

/* --- Pointers --- */

/* &x becomes x. */
static void drop_address(Atoms *atoms, const Node *value) {
    value = value ? node_without_parens(value) : NULL;
    if (value && value->kind == NODE_UNARY && value->op == OP_ADDRESS && node_editable(value))
        atoms_edit(atoms, value->begin, value->first->begin, "", 0);
}

/* *p, p->m and p[i] become p, p.m and p; p = &x becomes p = x. */
static void drop_dereference(const Tree *tree, Atoms *atoms, const Node *use) {
    const Node *parent = use->parent;
    const Token *after = token_from(tree, use->end);
    if (parent->kind == NODE_UNARY && parent->op == OP_DEREF)
        atoms_edit(atoms, parent->begin, use->begin, "", 0);
    else if (parent->kind == NODE_MEMBER && after && token_is(tree->text, after, "->"))
        atoms_edit(atoms, after->begin, after->end, ".", 1);
    else if (parent->kind == NODE_SUBSCRIPT && parent->first == use)
        atoms_edit(atoms, use->end, parent->end, "", 0);
    else if (parent->kind == NODE_ASSIGN && parent->first == use)
        drop_address(atoms, parent->last);
}

/* T *p, with what it points at in its place everywhere. */
static void propose_pointers(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        bool pointer = (node->kind == NODE_VARIABLE || node->kind == NODE_PARAMETER) && node->type &&
                       node->type->class == TYPE_POINTER && node_editable(node) && node->name_begin;
        const Token *star = pointer ? token_before(tree, node->name_begin) : NULL;
        if (!star || !token_is(tree->text, star, "*"))
            continue;
        atoms_begin(atoms);
        atoms_edit(atoms, star->begin, star->end, "", 0);
        drop_address(atoms, node_child(node, ROLE_INITIALIZER));
        CLEANUP(node_list_release) NodeList uses = {0}, calls = {0};
        node_uses(tree, node, &uses);
        for (size_t i = 0; i < uses.len; i++)
            drop_dereference(tree, atoms, uses.items[i]);
        if (node->kind == NODE_PARAMETER)
            node_uses(tree, node->parent, &calls);
        for (size_t i = 0; i < calls.len; i++)
            drop_address(atoms, call_argument(calls.items[i]->parent, parameter_index(node)));
    }
}

/* --- Where variables are declared --- */

/* Where the declarator starts, behind "static int"; 0 if that is not plain to see. */
static uint32_t declarator_begin(const Tree *tree, const Node *variable) {
    for (const Token *token = token_from(tree, variable->begin); token && token->begin <= variable->name_begin;
         token++) {
        if (token->begin == variable->name_begin || token_is(tree->text, token, "*"))
            return token->begin;
        if (token->kind != TOKEN_NAME)
            return 0;
    }
    return 0;
}

static bool same_specifiers(const Tree *tree, const Node *a, const Node *b) {
    while (declared_before(a))
        a = declared_before(a);
    uint32_t len = declarator_begin(tree, a) - a->begin;
    return declarator_begin(tree, a) && declarator_begin(tree, b) && len == declarator_begin(tree, b) - b->begin &&
           memcmp(tree->text + a->begin, tree->text + b->begin, len) == 0;
}

/* The last variable of an earlier declaration with the same specifiers, in the same block or outside of functions. */
static const Node *find_companion(const Tree *tree, const Node *variable) {
    bool local = variable->parent->kind == NODE_DECLARATION;
    const Node *block = local ? variable->parent->parent : variable->parent;
    if (block->kind != NODE_COMPOUND && block->kind != NODE_ROOT)
        return NULL;
    for (const Node *other = tree->root; other && other->begin < variable->begin;
         other = node_next(other, tree->root)) {
        bool here = other->parent && (other->parent->kind == NODE_ROOT || other->parent->parent == block);
        bool last = !other->next || !declared_before(other->next);
        if (here && last && other->kind == NODE_VARIABLE && node_editable(other) &&
            same_specifiers(tree, other, variable))
            return other;
    }
    return NULL;
}

/* T a; … T b; becomes T a, b; … */
static void propose_companions(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        bool variable = node->kind == NODE_VARIABLE && node_editable(node) && node->name_begin && declared_alone(node);
        const Node *companion = variable ? find_companion(tree, node) : NULL;
        if (!companion)
            continue;
        CLEANUP(str_release) Str text = {0};
        uint32_t begin = declarator_begin(tree, node);
        str_printf(&text, ", %.*s", (int)(node->end - begin), tree->text + begin);
        Span span = span_whole(tree, node);
        atoms_begin(atoms);
        atoms_edit(atoms, companion->end, companion->end, str_text(&text), text.len);
        atoms_edit(atoms, span.begin, span.end, "", 0);
    }
}

/* f() { T x = e; … } becomes T x; f() { … }: outside of functions it needs no value. */
static void propose_file_scope(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *value = node->kind == NODE_VARIABLE ? node_child(node, ROLE_INITIALIZER) : NULL;
        const Node *function = value ? node_function(node) : NULL;
        bool local = function && node->parent->parent->kind == NODE_COMPOUND && declared_alone(node);
        const Token *equals = local && node_editable(node) ? token_before(tree, value->begin) : NULL;
        if (!equals || !token_is(tree->text, equals, "="))
            continue;
        CLEANUP(str_release) Str text = {0};
        str_printf(&text, "%.*s; ", (int)(equals->begin - node->begin), tree->text + node->begin);
        Span span = span_whole(tree, node);
        atoms_begin(atoms);
        atoms_edit(atoms, function->begin, function->begin, str_text(&text), text.len);
        atoms_edit(atoms, span.begin, span.end, "", 0);
    }
}

const Rule data_rules[] = {
    {.name = "scalars", .propose = propose_scalars},
    {.name = "pointers", .propose = propose_pointers},
    {.name = "members apart", .propose = propose_parts, .single = true, .may_grow = GROWTH},
    {.name = "file scope", .propose = propose_file_scope},
    {.name = "one declaration", .propose = propose_companions},
    {0},
};
