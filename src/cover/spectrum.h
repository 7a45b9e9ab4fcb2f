/* Spectrum: how often each unit ran in failing and in passing runs, the input of every suspiciousness formula.
 *
 *     ef(u) = failed[u]          nf(u) = failing_runs - failed[u]
 *     ep(u) = passed[u]          np(u) = passing_runs - passed[u]
 *
 * Every usual formula gives units with ef = 0 no suspicion, so spectrum_add_passing counts only units that some failing
 * run covered: add the failing runs first.
 */
#ifndef COVER_SPECTRUM_H
#define COVER_SPECTRUM_H

#include "base/bitset.h"

typedef struct Spectrum {
    size_t units;
    size_t failing_runs, passing_runs;
    uint32_t *failed, *passed; /* one count per unit */
    Bitset suspects;           /* units that at least one failing run covered */
} Spectrum;

void spectrum_init(Spectrum *spectrum, size_t units);
void spectrum_release(Spectrum *spectrum);
void spectrum_clear(Spectrum *spectrum);
void spectrum_add_failing(Spectrum *spectrum, const Bitset *run);
void spectrum_add_passing(Spectrum *spectrum, const Bitset *run);

#endif
