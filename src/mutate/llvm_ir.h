/* Mutants of LLVM IR, for bugs whose failing program is a .ll file. */
#ifndef MUTATE_LLVM_IR_H
#define MUTATE_LLVM_IR_H

#include "mutate/mutator.h"

/* Mutates one place in a function, drawn at random; the Str is cleared first. False if nothing can be mutated. If
 * the program will be run, nothing becomes undef or poison. */
bool ir_mutate(const char *text, size_t len, bool will_run, Rng *rng, Str *ret_text, Mutation *ret_mutation);

#endif
