/* Removal: declarations, functions with their calls, statements, members, parameters with their arguments. */
#include <string.h>

#include "base/str.h"
#include "reduce/rules.h"
#include "reduce/span.h"

/* Declarations at file scope; the variables of one declaration start together and go together. */
static void propose_declarations(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root->first; node; node = node->next) {
        if (!node_editable(node))
            continue;
        const Node *last = node;
        while (last->next && last->next->begin == node->begin && node_editable(last->next))
            last = last->next;
        atoms_remove(atoms, node->begin, MAX_OF(span_whole(tree, last).end, span_whole(tree, node).end));
        node = last;
    }
}

/* What a use of something that goes becomes: nothing if it is a statement of its own, else 0. */
static void replace_use(const Tree *tree, Atoms *atoms, const Node *use) {
    const Node *statement = node_own_statement(use);
    if (statement) {
        Span span = span_whole(tree, statement);
        atoms_edit(atoms, span.begin, span.end, ";", 1);
    } else
        atoms_edit(atoms, use->begin, use->end, "0", 1);
}

void remove_function(const Tree *tree, Atoms *atoms, const Node *function) {
    for (const Node *other = tree->root->first; other; other = other->next)
        if (other->kind == NODE_FUNCTION && node_editable(other) && str_equal(other->name, function->name)) {
            Span span = span_whole(tree, other);
            atoms_edit(atoms, span.begin, span.end, "", 0);
        }
}

/* A function, its prototypes, and all its calls. */
static void propose_functions(const Tree *tree, Atoms *atoms) {
    for (const Node *function = tree->root->first; function; function = function->next) {
        bool defined = function->kind == NODE_FUNCTION && (function->flags & NODE_DEFINITION);
        if (!defined || !node_editable(function) || str_equal(function->name, "main"))
            continue;
        atoms_begin(atoms);
        remove_function(tree, atoms, function);
        CLEANUP(node_list_release) NodeList uses = {0};
        node_uses(tree, function, &uses);
        for (size_t i = 0; i < uses.len; i++) {
            const Node *call = uses.items[i]->parent;
            if (!node_contains(function, uses.items[i]))
                replace_use(tree, atoms, call && call->kind == NODE_CALL ? call : uses.items[i]);
        }
    }
}

/* A variable, what is assigned to it, and 0 where it is read. */
static void propose_variables(const Tree *tree, Atoms *atoms) {
    for (const Node *variable = tree->root; variable; variable = node_next(variable, tree->root)) {
        if (variable->kind != NODE_VARIABLE || !node_editable(variable) || !declared_alone(variable))
            continue;
        Span span = span_whole(tree, variable);
        atoms_begin(atoms);
        atoms_edit(atoms, span.begin, span.end, "", 0);
        CLEANUP(node_list_release) NodeList uses = {0};
        node_uses(tree, variable, &uses);
        for (size_t i = 0; i < uses.len; i++) {
            const Node *use = uses.items[i];
            while (use->parent && (use->parent->kind == NODE_SUBSCRIPT || use->parent->kind == NODE_MEMBER) &&
                   use->parent->first == use)
                use = use->parent;
            const Node *parent = use->parent;
            bool stepped =
                parent && parent->kind == NODE_UNARY && parent->op >= OP_POST_INC && parent->op <= OP_PRE_DEC;
            bool assigned = parent && parent->kind == NODE_ASSIGN && parent->first == use;
            replace_use(tree, atoms, assigned || stepped ? parent : use);
        }
    }
}

static bool is_removable_statement(const Node *node) {
    return node_is_statement(node) && node_editable(node) &&
           !(node->kind == NODE_COMPOUND && node->parent->kind == NODE_FUNCTION);
}

/* A statement that is the body of another leaves a semicolon behind. */
static void remove_statement(const Tree *tree, Atoms *atoms, const Node *statement) {
    Span span = span_whole(tree, statement);
    bool needed = statement->parent->kind != NODE_COMPOUND && !node_has_text(tree, statement, ";");
    atoms_replace(atoms, span.begin, span.end, needed ? ";" : "");
}

static void propose_outer_statements(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (is_removable_statement(node) && node->parent->kind == NODE_COMPOUND &&
            node->parent->parent->kind == NODE_FUNCTION)
            remove_statement(tree, atoms, node);
}

static void propose_statements(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (is_removable_statement(node))
            remove_statement(tree, atoms, node);
}

/* Fields, enumerators, elements of initialisers, declarators behind the first. */
static void propose_members(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        if (!node_editable(node) || !node->parent)
            continue;
        Span span = span_whole(tree, node);
        bool declarator = node->kind == NODE_VARIABLE || node->kind == NODE_FIELD;
        const Node *before = declarator ? declared_before(node) : NULL;
        if (before && before->end < node->end)
            atoms_remove(atoms, before->end, node->end);
        else if (node->kind == NODE_FIELD)
            atoms_remove(atoms, span.begin, span.end);
        else if (node->kind == NODE_ENUMERATOR || node->parent->kind == NODE_INIT_LIST) {
            span = span_item(tree, node);
            atoms_remove(atoms, span.begin, span.end);
        }
    }
}

static const Node *nth_parameter(const Node *function, size_t index) {
    for (const Node *child = function->first; child; child = child->next)
        if (child->kind == NODE_PARAMETER && !index--)
            return child;
    return NULL;
}

static void remove_item(const Tree *tree, Atoms *atoms, const Node *item) {
    Span span = span_item(tree, item);
    atoms_edit(atoms, span.begin, span.end, "", 0);
}

/* A parameter, in every declaration of the function and every call; inside the body it becomes a variable. */
static void drop_parameter(const Tree *tree, Atoms *atoms, const Node *function, size_t index, const char *value) {
    atoms_begin(atoms);
    for (const Node *other = tree->root->first; other; other = other->next) {
        if (other->kind != NODE_FUNCTION || !node_editable(other) || !str_equal(other->name, function->name))
            continue;
        const Node *parameter = nth_parameter(other, index);
        if (parameter)
            remove_item(tree, atoms, parameter);
        if (!parameter || !parameter->name || !(other->flags & NODE_DEFINITION))
            continue;
        CLEANUP(node_list_release) NodeList uses = {0};
        node_uses(tree, parameter, &uses);
        if (uses.len && other->last->kind == NODE_COMPOUND) {
            CLEANUP(str_release) Str local = {0};
            str_append_n(&local, tree->text + parameter->begin, parameter->end - parameter->begin);
            str_printf(&local, " = %s;", value);
            atoms_edit(atoms, other->last->begin + 1, other->last->begin + 1, str_text(&local), local.len);
        }
    }
    CLEANUP(node_list_release) NodeList uses = {0};
    node_uses(tree, function, &uses);
    for (size_t i = 0; i < uses.len; i++) {
        const Node *argument = call_argument(uses.items[i]->parent, index);
        if (argument)
            remove_item(tree, atoms, argument);
    }
}

/* The argument that every call has for the parameter; false if they differ. */
static bool find_common_argument(const Tree *tree, const Node *function, size_t index, Str *ret_text) {
    CLEANUP(node_list_release) NodeList uses = {0};
    node_uses(tree, function, &uses);
    bool common = uses.len > 0;
    for (size_t i = 0; common && i < uses.len; i++) {
        const Node *argument = call_argument(uses.items[i]->parent, index);
        common = argument && (!i || node_has_text(tree, argument, str_text(ret_text)));
        if (common && !i)
            str_append_n(ret_text, tree->text + argument->begin, argument->end - argument->begin);
    }
    return common;
}

static bool is_defined_parameter(const Node *node) {
    return node->kind == NODE_PARAMETER && node_editable(node) && node->parent->kind == NODE_FUNCTION &&
           (node->parent->flags & NODE_DEFINITION);
}

static void propose_parameters(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root))
        if (is_defined_parameter(node))
            drop_parameter(tree, atoms, node->parent, parameter_index(node), "0");
}

/* f(int p) { … } … f(a); becomes f() { int p = a; … } … f(); */
static void propose_known_parameters(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        CLEANUP(str_release) Str value = {0};
        if (is_defined_parameter(node) && find_common_argument(tree, node->parent, parameter_index(node), &value))
            drop_parameter(tree, atoms, node->parent, parameter_index(node), str_text(&value));
    }
}

/* The end of the line that starts at this token. */
static uint32_t line_end(const Tree *tree, const Token *token) {
    const char *end = memchr(tree->text + token->begin, '\n', tree->len - token->begin);
    return end ? (uint32_t)(end - tree->text) : (uint32_t)tree->len;
}

/* Preprocessor lines. */
static void propose_directives(const Tree *tree, Atoms *atoms) {
    for (size_t i = 0; i < tree->tokens.len; i++) {
        const Token *token = &tree->tokens.items[i];
        if (!token->directive || !token_is(tree->text, token, "#"))
            continue;
        atoms_remove(atoms, token->begin, line_end(tree, token));
    }
}

/* #if… and its #endif, what stands between them stays. */
static void propose_conditionals(const Tree *tree, Atoms *atoms) {
    Vec(const Token *) open = {0};
    for (size_t i = 0; i + 1 < tree->tokens.len; i++) {
        const Token *token = &tree->tokens.items[i], *word = token + 1;
        if (!token->directive || !token_is(tree->text, token, "#"))
            continue;
        if (str_starts(tree->text + word->begin, "if"))
            vec_push(&open, token);
        else if (token_is(tree->text, word, "endif") && open.len) {
            const Token *begin = vec_pop(&open);
            atoms_begin(atoms);
            atoms_edit(atoms, begin->begin, line_end(tree, begin), "", 0);
            atoms_edit(atoms, token->begin, line_end(tree, token), "", 0);
        }
    }
    vec_release(&open);
}

const Rule removal_rules[] = {
    {.name = "functions", .propose = propose_functions},
    {.name = "declarations", .propose = propose_declarations},
    {.name = "outer statements", .propose = propose_outer_statements},
    {.name = "statements", .propose = propose_statements},
    {.name = "variables", .propose = propose_variables},
    {.name = "members", .propose = propose_members},
    {.name = "parameters", .propose = propose_parameters},
    {.name = "known parameters", .propose = propose_known_parameters},
    {.name = "directives", .propose = propose_directives},
    {.name = "conditionals", .propose = propose_conditionals},
    {0},
};
