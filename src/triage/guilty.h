/* The searches for the guilty transformation, one per family of compilers. */
#ifndef TRIAGE_GUILTY_H
#define TRIAGE_GUILTY_H

#include "triage/cached_oracle.h"
#include "triage/triage.h"

/* Each fills flag, pass, function, counter, number, monotone, flags, passes or why_not. */
bool guilty_gcc(CachedOracle *oracle, TriageFinding *ret_finding, Error *err);
bool guilty_llvm(CachedOracle *oracle, TriageFinding *ret_finding, Error *err);

/* The features of a C program that matter to a simple compiler: node kinds, operators and types, sorted, one line. */
const char *features_of(const char *name, const char *text, size_t len, Arena *arena, Error *err);

#endif
