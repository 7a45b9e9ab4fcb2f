/* Inquiry: asks the compiler of one bug what it does with more switches; counts the questions and keeps the answers.
 *
 * Every passing configuration met on the way is kept: isolation compares the failing run with them.
 */
#ifndef TRIAGE_INQUIRY_H
#define TRIAGE_INQUIRY_H

#include "base/map.h"
#include "judge/oracle.h"
#include "switches/group_search.h"

typedef struct Inquiry {
    Runner *runner;
    Oracle *oracle;
    const Bug *bug;
    Arena *arena; /* of everything the triage finds */
    uint32_t runs, most_runs;
    Vec(StrList) passing; /* whole commands */
    Map known;            /* command line -> Outcome */
    OracleAnswer answer;  /* to the last question that was really asked */
} Inquiry;

bool inquiry_open(Inquiry *inquiry, Runner *runner, const Bug *bug, uint32_t most_runs, Arena *arena, Error *err);
void inquiry_release(Inquiry *inquiry);

/* fail_cmd with the flags appended. OUTCOME_OTHER once most_runs questions were asked. */
bool inquiry_ask(Inquiry *inquiry, const StrList *flags, Outcome *ret_outcome, Error *err);
/* What the compiler prints for fail_cmd with the flags appended, standard error and output together. */
bool inquiry_print(Inquiry *inquiry, const StrList *flags, Str *ret_text, Error *err);
bool inquiry_exhausted(const Inquiry *inquiry);

#endif
