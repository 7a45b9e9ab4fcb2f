/* The builder: makes types, variables, functions, statements and expressions, top-down, by the grammar of C.
 *
 * In straight-line code of the test functions it is `live`: every statement is executed as soon as it is made, so that
 * repairs happen on the spot, a branch that is not taken can be kept short, and what cannot be executed is dropped.
 * Loops and called functions are made as a whole and executed afterwards.
 */
#ifndef GEN_BUILD_H
#define GEN_BUILD_H

#include "gen/dist.h"
#include "gen/interp.h"

#define CONSTANT_BUFFER 32
#define NESTED_LIMIT 2 /* indices inside indices, arguments inside arguments */
#define NODE_BYTES 9   /* of a printed node of an expression, on average */

typedef struct UsedConstant {
    const Type *type;
    int64_t value;
} UsedConstant;

/* The variables by what a leaf can make of them. */
typedef enum SymbolClass { SYMBOL_INT, SYMBOL_STRUCT, SYMBOL_ARRAY, SYMBOL_POINTER, SYMBOL_CLASSES } SymbolClass;

typedef struct Builder {
    const GenOptions *options;
    GenFeatures features;
    GenStatistics *statistics;
    Arena *arena;
    Rng rng;
    Dists dists;
    IrProgram program;
    Interp interp;
    bool policies;

    Symbols readable[SYMBOL_CLASSES], writable[SYMBOL_CLASSES]; /* globals without volatile */
    Symbols volatiles;                                          /* integers that are volatile */
    Symbols vectors;

    Function *function; /* under construction */
    bool entered;       /* the function is a test, whose frame the interpreter has entered */
    bool live;          /* statements are executed as they are made */
    unsigned depth;     /* of nested blocks */
    int budget;         /* statements that may still be made before nothing nests any more */
    int64_t room;       /* bytes, about, that may still be made before all expressions are leaves and blocks end */
    unsigned loop_depth;
    bool may_break;      /* stands inside a loop, not inside a switch of it */
    uint64_t trips;      /* product of the trip counts of the loops around, at most */
    uint64_t cost;       /* operations of the function so far, weighted by trips */
    Symbols locals;      /* in scope, innermost last */
    Vec(Expr *) common;  /* buffer of subexpressions, in scope */
    size_t block_common; /* where those of the innermost block start */
    Symbol *preferred;   /* counter that indices shall use */

    unsigned nested;          /* indices and arguments around the expression under construction */
    unsigned context, leaves; /* the policies in force: operators, constant leaves */
    UsedConstant used[CONSTANT_BUFFER];
    unsigned used_count;
    unsigned calls; /* built so far; tells whether a subexpression has one */
    unsigned names; /* given so far */
    int64_t labels;
} Builder;

/* What a block adds to the scope starts here. */
typedef struct ScopeMark {
    size_t locals, common, block_common;
} ScopeMark;

static inline bool build_has(const Builder *b, GenFeature feature) { return b->features >> feature & 1; }
static inline unsigned build_draw(Builder *b, DistId id) { return dist_draw(&b->dists, id, &b->rng); }
static inline unsigned build_below(Builder *b, unsigned limit) {
    return (unsigned)(((rng_next(&b->rng) >> 32) * limit) >> 32);
}
static inline const Type *build_int(const Builder *b, IntKind kind) { return &b->program.types.ints[kind]; }

/* What a pointer shall point into. */
static inline SymbolClass build_pointed_class(Builder *b) {
    return build_draw(b, DIST_POINTED) == POINTED_ARRAY ? SYMBOL_ARRAY : SYMBOL_INT;
}

/* An int constant, an operation, and an expression once more, as if never executed. */
static inline Expr *build_number(Builder *b, int64_t value) {
    return expr_const(b->arena, build_int(b, INT_INT), value);
}
static inline Expr *build_operation(Builder *b, BinaryOp op, Expr *left, Expr *right) {
    return expr_binary(b->arena, &b->program.types, op, left, right);
}
static inline Expr *build_again(Builder *b, const Expr *e) {
    b->room -= NODE_BYTES * (int64_t)expr_nodes(e);
    return expr_copy(b->arena, e, false);
}

/* build.c */
void build_init(Builder *b, const GenOptions *options, Arena *arena, GenStatistics *statistics);
void build_release(Builder *b);
const char *build_name(Builder *b, const char *prefix);
Function *build_function(Builder *b, const char *prefix);

/* build_data.c: types and globals. */
void build_types(Builder *b);
void build_globals(Builder *b);
const Type *build_small_array(Builder *b, unsigned lengths); /* of integers, with 2 elements or more */
const int64_t *build_cells(Builder *b, const Type *type);    /* random initial values */

/* build_constant.c */
const Type *build_int_type(Builder *b);
int64_t build_value(Builder *b, const Type *type);
Expr *build_constant(Builder *b, const Type *near); /* `near`: the type it shall have; NULL for any */

/* build_place.c: objects to read and write. */
Symbol *build_local(Builder *b, const char *prefix, const Type *type, Role role);
Symbol *build_pick(Builder *b, SymbolClass class, bool write); /* NULL if there is none */
Expr *build_descend(Builder *b, Expr *object);                 /* to some integer inside the object */
Expr *build_target(Builder *b);                                /* what an assignment may write; NULL: nothing */
Expr *build_simple_target(Builder *b);                         /* a plain variable; NULL if there is none */
Expr *build_variable_leaf(Builder *b);                         /* NULL if there is none */
/* An array of integers, most likely with elements of the type, unless that is NULL; NULL if there is none. */
Symbol *build_int_array(Builder *b, const Type *element, bool write);
Expr *build_element(Builder *b, Symbol *array, Expr *index);
/* The address of `length` objects in a row, or NULL; of locals only the first `locals`, those that outlive the user. */
Expr *build_address(Builder *b, const Type *target, uint32_t length, size_t locals);

/* build_expr.c */
Expr *build_expr(Builder *b, unsigned depth);
Expr *build_root(Builder *b);                    /* a full expression, with policies drawn for it */
Expr *build_bounded(Builder *b, unsigned limit); /* an expression with values below the limit */
Expr *build_call(Builder *b, bool pure);         /* NULL if no function can be called */
Expr *build_conditional_of(Builder *b, Expr *condition, Expr *yes, Expr *no);

/* build_stmt.c */
ScopeMark build_scope(Builder *b);
void build_scope_end(Builder *b, ScopeMark mark);
Stmt *build_statement(Builder *b); /* NULL if it had to be dropped */
Stmt *build_block(Builder *b, unsigned statements);
Stmt *build_assignment(Builder *b, Expr *target);
Stmt *build_expression_stmt(Builder *b, Expr *expr);
Stmt *build_assign(Builder *b, Expr *target, Expr *value);
Stmt *build_finish(Builder *b, Stmt *stmt); /* when live, executes it: NULL drops it */
/* Between the two nothing is executed: what is made as a whole is executed as a whole, in the end. */
bool build_whole(Builder *b);
Stmt *build_whole_end(Builder *b, Stmt *stmt, bool live);
void build_cost(Builder *b, const Expr *expr);

/* build_extension.c */
void build_vector_types(Builder *b);
Stmt *build_vector_stmt(Builder *b);
void build_reals(Builder *b);
Stmt *build_real_stmt(Builder *b);

/* build_loop.c */
Stmt *build_loop(Builder *b);
unsigned build_trips_left(const Builder *b);        /* how often a loop may run here */
Symbol *build_counter(Builder *b, uint32_t length); /* a local whose values are below the length */
/* Declares a local that holds a loop's bound, so that the trip count is invariant but unknown. */
Stmt *build_bound(Builder *b, Expr *value);

/* build_idiom.c, build_idiom_stmt.c, build_idiom_loop.c: with policies alone. NULL if the idiom needs what the program
 * lacks. */
Expr *build_idiom_operand(Builder *b); /* short, because idioms use it more than once */
Expr *build_idiom_expr(Builder *b);
Stmt *build_idiom_stmt(Builder *b);
Stmt *build_idiom_loop(Builder *b);

/* build_function.c */
void build_functions(Builder *b);

#endif
