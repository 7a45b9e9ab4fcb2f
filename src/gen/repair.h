/* The rewrite table: what replaces an operation that would be undefined for the values it meets. */
#ifndef GEN_REPAIR_H
#define GEN_REPAIR_H

#include "base/rng.h"
#include "gen/arith.h"

typedef enum RewriteKind {
    REWRITE_OPERATOR,    /* a op' b */
    REWRITE_LEFT,        /* a */
    REWRITE_RIGHT,       /* b, converted to the type of the operation */
    REWRITE_COUNT_PLUS,  /* a op (b + constant) */
    REWRITE_COUNT_MINUS, /* a op (b - constant) */
    REWRITE_BIAS,        /* (a + constant) op b */
} RewriteKind;

typedef struct Rewrite {
    RewriteKind kind;
    BinaryOp op;      /* REWRITE_OPERATOR */
    int64_t constant; /* in the type of b for counts, in that of a for REWRITE_BIAS */
} Rewrite;

/* The rewrite for `a op b`, which has `fault`. What it gives may need another one: at most REPAIR_CHAIN in a row. (The
 * table's first row, -a for a == MIN, has one answer, +a, and needs no function.) */
Rewrite repair_rewrite(BinaryOp op, Fault fault, IntType type, int64_t a, int64_t b, IntType count_type, Rng *rng);

#define REPAIR_CHAIN 3

#endif
