/* Private to src/mutate: a piece of C with its variables left open. */
#ifndef MUTATE_TEMPLATE_H
#define MUTATE_TEMPLATE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/map.h"
#include "mutate/plan.h"

/* What may fill a slot. */
typedef struct Slot {
    TypeClass class;    /* TYPE_INTEGER, TYPE_FLOATING, TYPE_POINTER; TYPE_UNKNOWN: a fresh name */
    bool modified;      /* the template writes to it */
    const char *target; /* of pointers: what they point to, without qualifiers; else NULL */
} Slot;

typedef struct SlotUse {
    uint32_t begin, end; /* in the text */
    uint32_t slot;
} SlotUse;

typedef struct Template {
    const char *text;
    Slot *slots;
    SlotUse *uses; /* in the order of the text */
    size_t slot_count, use_count;
} Template;

/* Of arrays of known length: what the innermost one holds. Other types as they are. */
const Type *element_type(const Type *type);
/* Whether variables of the type can fill a slot; describes it. */
bool slot_describe(const Type *type, Arena *arena, Slot *ret_slot);

/* Opens the variables of a source range; `nodes` are the expressions in it. False if it needs more than variables:
 * types, functions, members, macros. */
bool template_extract(const Tree *tree, const Node *first, const Node *last, Arena *arena, Template *ret);
/* The same for a whole statement, which may declare variables of its own and call one of `functions` (numbers by name), for
 * which a slot is left; `ret_function` is its number, NO_FUNCTION (SIZE_MAX) if it calls none. */
bool template_extract_statement(const Tree *tree, const Node *statement, const Map *functions, Arena *arena,
                                Template *ret, size_t *ret_function);
/* A template of nothing but one slot a type, separated by commas. */
void template_of_slots(const Slot *slots, size_t count, Arena *arena, Template *ret);

/* Appends the text with every slot filled by a variable of the list, drawn uniformly, or a constant; a fresh name comes
 * from `names`, by slot. False, with nothing appended, if a slot cannot be filled. */
bool template_fill(const Template *template, const NodeList *variables, const char *const *names, Rng *rng, Str *ret);

Json *template_to_json(const Template *template);
bool template_from_json(const Json *json, Arena *arena, Template *ret);

#endif
