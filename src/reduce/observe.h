/* Observation: expressions whose value is the same every time the reference program computes it become that value. */
#ifndef REDUCE_OBSERVE_H
#define REDUCE_OBSERVE_H

#include "reduce/atoms.h"
#include "reduce/interesting.h"
#include "clang/tree.h"

/* Proposes atoms from one run of the instrumented program; none if it cannot be built or does not end well. */
bool observe(Interestingness *test, const Tree *tree, Atoms *ret_atoms, Error *err);

#endif
