/* Idioms: a generation policy of ours beside those of the paper's section 3.3.
 *
 * Optimisers look for combinations of operators that independent draws rarely make: a rotation needs two shifts of one
 * value whose counts add up to its width. So now and then a subtree, or a statement, takes the form that a transformation
 * looks for, with operands drawn as everywhere. What the forms are made of is in every program, also without policies;
 * they only make the combination likely, as the operator contexts and the buffers of constants and subexpressions do.
 * Repairs may break a form; that gives the near misses, which optimisers must tell apart.
 *
 * Here are those of expressions, in build_idiom_stmt.c those of straight-line code, in build_idiom_loop.c those of loops.
 */
#include "gen/build.h"

Expr *build_idiom_operand(Builder *b) {
    Expr *leaf = build_draw(b, DIST_IDIOM_OPERAND) == OPERAND_LEAF ? build_variable_leaf(b) : NULL;
    return leaf ? leaf : build_expr(b, 1);
}

/* The operand converted to an unsigned type in which nothing is promoted. */
static Expr *unsigned_operand(Builder *b) {
    static const IntKind kinds[] = {INT_UINT, INT_UINT, INT_ULONG, INT_ULLONG};
    const Type *type = build_int(b, kinds[build_below(b, ARRAY_LEN(kinds))]);
    return expr_unary(b->arena, EXPR_CAST, type, build_idiom_operand(b));
}

/* x < y ? x : y */
static Expr *idiom_extreme(Builder *b) {
    Expr *x = build_idiom_operand(b),
         *y = build_draw(b, DIST_EXTREME_BOUND) ? build_constant(b, x->type) : build_idiom_operand(b);
    Expr *less = build_operation(b, (BinaryOp)(OP_LT + build_below(b, OP_GE - OP_LT + 1)), x, y);
    return build_conditional_of(b, less, build_again(b, x), build_again(b, y));
}

/* x < 0 ? -x : x */
static Expr *idiom_absolute(Builder *b) {
    Expr *x = build_idiom_operand(b);
    Expr *negated = expr_unary(b->arena, EXPR_NEG, x->type->promoted, build_again(b, x));
    return build_conditional_of(b, build_operation(b, build_below(b, 2) ? OP_LT : OP_GT, x, build_number(b, 0)),
                                negated, build_again(b, x));
}

/* x < low ? low : x > high ? high : x */
static Expr *idiom_clamp(Builder *b) {
    Expr *x = build_idiom_operand(b);
    int64_t low = (int64_t)build_below(b, 256) - 128, high = low + 1 + build_below(b, 255);
    Expr *inner = build_conditional_of(b, build_operation(b, OP_GT, build_again(b, x), build_number(b, high)),
                                       build_number(b, high), build_again(b, x));
    return build_conditional_of(b, build_operation(b, OP_LT, x, build_number(b, low)), build_number(b, low), inner);
}

/* x << c | x >> (width - c) */
static Expr *idiom_rotation(Builder *b) {
    static const BinaryOp joins[] = {OP_OR, OP_XOR, OP_ADD};
    Expr *x = unsigned_operand(b);
    unsigned width = x->type->ints.bits, count = 1 + build_below(b, width - 1);
    return build_operation(b, joins[build_draw(b, DIST_ROTATION_JOIN)],
                           build_operation(b, OP_SHL, x, build_number(b, count)),
                           build_operation(b, OP_SHR, build_again(b, x), build_number(b, width - count)));
}

/* The bytes of x in another order: swapped, or put together as they were. */
static Expr *idiom_bytes(Builder *b) {
    Expr *x = unsigned_operand(b), *sum = NULL;
    unsigned count = build_draw(b, DIST_BYTES_COUNT) == BYTES_ALL && expr_nodes(x) < 8 ? x->type->ints.bits / 8u : 2;
    bool swap = build_draw(b, DIST_BYTES_ORDER) == ORDER_SWAPPED;
    for (unsigned i = 0; i < count; i++) {
        Expr *byte = build_operation(b, OP_AND, build_operation(b, OP_SHR, build_again(b, x), build_number(b, 8 * i)),
                                     build_number(b, 255));
        byte = build_operation(b, OP_SHL, byte, build_number(b, 8 * (swap ? count - 1 - i : i)));
        sum = sum ? build_operation(b, OP_OR, sum, byte) : byte;
    }
    return sum;
}

/* (x op c1) op' (y op c2), where x and y are mostly the same: what reassociation and factoring collect. */
static Expr *idiom_pairs(Builder *b) {
    static const BinaryOp pairs[][2] = {{OP_OR, OP_XOR},  {OP_AND, OP_XOR}, {OP_AND, OP_OR},  {OP_OR, OP_AND},
                                        {OP_XOR, OP_AND}, {OP_MUL, OP_ADD}, {OP_MUL, OP_SUB}, {OP_ADD, OP_SUB},
                                        {OP_ADD, OP_MUL}, {OP_SUB, OP_ADD}, {OP_SHL, OP_ADD}, {OP_SHL, OP_OR},
                                        {OP_SHR, OP_XOR}, {OP_EQ, OP_LOR},  {OP_NE, OP_LAND}};
    const BinaryOp *pair = pairs[build_draw(b, DIST_PAIR)];
    Expr *x = build_idiom_operand(b), *c1, *c2;
    Expr *y = build_draw(b, DIST_PAIR_OPERAND) == PAIR_OF_ONE ? build_again(b, x) : build_idiom_operand(b);
    if (op_is_shift(pair[0])) {
        c1 = build_number(b, build_below(b, 16));
        c2 = build_number(b, build_below(b, 16));
    } else if (build_draw(b, DIST_PAIR_CONSTANTS)) {
        c1 = build_constant(b, x->type);
        c2 = build_draw(b, DIST_PAIR_RELATED) ? expr_unary(b->arena, EXPR_NOT, c1->type->promoted, build_again(b, c1))
                                              : build_constant(b, x->type);
    } else {
        c1 = build_idiom_operand(b);
        c2 = build_draw(b, DIST_PAIR_RELATED) ? build_again(b, c1) : build_idiom_operand(b);
    }
    return build_operation(b, pair[1], build_operation(b, pair[0], x, c1), build_operation(b, pair[0], y, c2));
}

/* x / c and x % c by one constant, often a power of two. */
static Expr *idiom_division(Builder *b) {
    Expr *x = build_idiom_operand(b);
    int64_t by = build_draw(b, DIST_DIVISOR_POWER) ? 1ll << (1 + build_below(b, 12)) : 3 + build_below(b, 1000);
    Expr *quotient = build_operation(b, OP_DIV, x, build_number(b, by));
    switch (build_draw(b, DIST_DIVISION)) {
    case DIVISION_QUOTIENT: return quotient;
    case DIVISION_REMAINDER: return build_operation(b, OP_MOD, x, build_number(b, by));
    case DIVISION_MULTIPLE: return build_operation(b, OP_MUL, quotient, build_number(b, by));
    default:
        return build_operation(b, OP_XOR, quotient, build_operation(b, OP_MOD, build_again(b, x), build_number(b, by)));
    }
}

/* low <= x && x < high, or x == c1 || x == c2 || x == c3 */
static Expr *idiom_range(Builder *b) {
    Expr *x = build_idiom_operand(b);
    int64_t low = (int64_t)build_below(b, 64) - 16;
    if (build_draw(b, DIST_RANGE) == RANGE_LIMITS) {
        bool inside = build_draw(b, DIST_RANGE_INSIDE);
        Expr *from = build_operation(b, inside ? OP_GE : OP_LT, x, build_number(b, low));
        Expr *to = build_operation(b, inside ? OP_LT : OP_GE, build_again(b, x),
                                   build_number(b, low + 1 + build_below(b, 64)));
        return build_operation(b, inside ? OP_LAND : OP_LOR, from, to);
    }
    Expr *any = build_operation(b, OP_EQ, x, build_number(b, low));
    for (unsigned i = 0, n = 1 + build_below(b, 3); i < n; i++)
        any = build_operation(
            b, OP_LOR, any,
            build_operation(b, OP_EQ, build_again(b, x), build_number(b, low + 1 + build_below(b, 12))));
    return any;
}

/* Narrowing and widening: (int)(signed char)x, x << c >> c, (long long)x * y */
static Expr *idiom_extension(Builder *b) {
    static const IntKind narrow[] = {INT_SCHAR, INT_UCHAR, INT_SHORT, INT_USHORT, INT_INT, INT_UINT};
    Expr *x = build_idiom_operand(b);
    switch (build_draw(b, DIST_EXTENSION)) {
    case EXTENSION_NARROW: {
        const Type *type = build_int(b, narrow[build_below(b, ARRAY_LEN(narrow))]);
        return build_operation(b, OP_ADD, expr_unary(b->arena, EXPR_CAST, type, x), build_idiom_operand(b));
    }
    case EXTENSION_SHIFTS: {
        Expr *bits = unsigned_operand(b), *count = build_number(b, 1 + build_below(b, bits->type->ints.bits - 1u));
        return build_operation(b, OP_SHR, build_operation(b, OP_SHL, bits, count), build_again(b, count));
    }
    default:
        x = expr_unary(b->arena, EXPR_CAST, build_int(b, build_draw(b, DIST_EXTENSION_SIGN) ? INT_ULLONG : INT_LLONG),
                       x);
        return build_operation(b, OP_MUL, x, build_idiom_operand(b));
    }
}

/* Identities of two's complement: ~(x - 1), -~x, x - (x & c), x & -x, x & (x - 1), (x ^ y) ^ x */
static Expr *idiom_identity(Builder *b) {
    Expr *x = build_idiom_operand(b), *same = build_again(b, x);
    const Type *type = x->type->promoted;
    switch (build_draw(b, DIST_IDENTITY)) {
    case IDENTITY_NOT_PREDECESSOR:
        return expr_unary(b->arena, EXPR_NOT, type, build_operation(b, OP_SUB, x, build_number(b, 1)));
    case IDENTITY_NEGATED_NOT: return expr_unary(b->arena, EXPR_NEG, type, expr_unary(b->arena, EXPR_NOT, type, x));
    case IDENTITY_CLEARED_BITS:
        return build_operation(b, OP_SUB, x, build_operation(b, OP_AND, same, build_constant(b, x->type)));
    case IDENTITY_LOWEST_BIT: return build_operation(b, OP_AND, x, expr_unary(b->arena, EXPR_NEG, type, same));
    case IDENTITY_WITHOUT_LOWEST_BIT:
        return build_operation(b, OP_AND, x, build_operation(b, OP_SUB, same, build_number(b, 1)));
    case IDENTITY_XOR_TWICE:
        return build_operation(b, OP_XOR, build_operation(b, OP_XOR, x, build_idiom_operand(b)), same);
    default: return build_operation(b, OP_SUB, build_operation(b, OP_ADD, x, build_idiom_operand(b)), same);
    }
}

/* c ? k : k + 1 and the like, which become arithmetic on the truth value. */
static Expr *idiom_truth(Builder *b) {
    BinaryOp op = (BinaryOp)(OP_LT + build_below(b, OP_NE - OP_LT + 1));
    Expr *left = build_idiom_operand(b), *truth = build_operation(b, op, left, build_idiom_operand(b));
    int64_t k = (int64_t)build_below(b, 9) - 4;
    switch (build_draw(b, DIST_TRUTH)) {
    case TRUTH_NEIGHBOURS: return build_conditional_of(b, truth, build_number(b, k), build_number(b, k + 1));
    case TRUTH_OR_ZERO: return build_conditional_of(b, truth, build_number(b, 0), build_idiom_operand(b));
    case TRUTH_NEGATED: return build_operation(b, OP_XOR, truth, build_number(b, 1));
    default: return build_operation(b, OP_MUL, truth, build_idiom_operand(b));
    }
}

Expr *build_idiom_expr(Builder *b) {
    static Expr *(*const idioms[])(Builder *) = {
        [IDIOM_EXTREME] = idiom_extreme,   [IDIOM_ABSOLUTE] = idiom_absolute, [IDIOM_CLAMP] = idiom_clamp,
        [IDIOM_ROTATION] = idiom_rotation, [IDIOM_BYTES] = idiom_bytes,       [IDIOM_PAIRS] = idiom_pairs,
        [IDIOM_DIVISION] = idiom_division, [IDIOM_RANGE] = idiom_range,       [IDIOM_EXTENSION] = idiom_extension,
        [IDIOM_IDENTITY] = idiom_identity, [IDIOM_TRUTH] = idiom_truth,
    };
    return idioms[build_draw(b, DIST_IDIOM)](b);
}
