/* The mutator: finds the holes of a program once, tells which rules apply where, and draws mutants. */
#include "mutate/mutator.h"

#include <stdlib.h>
#include <string.h>

#include "mutate/ingredient_pool.h"
#include "mutate/plan.h"

typedef Vec(const Node *) HoleList;

struct Mutator {
    SeedProgram program;
    char *text;
    Parser *parser;
    Tree *tree;
    HoleList *holes; /* by rule */
};

/* --- Holes --- */

/* Declarations share their specifiers: the first of a group stands for all. Prototypes only repeat. */
static bool is_declaration_hole(const Node *node) {
    if (node->kind != NODE_VARIABLE && node->kind != NODE_PARAMETER && node->kind != NODE_FIELD)
        return false;
    const Node *before = node->previous, *parent = node->parent;
    bool first = !before || before->begin != node->begin || before->kind != node->kind;
    bool in_prototype =
        node->kind == NODE_PARAMETER && !(parent->kind == NODE_FUNCTION && (parent->flags & NODE_DEFINITION));
    return first && !in_prototype && node->name && node->name_begin > node->begin;
}

static bool is_negative_constant(const Node *node) {
    return node->kind == NODE_UNARY && node->op == OP_MINUS && node->first && node->first->kind == NODE_INTEGER &&
           !(node->first->flags & NODE_IN_MACRO);
}

/* Whether the node is a hole of the kind at all; what a rule makes of it is asked after. */
static bool is_hole(const Node *node, HoleKind kind) {
    switch (kind) {
    case HOLE_DECLARATION: return is_declaration_hole(node);
    case HOLE_VARIABLE: return node->kind == NODE_NAME;
    case HOLE_UNARY: return node->kind == NODE_UNARY;
    case HOLE_BINARY: return node->kind == NODE_BINARY || node->kind == NODE_ASSIGN;
    case HOLE_CONSTANT:
        return is_negative_constant(node) || (node->kind == NODE_INTEGER && !is_negative_constant(node->parent));
    case HOLE_LOCATION: return node_is_statement(node) && node_function(node) != NULL;
    }
    return false;
}

static bool accepts(const SeedProgram *program, const Node *node, const Rule *rule) {
    switch (rule->hole) {
    case HOLE_DECLARATION: return declaration_accepts(program, node, rule);
    case HOLE_VARIABLE: return variable_accepts(program, node);
    case HOLE_UNARY: return unary_accepts(node, rule);
    case HOLE_BINARY: return binary_accepts(node, rule);
    case HOLE_CONSTANT: return constant_accepts(program, node, rule);
    case HOLE_LOCATION: return location_accepts(program, node, rule);
    }
    return false;
}

static bool mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan) {
    switch (rule->hole) {
    case HOLE_DECLARATION: return declaration_mutate(program, node, rule, plan);
    case HOLE_VARIABLE: return variable_mutate(program, node, plan);
    case HOLE_UNARY: return unary_mutate(program, node, rule, plan);
    case HOLE_BINARY: return binary_mutate(program, node, rule, plan);
    case HOLE_CONSTANT: return constant_mutate(program, node, rule, plan);
    case HOLE_LOCATION: return location_mutate(program, node, rule, plan);
    }
    return false;
}

static void find_holes(Mutator *mutator, size_t rule_count) {
    const Node *root = mutator->tree->root;
    for (const Node *node = root; node; node = node_next(node, root)) {
        if ((node->flags & NODE_IN_MACRO) || program_is_oracle(&mutator->program, node))
            continue;
        bool holes[HOLE_LOCATION + 1];
        for (HoleKind kind = 0; kind <= HOLE_LOCATION; kind++)
            holes[kind] = is_hole(node, kind);
        for (size_t i = 0; i < rule_count; i++)
            if (holes[mutation_rules[i].hole] && accepts(&mutator->program, node, &mutation_rules[i]))
                vec_push(&mutator->holes[i], node);
    }
}

/* --- The interface --- */

Mutator *mutator_new(const char *text, size_t len, const MutatorConfig *config, Error *err) {
    Mutator *mutator = mem_zalloc(1, sizeof *mutator);
    mutator->text = mem_zalloc(len + 1, 1);
    memcpy(mutator->text, text, len);
    mutator->parser = parser_new(config->file_name, config->flags);
    mutator->tree = parser_parse(mutator->parser, mutator->text, len, err);
    mutator->holes = mem_zalloc(mutation_rule_count, sizeof *mutator->holes);
    if (!mutator->tree) {
        mutator_free(mutator);
        return NULL;
    }
    mutator->program.tree = mutator->tree;
    mutator->program.ingredients = config->ingredients;
    mutator->program.mutate_guards = config->mutate_guards;
    program_find_oracle(&mutator->program);
    program_find_usage(&mutator->program);
    find_holes(mutator, config->rule_count ? config->rule_count : mutation_rule_count);
    return mutator;
}

void mutator_free(Mutator *mutator) {
    if (!mutator)
        return;
    for (size_t i = 0; i < mutation_rule_count; i++)
        vec_release(&mutator->holes[i]);
    free(mutator->holes);
    free(mutator->program.usage);
    vec_release(&mutator->program.oracle);
    tree_free(mutator->tree);
    parser_free(mutator->parser);
    free(mutator->text);
    free(mutator);
}

const SeedProgram *mutator_program(const Mutator *mutator) { return &mutator->program; }

size_t mutator_parse_errors(const Mutator *mutator) { return mutator->tree->errors; }

size_t mutator_holes(const Mutator *mutator, size_t rule) { return mutator->holes[rule].len; }

bool mutator_operator_applies(const Mutator *mutator, MutationOperator operator) {
    for (size_t i = 0; i < mutation_rule_count; i++)
        if (mutation_rules[i].operator== operator&& mutator->holes[i].len> 0)
            return true;
    return false;
}

void mutation_release(Mutation *mutation) {
    edits_release(&mutation->edits);
    str_release(&mutation->summary);
}

/* Starts the record of a mutation at the node. */
static void begin_mutation(const Mutator *mutator, const Node *node, Mutation *mutation, Str *ret_text) {
    edits_clear(&mutation->edits);
    str_clear(&mutation->summary);
    mutation->begin = node->begin;
    mutation->end = node->end;
    mutation->line = text_line(mutator->text, mutator->tree->len, node->begin);
    str_printf(&mutation->summary, "line %u: ", mutation->line);
    str_clear(ret_text);
}

bool mutator_apply(Mutator *mutator, size_t rule, Rng *rng, Str *ret_text, Mutation *ret_mutation) {
    CLEANUP(mutation_release) Mutation own = {0};
    Mutation *mutation = ret_mutation ? ret_mutation : &own;
    const HoleList *holes = &mutator->holes[rule];
    if (holes->len == 0)
        return false;
    const Node *node = holes->items[rng_below(rng, holes->len)];
    begin_mutation(mutator, node, mutation, ret_text);
    mutation->rule = rule;
    Plan plan = {rng, &mutation->edits, &mutation->summary};
    return mutate(&mutator->program, node, &mutation_rules[rule], &plan) &&
           edits_apply(&mutation->edits, mutator->text, mutator->tree->len, ret_text);
}

bool mutator_blend(Mutator *mutator, Rng *rng, Str *ret_text, Mutation *ret_mutation) {
    const Node *root = mutator->tree->root;
    HoleList places = {0};
    for (const Node *node = root; mutator->program.ingredients && node; node = node_next(node, root))
        if (statement_fits(&mutator->program, node))
            vec_push(&places, node);
    const Node *node = places.len ? places.items[rng_below(rng, places.len)] : NULL;
    vec_release(&places);
    if (!node)
        return false;
    begin_mutation(mutator, node, ret_mutation, ret_text);
    Plan plan = {rng, &ret_mutation->edits, &ret_mutation->summary};
    return statement_insert(&mutator->program, node, &plan) &&
           edits_apply(&ret_mutation->edits, mutator->text, mutator->tree->len, ret_text);
}

bool mutator_apply_operator(Mutator *mutator, MutationOperator operator, Rng * rng, Str *ret_text,
                            Mutation *ret_mutation) {
    size_t applicable = 0;
    for (size_t i = 0; i < mutation_rule_count; i++)
        applicable += mutation_rules[i].operator== operator&& mutator->holes[i].len> 0;
    if (applicable == 0)
        return false;
    size_t chosen = rng_below(rng, applicable);
    for (size_t i = 0; i < mutation_rule_count; i++)
        if (mutation_rules[i].operator== operator&& mutator->holes[i].len> 0 && chosen-- == 0)
            return mutator_apply(mutator, i, rng, ret_text, ret_mutation);
    return false;
}
