/* The mutation rules as data: DiWi's 132 local ones, RecBi's four structural ones, and additions of our own, in this order,
 * so that the first so many rules of the table are the rules of a method.
 *
 * A *rule* is one concrete operation on one kind of hole: "replace + by -", "remove volatile", "value * 0". rule_table.c
 * counts them as DiWi's authors do. Every rule belongs to one of RecBi's ten *operators*. Rule numbers are indices into mutation_rules and stay the same within a version: names are what is stored.
 */
#ifndef MUTATE_RULE_TABLE_H
#define MUTATE_RULE_TABLE_H

#include "base/base.h"

/* RecBi's Table 1, in its order. */
typedef enum MutationOperator {
    MUTATION_INSERT_IF,
    MUTATION_INSERT_WHILE,
    MUTATION_INSERT_CALL,
    MUTATION_INSERT_GOTO,
    MUTATION_QUALIFIER,
    MUTATION_MODIFIER,
    MUTATION_VARIABLE,
    MUTATION_CONSTANT,
    MUTATION_UNARY,
    MUTATION_BINARY,
    MUTATION_OPERATORS, /* how many */
} MutationOperator;

typedef enum HoleKind {
    HOLE_DECLARATION, /* the specifiers of a variable, parameter or field */
    HOLE_VARIABLE,    /* a variable named in an expression */
    HOLE_UNARY,
    HOLE_BINARY,
    HOLE_CONSTANT,
    HOLE_LOCATION, /* a place before a statement */
} HoleKind;

typedef struct Rule {
    const char *name; /* "replace < by <=", unique */
    MutationOperator operator;
    HoleKind hole;
    struct RuleAction {
        uint8_t kind;     /* private to src/mutate: what to do, */
        uint8_t from, to; /* with which operators or words */
    } action;
} Rule;

extern const Rule mutation_rules[];
extern const size_t mutation_diwi_rule_count;  /* DiWi's 132 */
extern const size_t mutation_recbi_rule_count; /* with RecBi's four structural ones */
extern const size_t mutation_rule_count;       /* with our additions */

const char *mutation_operator_name(MutationOperator operator); /* "insert-if", … */
const char *hole_kind_name(HoleKind hole);
bool mutation_operator_is_structural(MutationOperator operator);
/* The rule's number, or -1. */
int mutation_rule_find(const char *name);

#endif
