/* The types of a generated program: integers, bit-fields, pointers, arrays, structs and unions.
 *
 * The interpreter gives every scalar one cell, whatever its size, because programs never look at the representation of
 * an object. An array has one more cell behind its last element, which a pointer may point to but not read, so that the
 * cell of a pointer always tells which array it belongs to.
 */
#ifndef GEN_TYPES_H
#define GEN_TYPES_H

#include "base/arena.h"
#include "gen/arith.h"
#include "gen/gen.h"

typedef enum TypeKind { TYPE_INT, TYPE_REAL, TYPE_POINTER, TYPE_ARRAY, TYPE_STRUCT } TypeKind;

/* In the order of rank; plain char is left out, because its signedness differs. */
typedef enum IntKind {
    INT_BOOL,
    INT_SCHAR,
    INT_UCHAR,
    INT_SHORT,
    INT_USHORT,
    INT_INT,
    INT_UINT,
    INT_LONG,
    INT_ULONG,
    INT_LLONG,
    INT_ULLONG,
    INT_KINDS,
} IntKind;

/* How C++ spells an array; C has only the first. The last is a vector of the GCC and Clang extensions, which has a name
 * like a struct; its lanes cannot be pointed to. */
typedef enum ArrayForm { ARRAY_PLAIN, ARRAY_VALARRAY, ARRAY_VECTOR, ARRAY_STD, ARRAY_LANES, ARRAY_FORMS } ArrayForm;

typedef struct Type Type;

typedef struct Member {
    const char *name;
    const Type *type;
    uint8_t use;      /* MEMBER_… of dist.h: how often programs use it */
    bool is_volatile; /* only statements made for that use it */
    uint32_t cell;    /* from the start of the struct; 0 for all members of a union */
} Member;

struct Type {
    TypeKind kind;
    IntKind rank; /* TYPE_INT: of the declared type */
    IntType ints; /* TYPE_INT: for a bit-field, its own width */
    bool is_bitfield, is_union;
    bool has_pointer, has_volatile; /* TYPE_STRUCT: in a member, or further inside */
    ArrayForm form;                 /* TYPE_ARRAY */
    uint32_t count;                 /* TYPE_ARRAY: elements; TYPE_STRUCT: members */
    uint32_t cells;                 /* that an object takes */
    const Type *promoted;           /* TYPE_INT: what it becomes in arithmetic */
    const Type *base;               /* declared type of a bit-field, target of a pointer, element of an array */
    const Type *pointer;            /* the type of pointers to it, once there is one */
    const Member *members;
    const char *name; /* as printed; arrays and pointers have none */
};

typedef struct TypeTable {
    Type ints[INT_KINDS];
    Type single, wide; /* float and double; their cells hold the bits of a double */
} TypeTable;

void types_init(TypeTable *types, GenModel model);
/* The type in which an arithmetic operation on both is done: C's usual arithmetic conversions. */
const Type *types_common(const TypeTable *types, const Type *a, const Type *b);
const Type *types_unsigned(const TypeTable *types, const Type *type); /* of a promoted type */
const Type *types_bitfield(const TypeTable *types, Arena *arena, const Type *declared, unsigned width);
const Type *types_pointer(Arena *arena, const Type *target);
const Type *types_array(Arena *arena, const Type *element, uint32_t count, ArrayForm form);

static inline bool type_is_int(const Type *type) { return type->kind == TYPE_INT; }
/* Element of an array, through all its dimensions. */
static inline const Type *type_innermost(const Type *type) {
    while (type->kind == TYPE_ARRAY)
        type = type->base;
    return type;
}
/* Does every object of the type need an initial value, because it has pointers? */
static inline bool type_has_pointer(const Type *type) { return type_innermost(type)->has_pointer; }

#endif
