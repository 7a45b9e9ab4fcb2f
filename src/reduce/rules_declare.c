/* Declarations become plainer: types, arrays, words like static, initialisers; variables and calls are inlined. */
#include <string.h>

#include "base/str.h"
#include "reduce/rules.h"
#include "reduce/span.h"

static bool word_in(const Tree *tree, const Token *token, const char *const *words) {
    for (; *words; words++)
        if (token_is(tree->text, token, *words))
            return true;
    return false;
}

/* static, const, volatile, … and attributes with their parentheses */
static void propose_fewer_words(const Tree *tree, Atoms *atoms) {
    static const char *const words[] = {"static",        "const",   "volatile",   "inline",   "register",
                                        "restrict",      "extern",  "__inline__", "__inline", "__restrict",
                                        "__extension__", "_Atomic", "constexpr",  NULL};
    static const char *const attributes[] = {"__attribute__", "__attribute", "_Alignas", "_Noreturn", NULL};
    for (size_t i = 0; i < tree->tokens.len; i++) {
        const Token *token = &tree->tokens.items[i], *open = token + 1;
        if (token->directive)
            continue;
        if (word_in(tree, token, words))
            atoms_remove(atoms, token->begin, token->end);
        else if (word_in(tree, token, attributes)) {
            bool has_list = i + 1 < tree->tokens.len && token_is(tree->text, open, "(");
            const Token *close = has_list ? token_closing(tree, open) : token;
            if (close)
                atoms_remove(atoms, token->begin, close->end);
        }
    }
}

/* Arithmetic type names become int. */
static void propose_int(const Tree *tree, Atoms *atoms) {
    static const char *const words[] = {"unsigned", "signed",    "long",     "short",    "char",     "int",
                                        "_Bool",    "bool",      "float",    "double",   "int8_t",   "int16_t",
                                        "int32_t",  "int64_t",   "uint8_t",  "uint16_t", "uint32_t", "uint64_t",
                                        "size_t",   "ptrdiff_t", "__int128", NULL};
    for (size_t i = 0; i < tree->tokens.len; i++) {
        const Token *first = &tree->tokens.items[i], *last = first;
        if (first->directive || !word_in(tree, first, words))
            continue;
        while (i + 1 < tree->tokens.len && word_in(tree, last + 1, words))
            last++, i++;
        if (first != last || !token_is(tree->text, first, "int"))
            atoms_replace(atoms, first->begin, last->end, "int");
    }
}

/* Named types become int. */
static void propose_int_for_names(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->kind != NODE_TYPE_REF || !node_editable(node))
            continue;
        const Token *before = token_before(tree, node->begin);
        static const char *const tags[] = {"struct", "union", "enum", NULL};
        bool tagged = before && word_in(tree, before, tags);
        atoms_replace(atoms, tagged ? before->begin : node->begin, node->end, "int");
    }
}

/* Variables without their initialisers. */
static void propose_no_initialisers(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->role != ROLE_INITIALIZER || !node_editable(node))
            continue;
        const Token *equals = token_before(tree, node->begin);
        if (equals && token_is(tree->text, equals, "="))
            atoms_remove(atoms, equals->begin, node->end);
    }
}

/* Initialiser lists become {0}. */
static void propose_zero_lists(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (node->kind == NODE_INIT_LIST && node_editable(node) && !node_has_text(tree, node, "{0}"))
            atoms_replace(atoms, node->begin, node->end, node->parent->kind == NODE_INIT_LIST ? "0" : "{0}");
}

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

/* Bounds of arrays become 1, widths of bit-fields go. */
static void propose_bounds(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (node->role != ROLE_BOUND || !node_editable(node))
            continue;
        const Token *before = token_before(tree, node->begin);
        if (before && token_is(tree->text, before, "[") && !node_has_text(tree, node, "1"))
            atoms_replace(atoms, node->begin, node->end, "1");
        else if (before && token_is(tree->text, before, ":") && node->parent->kind == NODE_FIELD)
            atoms_remove(atoms, before->begin, node->end);
    }
}

static bool is_alone(const Node *variable) {
    return (!variable->next || variable->next->begin != variable->begin) &&
           (!variable->previous || variable->previous->begin != variable->begin);
}

/* A variable that is never changed is replaced by its initialiser. */
static void propose_inlined_variables(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *value = node->kind == NODE_VARIABLE ? node_child(node, ROLE_INITIALIZER) : NULL;
        if (!value || !node_editable(node) || !node_editable(value) || value->kind == NODE_INIT_LIST || !is_alone(node))
            continue;
        CLEANUP(str_release) Str text = {0};
        bool simple = !value->first;
        str_printf(&text, simple ? "%.*s" : "(%.*s)", (int)(value->end - value->begin), tree->text + value->begin);
        Span span = span_whole(tree, node);
        atoms_begin(atoms);
        atoms_edit(atoms, span.begin, span.end, "", 0);
        NodeList uses = {0};
        node_uses(tree, node, &uses);
        for (size_t i = 0; i < uses.len; i++)
            atoms_edit(atoms, uses.items[i]->begin, uses.items[i]->end, str_text(&text), text.len);
        vec_release(&uses);
    }
}

/* The one member that all uses of a variable name; NULL where they do not. */
static const Node *only_member(const NodeList *uses) {
    const Node *field = NULL;
    for (size_t i = 0; i < uses->len; i++) {
        const Node *member = uses->items[i]->parent;
        bool named = member && member->kind == NODE_MEMBER && member->first == uses->items[i] && member->decl;
        if (!named || !node_editable(member) || (field && member->decl != field))
            return NULL;
        field = member->decl;
    }
    return field && type_is_arithmetic(field->type) ? field : NULL;
}

/* struct { int m; } s; … s.m becomes int s; … s, where nothing else of s is used. */
static void propose_members_alone(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        bool record = node->kind == NODE_VARIABLE && node->type && node->type->class == TYPE_RECORD;
        if (!record || !node_editable(node) || !node->name_begin || !is_alone(node))
            continue;
        NodeList uses = {0};
        node_uses(tree, node, &uses);
        const Node *field = only_member(&uses), *list = node_child(node, ROLE_INITIALIZER);
        if (field) {
            CLEANUP(str_release) Str type = {0};
            str_printf(&type, "%s ", field->type->spelling);
            atoms_begin(atoms);
            atoms_edit(atoms, node->begin, node->name_begin, str_text(&type), type.len);
            for (size_t i = 0; i < uses.len; i++)
                atoms_edit(atoms, uses.items[i]->end, uses.items[i]->parent->end, "", 0);
            if (list && node_editable(list))
                atoms_edit(atoms, list->begin, list->end, "0", 1);
        }
        vec_release(&uses);
    }
}

/* --- functions --- */

static const Node *body_of(const Node *function) {
    return function->kind == NODE_FUNCTION && function->last && function->last->kind == NODE_COMPOUND ? function->last
                                                                                                      : NULL;
}

static void propose_empty_bodies(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root->first; node; node = node->next) {
        const Node *body = body_of(node);
        if (body && node_editable(body) && body->first)
            atoms_replace(atoms, body->begin, body->end, "{}");
    }
}

/* T f() { … return e; } becomes void f() { … return; } */
static void propose_void(const Tree *tree, Atoms *atoms) {
    for (const Node *function = tree->root->first; function; function = function->next) {
        const Node *body = body_of(function);
        if (!body || !node_editable(function) || !function->name_begin || str_equal(function->name, "main"))
            continue;
        atoms_begin(atoms);
        for (const Node *other = tree->root->first; other; other = other->next)
            if (other->kind == NODE_FUNCTION && node_editable(other) && str_equal(other->name, function->name))
                atoms_edit(atoms, other->begin, other->name_begin, "void ", strlen("void "));
        for (const Node *node = body; node; node = node_next(node, body))
            if (node->kind == NODE_RETURN && node->first && node_editable(node))
                atoms_edit(atoms, node->begin, node->end, "return", strlen("return"));
    }
}

static bool has_return(const Node *body) {
    for (const Node *node = body; node; node = node_next(node, body))
        if (node->kind == NODE_RETURN)
            return true;
    return false;
}

/* "{ T p = a; body }": the call as a block. */
static bool append_inlined(const Tree *tree, const Node *function, const Node *call, Str *ret_text) {
    const Node *body = body_of(function), *argument = call->first ? call->first->next : NULL;
    str_append(ret_text, "{ ");
    for (const Node *parameter = function->first; parameter; parameter = parameter->next) {
        if (parameter->kind != NODE_PARAMETER)
            continue;
        if (!argument)
            return false;
        str_printf(ret_text, "%.*s = %.*s; ", (int)(parameter->end - parameter->begin), tree->text + parameter->begin,
                   (int)(argument->end - argument->begin), tree->text + argument->begin);
        argument = argument->next;
    }
    str_append_n(ret_text, tree->text + body->begin, body->end - body->begin);
    str_append(ret_text, " }");
    return !argument;
}

/* Calls that are statements of their own become the body of what they call. */
static void propose_inlined_calls(const Tree *tree, Atoms *atoms) {
    for (const Node *call = tree->root; call; call = node_next(call, tree->root)) {
        const Node *callee = call->kind == NODE_CALL && node_editable(call) ? node_without_parens(call->first) : NULL;
        const Node *statement = callee ? node_own_statement(call) : NULL;
        if (!statement || callee->kind != NODE_NAME || !callee->decl)
            continue;
        const Node *function = NULL;
        for (const Node *other = tree->root->first; other; other = other->next)
            if (body_of(other) && str_equal(other->name, callee->name))
                function = other;
        if (!function || !node_editable(function) || has_return(body_of(function)) || node_contains(function, call))
            continue;
        CLEANUP(str_release) Str text = {0};
        Span span = span_whole(tree, statement);
        if (append_inlined(tree, function, call, &text))
            atoms_replace(atoms, span.begin, span.end, str_text(&text));
    }
}

const Rule declaration_rules[] = {
    {.name = "empty bodies", .propose = propose_empty_bodies},
    {.name = "zero lists", .propose = propose_zero_lists},
    {.name = "initialisers", .propose = propose_no_initialisers},
    {.name = "words", .propose = propose_fewer_words},
    {.name = "scalars", .propose = propose_scalars},
    {.name = "bounds", .propose = propose_bounds},
    {.name = "members alone", .propose = propose_members_alone},
    {.name = "inlined calls", .propose = propose_inlined_calls, .single = true, .may_grow = true},
    {.name = "inlined variables", .propose = propose_inlined_variables, .may_grow = true},
    {.name = "void functions", .propose = propose_void},
    {.name = "int for arithmetic types", .propose = propose_int},
    {.name = "int for named types", .propose = propose_int_for_names},
    {0},
};
