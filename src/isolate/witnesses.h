/* WitnessSet: the coverage of the failing program and of the accepted witnesses, and the quality of the set.
 *
 * Distances and quality are those of the papers (see witnesses.c). The set keeps running sums, so that asking what one
 * more witness would change costs one distance per witness.
 */
#ifndef ISOLATE_WITNESSES_H
#define ISOLATE_WITNESSES_H

#include "base/bitset.h"
#include "base/vec.h"

typedef struct WitnessSet {
    double alpha; /* weight of diversity against similarity */
    Bitset failing;
    Vec(Bitset) runs;  /* one per witness; without bits where it was only counted */
    double similarity; /* sum over witnesses of 1 - dist(p, f) */
    double diversity;  /* sum over pairs of dist(p, q) */
    Vec(double) least; /* of each witness, the distance to the nearest other one; 1 while it is alone */
} WitnessSet;

/* What adding one witness would do. */
typedef struct WitnessChange {
    double delta_quality;  /* Formula 5 */
    double mean_distance;  /* to the witnesses there are; 1 if there are none */
    double least_distance; /* 0 if another one has the very same coverage; 1 if there are none */
    double similarity;     /* 1 - dist(p, f) */
    double distance_sum;   /* to the witnesses there are */
    bool first;            /* there are none */
} WitnessChange;

double coverage_distance(const Bitset *a, const Bitset *b); /* Jaccard; 0 for two empty sets */

void witness_set_init(WitnessSet *set, const Bitset *failing, double alpha);
void witness_set_release(WitnessSet *set);
WitnessChange witness_set_try(const WitnessSet *set, const Bitset *run);
/* `change` must be the answer of witness_set_try for this run and this set. */
void witness_set_add(WitnessSet *set, const Bitset *run, const WitnessChange *change);
/* Adds one of thousands, whose coverage is not kept: it counts in the mean similarity alone. */
void witness_set_count(WitnessSet *set, double similarity);

double witness_set_similarity(const WitnessSet *set);     /* sim, 0 for an empty set */
double witness_set_diversity(const WitnessSet *set);      /* div, 0 for fewer than two */
double witness_set_least_distance(const WitnessSet *set); /* mean of the least distances, 0 for fewer than two */
double witness_set_quality(const WitnessSet *set);        /* Q */

#endif
