/* Inlining: calls, parameters and variables give way to what they stand for. What an inlined program means may differ
 * from what it meant (a name is captured, an argument computed twice); whether the bug is still there is for the test
 * to say. */
#include <string.h>

#include "base/str.h"
#include "reduce/format.h"
#include "reduce/rules.h"
#include "reduce/span.h"

enum { GROWTH = 24 }; /* tokens that one step may add, to be won back by others: a short function's body */

/* --- Variables --- */

static void append_value(const Tree *tree, const Node *value, Str *ret_text) {
    str_printf(ret_text, value->first ? "(%.*s)" : "%.*s", (int)(value->end - value->begin), tree->text + value->begin);
}

/* A variable that is never changed is replaced by its initialiser. */
static void propose_variables(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *value = node->kind == NODE_VARIABLE ? node_child(node, ROLE_INITIALIZER) : NULL;
        if (!value || !node_editable(node) || !node_editable(value) || value->kind == NODE_INIT_LIST ||
            !declared_alone(node))
            continue;
        CLEANUP(str_release) Str text = {0};
        append_value(tree, value, &text);
        Span span = span_whole(tree, node);
        atoms_begin(atoms);
        atoms_edit(atoms, span.begin, span.end, "", 0);
        CLEANUP(node_list_release) NodeList uses = {0};
        node_uses(tree, node, &uses);
        for (size_t i = 0; i < uses.len; i++) {
            atoms_edit(atoms, uses.items[i]->begin, uses.items[i]->end, str_text(&text), text.len);
            format_follow(tree, atoms, uses.items[i], value->type);
        }
    }
}

/* The variable that a statement of its own sets, x in "x = e;"; NULL if it is something else. */
static const Node *plainly_assigned(const Node *assignment) {
    bool plain = assignment->kind == NODE_ASSIGN && assignment->op == OP_ASSIGN && node_editable(assignment) &&
                 node_own_statement(assignment) && assignment->first->kind == NODE_NAME;
    const Node *variable = plain ? assignment->first->decl : NULL;
    bool known = variable && (variable->kind == NODE_VARIABLE || variable->kind == NODE_PARAMETER);
    return known && node_editable(variable) ? variable : NULL;
}

/* x = e; … x … becomes … e …, up to where x changes again. */
static void propose_assigned(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *variable = plainly_assigned(node), *function = variable ? node_function(node) : NULL;
        if (!function || node->last->kind == NODE_INIT_LIST)
            continue;
        CLEANUP(str_release) Str text = {0};
        append_value(tree, node->last, &text);
        Span span = span_whole(tree, node_own_statement(node));
        atoms_begin(atoms);
        atoms_edit(atoms, span.begin, span.end, ";", 1);
        for (const Node *use = node_skip(node, function); use; use = node_next(use, function)) {
            if (use->kind != NODE_NAME || use->decl != variable)
                continue;
            if (node_is_modified(use) || !node_editable(use))
                break;
            atoms_edit(atoms, use->begin, use->end, str_text(&text), text.len);
            format_follow(tree, atoms, use, node->last->type);
        }
    }
}

/* T x; … x = e; becomes T x = e; … */
static void propose_initialised(const Tree *tree, Atoms *atoms) {
    for (const Node *node = tree->root; node; node = node_next(node, tree->root)) {
        const Node *variable = plainly_assigned(node);
        if (!variable || variable->kind != NODE_VARIABLE)
            continue;
        const Node *old = node_child(variable, ROLE_INITIALIZER);
        Span span = span_whole(tree, node_own_statement(node));
        CLEANUP(str_release) Str text = {0};
        str_append(&text, old ? "" : " = ");
        str_append_n(&text, tree->text + node->last->begin, node->last->end - node->last->begin);
        atoms_begin(atoms);
        atoms_edit(atoms, old ? old->begin : variable->end, variable->end, str_text(&text), text.len);
        atoms_edit(atoms, span.begin, span.end, ";", 1);
    }
}

/* --- Calls --- */

typedef struct Inlining {
    const Tree *tree;
    const Node *function, *body;
    const Node *end;    /* the return that ends the body; NULL if the body just ends */
    const Node *result; /* what it returns; NULL: nothing */
    const Node *call;
} Inlining;

/* One return at most, and only as the last statement. */
static bool ends_once(Inlining *inlining) {
    for (const Node *node = inlining->body; node; node = node_next(node, inlining->body))
        if (node->kind == NODE_RETURN) {
            if (node != inlining->body->last)
                return false;
            inlining->end = node;
            inlining->result = node->first;
        }
    return true;
}

static bool open_call(const Tree *tree, const Node *call, Inlining *ret_inlining) {
    const Node *callee = call->kind == NODE_CALL && node_editable(call) ? node_without_parens(call->first) : NULL;
    if (!callee || callee->kind != NODE_NAME || !callee->decl)
        return false;
    *ret_inlining = (Inlining){.tree = tree, .call = call};
    for (const Node *other = tree->root->first; other; other = other->next)
        if (function_body(other) && str_equal(other->name, callee->name))
            ret_inlining->function = other;
    const Node *function = ret_inlining->function;
    if (!function || !node_editable(function) || node_contains(function, call))
        return false;
    ret_inlining->body = function_body(function);
    return ends_once(ret_inlining);
}

/* Whether the argument can stand wherever the parameter does: it is a name or a constant, or computed only once, and
 * the parameter never changes. */
static bool can_stand_for(const Inlining *inlining, const Node *parameter, const Node *argument) {
    CLEANUP(node_list_release) NodeList uses = {0};
    node_uses(inlining->tree, parameter, &uses);
    bool fixed = !argument->first || uses.len <= 1;
    for (size_t i = 0; i < uses.len; i++)
        fixed = fixed && !node_is_modified(uses.items[i]);
    return fixed;
}

/* Appends a part of the function's text with arguments for parameters. */
static void append_part(const Inlining *inlining, uint32_t begin, uint32_t end, Str *ret_text) {
    const Tree *tree = inlining->tree;
    for (const Node *use = inlining->body; use; use = node_next(use, inlining->body)) {
        bool inside = use->begin >= begin && use->end <= end && use->kind == NODE_NAME && use->decl;
        if (!inside || use->decl->kind != NODE_PARAMETER || use->decl->parent != inlining->function)
            continue;
        const Node *argument = call_argument(inlining->call, parameter_index(use->decl));
        if (!argument || !can_stand_for(inlining, use->decl, argument))
            continue;
        str_append_n(ret_text, tree->text + begin, use->begin - begin);
        append_value(tree, argument, ret_text);
        begin = use->end;
    }
    str_append_n(ret_text, tree->text + begin, end - begin);
}

/* "T p = a; " for what no argument can stand for. False if arguments and parameters do not match. */
static bool append_parameters(const Inlining *inlining, Str *ret_text) {
    const Node *argument = inlining->call->first->next;
    for (const Node *parameter = inlining->function->first; parameter; parameter = parameter->next) {
        if (parameter->kind != NODE_PARAMETER)
            continue;
        if (!argument)
            return false;
        if (!can_stand_for(inlining, parameter, argument))
            str_printf(ret_text, "%.*s = %.*s; ", (int)(parameter->end - parameter->begin),
                       inlining->tree->text + parameter->begin, (int)(argument->end - argument->begin),
                       inlining->tree->text + argument->begin);
        argument = argument->next;
    }
    return !argument;
}

/* The statement around the call, S(f(a)), with the body in front: "{ T p = a; body S(result) }". */
static bool append_inlined(const Inlining *inlining, const Node *statement, Str *ret_text) {
    const Node *body = inlining->body, *end = inlining->end, *call = inlining->call;
    const char *text = inlining->tree->text;
    Span span = span_whole(inlining->tree, statement);
    bool block = statement->kind != NODE_DECLARATION; /* what it declares must stay visible */
    str_append(ret_text, block ? "{ " : "");
    if (!append_parameters(inlining, ret_text))
        return false;
    append_part(inlining, body->begin + 1, end ? end->begin : body->end - 1, ret_text);
    if (inlining->result) {
        str_append_n(ret_text, text + span.begin, call->begin - span.begin);
        str_append(ret_text, inlining->result->first ? "(" : "");
        append_part(inlining, inlining->result->begin, inlining->result->end, ret_text);
        str_append(ret_text, inlining->result->first ? ")" : "");
        str_append_n(ret_text, text + call->end, span.end - call->end);
    }
    str_append(ret_text, block ? " }" : "");
    return inlining->result || node_own_statement(call);
}

/* f(a) becomes the expression that f returns, if its body is nothing else; otherwise the body comes in front of the
 * statement with the call. The function goes with its only call. */
static void propose_calls(const Tree *tree, Atoms *atoms) {
    for (const Node *call = tree->root; call; call = node_next(call, tree->root)) {
        Inlining inlining;
        const Node *statement = node_statement(call);
        if (!statement || !node_editable(statement) || !open_call(tree, call, &inlining))
            continue;
        CLEANUP(str_release) Str text = {0}, parameters = {0};
        Span span = span_whole(tree, statement);
        bool expression = inlining.result && inlining.body->first == inlining.end &&
                          append_parameters(&inlining, &parameters) && !parameters.len;
        if (expression) {
            span = span_of(call);
            str_append(&text, "(");
            append_part(&inlining, inlining.result->begin, inlining.result->end, &text);
            str_append(&text, ")");
        } else if (!append_inlined(&inlining, statement, &text))
            continue;
        atoms_begin(atoms);
        atoms_edit(atoms, span.begin, span.end, str_text(&text), text.len);
        CLEANUP(node_list_release) NodeList calls = {0};
        node_uses(tree, inlining.function, &calls);
        if (calls.len == 1)
            remove_function(tree, atoms, inlining.function);
    }
}

const Rule inline_rules[] = {
    {.name = "inlined calls", .propose = propose_calls, .single = true, .may_grow = GROWTH},
    {.name = "initialised variables", .propose = propose_initialised},
    {.name = "assigned values", .propose = propose_assigned},
    {.name = "inlined variables", .propose = propose_variables, .may_grow = GROWTH},
    {0},
};
