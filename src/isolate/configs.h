/* Configurations near the failing one: one optimisation, pass or debug counter switched off.
 *
 * Compiling the failing program itself under such a configuration gives a witness too, where the bug is gone: the two
 * compilations differ in what the switch controls, and in what followed from it.
 */
#ifndef ISOLATE_CONFIGS_H
#define ISOLATE_CONFIGS_H

#include "base/rng.h"
#include "base/strlist.h"
#include "proc/run.h"

/* Options to be added to the command, one at a time, found by asking the compiler that the command names; none where it
 * does not know how to answer. `command` compiles a file of `dir`. */
bool configs_near(Runner *runner, const StrList *command, const char *dir, StrList *ret_options, Error *err);

/* The options to try, in groups: one question clears a whole group, because most options have nothing to do with the
 * bug. A group is one string, its options separated by spaces. */
typedef struct OptionQueue {
    StrList groups;
} OptionQueue;

void option_queue_fill(OptionQueue *queue, const StrList *options, Rng *rng);
void option_queue_release(OptionQueue *queue);
/* Takes the next group out of the queue; false where it is empty. The Str is cleared first. */
bool option_queue_next(OptionQueue *queue, Str *ret_group);
/* The bug did not show with this group: its halves come next. True where it is a single option: the culprit. */
bool option_queue_split(OptionQueue *queue, const char *group);

/* The parts of it, for tests: what the compiler's answers say. */
void configs_parse_optimizers(const char *text, StrList *ret_options); /* -Q --help=optimizers */
void configs_parse_passes(const char *text, StrList *ret_options);     /* -fdump-passes */
void configs_parse_counters(const char *text, StrList *ret_options);   /* -fdbg-cnt-list */

#endif
