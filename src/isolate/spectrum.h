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
#include "base/map.h"
#include "base/vec.h"

typedef enum WitnessKind {
    WITNESS_MUTANT,   /* of the failing program */
    WITNESS_OPTION,   /* the failing program itself, with more options */
    WITNESS_ORDINARY, /* a program that has nothing to do with the bug */
    WITNESS_SEQUENCE, /* the failing program, under another sequence of passes */
    WITNESS_STEP,     /* the failing program and options, one transformation less */
    WITNESS_KINDS,
} WitnessKind;

enum { SPECTRUM_FAILING = WITNESS_KINDS }; /* beside the kinds of witnesses */

/* A run as it came in. */
typedef struct SpectrumRun {
    uint32_t tested; /* programs, by then */
    uint32_t kind;   /* WitnessKind, or SPECTRUM_FAILING */
    Bitset cover;    /* a bit for each suspect, in their order */
} SpectrumRun;

typedef Vec(SpectrumRun) SpectrumRuns;

typedef struct Spectrum {
    Bitset suspects; /* what the failing program covers */
    bool distinct;   /* passing runs of one kind that cover the same suspects count once */
    bool keeps_runs; /* for recordings */
    uint32_t tested; /* programs so far, as the search says */
    SpectrumRuns runs;
    Map seen; /* the passing runs, if they must be distinct */
    size_t failing_runs, passing_runs[WITNESS_KINDS];
    uint32_t *failed;                /* one count per statement */
    uint32_t *passed[WITNESS_KINDS]; /* likewise */
} Spectrum;

void spectrum_init(Spectrum *spectrum, const Bitset *failing); /* the failing program is the first failing run */
void spectrum_init_copy(Spectrum *spectrum, const Spectrum *other);
void spectrum_release(Spectrum *spectrum);
void spectrum_runs_release(SpectrumRuns *runs);
void spectrum_add_failing(Spectrum *spectrum, const Bitset *run);
bool spectrum_add_passing(Spectrum *spectrum, WitnessKind kind, const Bitset *run);    /* whether it counts */
void spectrum_remove_passing(Spectrum *spectrum, WitnessKind kind, const Bitset *run); /* one that was added */

#endif
