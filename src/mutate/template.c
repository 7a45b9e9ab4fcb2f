#include "mutate/template.h"

#include <string.h>

enum { MAX_TEXT = 200, MAX_STATEMENT = 800, MAX_SLOTS = 12 };

static bool is_plain(const Type *type) { return type_is_integer(type) || (type && type->class == TYPE_FLOATING); }

bool slot_describe(const Type *type, Arena *arena, Slot *ret_slot) {
    if (!type)
        return false;
    if (is_plain(type)) {
        ret_slot->class = type_is_integer(type) ? TYPE_INTEGER : TYPE_FLOATING;
        return true;
    }
    bool points = (type->class == TYPE_POINTER || type->class == TYPE_ARRAY) && is_plain(type->target);
    if (!points || type->target->class == TYPE_ENUM)
        return false;
    ret_slot->class = TYPE_POINTER;
    ret_slot->target = arena_strdup(arena, type->target->bare);
    return true;
}

/* --- Extraction --- */

typedef struct Extraction {
    const Tree *tree;
    Arena *arena;
    uint32_t begin;
    const Node *statement; /* NULL: expressions are extracted */
    const Map *functions;  /* that a statement may call */
    size_t function;       /* that it does call; SIZE_MAX: none */
    const Node *decls[MAX_SLOTS];
    Slot slots[MAX_SLOTS];
    size_t slot_count;
    Vec(SlotUse) uses;
} Extraction;

/* The slot of what is declared; a new one is described by `slot`. False if there are too many. */
static bool find_slot(Extraction *extraction, const Node *decl, const Slot *slot, size_t *ret_slot) {
    size_t i = 0;
    while (i < extraction->slot_count && extraction->decls[i] != decl)
        i++;
    if (i == MAX_SLOTS)
        return false;
    if (i == extraction->slot_count) {
        extraction->slots[i] = *slot;
        extraction->decls[extraction->slot_count++] = decl;
    }
    *ret_slot = i;
    return true;
}

/* A builtin stays as it is; of others, one that comes along. */
static bool open_function(Extraction *extraction, const Node *node) {
    const Node *decl = node->decl;
    if (str_starts(decl->name, "__builtin_"))
        return !is_oracle_name(decl->name);
    const MapEntry *known = map_find_str(extraction->functions, decl->name);
    size_t slot;
    if (!known || (extraction->function != SIZE_MAX && extraction->function != known->value) ||
        !find_slot(extraction, decl, &(Slot){.class = TYPE_UNKNOWN}, &slot))
        return false;
    extraction->function = known->value;
    vec_push(&extraction->uses,
             (SlotUse){node->begin - extraction->begin, node->end - extraction->begin, (uint32_t)slot});
    return true;
}

static bool open_variable(Extraction *extraction, const Node *node) {
    const Node *decl = node->decl;
    if (extraction->statement && decl && decl->kind == NODE_FUNCTION && decl->name)
        return open_function(extraction, node);
    if (!decl || (decl->kind != NODE_VARIABLE && decl->kind != NODE_PARAMETER))
        return false;
    if (extraction->statement && node_contains(extraction->statement, decl))
        return true; /* its own */
    size_t slot;
    Slot description = {0};
    if (!slot_describe(decl->type, extraction->arena, &description) ||
        !find_slot(extraction, decl, &description, &slot))
        return false;
    bool decays = decl->type->class == TYPE_ARRAY;
    extraction->slots[slot].modified |= !decays && node_is_modified(node);
    vec_push(&extraction->uses,
             (SlotUse){node->begin - extraction->begin, node->end - extraction->begin, (uint32_t)slot});
    return true;
}

/* break and continue must stay inside of the statement. */
static bool leaves_loop_within(const Extraction *extraction, const Node *node) {
    for (const Node *up = node->parent; up && node_contains(extraction->statement, up); up = up->parent)
        if (up->kind == NODE_WHILE || up->kind == NODE_DO || up->kind == NODE_FOR ||
            (up->kind == NODE_SWITCH && node->kind == NODE_BREAK))
            return true;
    return false;
}

const Type *element_type(const Type *type) {
    while (type && type->class == TYPE_ARRAY && type->count > 0)
        type = type->target;
    return type;
}

static bool open_statement_node(Extraction *extraction, const Node *node) {
    switch (node->kind) {
    case NODE_COMPOUND:
    case NODE_DECLARATION:
    case NODE_IF:
    case NODE_SWITCH:
    case NODE_CASE:
    case NODE_DEFAULT:
    case NODE_WHILE:
    case NODE_DO:
    case NODE_FOR:
    case NODE_NULL:
    case NODE_INIT_LIST: return true;
    case NODE_CALL: return node->first && node_without_parens(node->first)->kind == NODE_NAME;
    case NODE_VARIABLE: return !(node->flags & NODE_STATIC) && is_plain(element_type(node->type));
    case NODE_BREAK:
    case NODE_CONTINUE: return leaves_loop_within(extraction, node);
    default: return false;
    }
}

static bool open_node(Extraction *extraction, const Node *node) {
    if (node->flags & NODE_IN_MACRO)
        return false;
    switch (node->kind) {
    case NODE_NAME: return open_variable(extraction, node);
    case NODE_UNARY: return node->op != OP_ADDRESS;
    case NODE_CAST: return is_plain(node->type);
    case NODE_INTEGER:
    case NODE_FLOAT:
    case NODE_CHARACTER:
    case NODE_BINARY:
    case NODE_ASSIGN:
    case NODE_CONDITIONAL:
    case NODE_PAREN:
    case NODE_SUBSCRIPT: return true;
    default: return extraction->statement && open_statement_node(extraction, node);
    }
}

static bool open_range(Extraction *extraction, const Node *first, const Node *last) {
    for (const Node *top = first;; top = top->next) {
        for (const Node *node = top; node; node = node_next(node, top))
            if (!open_node(extraction, node))
                return false;
        if (top == last)
            return true;
    }
}

static bool extract(Extraction *extraction, const Node *first, const Node *last, size_t len, Template *ret) {
    const char *text = extraction->tree->text + extraction->begin;
    bool ok = open_range(extraction, first, last);
    if (ok)
        *ret = (Template){
            .text = arena_strndup(extraction->arena, text, len),
            .slots = arena_dup(extraction->arena, extraction->slots, extraction->slot_count * sizeof(Slot)),
            .uses = arena_dup(extraction->arena, extraction->uses.items, extraction->uses.len * sizeof(SlotUse)),
            .slot_count = extraction->slot_count,
            .use_count = extraction->uses.len};
    vec_release(&extraction->uses);
    return ok;
}

bool template_extract(const Tree *tree, const Node *first, const Node *last, Arena *arena, Template *ret) {
    Extraction extraction = {.tree = tree, .arena = arena, .begin = first->begin, .function = SIZE_MAX};
    size_t len = last->end - first->begin;
    const char *text = tree->text + first->begin;
    bool fits = len <= MAX_TEXT && !memchr(text, '\n', len) && !memmem(text, len, "/*", 2);
    return fits && extract(&extraction, first, last, len, ret);
}

bool template_extract_statement(const Tree *tree, const Node *statement, const Map *functions, Arena *arena,
                                Template *ret, size_t *ret_function) {
    Extraction extraction = {.tree = tree,
                             .arena = arena,
                             .begin = statement->begin,
                             .statement = statement,
                             .functions = functions,
                             .function = SIZE_MAX};
    size_t len = statement_end(tree, statement) - statement->begin;
    bool ok = len <= MAX_STATEMENT && !memchr(tree->text + statement->begin, '#', len) &&
              extract(&extraction, statement, statement, len, ret);
    *ret_function = extraction.function;
    return ok;
}

void template_of_slots(const Slot *slots, size_t count, Arena *arena, Template *ret) {
    CLEANUP(str_release) Str text = {0};
    SlotUse *uses = arena_array(arena, SlotUse, count);
    for (size_t i = 0; i < count; i++) {
        str_append(&text, i ? ", " : "");
        uses[i] = (SlotUse){(uint32_t)text.len, (uint32_t)text.len + 1, (uint32_t)i};
        str_append(&text, "x");
    }
    *ret = (Template){arena_strdup(arena, str_text(&text)), arena_dup(arena, slots, count * sizeof(Slot)), uses, count,
                      count};
}

/* --- Filling --- */

static bool variable_fits(const Slot *slot, const Node *variable) {
    const Type *type = variable->type;
    if (!type || (slot->modified && (type_is_const(type) || type->class == TYPE_ARRAY)))
        return false;
    switch (slot->class) {
    case TYPE_INTEGER: return type_is_integer(type) && type->class != TYPE_ENUM;
    case TYPE_FLOATING: return type->class == TYPE_FLOATING;
    default:
        return (type->class == TYPE_POINTER || type->class == TYPE_ARRAY) && type->target &&
               !type_is_const(type->target) && str_equal(type->target->bare, slot->target);
    }
}

/* NULL if nothing fits. */
static const char *draw_filling(const Slot *slot, const NodeList *variables, Rng *rng) {
    static const char *const integers[] = {"0", "1", "2", "-1", "7"};
    size_t fitting = 0;
    for (size_t i = 0; i < variables->len; i++)
        fitting += variable_fits(slot, variables->items[i]);
    if (fitting == 0) {
        if (slot->modified || slot->class == TYPE_POINTER)
            return NULL;
        return slot->class == TYPE_FLOATING ? "1.0" : integers[rng_below(rng, ARRAY_LEN(integers))];
    }
    size_t chosen = rng_below(rng, fitting);
    for (size_t i = 0; i < variables->len; i++)
        if (variable_fits(slot, variables->items[i]) && chosen-- == 0)
            return variables->items[i]->name;
    return NULL;
}

bool template_fill(const Template *template, const NodeList *variables, const char *const *names, Rng *rng, Str *ret) {
    CLEANUP(mem_freep) const char **fillings = mem_zalloc(template->slot_count + 1, sizeof(char *));
    for (size_t i = 0; i < template->slot_count; i++) {
        bool fresh = template->slots[i].class == TYPE_UNKNOWN;
        fillings[i] = fresh ? names[i] : draw_filling(&template->slots[i], variables, rng);
        if (!fillings[i])
            return false;
    }
    size_t at = 0;
    for (size_t i = 0; i < template->use_count; i++) {
        const SlotUse *use = &template->uses[i];
        str_append_n(ret, template->text + at, use->begin - at);
        str_append(ret, fillings[use->slot]);
        at = use->end;
    }
    str_append(ret, template->text + at);
    return true;
}

/* --- Storage --- */

Json *template_to_json(const Template *template) {
    Json *json = json_new_object(), *slots = json_new_array(), *uses = json_new_array();
    for (size_t i = 0; i < template->slot_count; i++) {
        Json *slot = json_new_object();
        json_put_int(slot, "class", template->slots[i].class);
        json_put_bool(slot, "modified", template->slots[i].modified);
        json_put_text(slot, "target", template->slots[i].target);
        json_push(slots, slot);
    }
    for (size_t i = 0; i < template->use_count; i++) {
        json_push(uses, json_new_int(template->uses[i].begin));
        json_push(uses, json_new_int(template->uses[i].end));
        json_push(uses, json_new_int(template->uses[i].slot));
    }
    json_put_text(json, "text", template->text);
    json_put(json, "slots", slots);
    json_put(json, "uses", uses);
    return json;
}

bool template_from_json(const Json *json, Arena *arena, Template *ret) {
    const Json *slots = json_get(json, "slots"), *uses = json_get(json, "uses");
    const char *text = json_get_text(json, "text", NULL);
    if (!text || json_len(uses) % 3 != 0)
        return false;
    *ret =
        (Template){.text = arena_strdup(arena, text), .slot_count = json_len(slots), .use_count = json_len(uses) / 3};
    ret->slots = arena_array(arena, Slot, ret->slot_count);
    ret->uses = arena_array(arena, SlotUse, ret->use_count);
    for (size_t i = 0; i < ret->slot_count; i++) {
        const Json *slot = json_item(slots, i);
        int64_t class = json_get_int(slot, "class", -1);
        if (class != TYPE_UNKNOWN && class != TYPE_INTEGER && class != TYPE_FLOATING && class != TYPE_POINTER)
            return false;
        ret->slots[i] = (Slot){(TypeClass) class, json_get_bool(slot, "modified", false),
                               arena_strdup(arena, json_get_text(slot, "target", NULL))};
    }
    size_t at = 0, len = strlen(text);
    for (size_t i = 0; i < ret->use_count; i++) {
        SlotUse use = {(uint32_t)json_int(json_item(uses, 3 * i), -1),
                       (uint32_t)json_int(json_item(uses, 3 * i + 1), -1),
                       (uint32_t)json_int(json_item(uses, 3 * i + 2), -1)};
        if (use.begin < at || use.end < use.begin || use.end > len || use.slot >= ret->slot_count)
            return false;
        ret->uses[i] = use;
        at = use.end;
    }
    return true;
}
