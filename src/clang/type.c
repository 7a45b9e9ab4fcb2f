#include "clang/type.h"

#include <string.h>

bool type_is_integer(const Type *type) {
    return type && (type->class == TYPE_BOOL || type->class == TYPE_INTEGER || type->class == TYPE_ENUM);
}

bool type_is_arithmetic(const Type *type) {
    return type_is_integer(type) || (type && (type->class == TYPE_FLOATING || type->class == TYPE_COMPLEX));
}

bool type_is_scalar(const Type *type) { return type_is_arithmetic(type) || (type && type->class == TYPE_POINTER); }

bool type_is_const(const Type *type) {
    for (; type; type = type->class == TYPE_ARRAY ? type->target : NULL)
        if (type->qualifiers & QUALIFIER_CONST)
            return true;
    return false;
}

static bool same_bare(const Type *a, const Type *b) { return a && b && strcmp(a->bare, b->bare) == 0; }

bool type_interchangeable(const Type *a, const Type *b) {
    if (!a || !b || a->class == TYPE_UNKNOWN || b->class == TYPE_UNKNOWN)
        return false;
    if (type_is_integer(a) && type_is_integer(b))
        return true;
    if (a->class != b->class)
        return false;
    if (a->class == TYPE_FLOATING)
        return true;
    if (a->class == TYPE_POINTER)
        return same_bare(a->target, b->target);
    return same_bare(a, b);
}

/* A pointer target that gains qualifiers is fine, one that loses them is not. */
static bool pointer_assignable(const Type *to, const Type *from) {
    const Type *target = to->target, *source = from->target;
    if (!target || !source || (source->qualifiers & ~target->qualifiers))
        return false;
    bool through_void = (target->class == TYPE_VOID) != (source->class == TYPE_VOID);
    bool functions = target->class == TYPE_FUNCTION || source->class == TYPE_FUNCTION;
    return (through_void && !functions) || same_bare(target, source);
}

bool type_assignable(const Type *to, const Type *from) {
    if (!to || !from || to->class == TYPE_UNKNOWN || from->class == TYPE_UNKNOWN)
        return false;
    if (type_is_arithmetic(to) && type_is_arithmetic(from))
        return true;
    if (to->class == TYPE_BOOL && from->class == TYPE_POINTER)
        return true;
    if (to->class == TYPE_POINTER && (from->class == TYPE_POINTER || from->class == TYPE_ARRAY))
        return pointer_assignable(to, from);
    return (to->class == TYPE_RECORD || to->class == TYPE_VECTOR) && same_bare(to, from);
}
