/* RecBi's structural mutations: insert if, while, a function call, a goto (section 3.1, Figure 2).
 *
 * An insertable location is a place before a statement inside a function, but not before a declaration and not before
 * an oracle. `if (condition)` and `while (condition)` take the statement behind the location as their body, as in the
 * paper's Figures 3 and 5. Where we deviate:
 *  - an inserted loop counts its rounds and ends after MAX_ROUNDS, so that it terminates whatever its condition says;
 *  - a statement that holds an oracle is not wrapped: the output would vanish instead of the bug;
 *  - `return` of a value is not wrapped, because falling off the end of a function is undefined and no sanitizer for C
 *    sees it;
 *  - a goto jumps forward: to a label of an enclosing block, to a new one in front of a later statement of the same block, or
 *    into a loop or branch behind it, as in Figure 6; over neither declarations (they may be variably modified or
 *    initialise, and so may that of a for) nor oracles.
 */
#include <string.h>

#include "mutate/ingredient_pool.h"
#include "clang/scope.h"

enum { MAX_ROUNDS = 5, MAX_DRAWS = 20 };

/* --- Locations --- */

static bool contains_kind(const Node *top, NodeKind a, NodeKind b) {
    for (const Node *node = top; node; node = node_next(node, top))
        if (node->kind == a || node->kind == b)
            return true;
    return false;
}

/* The value of ({ …; x; }) is its last statement. */
static bool is_value_of_block(const Node *node) {
    const Node *block = node->parent;
    return !node->next && block && block->parent && block->parent->kind == NODE_STATEMENT_EXPRESSION;
}

bool location_is_insertable(const SeedProgram *program, const Node *node) {
    return node_is_statement(node) && node->parent && node->parent->kind != NODE_FUNCTION &&
           node->parent->kind != NODE_STATEMENT_EXPRESSION && node->kind != NODE_DECLARATION &&
           node->kind != NODE_CASE && node->kind != NODE_DEFAULT && !is_value_of_block(node) &&
           !program_is_oracle(program, node);
}

/* --- Goto --- */

typedef struct Target {
    const Node *label;     /* an existing label, or NULL */
    const Node *statement; /* in front of which a new one goes */
} Target;

typedef Vec(Target) TargetList;

static bool may_jump_over(const SeedProgram *program, const Node *statement) {
    return statement->kind != NODE_DECLARATION && !program_is_oracle(program, statement) &&
           !program_contains_oracle(program, statement);
}

static bool may_be_labelled(const Node *statement) {
    return node_is_statement(statement) && statement->kind != NODE_DECLARATION && statement->kind != NODE_CASE &&
           statement->kind != NODE_DEFAULT && !(statement->flags & NODE_IN_MACRO);
}

/* Places inside of a loop or branch, as far as the jump skips nothing that it must not. */
static void find_targets_inside(const SeedProgram *program, const Node *statement, TargetList *ret) {
    const Node *first = node_child(statement, ROLE_FIRST);
    bool enters = statement->kind == NODE_WHILE || statement->kind == NODE_DO || statement->kind == NODE_IF ||
                  (statement->kind == NODE_FOR && !(first && first->kind == NODE_DECLARATION));
    if (statement->kind == NODE_COMPOUND) {
        for (const Node *child = statement->first; child && child->kind != NODE_DECLARATION; child = child->next) {
            if (child->kind == NODE_LABEL && !(child->flags & NODE_IN_MACRO))
                vec_push(ret, (Target){child, NULL});
            else if (may_be_labelled(child))
                vec_push(ret, (Target){NULL, child});
            find_targets_inside(program, child, ret);
            if (!may_jump_over(program, child))
                return;
        }
    }
    for (const Node *child = statement->first; enters && child; child = child->next) {
        if (child->role != ROLE_BODY && child->role != ROLE_THEN && child->role != ROLE_ELSE)
            continue;
        if (child->kind != NODE_COMPOUND && may_be_labelled(child) && !program_is_oracle(program, child))
            vec_push(ret, (Target){NULL, child});
        find_targets_inside(program, child, ret);
        if (!may_jump_over(program, child))
            return; /* an else behind it */
    }
}

/* Along the statements behind `from` in its block, while the jump is allowed. */
static void find_targets_behind(const SeedProgram *program, const Node *from, bool same_block, TargetList *ret) {
    for (const Node *over = from; over && over->next && may_jump_over(program, over); over = over->next) {
        const Node *next = over->next;
        if (next->kind == NODE_LABEL && !(next->flags & NODE_IN_MACRO))
            vec_push(ret, (Target){next, NULL});
        else if (same_block && may_be_labelled(next))
            vec_push(ret, (Target){NULL, next});
        if (same_block)
            find_targets_inside(program, next, ret);
    }
}

static void find_targets(const SeedProgram *program, const Node *node, TargetList *ret) {
    bool same_block = node->parent->kind == NODE_COMPOUND;
    find_targets_inside(program, node, ret);
    for (const Node *up = node; up->parent && up->kind != NODE_FUNCTION; up = up->parent, same_block = false)
        if (up->parent->kind == NODE_COMPOUND)
            find_targets_behind(program, up, same_block, ret);
}

static bool goto_accepts(const SeedProgram *program, const Node *node) {
    TargetList targets = {0};
    find_targets(program, node, &targets);
    bool any = targets.len > 0;
    vec_release(&targets);
    return any;
}

bool location_accepts(const SeedProgram *program, const Node *node, const Rule *rule) {
    const Ingredients *pool = program->ingredients;
    if (!location_is_insertable(program, node))
        return false;
    bool returns_value = node->kind == NODE_RETURN && node->first;
    bool jumps = node->kind == NODE_BREAK || node->kind == NODE_CONTINUE || node->kind == NODE_GOTO ||
                 node->kind == NODE_RETURN || node->kind == NODE_INDIRECT_GOTO;
    bool wrappable = !returns_value && node->kind != NODE_NULL && !program_contains_oracle(program, node);
    switch (rule->action.kind) {
    case ACTION_INSERT_IF: return pool && pool->branches.len > 0 && wrappable;
    case ACTION_INSERT_WHILE:
        return pool && pool->loops.len > 0 && wrappable && !jumps && !contains_kind(node, NODE_LABEL, NODE_CASE) &&
               !contains_kind(node, NODE_DEFAULT, NODE_DEFAULT);
    case ACTION_INSERT_CALL: {
        const Node *function = node_function(node);
        return pool && pool->functions.len > 0 && function && function->parent->kind == NODE_ROOT &&
               !(function->flags & NODE_IN_MACRO);
    }
    default: return goto_accepts(program, node);
    }
}

/* --- Insertion --- */

/* What separates inserted text from the statement: a line of its own if the statement has one, so that a diff shows
 * the insertion alone; else a blank. */
static void append_separator(const SeedProgram *program, const Node *node, Str *ret) {
    const char *text = program->tree->text;
    uint32_t line = node->begin;
    while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t'))
        line--;
    if (line > 0 && text[line - 1] == '\n') {
        str_append_char(ret, '\n');
        str_append_n(ret, text + line, node->begin - line);
    } else {
        str_append_char(ret, ' ');
    }
}

/* Text before the statement, in braces if the statement is not in a block of its own. */
void location_insert_before(const SeedProgram *program, Plan *plan, const Node *node, const char *text, bool braces) {
    CLEANUP(str_release) Str separator = {0};
    append_separator(program, node, &separator);
    braces |= node->parent->kind != NODE_COMPOUND;
    edits_addf(plan->edits, node->begin, 0, "%s%s%s", braces ? "{ " : "", text, str_text(&separator));
    if (braces)
        edits_addf(plan->edits, statement_end(program->tree, node), 0, "%s}", str_text(&separator));
}

/* A condition from the pool that the variables in scope can fill. */
static bool draw_condition(const SeedProgram *program, const Node *node, const TemplateList *conditions, Rng *rng,
                           Str *ret) {
    CLEANUP(node_list_release) NodeList variables = {0};
    bool filled = false;
    scope_variables(program->tree, node->begin, &variables);
    for (int i = 0; i < MAX_DRAWS && !filled; i++) {
        const Template *template = &conditions->items[rng_below(rng, conditions->len)];
        filled = template_fill(template, &variables, NULL, rng, ret);
    }
    return filled;
}

static bool insert_if(const SeedProgram *program, const Node *node, Plan *plan) {
    CLEANUP(str_release) Str condition = {0};
    CLEANUP(str_release) Str text = {0};
    if (!draw_condition(program, node, &program->ingredients->branches, plan->rng, &condition))
        return false;
    str_printf(&text, "if (%s)", str_text(&condition));
    location_insert_before(program, plan, node, str_text(&text), false);
    str_printf(plan->summary, "if (%s) inserted", str_text(&condition));
    return true;
}

static bool insert_while(const SeedProgram *program, const Node *node, Plan *plan) {
    CLEANUP(str_release) Str condition = {0};
    CLEANUP(str_release) Str text = {0};
    CLEANUP(str_release) Str rounds = {0};
    if (!draw_condition(program, node, &program->ingredients->loops, plan->rng, &condition))
        return false;
    scope_fresh_name(program->tree, "rounds", &rounds);
    str_printf(&text, "int %s = 0; while ((%s) && %s++ < %d)", str_text(&rounds), str_text(&condition),
               str_text(&rounds), MAX_ROUNDS);
    location_insert_before(program, plan, node, str_text(&text), true);
    str_printf(plan->summary, "while (%s) inserted", str_text(&condition));
    return true;
}

void function_names(const SeedProgram *program, const Template *definition, StrList *ret) {
    for (size_t i = 0; i < definition->slot_count; i++) {
        CLEANUP(str_release) Str name = {0};
        CLEANUP(str_release) Str prefix = {0};
        str_printf(&prefix, i == 0 ? "called" : "called_data%zu_", i);
        scope_fresh_name(program->tree, str_text(&prefix), &name);
        strlist_add(ret, str_text(&name));
    }
}

static bool insert_call(const SeedProgram *program, const Node *node, Plan *plan) {
    const Ingredients *pool = program->ingredients;
    CLEANUP(str_release) Str arguments = {0};
    CLEANUP(str_release) Str definition = {0};
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(node_list_release) NodeList variables = {0};
    scope_variables(program->tree, node->begin, &variables);
    const FunctionIngredient *function = NULL;
    for (int i = 0; i < MAX_DRAWS && !function; i++) {
        function = &pool->functions.items[rng_below(plan->rng, pool->functions.len)];
        const Template *call = &function->calls.items[rng_below(plan->rng, function->calls.len)];
        if (!template_fill(call, &variables, NULL, plan->rng, &arguments))
            function = NULL;
    }
    if (!function)
        return false;
    function_names(program, &function->definition, &names);
    template_fill(&function->definition, NULL, (const char *const *)names.items, plan->rng, &definition);
    CLEANUP(str_release) Str call = {0};
    str_printf(&call, "%s(%s);", names.items[0], str_text(&arguments));
    edits_add(plan->edits, node_function(node)->begin, 0, str_text(&definition));
    location_insert_before(program, plan, node, str_text(&call), false);
    str_printf(plan->summary, "%s inserted", str_text(&call));
    return true;
}

static bool insert_goto(const SeedProgram *program, const Node *node, Plan *plan) {
    TargetList targets = {0};
    find_targets(program, node, &targets);
    if (targets.len == 0)
        return false;
    Target target = targets.items[rng_below(plan->rng, targets.len)];
    vec_release(&targets);
    CLEANUP(str_release) Str label = {0};
    CLEANUP(str_release) Str text = {0};
    if (target.label)
        str_append(&label, target.label->name);
    else
        scope_fresh_name(program->tree, "skip", &label);
    str_printf(&text, "goto %s;", str_text(&label));
    location_insert_before(program, plan, node, str_text(&text), false);
    if (target.statement) {
        CLEANUP(str_release) Str separator = {0};
        append_separator(program, target.statement, &separator);
        edits_addf(plan->edits, target.statement->begin, 0, "%s:%s", str_text(&label), str_text(&separator));
    }
    str_printf(plan->summary, "goto %s inserted", str_text(&label));
    return true;
}

bool location_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan) {
    switch (rule->action.kind) {
    case ACTION_INSERT_IF: return insert_if(program, node, plan);
    case ACTION_INSERT_WHILE: return insert_while(program, node, plan);
    case ACTION_INSERT_CALL: return insert_call(program, node, plan);
    default: return insert_goto(program, node, plan);
    }
}
