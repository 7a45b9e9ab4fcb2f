/* Blending a program with statements and blocks of others (DiWi, section 5.6.4 and Figure 8):
 *
 *     1. all statements and blocks of the corpus are candidates
 *     2. one is drawn, with what it depends on
 *     3. it is inserted at a random place, and its variables are renamed to compatible ones of the program
 *
 * What it depends on is at most one function that harvest.c can take (with the variables of its file that the function uses),
 * and the compiler's builtin functions, which need no header. Statements that need more (types, members, other functions,
 * labels) are no candidates, nor are those that leave the place by return, goto or a break of a loop around them: the
 * rest of the program would not run.
 */
#include <string.h>

#include "mutate/ingredient_pool.h"
#include "clang/scope.h"

enum { MAX_EACH = 20000, MAX_DRAWS = 20 };

/* --- Candidates --- */

/* Declarations live in their block alone; what has no effect adds nothing. */
static bool is_candidate(const Node *node) {
    if (!node_is_statement(node) || !node->parent || node->parent->kind == NODE_FUNCTION)
        return false;
    switch (node->kind) {
    case NODE_COMPOUND:
    case NODE_IF:
    case NODE_SWITCH:
    case NODE_WHILE:
    case NODE_DO:
    case NODE_FOR:
    case NODE_ASSIGN:
    case NODE_CALL: return true;
    case NODE_UNARY: return node_is_lvalue(node->first) && node_is_modified(node->first);
    default: return false;
    }
}

void statements_harvest(Ingredients *ingredients, const Tree *tree, const Map *functions) {
    for (const Node *node = tree->root->first; node; node = node_next(node, tree->root)) {
        StatementIngredient statement;
        bool is_new;
        if (!is_candidate(node) || ingredients->statements.len >= MAX_EACH ||
            !template_extract_statement(tree, node, functions, &ingredients->arena, &statement.text,
                                        &statement.function) ||
            statement.text.slot_count == 0)
            continue;
        map_insert_str(&ingredients->seen, statement.text.text, &is_new);
        if (is_new)
            vec_push(&ingredients->statements, statement);
    }
}

/* --- Insertion --- */

bool statement_fits(const SeedProgram *program, const Node *node) {
    const Node *function = node_function(node);
    return location_is_insertable(program, node) && function && function->parent->kind == NODE_ROOT &&
           !(function->flags & NODE_IN_MACRO) && !(node->flags & NODE_IN_MACRO);
}

/* Names by slot: the called function's new one where a slot stands for it. */
static void names_of_slots(const Template *text, const char *called, const char **ret_names) {
    for (size_t i = 0; i < text->slot_count; i++)
        ret_names[i] = text->slots[i].class == TYPE_UNKNOWN ? called : NULL;
}

/* The beginning of the text, with single blanks. */
static void append_in_a_line(const Str *text, Str *ret) {
    enum { LONGEST = 60 };
    size_t start = ret->len;
    for (const char *c = str_text(text); *c && ret->len - start < LONGEST; c++)
        if (*c != ' ' && *c != '\t' && *c != '\n')
            str_append_char(ret, *c);
        else if (ret->len > start && ret->data[ret->len - 1] != ' ')
            str_append_char(ret, ' ');
    if (ret->len - start == LONGEST)
        str_append(ret, "...");
}

bool statement_insert(const SeedProgram *program, const Node *node, Plan *plan) {
    const Ingredients *pool = program->ingredients;
    CLEANUP(str_release) Str text = {0};
    CLEANUP(node_list_release) NodeList variables = {0};
    scope_variables(program->tree, node->begin, &variables);
    bool filled = false;
    for (int i = 0; i < MAX_DRAWS && !filled && pool->statements.len; i++) {
        const StatementIngredient *statement = &pool->statements.items[rng_below(plan->rng, pool->statements.len)];
        const FunctionIngredient *function =
            statement->function == NO_FUNCTION ? NULL : &pool->functions.items[statement->function];
        CLEANUP(strlist_release) StrList names = {0};
        CLEANUP(mem_freep) const char **by_slot = mem_zalloc(statement->text.slot_count + 1, sizeof(char *));
        if (function)
            function_names(program, &function->definition, &names);
        names_of_slots(&statement->text, function ? names.items[0] : NULL, by_slot);
        filled = template_fill(&statement->text, &variables, by_slot, plan->rng, &text);
        if (filled && function) {
            CLEANUP(str_release) Str definition = {0};
            template_fill(&function->definition, NULL, (const char *const *)names.items, plan->rng, &definition);
            edits_add(plan->edits, node_function(node)->begin, 0, str_text(&definition));
        }
    }
    if (!filled)
        return false;
    location_insert_before(program, plan, node, str_text(&text), false);
    append_in_a_line(&text, plan->summary);
    str_append(plan->summary, " inserted");
    return true;
}
