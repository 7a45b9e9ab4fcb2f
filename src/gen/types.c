#include "gen/types.h"

typedef struct IntName {
    const char *name;
    uint8_t bits; /* 0: those of long, which differ between data models */
    bool is_signed;
} IntName;

static const IntName int_names[INT_KINDS] = {
    [INT_BOOL] = {"bool", 8, false},
    [INT_SCHAR] = {"signed char", 8, true},
    [INT_UCHAR] = {"unsigned char", 8, false},
    [INT_SHORT] = {"short", 16, true},
    [INT_USHORT] = {"unsigned short", 16, false},
    [INT_INT] = {"int", 32, true},
    [INT_UINT] = {"unsigned int", 32, false},
    [INT_LONG] = {"long", 0, true},
    [INT_ULONG] = {"unsigned long", 0, false},
    [INT_LLONG] = {"long long", 64, true},
    [INT_ULLONG] = {"unsigned long long", 64, false},
};

void types_init(TypeTable *types, GenModel model) {
    for (size_t i = 0; i < INT_KINDS; i++) {
        const IntName *n = &int_names[i];
        uint8_t bits = n->bits ? n->bits : model == GEN_LP64 ? 64 : 32;
        Type *type = &types->ints[i];
        *type = (Type){.kind = TYPE_INT, .rank = (IntKind)i, .cells = 1, .name = n->name};
        type->ints = (IntType){bits, n->is_signed, i == INT_BOOL};
        type->base = type;
        type->promoted = i < INT_INT ? &types->ints[INT_INT] : type;
    }
    types->single = (Type){.kind = TYPE_REAL, .cells = 1, .name = "float"};
    types->wide = (Type){.kind = TYPE_REAL, .cells = 1, .name = "double"};
}

const Type *types_unsigned(const TypeTable *types, const Type *type) {
    return type->ints.is_signed ? &types->ints[type->rank + 1] : type;
}

const Type *types_common(const TypeTable *types, const Type *a, const Type *b) {
    a = a->promoted;
    b = b->promoted;
    if (a == b)
        return a;
    if (a->ints.is_signed == b->ints.is_signed)
        return a->rank > b->rank ? a : b;
    const Type *u = a->ints.is_signed ? b : a, *s = a->ints.is_signed ? a : b;
    if (u->rank > s->rank) /* the unsigned type of a rank follows the signed one */
        return u;
    return s->ints.bits > u->ints.bits ? s : types_unsigned(types, s);
}

const Type *types_bitfield(const TypeTable *types, Arena *arena, const Type *declared, unsigned width) {
    Type *type = arena_new(arena, Type);
    *type = *declared;
    type->is_bitfield = true;
    type->base = declared;
    type->ints.bits = (uint8_t)width;
    unsigned value_bits = width - (declared->ints.is_signed ? 1 : 0);
    if (declared->ints.is_bool || value_bits <= 31)
        type->promoted = &types->ints[INT_INT];
    else if (!declared->ints.is_signed && width == 32)
        type->promoted = &types->ints[INT_UINT];
    else
        type->promoted = declared;
    return type;
}

const Type *types_pointer(Arena *arena, const Type *target) {
    if (!target->pointer) {
        Type *type = arena_new(arena, Type);
        *type = (Type){.kind = TYPE_POINTER, .cells = 1, .base = target};
        ((Type *)target)->pointer = type; /* no type of a program is a constant object */
    }
    return target->pointer;
}

const Type *types_array(Arena *arena, const Type *element, uint32_t count, ArrayForm form) {
    Type *type = arena_new(arena, Type);
    *type = (Type){.kind = TYPE_ARRAY, .base = element, .count = count, .form = form};
    type->cells = count * element->cells + 1;
    return type;
}
