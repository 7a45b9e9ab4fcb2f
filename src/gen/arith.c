#include "gen/arith.h"

/* Does the mathematical result of a signed operation leave `type`? `wide` holds it modulo 2^64, `lost` tells whether
 * 64 bits were too few already. */
static Fault checked(IntType type, int64_t wide, bool lost, int64_t *ret_value) {
    *ret_value = int_convert(wide, type);
    return type.is_signed && (lost || *ret_value != wide) ? FAULT_OVERFLOW : FAULT_NONE;
}

static Fault divide(BinaryOp op, IntType type, int64_t a, int64_t b, int64_t *ret_value) {
    if (b == 0) {
        *ret_value = a;
        return FAULT_ZERO_DIVISOR;
    }
    if (!type.is_signed) {
        *ret_value = (int64_t)(op == OP_DIV ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
        return FAULT_NONE;
    }
    if (b == -1 && a == int_min(type)) {
        *ret_value = a;
        return FAULT_OVERFLOW;
    }
    *ret_value = op == OP_DIV ? a / b : a % b;
    return FAULT_NONE;
}

static Fault count_fault(IntType type, int64_t count, IntType count_type) {
    if (count_type.is_signed && count < 0)
        return FAULT_SHIFT_NEGATIVE_COUNT;
    return (uint64_t)count >= type.bits ? FAULT_SHIFT_LARGE_COUNT : FAULT_NONE;
}

static Fault shift_left(IntType type, int64_t a, int64_t b, IntType count_type, int64_t *ret_value) {
    *ret_value = int_convert((int64_t)((uint64_t)a << ((uint64_t)b & (type.bits - 1u))), type);
    if (type.is_signed && a < 0)
        return FAULT_SHIFT_NEGATIVE_VALUE;
    Fault fault = count_fault(type, b, count_type);
    if (fault || !type.is_signed)
        return fault;
    return int_msb((uint64_t)a) + (uint64_t)b > type.bits - 1u ? FAULT_SHIFT_OVERFLOW : FAULT_NONE;
}

static Fault shift_right(IntType type, int64_t a, int64_t b, IntType count_type, int64_t *ret_value) {
    IntType logical = {type.bits, false, false};
    uint64_t pattern = (uint64_t)int_convert(a, logical);
    *ret_value = int_convert((int64_t)(pattern >> ((uint64_t)b & (type.bits - 1u))), type);
    if (type.is_signed && a < 0)
        return FAULT_SHIFT_RIGHT_NEGATIVE;
    return count_fault(type, b, count_type);
}

static bool compare(BinaryOp op, IntType type, int64_t a, int64_t b) {
    bool less = type.is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    switch (op) {
    case OP_LT: return less;
    case OP_GT: return !less && a != b;
    case OP_LE: return less || a == b;
    case OP_GE: return !less;
    case OP_EQ: return a == b;
    default: return a != b;
    }
}

Fault arith_binary(BinaryOp op, IntType type, int64_t a, int64_t b, IntType count_type, int64_t *ret_value) {
    int64_t wide;
    bool lost;
    switch (op) {
    case OP_ADD: lost = __builtin_add_overflow(a, b, &wide); return checked(type, wide, lost, ret_value);
    case OP_SUB: lost = __builtin_sub_overflow(a, b, &wide); return checked(type, wide, lost, ret_value);
    case OP_MUL: lost = __builtin_mul_overflow(a, b, &wide); return checked(type, wide, lost, ret_value);
    case OP_DIV:
    case OP_MOD: return divide(op, type, a, b, ret_value);
    case OP_AND: *ret_value = a & b; return FAULT_NONE;
    case OP_OR: *ret_value = a | b; return FAULT_NONE;
    case OP_XOR: *ret_value = a ^ b; return FAULT_NONE;
    case OP_SHL: return shift_left(type, a, b, count_type, ret_value);
    case OP_SHR: return shift_right(type, a, b, count_type, ret_value);
    case OP_LAND: *ret_value = a && b; return FAULT_NONE;
    case OP_LOR: *ret_value = a || b; return FAULT_NONE;
    default: *ret_value = compare(op, type, a, b); return FAULT_NONE;
    }
}

Fault arith_negate(IntType type, int64_t a, int64_t *ret_value) {
    int64_t wide;
    bool lost = __builtin_sub_overflow((int64_t)0, a, &wide);
    return checked(type, wide, lost, ret_value);
}
