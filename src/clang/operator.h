/* The operators of C: spelling and category. */
#ifndef CLANG_OPERATOR_H
#define CLANG_OPERATOR_H

#include "base/base.h"

typedef enum Operator {
    OP_NONE,
    /* clang-format off */
    /* unary */
    OP_POST_INC, OP_POST_DEC, OP_PRE_INC, OP_PRE_DEC,
    OP_ADDRESS, OP_DEREF, OP_PLUS, OP_MINUS, OP_NOT, OP_LOGICAL_NOT, OP_REAL, OP_IMAG, OP_EXTENSION,
    /* binary */
    OP_MUL, OP_DIV, OP_REM, OP_ADD, OP_SUB,
    OP_SHL, OP_SHR,
    OP_LT, OP_GT, OP_LE, OP_GE, OP_EQ, OP_NE,
    OP_AND, OP_XOR, OP_OR,
    OP_LOGICAL_AND, OP_LOGICAL_OR,
    /* assignments */
    OP_ASSIGN,
    OP_MUL_ASSIGN, OP_DIV_ASSIGN, OP_REM_ASSIGN, OP_ADD_ASSIGN, OP_SUB_ASSIGN,
    OP_SHL_ASSIGN, OP_SHR_ASSIGN,
    OP_AND_ASSIGN, OP_XOR_ASSIGN, OP_OR_ASSIGN,
    OP_COMMA,
    /* clang-format on */
    OP_COUNT,
} Operator;

typedef enum OperatorCategory {
    CATEGORY_NONE,
    CATEGORY_STEP,       /* ++ and -- */
    CATEGORY_UNARY,      /* - ~ ! */
    CATEGORY_ARITHMETIC, /* + - * / % */
    CATEGORY_RELATIONAL, /* < > <= >= == != */
    CATEGORY_LOGICAL,    /* && || */
    CATEGORY_BITWISE,    /* & | ^ */
    CATEGORY_SHIFT,      /* << >> */
    CATEGORY_ASSIGN_ARITHMETIC,
    CATEGORY_ASSIGN_BITWISE,
    CATEGORY_ASSIGN_SHIFT,
} OperatorCategory;

const char *operator_spelling(Operator op); /* "+="; "" for OP_NONE */
OperatorCategory operator_category(Operator op);
int operator_precedence(
    Operator op); /* of binary operators and assignments: 1 is the comma, 12 multiplication; else 0 */

#endif
