/* Programs that have nothing to do with the bug, as a part of strategies: the files of a pool, or random programs. */
#ifndef ISOLATE_PROGRAMS_H
#define ISOLATE_PROGRAMS_H

#include "isolate/search.h"
#include "isolate/source.h"

/* Zeroed is closed. */
typedef struct Programs {
    Source *source;
    Bitset linking; /* what the compiler covers to link; runs of programs that were not linked have it added */
    bool over;      /* there are none, or none any more */
} Programs;

/* Those of the search's pool, or of the one that comes with culprit if it has none. An Error if there are none of the bug's
 * language. */
bool programs_open_pool(Programs *programs, Search *search, Error *err);
void programs_open_random(Programs *programs, Search *search);
void programs_close(Programs *programs);

/* Finds out what linking covers, if the failing program is linked: what was only compiled lacks it, and the linker would
 * look guilty in compilers that link by themselves. */
bool programs_measure_linking(Programs *programs, const Search *search, Tester *tester, Error *err);
void programs_add_linking(const Programs *programs, Candidate *c); /* unless it was linked */

/* NULL sets `over`. */
Candidate *programs_propose(Programs *programs, Search *search, CandidateKind kind);

#endif
