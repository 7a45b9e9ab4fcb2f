/* C's conversions as the generator knows them, against the compiler that compiles this test. */
#include "unit.h"

#include "base/rng.h"
#include "gen/types.h"

#define RANK_OF(expr)                        \
    _Generic((expr), _Bool                   \
             : INT_BOOL, signed char         \
             : INT_SCHAR, unsigned char      \
             : INT_UCHAR, short              \
             : INT_SHORT, unsigned short     \
             : INT_USHORT, int               \
             : INT_INT, unsigned             \
             : INT_UINT, long                \
             : INT_LONG, unsigned long       \
             : INT_ULONG, long long          \
             : INT_LLONG, unsigned long long \
             : INT_ULLONG)

#define WITH(A, B) RANK_OF((A)0 + (B)0)
#define ROW(A)                                                                                                 \
    {                                                                                                          \
        WITH(A, _Bool), WITH(A, signed char), WITH(A, unsigned char), WITH(A, short), WITH(A, unsigned short), \
            WITH(A, int), WITH(A, unsigned), WITH(A, long), WITH(A, unsigned long), WITH(A, long long),        \
            WITH(A, unsigned long long)                                                                        \
    }

static const IntKind sums[INT_KINDS][INT_KINDS] = {
    ROW(_Bool),    ROW(signed char), ROW(unsigned char), ROW(short),     ROW(unsigned short),     ROW(int),
    ROW(unsigned), ROW(long),        ROW(unsigned long), ROW(long long), ROW(unsigned long long),
};

static void test_usual_conversions(void **state) {
    (void)state;
    TypeTable types;
    types_init(&types, GEN_LP64);
    for (size_t a = 0; a < INT_KINDS; a++)
        for (size_t b = 0; b < INT_KINDS; b++)
            assert_int_equal(types_common(&types, &types.ints[a], &types.ints[b])->rank, sums[a][b]);
}

static void test_promotions(void **state) {
    (void)state;
    TypeTable types;
    types_init(&types, GEN_LP64);
    for (size_t a = 0; a < INT_KINDS; a++)
        assert_int_equal(types.ints[a].promoted->rank, a < INT_INT ? INT_INT : a);
}

static void test_bitfield_promotions(void **state) {
    (void)state;
    struct {
        IntKind declared;
        unsigned width;
        IntKind promoted;
    } cases[] = {{INT_INT, 5, INT_INT},      {INT_UINT, 31, INT_INT},    {INT_UINT, 32, INT_UINT},
                 {INT_LLONG, 20, INT_INT},   {INT_LLONG, 33, INT_LLONG}, {INT_ULONG, 32, INT_UINT},
                 {INT_ULONG, 33, INT_ULONG}, {INT_BOOL, 1, INT_INT}};
    TypeTable types;
    types_init(&types, GEN_LP64);
    CLEANUP(arena_release) Arena arena = {0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const Type *type = types_bitfield(&types, &arena, &types.ints[cases[i].declared], cases[i].width);
        assert_int_equal(type->promoted->rank, cases[i].promoted);
    }
}

static void test_long_follows_the_data_model(void **state) {
    (void)state;
    TypeTable types;
    types_init(&types, GEN_ILP32);
    assert_int_equal(types.ints[INT_LONG].ints.bits, 32);
    /* unsigned int and long of equal width meet in unsigned long */
    assert_int_equal(types_common(&types, &types.ints[INT_UINT], &types.ints[INT_LONG])->rank, INT_ULONG);
}

#define CONVERTED(kind, T) assert_true(int_convert(value, types.ints[kind].ints) == (int64_t)(T)value)

static void test_conversions_of_values(void **state) {
    (void)state;
    TypeTable types;
    types_init(&types, GEN_LP64);
    Rng rng = rng_from_seed(1);
    for (int i = 0; i < 10000; i++) {
        int64_t value = (int64_t)(rng_next(&rng) >> rng_below(&rng, 64));
        value = i & 1 ? -value : value;
        CONVERTED(INT_BOOL, _Bool);
        CONVERTED(INT_SCHAR, signed char);
        CONVERTED(INT_UCHAR, unsigned char);
        CONVERTED(INT_SHORT, short);
        CONVERTED(INT_USHORT, unsigned short);
        CONVERTED(INT_INT, int);
        CONVERTED(INT_UINT, unsigned);
        CONVERTED(INT_LLONG, long long);
        CONVERTED(INT_ULLONG, unsigned long long);
    }
}

/* Each operation in a real type, where it is defined, against the machine's. */
#define SAME(op, symbol, T, kind)                                                                           \
    do {                                                                                                    \
        int64_t value;                                                                                      \
        T x = (T)a, y = (T)b;                                                                               \
        IntType type = types.ints[kind].ints;                                                               \
        if (arith_binary(op, type, int_convert(a, type), int_convert(b, type), type, &value) == FAULT_NONE) \
            assert_true(value == (int64_t)(x symbol y));                                                    \
    } while (0)
#define SAME_IN(T, kind)           \
    do {                           \
        SAME(OP_ADD, +, T, kind);  \
        SAME(OP_SUB, -, T, kind);  \
        SAME(OP_MUL, *, T, kind);  \
        SAME(OP_DIV, /, T, kind);  \
        SAME(OP_MOD, %, T, kind);  \
        SAME(OP_AND, &, T, kind);  \
        SAME(OP_OR, |, T, kind);   \
        SAME(OP_XOR, ^, T, kind);  \
        SAME(OP_SHL, <<, T, kind); \
        SAME(OP_SHR, >>, T, kind); \
        SAME(OP_LT, <, T, kind);   \
        SAME(OP_GT, >, T, kind);   \
        SAME(OP_LE, <=, T, kind);  \
        SAME(OP_GE, >=, T, kind);  \
        SAME(OP_EQ, ==, T, kind);  \
        SAME(OP_NE, !=, T, kind);  \
    } while (0)

static void test_arithmetic_agrees_with_the_machine(void **state) {
    (void)state;
    TypeTable types;
    types_init(&types, GEN_LP64);
    Rng rng = rng_from_seed(2);
    for (int i = 0; i < 20000; i++) {
        int64_t a = (int64_t)(rng_next(&rng) >> rng_below(&rng, 64)),
                b = (int64_t)(rng_next(&rng) >> rng_below(&rng, 64));
        a = i & 1 ? -a : a;
        b = i & 2 ? -b : b;
        SAME_IN(int, INT_INT);
        SAME_IN(unsigned, INT_UINT);
        SAME_IN(long, INT_LONG);
        SAME_IN(unsigned long long, INT_ULLONG);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usual_conversions),     cmocka_unit_test(test_promotions),
        cmocka_unit_test(test_bitfield_promotions),   cmocka_unit_test(test_long_follows_the_data_model),
        cmocka_unit_test(test_conversions_of_values), cmocka_unit_test(test_arithmetic_agrees_with_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
