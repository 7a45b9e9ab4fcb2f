/* Sweep: the largest selection of a rule's atoms that keeps the bug, found by trying ever smaller groups. */
#ifndef REDUCE_SWEEP_H
#define REDUCE_SWEEP_H

#include "reduce/interesting.h"
#include "reduce/rules.h"

/* Applies one rule to the text as far as it goes; *ret_changed is left alone where nothing was found. */
bool sweep(Interestingness *test, const Rule *rule, Parser *parser, Str *text, bool *ret_changed, Error *err);
/* The same for atoms that were made elsewhere; the rule says how they are tried. */
bool sweep_atoms(Interestingness *test, const Atoms *atoms, const Rule *rule, Str *text, bool *ret_changed, Error *err);

#endif
