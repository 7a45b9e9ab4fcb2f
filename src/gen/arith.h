/* C's integer arithmetic, exactly: what an operation gives, and which ones are undefined.
 *
 * Values travel as 64-bit patterns in canonical form: sign- or zero-extended from the width of their type. A type here
 * is a width and a signedness, so that tests can try widths that C does not have.
 */
#ifndef GEN_ARITH_H
#define GEN_ARITH_H

#include "base/base.h"

typedef struct IntType {
    uint8_t bits;
    bool is_signed, is_bool;
} IntType;

/* The binary operators, in the order of the operator distribution. */
typedef enum BinaryOp {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_SHL,
    OP_SHR,
    OP_LT,
    OP_GT,
    OP_LE,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_LAND,
    OP_LOR,
    OP_COUNT,
} BinaryOp;

static inline bool op_is_shift(BinaryOp op) { return op == OP_SHL || op == OP_SHR; }
static inline bool op_is_comparison(BinaryOp op) { return op >= OP_LT && op <= OP_NE; }
static inline bool op_is_logical(BinaryOp op) { return op >= OP_LAND; }

/* Why an operation must not be executed; the last two are implementation-defined, and avoided like the paper does. */
typedef enum Fault {
    FAULT_NONE,
    FAULT_OVERFLOW,
    FAULT_ZERO_DIVISOR,
    FAULT_SHIFT_NEGATIVE_COUNT,
    FAULT_SHIFT_LARGE_COUNT,
    FAULT_SHIFT_OVERFLOW,       /* a << b with a >= 0 does not fit */
    FAULT_SHIFT_NEGATIVE_VALUE, /* a << b with a < 0 */
    FAULT_SHIFT_RIGHT_NEGATIVE, /* a >> b with a < 0: implementation-defined */
} Fault;

static inline int64_t int_min(IntType type) { return type.is_signed ? (int64_t)(UINT64_MAX << (type.bits - 1)) : 0; }
static inline int64_t int_max(IntType type) {
    return type.is_signed ? ~int_min(type) : (int64_t)(UINT64_MAX >> (64 - type.bits));
}

/* The value converted to the type, as C's implicit conversions do. */
static inline int64_t int_convert(int64_t value, IntType type) {
    if (type.is_bool)
        return value != 0;
    unsigned unused = 64u - type.bits;
    uint64_t shifted = (uint64_t)value << unused;
    return type.is_signed ? (int64_t)shifted >> unused : (int64_t)(shifted >> unused);
}

/* Position of the highest set bit, counted from 1; 0 for 0. */
static inline unsigned int_msb(uint64_t value) { return value ? 64u - (unsigned)__builtin_clzll(value) : 0; }

/* a op b in `type`, to which a and b are converted already; for shifts b has its own type. On a fault the result is
 * that of the safe form: wrapping, counts taken modulo the width, a quotient by zero gives a. */
Fault arith_binary(BinaryOp op, IntType type, int64_t a, int64_t b, IntType count_type, int64_t *ret_value);
Fault arith_negate(IntType type, int64_t a, int64_t *ret_value);

#endif
