/* The searches for the guilty transformation, one per family of compilers. */
#ifndef TRIAGE_GUILTY_H
#define TRIAGE_GUILTY_H

#include "triage/cached_oracle.h"
#include "triage/triage.h"

/* Each fills flag, pass, function, counter, number, monotone, flags, passes or why_not. */
bool guilty_gcc(CachedOracle *oracle, TriageFinding *ret_finding, Error *err);
bool guilty_llvm(CachedOracle *oracle, TriageFinding *ret_finding, Error *err);

/* Which transformation of which counter shows the bug, if one does: counter and the steps around it. */
bool guilty_counter(CachedOracle *oracle, const SwitchList *counters, TriageFinding *finding, Step *ret_step,
                    Error *err);

/* Asks for the compiler's own checks behind every pass. `ret_crashes` tells whether the compiler dies then, for whatever
 * reason: oracle->answer has it. */
bool guilty_ask_checks(CachedOracle *oracle, const char *option, bool *ret_crashes, Error *err);

/* The features of a C program that matter to a simple compiler: node kinds, operators and types, sorted, one line. */
const char *features_of(const char *name, const char *text, size_t len, Arena *arena, Error *err);

#endif
