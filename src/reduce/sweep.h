/* Sweep: the largest selection of a rule's atoms that keeps the bug, found by trying ever smaller groups. */
#ifndef REDUCE_SWEEP_H
#define REDUCE_SWEEP_H

#include "reduce/interesting.h"
#include "reduce/rules.h"

/* Makes the largest selection of the rule's atoms for the tree's text that keeps the bug, in *text, which must be that
 * text and is given the new one; *ret_changed is left alone if nothing was found. The tree's text is not touched. */
bool sweep(Interestingness *test, const Rule *rule, const Tree *tree, Str *text, bool *ret_changed, Error *err);
/* The same for atoms that were made elsewhere; the rule says how they are tried. */
bool sweep_atoms(Interestingness *test, const Atoms *atoms, const Rule *rule, const Tree *tree, Str *text,
                 bool *ret_changed, Error *err);

#endif
