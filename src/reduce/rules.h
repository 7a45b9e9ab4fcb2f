/* Rules: what may become of a program while it shrinks. Each looks at the syntax tree of the current text and proposes
 * atoms; whether they keep the bug is for the interestingness test to say. Every accepted candidate is smaller (fewer
 * tokens, else shorter ones, else smaller byte by byte), so repeating all of them ends.
 */
#ifndef REDUCE_RULES_H
#define REDUCE_RULES_H

#include "reduce/atoms.h"
#include "clang/tree.h"

typedef struct Rule {
    const char *name;
    void (*propose)(const Tree *tree, Atoms *ret_atoms);
    bool single;     /* atoms are tried only one by one: together they never work */
    bool again;      /* in a small program, as long as it helps: its steps are small and cheap to try */
    size_t may_grow; /* by so many tokens at a step: what it makes is larger at first */
} Rule;

/* The lists end with an empty rule. In the order they are tried: large removals first. */
extern const Rule removal_rules[];        /* rules_remove.c: declarations, statements, members, parameters */
extern const Rule simplification_rules[]; /* rules_simplify.c: control flow and expressions */
extern const Rule declaration_rules[];    /* rules_declare.c: types, qualifiers, initialisers */
extern const Rule data_rules[];           /* rules_data.c: arrays, structs, pointers; where variables are declared */
extern const Rule inline_rules[]; /* rules_inline.c: calls, parameters and variables give way to what they are */
extern const Rule token_rules[];  /* rules_tokens.c: tokens, whatever they mean; names */

/* Adds to the current atom that the function's definition and prototypes go. */
void remove_function(const Tree *tree, Atoms *atoms, const Node *function);

#endif
