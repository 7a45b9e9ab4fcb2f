/* The program as the generator builds it, the interpreter runs and repairs it, and the printer prints it.
 *
 * An expression's `type` is the C type of the printed expression; conversions between a node and its operands are
 * implicit unless an EXPR_CAST stands there. Trees live in the program's arena. Repairs change nodes in place.
 */
#ifndef GEN_IR_H
#define GEN_IR_H

#include "base/vec.h"
#include "gen/types.h"

typedef struct Expr Expr;
typedef struct Stmt Stmt;
typedef struct Function Function;

/* What a variable is for. Inputs are never written after initialisation, outputs never read before the checksum. */
typedef enum Role { ROLE_INPUT, ROLE_OUTPUT, ROLE_MIXED, ROLE_LOCAL, ROLE_COUNTER } Role;

typedef struct Symbol {
    const char *name;
    const Type *type;
    Role role;
    bool is_global; /* has static storage; with is_static it is known in one function alone */
    bool is_static, is_const, is_volatile;
    uint8_t initialiser;  /* INIT_… of dist.h: how its initial value is written */
    const Type *owner;    /* the class of a static member in C++ */
    uint32_t active;      /* TYPE_STRUCT that is a union: the one member that is used */
    uint32_t cell;        /* absolute for globals, from the frame's start for locals */
    const int64_t *cells; /* globals: initial values of all cells; NULL means zeroes. Pointers: the cell */
    Expr *address;        /* global pointers: their initial value */
    uint32_t length;      /* pointers into arrays: elements that may be reached from it, 0 for one object */
} Symbol;

typedef Vec(Symbol *) Symbols;

typedef enum ExprKind {
    EXPR_CONST,   /* value; name if it is an enumeration constant */
    EXPR_VAR,     /* symbol */
    EXPR_INDEX,   /* a[b]; a is an array or a pointer */
    EXPR_MEMBER,  /* a.member, or a->member if a is a pointer */
    EXPR_DEREF,   /* *a */
    EXPR_ADDRESS, /* &a */
    EXPR_CAST,
    EXPR_NEG,
    EXPR_PLUS,
    EXPR_NOT,
    EXPR_LNOT,
    EXPR_BINARY,
    EXPR_COND,
    EXPR_COMMA,
    EXPR_ASSIGN,
    EXPR_COMPOUND, /* a op= b */
    EXPR_STEP,     /* ++a and the like: EXPR_COMPOUND with b == 1; op is OP_ADD or OP_SUB, `form` 1 is postfix */
    EXPR_COPY,     /* a = b for structs */
    EXPR_CALL,
    EXPR_LANES,           /* a = b op c for vectors; c may be the constant count of a shift */
    EXPR_POINTER_ADD,     /* a + b, b in elements */
    EXPR_POINTER_DIFF,    /* (int)(a - b) */
    EXPR_POINTER_COMPARE, /* a op b */
} ExprKind;

struct Expr {
    uint8_t kind;
    uint8_t op;         /* BinaryOp */
    uint8_t form;       /* a choice that only the printer sees; see there */
    uint8_t repairs;    /* how often it was rewritten */
    bool safe;          /* printed and executed in the form that is safe for all values */
    bool is_volatile;   /* reads a volatile object */
    bool both;          /* EXPR_COND: the second and the third operand must be harmless, whatever the first is */
    uint32_t first_run; /* the run that executed it first, 0 for none; only kept if a repair is possible */
    const Type *type;
    const Type *operation; /* type in which the operation is done */
    union {
        struct {
            Expr *a, *b;
            union {
                Expr *c;
                const Member *member;
                uint64_t length; /* EXPR_INDEX: elements that a has for sure */
            };
        };
        struct {
            int64_t value;
            const char *name;
        };
        Symbol *symbol;
        struct {
            Function *callee;
            Expr **arguments;
        };
    };
};

typedef enum StmtKind {
    STMT_EXPR,
    STMT_DECL, /* symbol = expr; arrays and structs have a list of `count` constant cells instead */
    STMT_IF,
    STMT_FOR, /* expr: first; condition; step; body */
    STMT_WHILE,
    STMT_DO,
    STMT_SWITCH,
    STMT_CASE, /* value; a label inside the list of a switch; is_default */
    STMT_BLOCK,
    STMT_BREAK,
    STMT_CONTINUE,
    STMT_GOTO,
    STMT_LABEL,
    STMT_RETURN,
} StmtKind;

struct Stmt {
    uint8_t kind;
    bool executed;
    bool is_default;
    bool declares; /* STMT_FOR: the first expression is printed as a declaration of the counter */
    Expr *expr, *condition, *step;
    Stmt *body, *otherwise, *next;
    Symbol *symbol;
    const int64_t *cells; /* initial values of a local array or struct */
    int64_t value;        /* STMT_CASE: the constant; STMT_GOTO, STMT_LABEL: the number of the label */
};

/* For every cell, how many elements lie before and from it in its array: {0, 1} for what is no array. */
typedef struct Extent {
    uint16_t before, behind;
} Extent;

typedef Vec(Extent) Extents;

/* In func.c, in driver.c, or in init.h: there static inline, or inline with the external definition in func.c. */
typedef enum Placement { PLACE_STATIC, PLACE_EXTERN, PLACE_DRIVER, PLACE_HEADER, PLACE_INLINE, PLACEMENTS } Placement;

struct Function {
    const char *name;
    const Type *result; /* NULL: void */
    Symbols parameters;
    Stmt *body;
    Placement placement;
    bool is_pure;      /* writes nothing but its own locals: may be called anywhere in an expression */
    bool is_called;    /* from code that runs */
    bool is_recursive; /* its first parameter counts down */
    uint64_t cost;     /* about how many operations a call executes */
    Extents frame;     /* of its locals; its length is the size of a frame */
};

/* Every struct and union, in the order of definition. */
typedef Vec(Type *) Types;
typedef Vec(Function *) Functions;

typedef struct Enumerator {
    const char *name;
    int64_t value;
} Enumerator;

typedef struct IrProgram {
    TypeTable types;
    Types structs, vectors;
    Symbols globals;
    Symbols statics;     /* static locals */
    Symbols reals;       /* floating-point globals, which have no part in the checksum */
    Functions functions; /* called by others; before their callers */
    Functions tests;     /* called by main, in this order */
    Vec(Enumerator) enumerators;
    Extents extents; /* of the globals' cells */
} IrProgram;

void ir_release(IrProgram *program);
/* Appends the extents of an object of the type and returns the number of its first cell. */
uint32_t extents_add(Extents *extents, const Type *type);

Expr *expr_new(Arena *arena, ExprKind kind, const Type *type);
Expr *expr_const(Arena *arena, const Type *type, int64_t value); /* converts the value */
Expr *expr_var(Arena *arena, Symbol *symbol);
Expr *expr_unary(Arena *arena, ExprKind kind, const Type *type, Expr *a);
/* Computes the type and that of the operation by C's rules. */
Expr *expr_binary(Arena *arena, const TypeTable *types, BinaryOp op, Expr *a, Expr *b);
Expr *expr_assign(Arena *arena, Expr *place, Expr *value);
Expr *expr_compound(Arena *arena, const TypeTable *types, BinaryOp op, Expr *place, Expr *value);
Expr *expr_index(Arena *arena, Expr *array, Expr *index, uint64_t length);
Expr *expr_member(Arena *arena, Expr *object, const Member *member);
/* With everything below; as never executed, unless `executed` keeps what is known about that. */
Expr *expr_copy(Arena *arena, const Expr *expr, bool executed);
size_t expr_nodes(const Expr *expr);
bool expr_is_constant(const Expr *expr); /* whatever the conditions in it are */

/* Floating-point values as cells hold them. */
static inline int64_t real_bits(double value) {
    int64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}
static inline double real_value(int64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

Stmt *stmt_new(Arena *arena, StmtKind kind, Expr *expr);

#endif
