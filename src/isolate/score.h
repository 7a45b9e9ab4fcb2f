/* Scores of statements: the papers' own, and the parts that a strategy's can be made of. */
#ifndef ISOLATE_SCORE_H
#define ISOLATE_SCORE_H

#include "isolate/isolate.h"

/* The formula over the witnesses, of whatever kind. */
void score_by_witnesses(Isolation *isolation, const Spectrum *spectrum, Formula formula);

void score_start(Isolation *isolation, const Spectrum *spectrum); /* every suspect at 1 */
/* The formula over the witnesses of one kind, for each statement; the caller frees it. */
double *score_of_kind(const Spectrum *spectrum, WitnessKind kind, Formula formula);
/* Multiplies the scores by one kind of evidence (a WitnessKind or EVIDENCE_FAILING) and keeps it. */
void score_multiply_take(Isolation *isolation, const Spectrum *spectrum, int kind, double *evidence);

#endif
