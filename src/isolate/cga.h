/* The constrained genetic algorithm of LocSeq: pass sequences as lists of small numbers, and the operators on them.
 *
 * Pure: it knows neither LLVM nor coverage. A gene stands for a pass (sequences.h says for which), a genome for a sequence.
 * The constraint: a genome holds every pass of the failing sequence, as often as that has it.
 *
 *     Population parents = {0}, children = {0};
 *     cga_initialize(&cga, rng, &children);                         Algorithm 2
 *     … set the children's fitness …
 *     cga_select(&cga, &parents, &children);                        the N fittest of both; children is empty then
 *     cga_breed(&cga, &parents, rng, &children);                    the next generation, Algorithms 3 and 4
 */
#ifndef ISOLATE_CGA_H
#define ISOLATE_CGA_H

#include "base/rng.h"
#include "base/vec.h"

typedef uint16_t Gene;
typedef Vec(Gene) Genome;

typedef struct Cga {
    size_t population;          /* N */
    double crossover, mutation; /* PB_cx and PB_mut */
    size_t max_size;     /* MAX_SIZE, of initial genomes; those of a longer failing sequence get one more than it has */
    const Genome *buggy; /* O_b, the failing sequence */
    const Genome *candidates; /* O_c, what is added */
    bool constrained;         /* false: LocSeq_wc, genomes of both lists' genes at random */
} Cga;

Cga cga_defaults(void); /* the paper's parameters, constrained */

typedef struct Individual {
    Genome genome;
    double fitness;
} Individual;

typedef Vec(Individual) Population;

void population_release(Population *population);
void genome_copy(Genome *genome, const Genome *other);
bool genome_equal(const Genome *a, const Genome *b);

bool cga_satisfies(const Cga *cga, const Genome *genome);             /* the constraint; always, where there is none */
void cga_random_genome(const Cga *cga, Rng *rng, Genome *ret_genome); /* one round of Algorithm 2 */
void cga_initialize(const Cga *cga, Rng *rng, Population *ret_population); /* Algorithm 2 */
void cga_crossover(const Cga *cga, const Genome *p1, const Genome *p2, Rng *rng, Genome *ret_o1, Genome *ret_o2);
void cga_mutate(const Cga *cga, Genome *genome, Rng *rng); /* Algorithm 4 */

/* Lines 7 to 15 of Algorithm 1: `ret_children`, empty before, becomes S. Parents may not be empty. */
void cga_breed(const Cga *cga, const Population *parents, Rng *rng, Population *ret_children);
/* Lines 18 and 19: `parents` become the N fittest of both; equal genomes are one individual. */
void cga_select(const Cga *cga, Population *parents, Population *children);

#endif
