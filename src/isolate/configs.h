/* Configurations near the failing one: optimisations and debug counters of the compiler switched off.
 *
 * Switching one off while the bug still shows proves that what it controls is innocent: the *lean* configuration has as much
 * switched off as the bug allows. Switching off one more hides the bug: compiling the failing program so is a witness.
 */
#ifndef ISOLATE_CONFIGS_H
#define ISOLATE_CONFIGS_H

#include "base/rng.h"
#include "base/strlist.h"
#include "proc/run.h"

/* Options to be added to the command, one at a time, found by asking the compiler that the command names; none where it
 * does not know how to answer. `command` compiles a file of `dir`. */
bool configs_near(Runner *runner, const StrList *command, const char *dir, StrList *ret_options, Error *err);

/* The search for the lean configuration. Zeroed is empty. Options are tried in groups, because most have nothing to do with
 * the bug; a group is one string, its options separated by spaces. */
typedef struct LeanSearch {
    StrList groups; /* still to be tried; the next one is the last */
    Str lean;       /* all options with which, together, the bug still shows */
} LeanSearch;

/* Lower levels of optimisation than `command`'s come first, one at a time. */
void lean_search_fill(LeanSearch *search, const StrList *command, const StrList *options, Rng *rng);
void lean_search_release(LeanSearch *search);
/* Takes out the next group, to be tried together with `lean`; false where none is left. The Str is cleared first. */
bool lean_search_next(LeanSearch *search, Str *ret_group);
/* What came of it. Where the bug does not show, the halves come next; true where it is a single option: a witness. */
bool lean_search_learn(LeanSearch *search, const char *group, bool bug_shows);

/* The parts of it, for tests: what the compiler's answers say. */
void configs_parse_optimizers(const char *text, StrList *ret_options); /* -Q --help=optimizers */
void configs_parse_counters(const char *text, StrList *ret_options);   /* -fdbg-cnt-list */

#endif
