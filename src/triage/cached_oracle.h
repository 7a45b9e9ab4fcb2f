/* CachedOracle: the oracle of one bug, asked about its command with more words. It counts its questions, keeps the answers
 * and stops asking when the allowed number of compiler runs is used up.
 *
 * Every passing configuration met on the way is kept: isolation compares the failing run with them.
 */
#ifndef TRIAGE_CACHED_ORACLE_H
#define TRIAGE_CACHED_ORACLE_H

#include "base/map.h"
#include "judge/oracle.h"
#include "switches/group_search.h"
#include "switches/switches.h"

typedef struct CachedOracle {
    Runner *runner;
    Oracle *oracle;
    const Bug *bug;
    Arena *arena; /* of everything the triage finds */
    uint32_t runs, most_runs;
    Vec(StrList) passing; /* whole commands */
    Map known;            /* command line -> Outcome */
    OracleAnswer answer;  /* to the last question that was really asked */
} CachedOracle;

bool cached_oracle_open(CachedOracle *cached, Runner *runner, const Bug *bug, uint32_t most_runs, Arena *arena,
                        Error *err);
void cached_oracle_release(CachedOracle *cached);

/* fail_cmd with the words added. OUTCOME_OTHER once most_runs questions were asked. */
bool cached_oracle_ask(CachedOracle *cached, const StrList *words, Outcome *ret_outcome, Error *err);
bool cached_oracle_exhausted(const CachedOracle *cached);
/* Questions to the compiler about itself; they count as runs. */
SwitchQuery cached_oracle_query(CachedOracle *cached);

/* Which of the switches hide the bug alone or, if none does, together. */
bool cached_oracle_search(CachedOracle *cached, const SwitchList *switches, Indices *ret_alone, Indices *ret_together,
                          Error *err);
/* At which step of a counter or a bisection does the bug appear? */
bool cached_oracle_search_step(CachedOracle *cached, const Switch *a_switch, Step *ret_step, Error *err);
/* If exactly one of the counters, held at 0, hides the bug: that one, and the count at which the bug appears. *ret_counter is
 * NULL otherwise. Counters that counted nothing are left out. */
bool cached_oracle_search_counters(CachedOracle *cached, const SwitchList *counters, const Switch **ret_counter,
                                   Step *ret_step, Error *err);

#endif
