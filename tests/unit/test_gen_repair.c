/* The completed rewrite table, proved by trying all pairs of 4-bit values, signed and unsigned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "gen/repair.h"

static const IntType nibbles[] = {{4, false, false}, {4, true, false}};

typedef struct Operation {
    BinaryOp op;
    IntType type, count_type;
    int64_t a, b;
} Operation;

static int64_t must_add(BinaryOp op, IntType type, int64_t a, int64_t b) {
    int64_t value;
    assert_int_equal(int_convert(b, type), b); /* the constant is one of the type */
    assert_int_equal(arith_binary(op, type, a, b, type, &value), FAULT_NONE);
    return value;
}

/* The operation after one rewrite; false where nothing is left to execute. */
static bool rewrite(Operation *o, Fault fault, Rng *rng) {
    Rewrite r = repair_rewrite(o->op, fault, o->type, o->a, o->b, o->count_type, rng);
    switch (r.kind) {
    case REWRITE_OPERATOR: o->op = r.op; return true;
    case REWRITE_LEFT:
    case REWRITE_RIGHT: return false;
    case REWRITE_COUNT_PLUS: o->b = must_add(OP_ADD, o->count_type, o->b, r.constant); return true;
    case REWRITE_COUNT_MINUS: o->b = must_add(OP_SUB, o->count_type, o->b, r.constant); return true;
    case REWRITE_BIAS: o->a = must_add(OP_ADD, o->type, o->a, r.constant); return true;
    }
    return false;
}

static void repair_one(Operation o, Rng *rng) {
    int64_t value;
    for (int i = 0; i <= REPAIR_CHAIN; i++) {
        Fault fault = arith_binary(o.op, o.type, o.a, o.b, o.count_type, &value);
        if (!fault || !rewrite(&o, fault, rng))
            return;
    }
    fail_msg("still undefined: %lld op %d %lld", (long long)o.a, o.op, (long long)o.b);
}

static void every_pair(BinaryOp op, IntType type, IntType count_type, Rng *rng) {
    for (int64_t a = int_min(type); a <= int_max(type); a++)
        for (int64_t b = int_min(count_type); b <= int_max(count_type); b++)
            repair_one((Operation){op, type, count_type, a, b}, rng);
}

static void test_table_is_complete(void **state) {
    (void)state;
    Rng rng = rng_from_seed(1);
    for (int round = 0; round < 50; round++) /* the constants are random */
        for (BinaryOp op = OP_ADD; op < OP_COUNT; op++)
            for (size_t i = 0; i < ARRAY_LEN(nibbles); i++)
                for (size_t j = 0; j < ARRAY_LEN(nibbles); j++)
                    if (op_is_shift(op) || i == j)
                        every_pair(op, nibbles[i], nibbles[j], &rng);
}

static void test_negation(void **state) {
    (void)state;
    int64_t value;
    for (int64_t a = -8; a <= 7; a++)
        assert_int_equal(arith_negate(nibbles[1], a, &value), a == -8 ? FAULT_OVERFLOW : FAULT_NONE);
}

/* A naive model of 4-bit arithmetic: compute with unlimited range, then see whether it fits. */
static Fault model(BinaryOp op, bool is_signed, long a, long b, long *ret_value) {
    long low = is_signed ? -8 : 0, high = is_signed ? 7 : 15;
    if ((op == OP_DIV || op == OP_MOD) && b == 0)
        return FAULT_ZERO_DIVISOR;
    long exact = op == OP_ADD ? a + b : op == OP_SUB ? a - b : op == OP_MUL ? a * b : op == OP_DIV ? a / b : a % b;
    bool fits = exact >= low && exact <= high && !(op == OP_MOD && a == low && b == -1);
    *ret_value = ((exact - low) & 15) + low;
    return fits || !is_signed ? FAULT_NONE : FAULT_OVERFLOW;
}

static void test_arithmetic_agrees_with_model(void **state) {
    (void)state;
    for (BinaryOp op = OP_ADD; op <= OP_MOD; op++)
        for (int s = 0; s < 2; s++)
            for (long a = s ? -8 : 0; a <= (s ? 7 : 15); a++)
                for (long b = s ? -8 : 0; b <= (s ? 7 : 15); b++) {
                    long expected = 0;
                    int64_t value;
                    Fault fault = model(op, s, a, b, &expected);
                    assert_int_equal(arith_binary(op, nibbles[s], a, b, nibbles[s], &value), fault);
                    if (!fault)
                        assert_int_equal(value, expected);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_complete),
        cmocka_unit_test(test_negation),
        cmocka_unit_test(test_arithmetic_agrees_with_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
