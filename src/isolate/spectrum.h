/* Spectrum: how often each statement ran in failing and in passing runs, the input of every suspiciousness formula. It is fed
 * as the runs come in, and the ranking reads it at any time.
 *
 *     ef(s) = failed[s]                nf(s) = failing_runs - failed[s]
 *     ep(s) = passed[kind][s]          np(s) = passing_runs[kind] - passed[kind][s]
 *
 * Passing runs are counted by where they come from: each kind is evidence of its own. Only what the failing program covers
 * is suspicious, so nothing else is counted.
 */
#ifndef ISOLATE_SPECTRUM_H
#define ISOLATE_SPECTRUM_H

#include "base/bitset.h"

typedef enum WitnessKind {
    WITNESS_MUTANT,   /* of the failing program */
    WITNESS_OPTION,   /* the failing program itself, with more options */
    WITNESS_ORDINARY, /* a program that has nothing to do with the bug */
    WITNESS_SEQUENCE, /* the failing program, under another sequence of passes */
    WITNESS_KINDS,
} WitnessKind;

typedef struct Spectrum {
    Bitset suspects; /* what the failing program covers */
    size_t failing_runs, passing_runs[WITNESS_KINDS];
    uint32_t *failed;                /* one count per statement */
    uint32_t *passed[WITNESS_KINDS]; /* likewise */
} Spectrum;

void spectrum_init(Spectrum *spectrum, const Bitset *failing); /* the failing program is the first failing run */
void spectrum_init_copy(Spectrum *spectrum, const Spectrum *other);
void spectrum_release(Spectrum *spectrum);
void spectrum_add_failing(Spectrum *spectrum, const Bitset *run);
void spectrum_add_passing(Spectrum *spectrum, WitnessKind kind, const Bitset *run);
void spectrum_remove_passing(Spectrum *spectrum, WitnessKind kind, const Bitset *run); /* one that was added */

#endif
