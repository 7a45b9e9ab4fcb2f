/* The rule table.
 *
 * DiWi's 132 rules, as the authors' published tool lists them:
 *
 *     qualifiers      3 inserted, 3 removed                                                    6
 *     modifiers       4 inserted, 4 removed                                                    8
 *     variables                                                                                1
 *     binary          arithmetic 5 x 4, relational 6 x 5, logical 2, bitwise 3 x 2, shift 2   60
 *     assignments     arithmetic 5 x 4, bitwise 3 x 2, shift 2                                28
 *     unary           ++x x++ --x x-- ~: 5 x 4 replaced, 5 removed                            25
 *     constants       +1, -1, *0, *(-1)                                                        4
 *                                                                                            132
 *
 * Table 1 of the paper also speaks of replacing modifiers and of logical negation, which the tool does not do. Those are
 * among our additions, which come last and which methods under the papers' names do not use: modifiers replaced 4 x 3,
 * ! and - removed, ! ~ - replaced by each other 3 x 2, in all 20. RecBi's four structural rules stand in between.
 */
#include "mutate/rule_table.h"

#include <string.h>

#include "mutate/plan.h"
#include "clang/operator.h"

#define RULE(name, group, hole, action, from, to)                          \
    {                                                                      \
        name, MUTATION_##group, HOLE_##hole, { ACTION_##action, from, to } \
    }

#define QUALIFIER(word, WORD)                                                       \
    RULE("insert " word, QUALIFIER, DECLARATION, INSERT_QUALIFIER, 0, WORD_##WORD), \
        RULE("remove " word, QUALIFIER, DECLARATION, REMOVE_QUALIFIER, WORD_##WORD, 0)

#define MODIFIER(word, WORD)                                                      \
    RULE("insert " word, MODIFIER, DECLARATION, INSERT_MODIFIER, 0, WORD_##WORD), \
        RULE("remove " word, MODIFIER, DECLARATION, REMOVE_MODIFIER, WORD_##WORD, 0)

#define SWAP_MODIFIERS(a, A, b, B)                                                            \
    RULE("replace " a " by " b, MODIFIER, DECLARATION, REPLACE_MODIFIER, WORD_##A, WORD_##B), \
        RULE("replace " b " by " a, MODIFIER, DECLARATION, REPLACE_MODIFIER, WORD_##B, WORD_##A)

#define SWAP(a, A, b, B)                                                         \
    RULE("replace " a " by " b, BINARY, BINARY, REPLACE_BINARY, OP_##A, OP_##B), \
        RULE("replace " b " by " a, BINARY, BINARY, REPLACE_BINARY, OP_##B, OP_##A)

#define SWAP_UNARY(a, A, b, B)                                                \
    RULE("replace " a " by " b, UNARY, UNARY, REPLACE_UNARY, OP_##A, OP_##B), \
        RULE("replace " b " by " a, UNARY, UNARY, REPLACE_UNARY, OP_##B, OP_##A)

#define REMOVE_UNARY(a, A) RULE("remove " a, UNARY, UNARY, REMOVE_UNARY, OP_##A, 0)

const Rule mutation_rules[] = {
    /* DiWi's. */
    QUALIFIER("volatile", VOLATILE),
    QUALIFIER("const", CONST),
    QUALIFIER("restrict", RESTRICT),

    MODIFIER("long", LONG),
    MODIFIER("short", SHORT),
    MODIFIER("signed", SIGNED),
    MODIFIER("unsigned", UNSIGNED),

    RULE("replace a variable", VARIABLE, VARIABLE, REPLACE_VARIABLE, 0, 0),

    SWAP("+", ADD, "-", SUB),
    SWAP("+", ADD, "*", MUL),
    SWAP("+", ADD, "/", DIV),
    SWAP("+", ADD, "%", REM),
    SWAP("-", SUB, "*", MUL),
    SWAP("-", SUB, "/", DIV),
    SWAP("-", SUB, "%", REM),
    SWAP("*", MUL, "/", DIV),
    SWAP("*", MUL, "%", REM),
    SWAP("/", DIV, "%", REM),
    SWAP("<", LT, ">", GT),
    SWAP("<", LT, "<=", LE),
    SWAP("<", LT, ">=", GE),
    SWAP("<", LT, "==", EQ),
    SWAP("<", LT, "!=", NE),
    SWAP(">", GT, "<=", LE),
    SWAP(">", GT, ">=", GE),
    SWAP(">", GT, "==", EQ),
    SWAP(">", GT, "!=", NE),
    SWAP("<=", LE, ">=", GE),
    SWAP("<=", LE, "==", EQ),
    SWAP("<=", LE, "!=", NE),
    SWAP(">=", GE, "==", EQ),
    SWAP(">=", GE, "!=", NE),
    SWAP("==", EQ, "!=", NE),
    SWAP("&&", LOGICAL_AND, "||", LOGICAL_OR),
    SWAP("&", AND, "|", OR),
    SWAP("&", AND, "^", XOR),
    SWAP("|", OR, "^", XOR),
    SWAP("<<", SHL, ">>", SHR),
    SWAP("+=", ADD_ASSIGN, "-=", SUB_ASSIGN),
    SWAP("+=", ADD_ASSIGN, "*=", MUL_ASSIGN),
    SWAP("+=", ADD_ASSIGN, "/=", DIV_ASSIGN),
    SWAP("+=", ADD_ASSIGN, "%=", REM_ASSIGN),
    SWAP("-=", SUB_ASSIGN, "*=", MUL_ASSIGN),
    SWAP("-=", SUB_ASSIGN, "/=", DIV_ASSIGN),
    SWAP("-=", SUB_ASSIGN, "%=", REM_ASSIGN),
    SWAP("*=", MUL_ASSIGN, "/=", DIV_ASSIGN),
    SWAP("*=", MUL_ASSIGN, "%=", REM_ASSIGN),
    SWAP("/=", DIV_ASSIGN, "%=", REM_ASSIGN),
    SWAP("&=", AND_ASSIGN, "|=", OR_ASSIGN),
    SWAP("&=", AND_ASSIGN, "^=", XOR_ASSIGN),
    SWAP("|=", OR_ASSIGN, "^=", XOR_ASSIGN),
    SWAP("<<=", SHL_ASSIGN, ">>=", SHR_ASSIGN),

    SWAP_UNARY("prefix ++", PRE_INC, "postfix ++", POST_INC),
    SWAP_UNARY("prefix ++", PRE_INC, "prefix --", PRE_DEC),
    SWAP_UNARY("prefix ++", PRE_INC, "postfix --", POST_DEC),
    SWAP_UNARY("prefix ++", PRE_INC, "~", NOT),
    SWAP_UNARY("postfix ++", POST_INC, "prefix --", PRE_DEC),
    SWAP_UNARY("postfix ++", POST_INC, "postfix --", POST_DEC),
    SWAP_UNARY("postfix ++", POST_INC, "~", NOT),
    SWAP_UNARY("prefix --", PRE_DEC, "postfix --", POST_DEC),
    SWAP_UNARY("prefix --", PRE_DEC, "~", NOT),
    SWAP_UNARY("postfix --", POST_DEC, "~", NOT),
    REMOVE_UNARY("prefix ++", PRE_INC),
    REMOVE_UNARY("postfix ++", POST_INC),
    REMOVE_UNARY("prefix --", PRE_DEC),
    REMOVE_UNARY("postfix --", POST_DEC),
    REMOVE_UNARY("~", NOT),

    RULE("constant + 1", CONSTANT, CONSTANT, CHANGE_CONSTANT, 0, CONSTANT_PLUS_1),
    RULE("constant - 1", CONSTANT, CONSTANT, CHANGE_CONSTANT, 0, CONSTANT_MINUS_1),
    RULE("constant * 0", CONSTANT, CONSTANT, CHANGE_CONSTANT, 0, CONSTANT_TIMES_0),
    RULE("constant * -1", CONSTANT, CONSTANT, CHANGE_CONSTANT, 0, CONSTANT_TIMES_MINUS_1),

    /* RecBi's. */
    RULE("insert if", INSERT_IF, LOCATION, INSERT_IF, 0, 0),
    RULE("insert while", INSERT_WHILE, LOCATION, INSERT_WHILE, 0, 0),
    RULE("insert call", INSERT_CALL, LOCATION, INSERT_CALL, 0, 0),
    RULE("insert goto", INSERT_GOTO, LOCATION, INSERT_GOTO, 0, 0),

    /* Our additions. */
    SWAP_MODIFIERS("long", LONG, "short", SHORT),
    SWAP_MODIFIERS("long", LONG, "signed", SIGNED),
    SWAP_MODIFIERS("long", LONG, "unsigned", UNSIGNED),
    SWAP_MODIFIERS("short", SHORT, "signed", SIGNED),
    SWAP_MODIFIERS("short", SHORT, "unsigned", UNSIGNED),
    SWAP_MODIFIERS("signed", SIGNED, "unsigned", UNSIGNED),
    REMOVE_UNARY("!", LOGICAL_NOT),
    REMOVE_UNARY("unary -", MINUS),
    SWAP_UNARY("!", LOGICAL_NOT, "~", NOT),
    SWAP_UNARY("!", LOGICAL_NOT, "unary -", MINUS),
    SWAP_UNARY("~", NOT, "unary -", MINUS),
};

const size_t mutation_rule_count = ARRAY_LEN(mutation_rules);
const size_t mutation_recbi_rule_count = ARRAY_LEN(mutation_rules) - 20;
const size_t mutation_diwi_rule_count = ARRAY_LEN(mutation_rules) - 20 - 4;

const char *mutation_operator_name(MutationOperator operator) {
    static const char *const names[] = {"insert-if", "insert-while", "insert-call", "insert-goto", "qualifier",
                                        "modifier",  "variable",     "constant",    "unary",       "binary"};
    return names[operator];
}

const char *hole_kind_name(HoleKind hole) {
    static const char *const names[] = {"declaration", "variable", "unary", "binary", "constant", "location"};
    return names[hole];
}

bool mutation_operator_is_structural(MutationOperator operator) { return operator<= MUTATION_INSERT_GOTO; }

int mutation_rule_find(const char *name) {
    for (size_t i = 0; i < mutation_rule_count; i++)
        if (strcmp(mutation_rules[i].name, name) == 0)
            return (int)i;
    return -1;
}
