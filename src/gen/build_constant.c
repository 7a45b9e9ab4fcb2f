/* Constants: the paper's policies for them (section 3.3).
 *
 * Peephole optimisations look for small constants, values close to MIN and MAX, runs of ones and zeroes, and for
 * constants that are equal, negated or complemented elsewhere in the expression. Without policies all values are
 * equally likely.
 */
#include "gen/build.h"

const Type *build_int_type(Builder *b) { return build_int(b, (IntKind)build_draw(b, DIST_INT_TYPE)); }

static int64_t special_value(Builder *b, IntType type) {
    uint64_t distance = build_below(b, 4);
    switch (build_draw(b, DIST_SPECIAL)) {
    case SPECIAL_ZERO: return 0;
    case SPECIAL_SMALL: return (int64_t)build_below(b, 33) - 16;
    case SPECIAL_NEAR_MIN: return (int64_t)((uint64_t)int_min(type) + distance);
    default: return (int64_t)((uint64_t)int_max(type) - distance);
    }
}

/* Ones in the bits [low, high). */
static uint64_t run_of_ones(unsigned low, unsigned high) {
    uint64_t upper = high >= 64 ? UINT64_MAX : (1ull << high) - 1;
    return low >= 64 ? 0 : upper & ~((1ull << low) - 1);
}

static int64_t fresh_value(Builder *b, IntType type) {
    unsigned first = build_below(b, type.bits), second = build_below(b, type.bits + 1u);
    switch (build_draw(b, DIST_CONSTANT_KIND)) {
    case KIND_SPECIAL: return special_value(b, type);
    case KIND_END_BITS: return (int64_t)(second & 1 ? run_of_ones(first, type.bits) : run_of_ones(0, first));
    case KIND_BLOCK: return (int64_t)run_of_ones(MIN_OF(first, second), MAX_OF(first, second));
    default: return (int64_t)rng_next(&b->rng);
    }
}

int64_t build_value(Builder *b, const Type *type) {
    int64_t value = b->policies ? fresh_value(b, type->ints) : (int64_t)rng_next(&b->rng);
    return int_convert(value, type->ints);
}

static int64_t transformed(Builder *b, int64_t value) {
    switch (build_draw(b, DIST_TRANSFORM)) {
    case TRANSFORM_NEGATE: return (int64_t)(0 - (uint64_t)value);
    case TRANSFORM_COMPLEMENT: return ~value;
    default: return value;
    }
}

static Expr *reused_constant(Builder *b) {
    const UsedConstant *used = &b->used[build_below(b, MIN_OF(b->used_count, CONSTANT_BUFFER))];
    const Type *type = build_draw(b, DIST_REUSED_TYPE) == REUSED_SAME_TYPE ? used->type : build_int_type(b);
    return expr_const(b->arena, type, transformed(b, used->value));
}

Expr *build_constant(Builder *b, const Type *near) {
    if (b->policies && b->used_count && b->context != CONTEXT_LOGICAL &&
        build_draw(b, DIST_CONSTANT_NEW) == CONSTANT_REUSED)
        return reused_constant(b);
    if (build_draw(b, DIST_ENUMERATOR)) {
        const Enumerator *e = &b->program.enumerators.items[build_below(b, (unsigned)b->program.enumerators.len)];
        Expr *constant = expr_const(b->arena, build_int(b, INT_INT), e->value);
        constant->name = e->name;
        return constant;
    }
    const Type *type = near ? near : build_int_type(b);
    if (type->is_bitfield)
        type = type->base;
    if (type->rank < INT_INT && !build_draw(b, DIST_NARROW_CONSTANT)) /* they need a cast: rarely */
        type = build_int(b, INT_INT);
    int64_t value = build_value(b, type);
    b->used[b->used_count++ % CONSTANT_BUFFER] = (UsedConstant){type, value};
    return expr_const(b->arena, type, value);
}
