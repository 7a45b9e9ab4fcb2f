/* Formats: when an argument of printf changes its type, the conversion for it must follow, or the candidate is refused
 * for that alone. */
#ifndef REDUCE_FORMAT_H
#define REDUCE_FORMAT_H

#include "reduce/atoms.h"
#include "clang/tree.h"

/* The format that tells how the argument is shown; NULL if there is none. */
const Node *format_of(const Node *argument);
/* Adds to the current atom that the conversion for this argument fits the type; nothing if the expression is no
 * argument behind a format, or the conversion fits already. */
void format_follow(const Tree *tree, Atoms *atoms, const Node *argument, const Type *type);

#endif
