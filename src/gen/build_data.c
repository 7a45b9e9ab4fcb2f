/* The environment: the table of struct and union types, and the globals by role (section 3.2 of the paper).
 *
 * Memory is bounded here: arrays have at most ARRAY_LIMIT elements, and structs nest at most twice. Globals take about a
 * quarter of the program's bytes, or what the least program needs.
 */
#include "gen/build.h"

#define ARRAY_LIMIT 100
#define MEMBER_LIMIT 8
#define CELL_BYTES 9    /* of a printed initial value, on average */
#define GLOBAL_BYTES 50 /* of a global's declaration and definition, without values */
#define REPORT_BYTES 25 /* of the line that reports one of its members */

static uint32_t draw_length(Builder *b) {
    static const uint32_t lengths[] = {3,  4,  5,  7,  8,  8,  10, 12,          13,
                                       16, 16, 17, 20, 24, 32, 40, ARRAY_LIMIT, ARRAY_LIMIT};
    return lengths[build_below(b, ARRAY_LEN(lengths))];
}

static Symbol *add_global(Builder *b, const char *prefix, const Type *type, Role role) {
    Symbol *s = arena_new(b->arena, Symbol);
    *s = (Symbol){.name = build_name(b, prefix), .type = type, .role = role, .is_global = true};
    s->cell = extents_add(&b->program.extents, type);
    b->room -= GLOBAL_BYTES + (role == ROLE_INPUT ? 0 : REPORT_BYTES * (int64_t)type_innermost(type)->cells);
    vec_push(&b->program.globals, s);
    return s;
}

static void register_global(Builder *b, Symbol *s, SymbolClass class) {
    if (s->is_volatile) {
        vec_push(&b->volatiles, s);
        return;
    }
    if (s->role != ROLE_OUTPUT)
        vec_push(&b->readable[class], s);
    if (s->role != ROLE_INPUT)
        vec_push(&b->writable[class], s);
}

/* --- Types --- */

/* C has bit-fields of int, unsigned int and bool; C++ of every integer type. */
static const Type *draw_bitfield(Builder *b) {
    bool cxx = b->options->language == GEN_CXX;
    unsigned kind = build_draw(b, DIST_BITFIELD_KIND);
    const Type *declared = cxx ? build_int_type(b) : build_int(b, build_below(b, 2) ? INT_INT : INT_UINT);
    if (kind == BITFIELD_BOOL || declared->ints.is_bool)
        return types_bitfield(&b->program.types, b->arena, build_int(b, INT_BOOL), 1);
    unsigned most = declared->ints.bits - 1u;
    unsigned width = kind == BITFIELD_NARROW   ? 1 + build_below(b, 5)
                     : kind == BITFIELD_MEDIUM ? 6 + build_below(b, 10)
                                               : 16 + build_below(b, 48);
    return types_bitfield(&b->program.types, b->arena, declared, MIN_OF(width, most));
}

static const Type *draw_struct(Builder *b) {
    for (int tries = 0; b->program.structs.len && tries < 3; tries++) {
        const Type *type = b->program.structs.items[build_below(b, (unsigned)b->program.structs.len)];
        if (!type->is_union && type->cells < ARRAY_LIMIT)
            return type;
    }
    return NULL;
}

const Type *build_small_array(Builder *b, unsigned lengths) {
    const Type *element = build_int_type(b);
    return types_array(b->arena, element, 2 + build_below(b, lengths), ARRAY_PLAIN);
}

static const Type *draw_member_type(Builder *b) {
    const Type *nested;
    switch (build_draw(b, DIST_MEMBER_CLASS)) {
    case CLASS_BITFIELD: return draw_bitfield(b);
    case CLASS_ARRAY: return build_small_array(b, 7);
    case CLASS_STRUCT: nested = draw_struct(b); return nested ? nested : build_int_type(b);
    case CLASS_STATIC: return NULL;
    case CLASS_POINTER:
        return build_has(b, GEN_POINTERS) ? types_pointer(b->arena, build_int_type(b)) : build_int_type(b);
    default: return build_int_type(b);
    }
}

static void add_static_member(Builder *b, const Type *owner) {
    Symbol *s = add_global(b, "sm_", build_int_type(b), ROLE_MIXED);
    s->owner = owner;
    s->cells = build_cells(b, s->type);
    vec_push(&b->readable[SYMBOL_INT], s);
    vec_push(&b->writable[SYMBOL_INT], s);
}

static void add_member(Builder *b, Type *type, const Type *member, bool may_be_volatile) {
    Member *m = (Member *)&type->members[type->count++];
    *m = (Member){.name = build_name(b, "m_"), .type = member, .cell = type->is_union ? 0 : type->cells};
    m->use = (uint8_t)build_draw(b, DIST_MEMBER_USE);
    m->is_volatile = may_be_volatile && type_is_int(member) && build_draw(b, DIST_QUALIFIER) == QUALIFIER_VOLATILE;
    type->cells = type->is_union ? 1 : type->cells + member->cells;
    type->has_pointer |= member->kind == TYPE_POINTER || type_has_pointer(member);
    type->has_volatile |= m->is_volatile || member->has_volatile;
}

static void add_struct(Builder *b, bool is_union) {
    Type *type = arena_new(b->arena, Type);
    unsigned wanted = 2 + build_below(b, is_union ? 3 : MEMBER_LIMIT - 1);
    *type = (Type){.kind = TYPE_STRUCT, .is_union = is_union, .members = arena_array(b->arena, Member, wanted)};
    for (unsigned i = 0; i < wanted; i++) {
        /* The first member is plain, so that every struct has one that every expression may use. */
        const Type *member = is_union || i == 0 ? build_int_type(b) : draw_member_type(b);
        if (!member)
            add_static_member(b, type);
        else
            add_member(b, type, member, !is_union && i > 0);
    }
    type->name = build_name(b, is_union ? "U_" : "S_");
    vec_push(&b->program.structs, type);
}

void build_types(Builder *b) {
    for (unsigned i = 0; build_has(b, GEN_ENUMS) && i < 6; i++)
        vec_push(
            &b->program.enumerators,
            (Enumerator){build_name(b, "E_"), build_value(b, build_int(b, build_below(b, 2) ? INT_INT : INT_SCHAR))});
    build_vector_types(b);
    unsigned most = (unsigned)MIN_OF(1 + b->options->size / 2000, 4);
    unsigned structs = build_has(b, GEN_STRUCTS) ? 2 + build_below(b, most) : 0;
    for (unsigned i = 0; i < structs; i++)
        add_struct(b, false);
    if (build_has(b, GEN_UNIONS))
        add_struct(b, true);
}

/* --- Initial values --- */

/* The cell of a global that a pointer in a struct may start with. It is never 0, which would look like no initial value. */
static int64_t draw_pointed(Builder *b, const Type *target) {
    const Symbols *ints = &b->writable[SYMBOL_INT];
    unsigned start = build_below(b, (unsigned)ints->len);
    for (size_t i = 0; i < ints->len; i++) {
        const Symbol *s = ints->items[(start + i) % ints->len];
        if (s->type == target && s->role == ROLE_MIXED && s->cell)
            return s->cell;
    }
    BUG("no global for a pointer to %s", target->name);
}

static void fill_cells(Builder *b, const Type *type, int64_t *cells, unsigned percent) {
    switch (type->kind) {
    case TYPE_INT:
        if (build_below(b, 100) < percent)
            *cells = build_value(b, type);
        b->room -= CELL_BYTES;
        break;
    case TYPE_ARRAY:
        for (uint32_t i = 0; i < type->count; i++)
            fill_cells(b, type->base, cells + i * type->base->cells, percent);
        break;
    case TYPE_STRUCT:
        for (uint32_t i = 0; i < (type->is_union ? 0 : type->count); i++)
            fill_cells(b, type->members[i].type, cells + type->members[i].cell, percent);
        break;
    case TYPE_POINTER: *cells = draw_pointed(b, type->base); break;
    case TYPE_REAL: break;
    }
}

const int64_t *build_cells(Builder *b, const Type *type) {
    int64_t *cells = arena_array(b->arena, int64_t, type->cells);
    fill_cells(b, type, cells, 100);
    return cells;
}

static void initialise(Builder *b, Symbol *s) {
    s->initialiser = (uint8_t)build_draw(b, DIST_INITIALISER);
    if ((s->is_const || type_has_pointer(s->type)) && s->initialiser == INIT_ZERO)
        s->initialiser = INIT_LIST; /* C++ wants constants initialised, and pointers point somewhere */
    int64_t *cells = arena_array(b->arena, int64_t, s->type->cells);
    if (s->type->is_union) {
        s->active = s->initialiser == INIT_DESIGNATED ? build_below(b, s->type->count) : 0;
        cells[0] = s->initialiser == INIT_ZERO ? 0 : build_value(b, s->type->members[s->active].type);
    } else if (s->initialiser != INIT_ZERO)
        fill_cells(b, s->type, cells, s->initialiser == INIT_DESIGNATED ? 35 : 100);
    s->cells = cells;
}

/* --- Globals --- */

/* With policies many arrays have one type of elements, so that loops read and write them without conversions. */
static const Type *draw_element(Builder *b) {
    const Symbols *arrays = &b->writable[SYMBOL_ARRAY];
    if (b->policies && arrays->len && build_draw(b, DIST_ELEMENT_TYPE) == ELEMENT_LIKE_OTHERS) {
        const Type *like = type_innermost(arrays->items[build_below(b, (unsigned)arrays->len)]->type);
        if (type_is_int(like))
            return like;
    }
    return build_int_type(b);
}

static const Type *draw_array(Builder *b) {
    const Type *element = build_draw(b, DIST_ARRAY_BASE) == BASE_STRUCT ? draw_struct(b) : NULL;
    uint32_t length = element ? 2 + build_below(b, 4) : draw_length(b);
    if (!element)
        element = draw_element(b);
    ArrayForm form = (ArrayForm)build_draw(b, DIST_ARRAY_KIND);
    bool is_bool = element->kind == TYPE_INT && element->ints.is_bool; /* vector<bool> has no addressable elements */
    if (form == ARRAY_VALARRAY && element->kind == TYPE_STRUCT)
        form = ARRAY_VECTOR;
    else if (form == ARRAY_VECTOR && is_bool)
        form = ARRAY_STD;
    return types_array(b->arena, element, length, form);
}

static const Type *draw_union(Builder *b) {
    for (size_t i = 0; i < b->program.structs.len; i++)
        if (b->program.structs.items[i]->is_union)
            return b->program.structs.items[i];
    return NULL;
}

/* A pointer to an integer, into an array, or to another pointer. */
static void add_pointer(Builder *b) {
    const Symbols *pointers = &b->writable[SYMBOL_POINTER];
    Symbol *to = build_pick(b, build_pointed_class(b), true);
    if (pointers->len && build_draw(b, DIST_POINTER_LEVEL) == LEVEL_TWO)
        to = pointers->items[build_below(b, (unsigned)pointers->len)];
    if (!to || to->role != ROLE_MIXED)
        return;
    bool array = to->type->kind == TYPE_ARRAY;
    if (array && to->type->form == ARRAY_LANES)
        return;
    const Type *target = array ? to->type->base : to->type;
    if (target->kind != TYPE_INT && target->kind != TYPE_POINTER)
        return;
    uint32_t length = array ? 1 + build_below(b, to->type->count) : 1;
    Expr *address = build_address(b, target, length, 0);
    if (!address)
        return;
    Symbol *s = add_global(b, target->kind == TYPE_POINTER ? "pp_" : "p_", types_pointer(b->arena, target), ROLE_MIXED);
    s->length = length;
    s->address = address;
    register_global(b, s, SYMBOL_POINTER);
}

static void add_one(Builder *b) {
    Role role = (Role)build_draw(b, DIST_ROLE);
    const Type *type = NULL;
    const char *prefix = "g_";
    SymbolClass class = SYMBOL_INT;
    switch (build_draw(b, DIST_GLOBAL)) {
    case GLOBAL_ARRAY: type = draw_array(b), prefix = "a_", class = SYMBOL_ARRAY; break;
    case GLOBAL_MATRIX: {
        uint32_t length = draw_length(b), columns = MIN_OF(length, 16), rows = 2 + build_below(b, 9);
        type = types_array(b->arena, types_array(b->arena, build_int_type(b), columns, ARRAY_PLAIN), rows, ARRAY_PLAIN);
        prefix = "a_", class = SYMBOL_ARRAY;
        break;
    }
    case GLOBAL_STRUCT: type = draw_struct(b), prefix = "s_", class = SYMBOL_STRUCT; break;
    case GLOBAL_UNION: type = draw_union(b), prefix = "u_", class = SYMBOL_STRUCT; break;
    case GLOBAL_POINTER: add_pointer(b); return;
    default: break;
    }
    if (!type || (int64_t)type->cells * CELL_BYTES > b->room)
        type = build_int_type(b), prefix = "g_", class = SYMBOL_INT;
    Symbol *s = add_global(b, prefix, type, role);
    unsigned qualifier = build_draw(b, DIST_QUALIFIER);
    s->is_const = qualifier == QUALIFIER_CONST && s->role == ROLE_INPUT;
    bool may_be_volatile = s->type->kind == TYPE_ARRAY ? s->type->form == ARRAY_PLAIN : !s->type->is_union;
    s->is_volatile = qualifier == QUALIFIER_VOLATILE && may_be_volatile;
    initialise(b, s);
    register_global(b, s, class);
}

/* Something for every pointer in a struct to point to. */
static void add_pointed(Builder *b) {
    bool done[INT_KINDS] = {false};
    for (size_t i = 0; i < b->program.structs.len; i++) {
        const Type *type = b->program.structs.items[i];
        for (uint32_t k = 0; k < type->count; k++) {
            const Type *member = type->members[k].type;
            if (member->kind != TYPE_POINTER || done[member->base->rank])
                continue;
            done[member->base->rank] = true;
            Symbol *s = add_global(b, "g_", member->base, ROLE_MIXED);
            initialise(b, s);
            register_global(b, s, SYMBOL_INT);
        }
    }
}

void build_globals(Builder *b) {
    /* Whatever shuffling does, there is something to read, to write and to report. */
    static const Role first_roles[] = {ROLE_INPUT, ROLE_MIXED, ROLE_OUTPUT, ROLE_INPUT, ROLE_MIXED, ROLE_OUTPUT};
    b->room = (int64_t)(b->options->size / 4);
    for (size_t i = 0; i < ARRAY_LEN(first_roles); i++) {
        Symbol *s = add_global(b, "g_", build_int_type(b), first_roles[i]);
        initialise(b, s);
        register_global(b, s, SYMBOL_INT);
    }
    add_pointed(b);
    for (size_t i = 0; i < b->program.vectors.len * 3; i++) {
        Symbol *s = add_global(b, "v_", b->program.vectors.items[i / 3], (Role)(i % 3));
        initialise(b, s);
        register_global(b, s, SYMBOL_ARRAY);
        vec_push(&b->vectors, s);
    }
    build_reals(b);
    unsigned more = 4 + (unsigned)MIN_OF(b->options->size / 1200, 120);
    for (unsigned i = 0; i < more && b->room > 0; i++)
        add_one(b);
}
