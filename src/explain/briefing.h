/* Briefing: everything that can be known about a bug before its isolation begins, beside coverage.
 *
 *     Briefing briefing = {0};
 *     briefing_gather(runner, &bug, subject, good_source, console, &briefing);
 *     isolate_options.clues = &briefing.clues; …                             while the briefing lives
 *     briefing_release(&briefing);
 *
 * Nothing of it is needed: what cannot be found out is left out, and the console's debug lines say why.
 */
#ifndef EXPLAIN_BRIEFING_H
#define EXPLAIN_BRIEFING_H

#include "base/console.h"
#include "bug/bug.h"
#include "isolate/clues.h"
#include "subject/subject.h"

typedef struct Briefing {
    Clues clues;                    /* what triage names, where the damage was done, how often files were fixed */
    StrList step_shows, step_hides; /* the tightest pair; both empty if unknown */
    char *good_source;              /* of an older version without the bug; NULL: none is known */
} Briefing;

/* `good_source`: a source tree that the user knows to be free of the bug; NULL: one of an older installed version is looked for. */
void briefing_gather(Runner *runner, const Bug *bug, const Subject *subject, const char *good_source, Console *console,
                     Briefing *ret_briefing);
void briefing_release(Briefing *briefing);

#endif
