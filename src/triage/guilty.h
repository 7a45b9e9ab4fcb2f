/* The searches for the guilty transformation, one per family of compilers. */
#ifndef TRIAGE_GUILTY_H
#define TRIAGE_GUILTY_H

#include "triage/inquiry.h"
#include "triage/triage.h"

/* Each fills flag, pass, function, counter, number, monotone, flags, passes or why_not. */
bool guilty_gcc(Inquiry *inquiry, TriageFinding *ret_finding, Error *err);
bool guilty_llvm(Inquiry *inquiry, bool is_opt, TriageFinding *ret_finding, Error *err);

/* The features of a C program that matter to a simple compiler: node kinds, operators and types, sorted, one line. */
const char *features_of(const char *name, const char *text, size_t len, Arena *arena, Error *err);

#endif
