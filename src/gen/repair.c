/* Avoiding undefined behaviour by rewriting: Table 1 of "Random Testing for C and C++ Compilers with YARPGen" (Livinskii,
 * Babokin, Regehr, OOPSLA 2020), completed.
 *
 *   operation  fault                        rewrite
 *   -a         a == MIN                     +a
 *   a + b      overflow                     a - b
 *   a - b      overflow                     a + b
 *   a * b      overflow, but not MIN * -1   a / b        (the paper's "where a != MIN && b != -1" leaves MIN * 2 out)
 *   a * b      MIN * -1                     a - b
 *   a / b      b == 0                       a * b
 *   a / b      MIN / -1                     a - b
 *   a % b      b == 0                       a * b
 *   a % b      MIN % -1                     a - b
 *   a << b     MIN < a < 0                  (a + MAX) << b       our row; then one of the rows below may apply
 *   a << b     a == MIN                     b                    our row
 *   a << b     a signed, does not fit       a << (b - c)         our row
 *   a << b     b == MIN                     a
 *   a << b     MIN < b < 0                  a << (b + c)
 *   a << b     b >= width                   a << (b - c)
 *   a >> b     MIN < a < 0                  (a + MAX) >> b       implementation-defined rather than undefined
 *   a >> b     a == MIN                     b                    implementation-defined rather than undefined
 *   a >> b     b == MIN                     a
 *   a >> b     MIN < b < 0                  a >> (b + c)
 *   a >> b     b >= width                   a >> (b - c)
 *
 * The constant c is drawn such that the new count s lies in [0, width) for a >> and for unsigned a, and in
 * [0, width - MSB(a)) for signed a <<, with MSB counted from 1: s = width - MSB(a) would reach the sign bit. If b is
 * close to MIN, c = s - b is kept within the type of b. tests/unit/test_gen_repair.c proves the table for all pairs of
 * 4-bit values.
 */
#include "gen/repair.h"

static Rewrite use_operator(BinaryOp op) { return (Rewrite){.kind = REWRITE_OPERATOR, .op = op}; }

static Rewrite repair_count(BinaryOp op, IntType type, int64_t a, int64_t b, IntType count_type, Rng *rng) {
    uint64_t counts = type.bits; /* how many new counts are possible: s in [0, counts) */
    if (op == OP_SHL && type.is_signed)
        counts -= int_msb((uint64_t)a);
    if (!count_type.is_signed || b >= 0)
        return (Rewrite){.kind = REWRITE_COUNT_MINUS, .constant = (int64_t)((uint64_t)b - rng_below(rng, counts))};
    if (b == int_min(count_type))
        return (Rewrite){.kind = REWRITE_LEFT};
    uint64_t room = (uint64_t)(int_max(count_type) + b) + 1; /* c = s - b <= MAX */
    return (Rewrite){.kind = REWRITE_COUNT_PLUS, .constant = (int64_t)rng_below(rng, MIN_OF(counts, room)) - b};
}

static Rewrite repair_overflow(BinaryOp op, IntType type, int64_t a, int64_t b) {
    switch (op) {
    case OP_ADD: return use_operator(OP_SUB);
    case OP_SUB: return use_operator(OP_ADD);
    case OP_MUL: return use_operator(a == int_min(type) && b == -1 ? OP_SUB : OP_DIV);
    default: return use_operator(OP_SUB); /* MIN / -1 and MIN % -1 */
    }
}

Rewrite repair_rewrite(BinaryOp op, Fault fault, IntType type, int64_t a, int64_t b, IntType count_type, Rng *rng) {
    switch (fault) {
    case FAULT_OVERFLOW: return repair_overflow(op, type, a, b);
    case FAULT_ZERO_DIVISOR: return use_operator(OP_MUL);
    case FAULT_SHIFT_NEGATIVE_VALUE:
    case FAULT_SHIFT_RIGHT_NEGATIVE:
        if (a == int_min(type))
            return (Rewrite){.kind = REWRITE_RIGHT};
        return (Rewrite){.kind = REWRITE_BIAS, .constant = int_max(type)};
    case FAULT_SHIFT_NEGATIVE_COUNT:
    case FAULT_SHIFT_LARGE_COUNT:
    case FAULT_SHIFT_OVERFLOW: return repair_count(op, type, a, b, count_type, rng);
    case FAULT_NONE: break;
    }
    BUG("an operation without fault needs no repair");
}
