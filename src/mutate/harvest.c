/* Taking ingredients out of a parsed program (the first step of RecBi's Figure 2): branch conditions, loop conditions,
 * functions and their calls. (Statements and blocks, for DiWi's blending: statements.c.)
 *
 * Only what can live elsewhere is taken. A condition may name variables and nothing else. A function may use its
 * parameters and locals, plain variables of its file (which come along, initialised as they were) and the compiler's
 * builtin functions; its parameters and result are numbers or pointers to numbers. It brings no loop of its own that
 * waits for the outside, because it calls nothing; that its loops end is the corpus' promise and the search's limit.
 */
#include <string.h>

#include "mutate/ingredient_pool.h"

enum { MAX_FUNCTION = 2000, MAX_VARIABLES = 6, MAX_CALLS = 4, MAX_PARAMETERS = 8, MAX_EACH = 20000 };

/* --- Conditions --- */

static bool is_new_text(Ingredients *ingredients, char kind, const char *text, size_t len) {
    CLEANUP(str_release) Str key = {0};
    bool is_new;
    str_append_char(&key, kind);
    str_append_n(&key, text, len);
    map_insert(&ingredients->seen, key.data, key.len, &is_new);
    return is_new;
}

static void harvest_condition(Ingredients *ingredients, const Tree *tree, const Node *node) {
    const Node *parent = node->parent;
    bool loop = parent->kind == NODE_WHILE || parent->kind == NODE_DO || parent->kind == NODE_FOR;
    bool branch = parent->kind == NODE_IF || parent->kind == NODE_CONDITIONAL;
    TemplateList *list = loop ? &ingredients->loops : &ingredients->branches;
    Template template;
    if ((!loop && !branch) || list->len >= MAX_EACH || !type_is_scalar(node->type))
        return;
    if (!template_extract(tree, node, node, &ingredients->arena, &template) || template.slot_count == 0)
        return;
    if (is_new_text(ingredients, loop ? 'l' : 'b', template.text, strlen(template.text)))
        vec_push(list, template);
}

/* --- Functions --- */

/* A function being taken, and the file's variables that it uses. */
typedef struct Harvest {
    const Tree *tree;
    const Node *function;
    const Node *variables[MAX_VARIABLES];
    size_t variable_count;
} Harvest;

static bool is_number(const Type *type) {
    return type && (type->class == TYPE_INTEGER || type->class == TYPE_FLOATING);
}

static bool is_simple_initializer(const Node *initializer) {
    for (const Node *node = initializer; node; node = node_next(node, initializer))
        if ((node->flags & NODE_IN_MACRO) || node->kind == NODE_NAME || node->kind == NODE_TYPE_REF ||
            node->kind == NODE_OTHER || node->kind == NODE_SIZEOF)
            return false;
    return true;
}

static bool take_variable(Harvest *harvest, const Node *decl) {
    for (size_t i = 0; i < harvest->variable_count; i++)
        if (harvest->variables[i] == decl)
            return true;
    const Node *initializer = node_child(decl, ROLE_INITIALIZER);
    if ((decl->flags & NODE_EXTERNAL) || harvest->variable_count == MAX_VARIABLES ||
        !is_number(element_type(decl->type)) || (initializer && !is_simple_initializer(initializer)))
        return false;
    harvest->variables[harvest->variable_count++] = decl;
    return true;
}

static bool takes_name(Harvest *harvest, const Node *node) {
    const Node *decl = node->decl;
    if (!decl || !decl->name)
        return false;
    if (node_contains(harvest->function, decl) && decl != harvest->function)
        return true;
    if (decl->kind == NODE_FUNCTION) /* a builtin that computes, not one that prints or ends the program */
        return str_starts(decl->name, "__builtin_") && !is_oracle_name(decl->name);
    return decl->kind == NODE_VARIABLE && take_variable(harvest, decl);
}

static bool takes_node(Harvest *harvest, const Node *node) {
    if (node->flags & NODE_IN_MACRO)
        return false;
    switch (node->kind) {
    case NODE_NAME: return takes_name(harvest, node);
    case NODE_MEMBER:
    case NODE_RECORD:
    case NODE_ENUM:
    case NODE_TYPEDEF:
    case NODE_TYPE_REF:
    case NODE_ATTRIBUTE:
    case NODE_ASM:
    case NODE_ADDRESS_OF_LABEL:
    case NODE_INDIRECT_GOTO:
    case NODE_OTHER: return false;
    default: return true;
    }
}

static bool signature_fits(const Node *function) {
    const Type *result = function->type ? function->type->target : NULL;
    return result && (result->class == TYPE_VOID || is_number(result)) && !(function->flags & NODE_VARIADIC) &&
           strchr(function->type->spelling, '(') != NULL;
}

static bool starts_with_word(const Tree *tree, const Node *node, const char *word) {
    size_t i = token_at_or_after(&tree->tokens, node->begin);
    return i < tree->tokens.len && token_is(tree->text, &tree->tokens.items[i], word);
}

static bool collect_function(Harvest *harvest) {
    const Node *function = harvest->function;
    size_t len = function->end - function->begin;
    if (!(function->flags & NODE_DEFINITION) || (function->flags & NODE_IN_MACRO) || !function->name ||
        len > MAX_FUNCTION || str_equal(function->name, "main") || !signature_fits(function))
        return false;
    if (!(function->flags & NODE_INTERNAL) &&
        (starts_with_word(harvest->tree, function, "extern") || starts_with_word(harvest->tree, function, "inline")))
        return false;
    if (memchr(harvest->tree->text + function->begin, '#', len)) /* directives would come along */
        return false;
    for (const Node *node = function->first; node; node = node_next(node, function))
        if (!takes_node(harvest, node))
            return false;
    return true;
}

/* Builds a text whose fresh names are noted as they are written. */
typedef struct Writer {
    Str text;
    Vec(SlotUse) uses;
} Writer;

static void write_name(Writer *writer, const char *name, size_t slot) {
    uint32_t begin = (uint32_t)writer->text.len;
    str_append(&writer->text, name);
    vec_push(&writer->uses, (SlotUse){begin, (uint32_t)writer->text.len, (uint32_t)slot});
}

/* static int a[3] = {1, 2}; */
static void write_variable(Writer *writer, const Harvest *harvest, size_t i) {
    const Node *variable = harvest->variables[i], *initializer = node_child(variable, ROLE_INITIALIZER);
    str_printf(&writer->text, "static %s ", element_type(variable->type)->spelling);
    write_name(writer, variable->name, i + 1);
    for (const Type *type = variable->type; type->class == TYPE_ARRAY; type = type->target)
        str_printf(&writer->text, "[%lld]", (long long)type->count);
    if (initializer) {
        str_append(&writer->text, " = ");
        str_append_n(&writer->text, harvest->tree->text + initializer->begin, initializer->end - initializer->begin);
    }
    str_append(&writer->text, ";\n");
}

static size_t slot_of(const Harvest *harvest, const Node *decl) {
    for (size_t i = 0; i < harvest->variable_count; i++)
        if (harvest->variables[i] == decl)
            return i + 1;
    return 0;
}

static void write_function(Writer *writer, const Harvest *harvest) {
    const Node *function = harvest->function;
    const char *text = harvest->tree->text;
    uint32_t at = function->begin;
    if (!(function->flags & NODE_INTERNAL))
        str_append(&writer->text, "static ");
    str_append_n(&writer->text, text + at, function->name_begin - at);
    write_name(writer, function->name, 0);
    at = function->name_begin + (uint32_t)strlen(function->name);
    for (const Node *node = function->first; node; node = node_next(node, function)) {
        size_t slot = node->kind == NODE_NAME ? slot_of(harvest, node->decl) : 0;
        if (slot == 0 || node->begin < at)
            continue;
        str_append_n(&writer->text, text + at, node->begin - at);
        write_name(writer, node->name, slot);
        at = node->end;
    }
    str_append_n(&writer->text, text + at, function->end - at);
    str_append(&writer->text, "\n\n");
}

static void write_definition(const Harvest *harvest, Arena *arena, Template *ret) {
    Writer writer = {0};
    for (size_t i = 0; i < harvest->variable_count; i++)
        write_variable(&writer, harvest, i);
    write_function(&writer, harvest);
    size_t slots = harvest->variable_count + 1; /* zeroed slots are fresh names */
    *ret = (Template){arena_strdup(arena, str_text(&writer.text)), arena_array(arena, Slot, slots),
                      arena_dup(arena, writer.uses.items, writer.uses.len * sizeof(SlotUse)), slots, writer.uses.len};
    str_release(&writer.text);
    vec_release(&writer.uses);
}

/* --- Calls --- */

static bool parameter_slots(const Node *function, Arena *arena, Slot *slots, size_t *ret_count) {
    *ret_count = 0;
    for (const Node *child = function->first; child; child = child->next) {
        if (child->kind != NODE_PARAMETER)
            continue;
        if (*ret_count == MAX_PARAMETERS || !slot_describe(child->type, arena, &slots[*ret_count]))
            return false;
        ++*ret_count;
    }
    return true;
}

static void harvest_calls(const Harvest *harvest, size_t parameters, Arena *arena, TemplateList *ret) {
    const Node *root = harvest->tree->root;
    for (const Node *node = root; node && ret->len < MAX_CALLS; node = node_next(node, root)) {
        const Node *callee = node->kind == NODE_CALL ? node->first : NULL;
        Template arguments;
        if (callee && callee->decl && str_equal(callee->decl->name, harvest->function->name) && callee->next &&
            node_child_count(node) == parameters + 1 &&
            template_extract(harvest->tree, callee->next, node->last, arena, &arguments))
            vec_push(ret, arguments);
    }
}

static void harvest_function(Ingredients *ingredients, const Tree *tree, const Node *node, Map *numbers) {
    Harvest harvest = {.tree = tree, .function = node};
    Slot slots[MAX_PARAMETERS] = {0};
    size_t parameters;
    if (ingredients->functions.len >= MAX_EACH || !collect_function(&harvest) ||
        !parameter_slots(node, &ingredients->arena, slots, &parameters) ||
        !is_new_text(ingredients, 'f', tree->text + node->begin, node->end - node->begin))
        return;
    FunctionIngredient function = {0};
    write_definition(&harvest, &ingredients->arena, &function.definition);
    harvest_calls(&harvest, parameters, &ingredients->arena, &function.calls);
    if (function.calls.len == 0) {
        Template arguments;
        template_of_slots(slots, parameters, &ingredients->arena, &arguments);
        vec_push(&function.calls, arguments);
    }
    map_insert_str(numbers, node->name, NULL)->value = ingredients->functions.len;
    vec_push(&ingredients->functions, function);
}

void ingredients_harvest(Ingredients *ingredients, const Tree *tree) {
    Map functions = {0};
    for (const Node *node = tree->root->first; node; node = node_next(node, tree->root)) {
        if (node->role == ROLE_CONDITION)
            harvest_condition(ingredients, tree, node);
        else if (node->kind == NODE_FUNCTION && node->parent == tree->root)
            harvest_function(ingredients, tree, node, &functions);
    }
    statements_harvest(ingredients, tree, &functions);
    map_release(&functions);
}
