/* The lean configuration: the failing command with as much of the compiler switched off as the bug allows.
 *
 * Switching something off while the bug still shows proves that what it controls is innocent. Switching off one more hides
 * the bug: compiling the failing program so is a witness.
 *
 * LLVM counts the passes that it runs over a program and can stop at any of them. The bug needs the first so many; with one
 * less it is gone. What both runs cover differs by one pass. Another program's passes have other numbers, so that this is
 * no part of the lean configuration.
 */
#ifndef ISOLATE_LEAN_H
#define ISOLATE_LEAN_H

#include "base/rng.h"
#include "switches/group_search.h"
#include "switches/switches.h"

/* Zeroed is empty. */
typedef struct LeanSearch {
    SwitchList switches; /* shuffled, then the lower levels of optimisation */
    GroupSearch groups;
    StrList lean;         /* the words with which, together, the bug still shows */
    Switch bisection;     /* steps 0: none */
    StepSearch passes;    /* of the bisection */
    bool hidden_is_asked; /* the last pass without the bug was asked for once more, to be kept */
    Indices group;        /* under test; empty: a step of the bisection is, */
    int64_t limit;        /* this one */
} LeanSearch;

/* Asks the compiler what it can turn off; nothing if it does not know how to answer. */
bool lean_search_ask(LeanSearch *search, const SwitchQuery *query, Error *err);
/* If the compiler told nothing: what the commands have that `command` has not; those that lack a word of it are left out. */
void lean_search_extend(LeanSearch *search, const StrList *command, const StrList *commands, size_t count);
/* Makes the groups. Lower levels of optimisation than `command`'s are tried first, one at a time, then the passes. */
void lean_search_start(LeanSearch *search, const StrList *command, Rng *rng);
void lean_search_release(LeanSearch *search);

bool lean_search_over(const LeanSearch *search);
/* Appends the words to be tried next, together with `lean`; false if none are left. */
bool lean_search_next(LeanSearch *search, StrList *ret_words);
/* What came of them; true if they are a single switch with which the bug does not show: a witness, if it passes. */
bool lean_search_learn(LeanSearch *search, Outcome outcome);

#endif
