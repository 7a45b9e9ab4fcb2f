/* Objects: which variable to read or write, and the way from it to an integer inside. */
#include "gen/build.h"

Symbol *build_local(Builder *b, const char *prefix, const Type *type, Role role) {
    Symbol *s = arena_new(b->arena, Symbol);
    *s = (Symbol){.name = build_name(b, prefix), .type = type, .role = role};
    s->cell = extents_add(&b->function->frame, type);
    if (b->entered)
        interp_declare(&b->interp, b->function, s);
    return s;
}

static SymbolClass class_of(const Type *type) {
    switch (type->kind) {
    case TYPE_INT: return SYMBOL_INT;
    case TYPE_STRUCT: return SYMBOL_STRUCT;
    case TYPE_ARRAY: return SYMBOL_ARRAY;
    default: return type->base->kind == TYPE_STRUCT ? SYMBOL_STRUCT : SYMBOL_POINTER;
    }
}

/* May the symbol be used so? A pure function writes only what lies in its own frame. */
static bool fits(const Builder *b, const Symbol *s, SymbolClass class, bool write) {
    if (class_of(s->type) != class || s->is_volatile)
        return false;
    if (!write)
        return s->role != ROLE_OUTPUT;
    if (s->role == ROLE_COUNTER || s->role == ROLE_INPUT)
        return false;
    return !(b->function->is_pure && s->type->kind == TYPE_POINTER);
}

Symbol *build_pick(Builder *b, SymbolClass class, bool write) {
    const Symbols *globals = write ? &b->writable[class] : &b->readable[class];
    bool globals_allowed = globals->len && !(write && b->function->is_pure);
    unsigned locals = (unsigned)b->locals.len;
    if (locals && (!globals_allowed || build_draw(b, DIST_SCOPE) == SCOPE_LOCAL))
        for (int tries = 0; tries < 4; tries++) {
            Symbol *s = b->locals.items[build_below(b, locals)];
            if (fits(b, s, class, write))
                return s;
        }
    return globals_allowed ? globals->items[build_below(b, (unsigned)globals->len)] : NULL;
}

static Symbol *innermost_counter(const Builder *b) {
    for (size_t i = b->locals.len; i-- > 0;)
        if (b->locals.items[i]->role == ROLE_COUNTER && type_is_int(b->locals.items[i]->type))
            return b->locals.items[i];
    return NULL;
}

/* A counter, moved or mirrored, whose values are all below the length. */
static Expr *counter_index(Builder *b, uint32_t length) {
    Symbol *counter = b->preferred ? b->preferred : innermost_counter(b);
    if (!counter || counter->length == 0 || counter->length > length)
        return NULL;
    Expr *index = expr_var(b->arena, counter);
    uint32_t room = length - counter->length;
    unsigned form = build_draw(b, DIST_COUNTER_INDEX);
    if (form == COUNTER_MIRRORED)
        return build_operation(b, OP_SUB, build_number(b, length - 1), index);
    if (room && form == COUNTER_MOVED)
        return build_operation(b, OP_ADD, index, build_number(b, 1 + build_below(b, MIN_OF(room, 4))));
    return index;
}

static Expr *build_index(Builder *b, uint32_t length) {
    unsigned kind = b->preferred                ? INDEX_COUNTER
                    : b->nested >= NESTED_LIMIT ? INDEX_CONSTANT
                                                : build_draw(b, DIST_INDEX);
    Expr *index = NULL;
    b->nested++;
    if (kind == INDEX_COUNTER)
        index = counter_index(b, length);
    else if (kind == INDEX_MASKED)
        index = build_bounded(b, length);
    else if (kind == INDEX_FREE)
        index = build_expr(b, 1);
    b->nested--;
    return index ? index : build_number(b, build_below(b, length));
}

Symbol *build_int_array(Builder *b, const Type *element, bool write) {
    Symbol *found = NULL;
    for (int tries = 0; tries < (element ? 12 : 4); tries++) {
        Symbol *s = build_pick(b, SYMBOL_ARRAY, write);
        if (!s || s->type->base->kind != TYPE_INT || s->type->form == ARRAY_LANES)
            continue;
        found = s;
        if (!element || s->type->base == element)
            return s;
    }
    return found;
}

Expr *build_element(Builder *b, Symbol *array, Expr *index) {
    return expr_index(b->arena, expr_var(b->arena, array), index, array->type->count);
}

static Expr *through_pointer(Builder *b, Expr *pointer, uint32_t length) {
    const Type *target = pointer->type->base;
    if (target->kind == TYPE_POINTER)
        return through_pointer(b, expr_unary(b->arena, EXPR_DEREF, target, pointer), 1);
    unsigned form = length < 2 ? POINTER_DEREF : build_draw(b, DIST_POINTER_FORM);
    if (form == POINTER_DEREF)
        return expr_unary(b->arena, EXPR_DEREF, target, pointer);
    if (form == POINTER_INDEX)
        return expr_index(b->arena, pointer, build_index(b, length), length);
    Expr *sum = expr_new(b->arena, EXPR_POINTER_ADD, pointer->type);
    sum->a = pointer;
    sum->b = build_number(b, build_below(b, length));
    return expr_unary(b->arena, EXPR_DEREF, target, sum);
}

static Expr *some_member(Builder *b, Expr *object) {
    const Type *type = object->type->kind == TYPE_POINTER ? object->type->base : object->type;
    if (type->is_union)
        return expr_member(b->arena, object, &type->members[object->symbol->active]);
    const Member *found = type->members;
    for (int tries = 0; tries < 4; tries++) {
        const Member *m = &type->members[build_below(b, type->count)];
        if (m->is_volatile || (m->type->kind == TYPE_POINTER && b->function->is_pure))
            continue; /* a pure function may not write what others see */
        found = m;
        if (m->use == MEMBER_OFTEN || (m->use == MEMBER_RARELY && build_below(b, 3) == 0))
            break;
    }
    return expr_member(b->arena, object, found);
}

Expr *build_descend(Builder *b, Expr *object) {
    for (;;) {
        switch (object->type->kind) {
        case TYPE_REAL:
        case TYPE_INT: return object;
        case TYPE_STRUCT: object = some_member(b, object); break;
        case TYPE_ARRAY: {
            ArrayForm form = object->type->form;
            uint32_t length = object->type->count;
            object = expr_index(b->arena, object, build_index(b, length), length);
            if (form == ARRAY_VECTOR || form == ARRAY_STD)
                object->form = (uint8_t)build_draw(b, DIST_SUBSCRIPT);
            break;
        }
        case TYPE_POINTER: /* a variable, or a member, which points to one integer */
            if (object->type->base->kind == TYPE_STRUCT)
                object = some_member(b, object);
            else
                object = through_pointer(b, object, object->kind == EXPR_VAR ? object->symbol->length : 1);
            break;
        }
    }
}

static Expr *leaf_of(Builder *b, SymbolClass class) {
    Symbol *s = build_pick(b, class, false);
    return s ? build_descend(b, expr_var(b->arena, s)) : NULL;
}

Expr *build_variable_leaf(Builder *b) {
    static const SymbolClass classes[] = {[LEAF_SCALAR] = SYMBOL_INT,
                                          [LEAF_MEMBER] = SYMBOL_STRUCT,
                                          [LEAF_ELEMENT] = SYMBOL_ARRAY,
                                          [LEAF_POINTED] = SYMBOL_POINTER};
    SymbolClass class = classes[build_draw(b, DIST_LEAF)];
    if (b->preferred && build_below(b, 2)) /* the loops that vectorisers look for read arrays */
        class = SYMBOL_ARRAY;
    Expr *leaf = leaf_of(b, class);
    return leaf ? leaf : leaf_of(b, SYMBOL_INT);
}

static bool in_category(const Symbol *s, unsigned category) {
    switch (category) {
    case CATEGORY_LOCAL: return !s->is_global;
    case CATEGORY_MIXED: return s->role == ROLE_MIXED;
    default: return s->role == ROLE_OUTPUT;
    }
}

Expr *build_target(Builder *b) {
    static const SymbolClass classes[] = {[OUTPUT_SCALAR] = SYMBOL_INT,
                                          [OUTPUT_MEMBER] = SYMBOL_STRUCT,
                                          [OUTPUT_ELEMENT] = SYMBOL_ARRAY,
                                          [OUTPUT_POINTED] = SYMBOL_POINTER};
    unsigned category = build_draw(b, DIST_OUTPUT_CATEGORY);
    for (int tries = 0; tries < 3; tries++) {
        Symbol *s = build_pick(b, classes[build_draw(b, DIST_OUTPUT_TYPE)], true);
        if (s && in_category(s, category))
            return build_descend(b, expr_var(b->arena, s));
    }
    return build_simple_target(b);
}

Expr *build_simple_target(Builder *b) {
    Symbol *s = build_pick(b, SYMBOL_INT, true);
    return s ? expr_var(b->arena, s) : NULL;
}

/* The address of the variable, or of an element, where `length` objects of the target type follow. */
static Expr *address_in(Builder *b, Symbol *s, const Type *target, uint32_t length) {
    Expr *object = expr_var(b->arena, s);
    const Type *pointer = types_pointer(b->arena, target);
    if (s->type == target && length <= 1)
        return expr_unary(b->arena, EXPR_ADDRESS, pointer, object);
    if (s->type->kind != TYPE_ARRAY || s->type->form == ARRAY_LANES || s->type->base != target ||
        s->type->count < length)
        return NULL;
    unsigned room = s->type->count - MAX_OF(length, 1);
    Expr *index = build_number(b, build_below(b, room + 1));
    return expr_unary(b->arena, EXPR_ADDRESS, pointer, expr_index(b->arena, object, index, s->type->count));
}

Expr *build_address(Builder *b, const Type *target, uint32_t length, size_t locals) {
    const Symbols *lists[] = {&b->locals, &b->writable[SYMBOL_INT], &b->writable[SYMBOL_ARRAY],
                              &b->writable[SYMBOL_STRUCT], &b->writable[SYMBOL_POINTER]};
    size_t first = build_below(b, ARRAY_LEN(lists));
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const Symbols *list = lists[(first + k) % ARRAY_LEN(lists)];
        size_t count = list == &b->locals ? locals : list->len;
        unsigned start = count ? build_below(b, (unsigned)count) : 0;
        for (size_t i = 0; i < count; i++) {
            Symbol *s = list->items[(start + i) % count];
            bool usable = (s->role == ROLE_MIXED || s->role == ROLE_LOCAL) && !s->is_volatile;
            Expr *address = usable ? address_in(b, s, target, length) : NULL;
            if (address)
                return address;
        }
    }
    return NULL;
}
