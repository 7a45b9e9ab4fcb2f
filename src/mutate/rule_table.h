/* The mutation rules as data: DiWi's Table 1 (local rules), RecBi's four structural ones.
 *
 * A *rule* is one concrete operation on one kind of hole: "replace + by -", "remove volatile", "value * 0". DiWi counts
 * 132 of them and publishes no list; ours are counted in rules.c. Every rule belongs to one of RecBi's ten *operators*.
 * Rule numbers are indices into mutation_rules and stay the same within a version: names are what is stored.
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
extern const size_t mutation_rule_count;       /* all of them */
extern const size_t mutation_local_rule_count; /* DiWi's: they come first */

const char *mutation_operator_name(MutationOperator operator); /* "insert-if", … */
const char *hole_kind_name(HoleKind hole);
bool mutation_operator_is_structural(MutationOperator operator);
/* The rule's number, or -1. */
int mutation_rule_find(const char *name);

#endif
