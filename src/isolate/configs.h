/* Configurations near the failing one: one optimisation, pass or debug counter switched off.
 *
 * Compiling the failing program itself under such a configuration gives a witness too, where the bug is gone: the two
 * compilations differ in what the switch controls, and in what followed from it.
 */
#ifndef ISOLATE_CONFIGS_H
#define ISOLATE_CONFIGS_H

#include "base/strlist.h"
#include "proc/run.h"

/* Options to be added to the command, one at a time, found by asking the compiler that the command names; none where it
 * does not know how to answer. `command` compiles a file of `dir`. */
bool configs_near(Runner *runner, const StrList *command, const char *dir, StrList *ret_options, Error *err);

/* The parts of it, for tests: what the compiler's answers say. */
void configs_parse_optimizers(const char *text, StrList *ret_options); /* -Q --help=optimizers */
void configs_parse_passes(const char *text, StrList *ret_options);     /* -fdump-passes */
void configs_parse_counters(const char *text, StrList *ret_options);   /* -fdbg-cnt-list */

#endif
