/* Private to src/mutate: the program inside of a mutator, for the effect probes. */
#ifndef MUTATE_PROGRAM_H
#define MUTATE_PROGRAM_H

#include "mutate/internal.h"

const Program *mutator_program(const Mutator *mutator);

#endif
