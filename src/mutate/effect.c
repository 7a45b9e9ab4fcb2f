#include "mutate/effect.h"

#include <string.h>

#include "mutate/plan.h"

/* The mutated statement, if taking it out leaves a program. */
static const Node *droppable_statement(const Tree *tree, const Mutation *mutation) {
    const Node *statement = node_statement(node_at(tree, mutation->begin, mutation->end));
    if (!statement || statement->kind == NODE_DECLARATION || statement->kind == NODE_RETURN || !statement->parent ||
        statement->parent->kind == NODE_FUNCTION || (statement->flags & NODE_IN_MACRO))
        return NULL;
    for (const Node *node = statement; node; node = node_next(node, statement))
        if (node->kind == NODE_LABEL || node->kind == NODE_CASE || node->kind == NODE_DEFAULT)
            return NULL;
    return statement;
}

static bool probe_drop(const Tree *tree, const Mutation *mutation, EditList *original, EditList *mutant) {
    const Node *statement = droppable_statement(tree, mutation);
    if (!statement)
        return false;
    uint32_t begin = statement->begin, end = statement_end(tree, statement);
    edits_add(original, begin, end - begin, ";");
    for (size_t i = 0; i < mutation->edits.len; i++) { /* what surrounds the statement stays */
        const Edit *edit = &mutation->edits.items[i];
        if (edit->at + edit->len <= begin && edit->len == 0)
            edits_add(mutant, edit->at, 0, edit->text);
    }
    edits_add(mutant, begin, end - begin, ";");
    for (size_t i = 0; i < mutation->edits.len; i++) {
        const Edit *edit = &mutation->edits.items[i];
        if (edit->at >= end)
            edits_add(mutant, edit->at, edit->len, edit->text);
    }
    return true;
}

/* The smallest integer value around the mutated place. */
static const Node *perturbable_expression(const Tree *tree, const Mutation *mutation) {
    const Node *node = node_at(tree, mutation->begin, mutation->end);
    if (mutation_operator_is_structural(mutation_rules[mutation->rule].operator))
        return NULL;
    for (; node && node_is_expression(node) && !(node->flags & (NODE_IN_MACRO | NODE_CONSTANT)); node = node->parent) {
        bool value = type_is_integer(node->type) && !(node_is_lvalue(node) && node_is_modified(node)) && node->parent &&
                     !node_is_statement(node) && node->role != ROLE_STEP && node->role != ROLE_FIRST;
        if (value && node->kind != NODE_STATEMENT_EXPRESSION)
            return node;
    }
    return NULL;
}

static bool probe_perturb(const Tree *tree, const Mutation *mutation, EditList *original, EditList *mutant) {
    const Node *node = perturbable_expression(tree, mutation);
    if (!node)
        return false;
    edits_add(original, node->begin, 0, "((");
    edits_add(original, node->end, 0, ") ^ 1)");
    edits_add(mutant, node->begin, 0, "((");
    for (size_t i = 0; i < mutation->edits.len; i++)
        edits_add(mutant, mutation->edits.items[i].at, mutation->edits.items[i].len, mutation->edits.items[i].text);
    edits_add(mutant, node->end, 0, ") ^ 1)");
    return true;
}

bool effect_probe(const Mutator *mutator, const Mutation *mutation, EffectProbe probe, Str *ret_original,
                  Str *ret_mutant) {
    const Tree *tree = mutator_program(mutator)->tree;
    CLEANUP(edits_release) EditList original = {0};
    CLEANUP(edits_release) EditList mutant = {0};
    str_clear(ret_original);
    str_clear(ret_mutant);
    bool ok = probe == EFFECT_DROP ? probe_drop(tree, mutation, &original, &mutant)
                                   : probe_perturb(tree, mutation, &original, &mutant);
    return ok && edits_apply(&original, tree->text, tree->len, ret_original) &&
           edits_apply(&mutant, tree->text, tree->len, ret_mutant);
}
