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
