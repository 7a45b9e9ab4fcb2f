/* From clues to a factor for each statement. */
#ifndef ISOLATE_CLUE_EVIDENCE_H
#define ISOLATE_CLUE_EVIDENCE_H

#include "isolate/isolate.h"

/* For the suspects, each above 0 and at most 1, to be freed; NULL if no clue of the kind is about a file of the table. */
double *clue_evidence(const Isolation *isolation, const Spectrum *spectrum, ClueKind kind);

#endif
