/* What is off by default: vectors of the GCC and Clang compilers, and floating point.
 *
 * Vectors: lanes are unsigned, so that every operation on whole vectors is defined; counts of shifts are constants in range.
 * Single lanes are read and written like elements of arrays.
 *
 * Floating point, with the paper's tolerance (section 3.5): compilers may round differently, so values stay in [0.5, 1),
 * chains of operations are short, and the variables have no part in the checksum: the program prints them after it, to
 * be compared within a tolerance. Every statement is executed as it is made, and what leaves the range is scaled back by
 * a power of two, which is exact. Differences that cancel, and with it amplify errors, are not used.
 */
#include "gen/build.h"

void build_vector_types(Builder *b) {
    static const IntKind kinds[] = {INT_UCHAR, INT_USHORT, INT_UINT, INT_ULLONG};
    static const char *const names[] = {"V_uchar", "V_ushort", "V_uint", "V_ullong"};
    for (size_t i = 0; build_has(b, GEN_VECTORS) && i < ARRAY_LEN(kinds); i++) {
        const Type *lane = build_int(b, kinds[i]);
        Type *type = (Type *)types_array(b->arena, lane, 128u / lane->ints.bits, ARRAY_LANES);
        type->name = names[i];
        vec_push(&b->program.vectors, type);
    }
}

static Symbol *pick_vector(Builder *b, const Type *type, bool write) {
    for (int tries = 0; tries < 8; tries++) {
        Symbol *s = b->vectors.items[build_below(b, (unsigned)b->vectors.len)];
        if ((!type || s->type == type) && s->role != (write ? ROLE_INPUT : ROLE_OUTPUT))
            return s;
    }
    return NULL;
}

Stmt *build_vector_stmt(Builder *b) {
    static const BinaryOp ops[] = {OP_ADD, OP_SUB, OP_MUL, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_LT, OP_EQ, OP_GE};
    if (!b->vectors.len || b->function->is_pure)
        return NULL;
    Symbol *to = pick_vector(b, NULL, true);
    Symbol *left = to ? pick_vector(b, to->type, false) : NULL, *right = to ? pick_vector(b, to->type, false) : NULL;
    if (!left || !right)
        return NULL;
    Expr *e = expr_new(b->arena, EXPR_LANES, to->type);
    e->op = (uint8_t)ops[build_below(b, ARRAY_LEN(ops))];
    e->a = expr_var(b->arena, to);
    e->b = expr_var(b->arena, left);
    e->c = expr_var(b->arena, right);
    if (op_is_shift(e->op))
        e->c = build_number(b, build_below(b, to->type->base->ints.bits));
    b->cost += to->type->count * b->trips;
    return build_finish(b, stmt_new(b->arena, STMT_EXPR, e));
}

/* --- Floating point --- */

#define CHAIN_LIMIT 8     /* operations between a constant and a value computed from it */
#define LEAST_RESULT 0.25 /* of a difference: smaller ones amplify errors too much */

static Expr *real_constant(Builder *b, double value) {
    Expr *e = expr_new(b->arena, EXPR_CONST, &b->program.types.wide);
    e->value = real_bits(value);
    return e;
}

/* k / 4096 in [0.5, 1), exact in binary and short in decimal. */
static double draw_real(Builder *b) { return (2048 + build_below(b, 2048)) / 4096.0; }

void build_reals(Builder *b) {
    for (unsigned i = 0; build_has(b, GEN_FLOATS) && i < 8; i++) {
        Symbol *s = arena_new(b->arena, Symbol);
        const Type *type = i & 1 ? &b->program.types.single : &b->program.types.wide;
        *s = (Symbol){.name = build_name(b, "f_"), .type = type, .role = ROLE_MIXED, .is_global = true};
        s->cell = extents_add(&b->program.extents, type);
        int64_t *cells = arena_array(b->arena, int64_t, 1);
        cells[0] = real_bits(draw_real(b));
        s->cells = cells;
        vec_push(&b->program.globals, s);
        vec_push(&b->program.reals, s);
    }
}

static Expr *real_binary(Builder *b, BinaryOp op, Expr *left, Expr *right) {
    Expr *e = expr_new(b->arena, EXPR_BINARY, &b->program.types.wide);
    e->op = (uint8_t)op;
    e->operation = e->type;
    e->a = left;
    e->b = right;
    return e;
}

static Symbol *draw_operand(Builder *b) {
    return b->program.reals.items[build_below(b, (unsigned)b->program.reals.len)];
}

/* target = (x op y) * 2^n */
Stmt *build_real_stmt(Builder *b) {
    if (!b->live || !b->program.reals.len)
        return NULL;
    Symbol *target = draw_operand(b), *x = draw_operand(b), *y = draw_operand(b);
    uint32_t chain = MAX_OF(x->length, y->length) + 1;
    Expr *value = real_constant(b, draw_real(b));
    if (chain <= CHAIN_LIMIT) {
        BinaryOp op = (BinaryOp)build_below(b, OP_DIV + 1);
        double left = real_value(b->interp.cells[x->cell]), right = real_value(b->interp.cells[y->cell]);
        if (op == OP_SUB && (left - right < LEAST_RESULT && right - left < LEAST_RESULT))
            op = OP_ADD;
        double result = op == OP_ADD   ? left + right
                        : op == OP_SUB ? left - right
                        : op == OP_MUL ? left * right
                                       : left / right;
        double scale = result < 0 ? -1 : 1;
        while (result * scale >= 1)
            scale /= 2;
        while (result * scale < 0.5)
            scale *= 2;
        value = real_binary(b, op, expr_var(b->arena, x), expr_var(b->arena, y));
        if (scale != 1)
            value = real_binary(b, OP_MUL, value, real_constant(b, scale));
    }
    Stmt *s = build_assign(b, expr_var(b->arena, target), value);
    if (s)
        target->length = chain <= CHAIN_LIMIT ? chain : 0;
    return s;
}
