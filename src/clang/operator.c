#include "clang/operator.h"

typedef struct OperatorInfo {
    const char *spelling;
    OperatorCategory category;
    int precedence;
} OperatorInfo;

static const OperatorInfo operators[OP_COUNT] = {
    [OP_NONE] = {"", CATEGORY_NONE, 0},
    [OP_POST_INC] = {"++", CATEGORY_STEP, 0},
    [OP_POST_DEC] = {"--", CATEGORY_STEP, 0},
    [OP_PRE_INC] = {"++", CATEGORY_STEP, 0},
    [OP_PRE_DEC] = {"--", CATEGORY_STEP, 0},
    [OP_ADDRESS] = {"&", CATEGORY_NONE, 0},
    [OP_DEREF] = {"*", CATEGORY_NONE, 0},
    [OP_PLUS] = {"+", CATEGORY_NONE, 0},
    [OP_MINUS] = {"-", CATEGORY_UNARY, 0},
    [OP_NOT] = {"~", CATEGORY_UNARY, 0},
    [OP_LOGICAL_NOT] = {"!", CATEGORY_UNARY, 0},
    [OP_REAL] = {"__real__", CATEGORY_NONE, 0},
    [OP_IMAG] = {"__imag__", CATEGORY_NONE, 0},
    [OP_EXTENSION] = {"__extension__", CATEGORY_NONE, 0},
    [OP_MUL] = {"*", CATEGORY_ARITHMETIC, 12},
    [OP_DIV] = {"/", CATEGORY_ARITHMETIC, 12},
    [OP_REM] = {"%", CATEGORY_ARITHMETIC, 12},
    [OP_ADD] = {"+", CATEGORY_ARITHMETIC, 11},
    [OP_SUB] = {"-", CATEGORY_ARITHMETIC, 11},
    [OP_SHL] = {"<<", CATEGORY_SHIFT, 10},
    [OP_SHR] = {">>", CATEGORY_SHIFT, 10},
    [OP_LT] = {"<", CATEGORY_RELATIONAL, 9},
    [OP_GT] = {">", CATEGORY_RELATIONAL, 9},
    [OP_LE] = {"<=", CATEGORY_RELATIONAL, 9},
    [OP_GE] = {">=", CATEGORY_RELATIONAL, 9},
    [OP_EQ] = {"==", CATEGORY_RELATIONAL, 8},
    [OP_NE] = {"!=", CATEGORY_RELATIONAL, 8},
    [OP_AND] = {"&", CATEGORY_BITWISE, 7},
    [OP_XOR] = {"^", CATEGORY_BITWISE, 6},
    [OP_OR] = {"|", CATEGORY_BITWISE, 5},
    [OP_LOGICAL_AND] = {"&&", CATEGORY_LOGICAL, 4},
    [OP_LOGICAL_OR] = {"||", CATEGORY_LOGICAL, 3},
    [OP_ASSIGN] = {"=", CATEGORY_NONE, 2},
    [OP_MUL_ASSIGN] = {"*=", CATEGORY_ASSIGN_ARITHMETIC, 2},
    [OP_DIV_ASSIGN] = {"/=", CATEGORY_ASSIGN_ARITHMETIC, 2},
    [OP_REM_ASSIGN] = {"%=", CATEGORY_ASSIGN_ARITHMETIC, 2},
    [OP_ADD_ASSIGN] = {"+=", CATEGORY_ASSIGN_ARITHMETIC, 2},
    [OP_SUB_ASSIGN] = {"-=", CATEGORY_ASSIGN_ARITHMETIC, 2},
    [OP_SHL_ASSIGN] = {"<<=", CATEGORY_ASSIGN_SHIFT, 2},
    [OP_SHR_ASSIGN] = {">>=", CATEGORY_ASSIGN_SHIFT, 2},
    [OP_AND_ASSIGN] = {"&=", CATEGORY_ASSIGN_BITWISE, 2},
    [OP_XOR_ASSIGN] = {"^=", CATEGORY_ASSIGN_BITWISE, 2},
    [OP_OR_ASSIGN] = {"|=", CATEGORY_ASSIGN_BITWISE, 2},
    [OP_COMMA] = {",", CATEGORY_NONE, 1},
};

const char *operator_spelling(Operator op) { return operators[op].spelling; }

OperatorCategory operator_category(Operator op) { return operators[op].category; }

int operator_precedence(Operator op) { return operators[op].precedence; }
