/* Scope: what a name means at a place of the text. */
#ifndef CLANG_SCOPE_H
#define CLANG_SCOPE_H

#include "clang/tree.h"

/* Appends the variables and parameters that a statement or expression at `offset` can name, innermost scope first;
 * shadowed ones are left out, and so is a variable inside its own declaration. */
void scope_variables(const Tree *tree, uint32_t offset, NodeList *ret_list);
/* A name that occurs nowhere in the text: prefix, or prefix followed by a number. */
void scope_fresh_name(const Tree *tree, const char *prefix, Str *ret_name);

#endif
