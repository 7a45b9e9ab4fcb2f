/* Configurations near the failing one: optimisations and debug counters of the compiler switched off, or passes skipped.
 *
 * Switching one off while the bug still shows proves that what it controls is innocent: the *lean* configuration has as much
 * switched off as the bug allows. Switching off one more hides the bug: compiling the failing program so is a witness.
 *
 * LLVM counts the passes that it runs over a program and can stop at any of them. The bug needs the first `shows` of them;
 * with one less it is gone. What both runs cover differs by one pass. Another program's passes have other numbers, so that
 * this is no part of the lean configuration.
 */
#ifndef ISOLATE_CONFIGS_H
#define ISOLATE_CONFIGS_H

#include "base/rng.h"
#include "base/strlist.h"
#include "proc/run.h"

/* What a compiler tells about the configurations near a command. Zeroed is nothing. */
typedef struct NearConfigs {
    StrList options;        /* to be added to the command; one may consist of several words */
    int64_t passes;         /* that LLVM runs and could stop after; 0: not known */
    const char *stop_after; /* the option for that, up to the number */
} NearConfigs;

/* Asks the compiler that the command names, which compiles a file of `dir`; nothing where it does not know how to answer. */
bool configs_near(Runner *runner, const StrList *command, const char *dir, NearConfigs *ret_near, Error *err);
/* Adds what the commands have that `command` has not; those that lack a word of it are left out. */
void configs_add_extensions(NearConfigs *near, const StrList *command, const StrList *commands, size_t count);
void configs_release(NearConfigs *near);

/* The search for the lean configuration. Zeroed is empty. Options are tried in groups, because most have nothing to do with
 * the bug; a group is one string, its options separated by CONFIG_SEPARATOR, to be turned into spaces for a command. */
#define CONFIG_SEPARATOR '\t'

typedef struct LeanSearch {
    StrList groups;         /* still to be tried; the next one is the last */
    Str lean;               /* all options with which, together, the bug still shows */
    const char *stop_after; /* as in NearConfigs */
    int64_t gone, shows;    /* after so many passes; where the two are neighbours, the search among passes is over */
    bool gone_is_witness;   /* and that has been asked for once more, to be kept */
} LeanSearch;

/* Lower levels of optimisation than `command`'s come first, one at a time, then the passes. */
void lean_search_fill(LeanSearch *search, const StrList *command, const NearConfigs *near, Rng *rng);
void lean_search_release(LeanSearch *search);
bool lean_search_over(const LeanSearch *search);
/* Takes out the next group, to be tried together with `lean`; false where none is left. The Str is cleared first. */
bool lean_search_next(LeanSearch *search, Str *ret_group);
/* What came of it. Where the bug does not show, the halves come next; true where it is a single option: a witness. */
bool lean_search_learn(LeanSearch *search, const char *group, bool bug_shows);

/* The parts of it, for tests: what the compiler's answers say. */
void configs_parse_optimizers(const char *text, StrList *ret_options); /* -Q --help=optimizers */
void configs_parse_counters(const char *text, StrList *ret_options);   /* -fdbg-cnt-list */
int64_t configs_parse_passes(const char *text);                        /* -mllvm -opt-bisect-limit=-1 */

#endif
