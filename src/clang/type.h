/* Types of C expressions and declarations, resolved through typedefs; owned by the Tree they come from. */
#ifndef CLANG_TYPE_H
#define CLANG_TYPE_H

#include "base/base.h"

typedef enum TypeClass {
    TYPE_UNKNOWN, /* what the parser could not make sense of */
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_INTEGER, /* char included */
    TYPE_ENUM,
    TYPE_FLOATING,
    TYPE_COMPLEX,
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_VECTOR,
    TYPE_RECORD, /* struct or union */
    TYPE_FUNCTION,
} TypeClass;

typedef enum TypeQualifier { QUALIFIER_CONST = 1, QUALIFIER_VOLATILE = 2, QUALIFIER_RESTRICT = 4 } TypeQualifier;

typedef struct Type {
    TypeClass class;
    unsigned qualifiers;       /* TypeQualifier, of the outermost level */
    const char *spelling;      /* canonical, with qualifiers: "const unsigned int *" */
    const char *bare;          /* canonical, without the outermost qualifiers */
    uint32_t bits;             /* size; 0 if unknown or incomplete */
    bool is_signed;            /* integers and enums */
    int64_t count;             /* array elements; -1 if unknown or variable */
    const struct Type *target; /* pointed to, element, or what the function returns; else NULL */
} Type;

bool type_is_integer(const Type *type);    /* bool, integer, enum; NULL gives false, as in all of these */
bool type_is_arithmetic(const Type *type); /* integers, floating, complex */
bool type_is_scalar(const Type *type);     /* arithmetic or pointer */
bool type_is_const(const Type *type);      /* itself, or its elements */

/* May a variable of type `a` stand where one of type `b` does, whatever is done with it? Both integers, both floating,
 * pointers to the same unqualified type, else the same unqualified type. Constness is the caller's business. */
bool type_interchangeable(const Type *a, const Type *b);

#endif
