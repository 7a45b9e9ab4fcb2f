/* Qualifiers and modifiers of declarations (the first two lines of DiWi's Table 1).
 *
 * A hole is a declaration with all its declarators, because they share the specifiers: `int a, *p` is one hole. A
 * qualifier goes before the specifiers, where it qualifies the innermost type, or behind the last * of a declarator,
 * where it qualifies the variable. Whether the result compiles follows from the usage of the variables:
 *  - const wants that nothing is written through what becomes const,
 *  - nothing may change that another declaration of the same name repeats,
 *  - the size of an integer may change only if no pointer reaches it: &x would have another type, and reading it
 *    through the old one would be undefined.
 */
#include <string.h>

#include "mutate/specifiers.h"

static const Node *next_of_group(const Node *node) {
    const Node *next = node->next;
    return next && next->begin == node->begin && next->kind == node->kind ? next : NULL;
}

static const Type *without_arrays(const Type *type) {
    while (type && type->class == TYPE_ARRAY)
        type = type->target;
    return type;
}

static bool is_pointer(const Node *node) {
    const Type *type = without_arrays(node->type);
    return type && type->class == TYPE_POINTER;
}

static bool is_function_pointer(const Node *node) {
    const Type *type = without_arrays(node->type);
    while (type && type->class == TYPE_POINTER)
        type = type->target;
    return type && type->class == TYPE_FUNCTION;
}

/* --- Qualifiers --- */

/* Places in one group where a qualifier can go or stands: the specifiers, and the pointer of each declarator. */
typedef struct Place {
    uint32_t at, len;
    const Node *declaration; /* whose pointer it is; NULL for the specifiers */
} Place;

typedef Vec(Place) PlaceList;

/* A qualifier in the specifiers changes what a pointer points to, which a prototype repeats; on a parameter itself it
 * is nobody else's business. */
static bool may_qualify_base(const SeedProgram *program, const Node *node, SpecifierWord word) {
    const Usage *usage = &program->usage[node->index];
    ByteRange pointer;
    bool through = is_pointer(node) && declarator_pointer(program->tree, node, &pointer);
    if (is_function_pointer(node) || word == WORD_RESTRICT)
        return false;
    if (usage->redeclared && (through || node->kind != NODE_PARAMETER))
        return false;
    if (word != WORD_CONST)
        return true;
    if (node->kind == NODE_FIELD && program->assigns_records)
        return false;
    return through ? !usage->written_through : !usage->written;
}

static bool may_qualify_pointer(const SeedProgram *program, const Node *node, SpecifierWord word) {
    const Usage *usage = &program->usage[node->index];
    if (!is_pointer(node) || (usage->redeclared && node->kind != NODE_PARAMETER))
        return false;
    if (word == WORD_RESTRICT)
        return !is_function_pointer(node);
    if (word == WORD_CONST && node->kind == NODE_FIELD && program->assigns_records)
        return false;
    return word != WORD_CONST || !usage->written;
}

/* The first occurrence of the word in the range. */
static bool find_word(const Tree *tree, ByteRange range, SpecifierWord word, ByteRange *ret_word) {
    for (size_t i = token_at_or_after(&tree->tokens, range.begin);
         i < tree->tokens.len && tree->tokens.items[i].begin < range.end; i++) {
        if (specifier_word_of(tree->text, &tree->tokens.items[i]) == word) {
            *ret_word = (ByteRange){tree->tokens.items[i].begin, tree->tokens.items[i].end};
            return true;
        }
    }
    return false;
}

static void find_insertions(const SeedProgram *program, const Node *leader, SpecifierWord word, PlaceList *ret) {
    Specifiers specifiers;
    ByteRange pointer, found;
    specifiers_read(program->tree, leader, &specifiers);
    bool base = specifiers.count[word] == 0;
    for (const Node *node = leader; node; node = next_of_group(node)) {
        base = base && may_qualify_base(program, node, word);
        if (declarator_pointer(program->tree, node, &pointer) && may_qualify_pointer(program, node, word) &&
            !find_word(program->tree, pointer, word, &found))
            vec_push(ret, (Place){pointer.begin, 0, node});
    }
    if (base)
        vec_push(ret, (Place){specifiers.begin, 0, NULL});
}

static void find_removals(const SeedProgram *program, const Node *leader, SpecifierWord word, PlaceList *ret) {
    Specifiers specifiers;
    ByteRange pointer, found;
    specifiers_read(program->tree, leader, &specifiers);
    bool base = specifiers.count[word] > 0;
    for (const Node *node = leader; node; node = next_of_group(node)) {
        bool repeated = program->usage[node->index].redeclared;
        base = base && !repeated;
        if (!repeated && declarator_pointer(program->tree, node, &pointer) &&
            find_word(program->tree, pointer, word, &found))
            vec_push(ret, (Place){found.begin, found.end - found.begin, node});
    }
    if (base)
        vec_push(ret,
                 (Place){specifiers.last[word].begin, specifiers.last[word].end - specifiers.last[word].begin, NULL});
}

static void find_places(const SeedProgram *program, const Node *leader, const Rule *rule, PlaceList *ret) {
    if (rule->action.kind == ACTION_INSERT_QUALIFIER)
        find_insertions(program, leader, rule->action.to, ret);
    else
        find_removals(program, leader, rule->action.from, ret);
}

/* A word and the white space behind it. */
static uint32_t length_with_space(const SeedProgram *program, uint32_t at, uint32_t len) {
    const Tree *tree = program->tree;
    while (at + len < tree->len && tree->text[at + len] == ' ')
        len++;
    return len;
}

static bool qualifier_mutate(const SeedProgram *program, const Node *leader, const Rule *rule, Plan *plan) {
    PlaceList places = {0};
    find_places(program, leader, rule, &places);
    bool found = places.len > 0;
    if (found) {
        Place place = places.items[rng_below(plan->rng, places.len)];
        const char *name = place.declaration ? place.declaration->name : leader->name;
        if (place.len == 0) {
            const char *word = specifier_word(rule->action.to);
            edits_addf(plan->edits, place.at, 0, place.declaration ? " %s " : "%s ", word);
            str_printf(plan->summary, "%s inserted in the declaration of %s", word, name);
        } else {
            edits_add(plan->edits, place.at, length_with_space(program, place.at, place.len), "");
            str_printf(plan->summary, "%s removed from the declaration of %s", specifier_word(rule->action.from), name);
        }
    }
    vec_release(&places);
    return found;
}

static bool qualifier_accepts(const SeedProgram *program, const Node *leader, const Rule *rule) {
    PlaceList places = {0};
    find_places(program, leader, rule, &places);
    bool found = places.len > 0;
    vec_release(&places);
    return found;
}

/* --- Modifiers --- */

/* The specifiers after the rule; false if it does not apply. */
static bool change_modifiers(const Specifiers *specifiers, const Rule *rule, Specifiers *ret) {
    *ret = *specifiers;
    if (specifiers->base == BASE_OTHER || (specifiers->base == BASE_NONE && !specifiers->has_words))
        return false;
    if (rule->action.kind != ACTION_INSERT_MODIFIER) {
        if (ret->count[rule->action.from] == 0)
            return false;
        ret->count[rule->action.from]--;
    }
    if (rule->action.kind != ACTION_REMOVE_MODIFIER)
        ret->count[rule->action.to]++;
    else if (ret->base == BASE_NONE && !specifiers_are_valid(ret))
        ret->base = BASE_INT; /* a lone modifier is replaced by int */
    return specifiers_are_valid(ret);
}

static int64_t bit_field_width(const Node *node) {
    const Node *width = node_child(node, ROLE_BOUND);
    return width && width->has_value ? width->value : 0;
}

static bool may_resize(const SeedProgram *program, const Node *node, uint32_t bits) {
    const Usage *usage = &program->usage[node->index];
    if (is_pointer(node) || usage->address_taken || (usage->variadic && bits > 32))
        return false;
    return !(node->flags & NODE_BIT_FIELD) || (bit_field_width(node) > 0 && bit_field_width(node) <= bits);
}

/* Pointers to integers of the other sign are compatible enough; pointers to such pointers are not. */
static bool may_change_sign(const Node *node) {
    const Type *type = without_arrays(node->type);
    return !type || type->class != TYPE_POINTER || !type->target || type->target->class != TYPE_POINTER;
}

static bool modifier_accepts(const SeedProgram *program, const Node *leader, const Rule *rule) {
    Specifiers before, after;
    specifiers_read(program->tree, leader, &before);
    if (!change_modifiers(&before, rule, &after))
        return false;
    uint32_t bits = specifiers_bits(&after);
    bool resized = bits != specifiers_bits(&before);
    const Node *function = node_function(leader);
    if (leader->kind == NODE_PARAMETER && function && str_equal(function->name, "main"))
        return false;
    for (const Node *node = leader; node; node = next_of_group(node)) {
        const Type *type = without_arrays(node->type);
        if (program->usage[node->index].redeclared || is_function_pointer(node) || !type ||
            type->class == TYPE_UNKNOWN || type->class == TYPE_VECTOR)
            return false;
        if (resized ? !may_resize(program, node, bits) : !may_change_sign(node))
            return false;
    }
    return true;
}

static bool modifier_mutate(const SeedProgram *program, const Node *leader, const Rule *rule, Plan *plan) {
    Specifiers before, after;
    specifiers_read(program->tree, leader, &before);
    if (!change_modifiers(&before, rule, &after))
        return false;
    const char *from = specifier_word(rule->action.from), *to = specifier_word(rule->action.to);
    ByteRange old = before.last[rule->action.from];
    uint32_t len = old.end - old.begin;
    switch (rule->action.kind) {
    case ACTION_INSERT_MODIFIER:
        edits_addf(plan->edits, before.words_begin, 0, "%s ", to);
        str_printf(plan->summary, "%s inserted in the declaration of %s", to, leader->name);
        return true;
    case ACTION_REMOVE_MODIFIER:
        if (after.base != before.base)
            edits_add(plan->edits, old.begin, len, "int");
        else
            edits_add(plan->edits, old.begin, length_with_space(program, old.begin, len), "");
        str_printf(plan->summary, "%s removed from the declaration of %s", from, leader->name);
        return true;
    default:
        edits_add(plan->edits, old.begin, len, to);
        str_printf(plan->summary, "%s becomes %s in the declaration of %s", from, to, leader->name);
        return true;
    }
}

bool declaration_accepts(const SeedProgram *program, const Node *node, const Rule *rule) {
    return rule->operator== MUTATION_QUALIFIER ? qualifier_accepts(program, node, rule)
                                               : modifier_accepts(program, node, rule);
}

bool declaration_mutate(const SeedProgram *program, const Node *node, const Rule *rule, Plan *plan) {
    return rule->operator== MUTATION_QUALIFIER ? qualifier_mutate(program, node, rule, plan)
                                               : modifier_mutate(program, node, rule, plan);
}
