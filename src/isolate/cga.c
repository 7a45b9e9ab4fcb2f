/* LocSeq's genetic algorithm (Zhou et al., "LocSeq: Automated Localization for Compiler Optimization Sequence Bugs of
 * LLVM", IEEE Transactions on Reliability, 2022), Algorithms 1 to 4. The numbers are the paper's lines.
 *
 *     P_0 = random sequences, each with all of O_b                    Algorithm 2
 *     until terminated                                                Algorithm 1, 5
 *         while |S| < N                                               8
 *             p1, p2 = two individuals of the previous generation     9
 *             with PB_cx, p1, p2 = crossover(p1, p2)                  10, 11
 *             S = S + p1 + p2                                         12
 *         for each p of S: with PB_mut, mutate(p)                     13 to 15
 *         evaluate S                                                  16, 17: the caller
 *         P = the N fittest of P and S                                18, 19
 *
 * Readings, where the paper leaves it open:
 *   - line 9 says P_g, which does not exist yet: the two are drawn from P_(g-1), uniformly;
 *   - O_b is a multiset: a pass that stands twice in the failing sequence stands twice in every individual;
 *   - line 18 joins sets, so that equal sequences are one individual; S itself is a list of N;
 *   - Insert(c, idx - 1) of Algorithm 4 means, as its text says, to the left of o;
 *   - what is inserted is not mutated in the same round, and what was deleted is skipped;
 *   - an individual never becomes empty, which only matters without the constraint.
 */
#include "isolate/cga.h"

Cga cga_defaults(void) {
    return (Cga){.population = 50, .crossover = 0.5, .mutation = 0.3, .max_size = 15, .constrained = true};
}

void population_release(Population *population) {
    for (size_t i = 0; i < population->len; i++)
        vec_release(&population->items[i].genome);
    vec_release(population);
}

void genome_copy(Genome *genome, const Genome *other) {
    vec_clear(genome);
    for (size_t i = 0; i < other->len; i++)
        vec_push(genome, other->items[i]);
}

bool genome_equal(const Genome *a, const Genome *b) {
    return a->len == b->len && (a->len == 0 || memcmp(a->items, b->items, a->len * sizeof(Gene)) == 0);
}

static size_t count_gene(const Genome *genome, Gene gene) {
    size_t count = 0;
    for (size_t i = 0; i < genome->len; i++)
        count += genome->items[i] == gene;
    return count;
}

bool cga_satisfies(const Cga *cga, const Genome *genome) {
    for (size_t i = 0; cga->constrained && i < cga->buggy->len; i++)
        if (count_gene(genome, cga->buggy->items[i]) < count_gene(cga->buggy, cga->buggy->items[i]))
            return false;
    return true;
}

/* random(O_c); without the constraint, passes of the failing sequence are candidates like the others. */
static Gene random_candidate(const Cga *cga, Rng *rng) {
    size_t more = cga->constrained ? 0 : cga->buggy->len;
    size_t at = rng_below(rng, cga->candidates->len + more);
    return at < cga->candidates->len ? cga->candidates->items[at] : cga->buggy->items[at - cga->candidates->len];
}

static void swap_genes(Genome *genome, size_t i, size_t j) {
    Gene gene = genome->items[i];
    genome->items[i] = genome->items[j];
    genome->items[j] = gene;
}

static void shuffle(Genome *genome, Rng *rng) {
    for (size_t i = genome->len; i > 1; i--)
        swap_genes(genome, i - 1, rng_below(rng, i));
}

/* Algorithm 2, lines 4 to 8 */
void cga_random_genome(const Cga *cga, Rng *rng, Genome *ret_genome) {
    size_t num = cga->buggy->len;
    vec_clear(ret_genome);
    if (cga->constrained)
        genome_copy(ret_genome, cga->buggy);
    size_t size = (size_t)rng_range(rng, (int64_t)num + 1, (int64_t)MAX_OF(cga->max_size, num + 1));
    while (ret_genome->len < size)
        vec_push(ret_genome, random_candidate(cga, rng));
    shuffle(ret_genome, rng);
}

void cga_initialize(const Cga *cga, Rng *rng, Population *ret_population) {
    while (ret_population->len < cga->population) {
        vec_push(ret_population, (Individual){0});
        cga_random_genome(cga, rng, &vec_last(ret_population).genome);
    }
}

/* The first `cut` genes of one parent and what follows them in the other; the first parent's clone if that breaks the
 * constraint. */
static void recombine(const Cga *cga, const Genome *head, const Genome *tail, size_t cut, Genome *ret_child) {
    vec_clear(ret_child);
    for (size_t i = 0; i < cut; i++)
        vec_push(ret_child, head->items[i]);
    for (size_t i = cut; i < tail->len; i++)
        vec_push(ret_child, tail->items[i]);
    if (!cga_satisfies(cga, ret_child))
        genome_copy(ret_child, head);
}

void cga_crossover(const Cga *cga, const Genome *p1, const Genome *p2, Rng *rng, Genome *ret_o1, Genome *ret_o2) {
    size_t cut = (size_t)rng_range(rng, 1, (int64_t)MIN_OF(p1->len, p2->len));
    recombine(cga, p1, p2, cut, ret_o1);
    recombine(cga, p2, p1, cut, ret_o2);
}

static void insert_gene(Genome *genome, size_t at, Gene gene) {
    vec_push(genome, gene);
    memmove(&genome->items[at + 1], &genome->items[at], (genome->len - 1 - at) * sizeof(Gene));
    genome->items[at] = gene;
}

/* One of the four operators on the gene at `at`; returns where the next one that was there before stands now. */
static size_t mutate_gene(const Cga *cga, Genome *genome, size_t at, Rng *rng) {
    enum { DELETE, REPLACE, SWAP, INSERT, OPERATORS };
    switch (rng_below(rng, OPERATORS)) {
    case DELETE: {
        Gene gene = genome->items[at];
        vec_remove(genome, at);
        if (genome->len > 0 && cga_satisfies(cga, genome))
            return at;
        insert_gene(genome, at, gene);
        return at + 1;
    }
    case REPLACE: {
        Gene gene = genome->items[at];
        genome->items[at] = random_candidate(cga, rng);
        if (!cga_satisfies(cga, genome))
            genome->items[at] = gene;
        return at + 1;
    }
    case SWAP:
        if (genome->len > 1) {
            size_t other = rng_below(rng, genome->len - 1);
            swap_genes(genome, at, other + (other >= at));
        }
        return at + 1;
    default: insert_gene(genome, rng_real(rng) < 0.5 ? at : at + 1, random_candidate(cga, rng)); return at + 2;
    }
}

void cga_mutate(const Cga *cga, Genome *genome, Rng *rng) {
    size_t size = genome->len, at = 0;
    for (size_t i = 0; i < size && at < genome->len; i++)
        at = rng_real(rng) < 1.0 / (double)size ? mutate_gene(cga, genome, at, rng) : at + 1;
}

void cga_breed(const Cga *cga, const Population *parents, Rng *rng, Population *ret_children) {
    while (ret_children->len < cga->population) {
        const Genome *p1 = &parents->items[rng_below(rng, parents->len)].genome;
        const Genome *p2 = &parents->items[rng_below(rng, parents->len)].genome;
        Individual o1 = {0}, o2 = {0};
        if (rng_real(rng) < cga->crossover) {
            cga_crossover(cga, p1, p2, rng, &o1.genome, &o2.genome);
        } else {
            genome_copy(&o1.genome, p1);
            genome_copy(&o2.genome, p2);
        }
        vec_push(ret_children, o1);
        vec_push(ret_children, o2);
    }
    for (size_t i = 0; i < ret_children->len; i++)
        if (rng_real(rng) < cga->mutation)
            cga_mutate(cga, &ret_children->items[i].genome, rng);
}

static bool in_population(const Population *population, const Genome *genome) {
    for (size_t i = 0; i < population->len; i++)
        if (genome_equal(&population->items[i].genome, genome))
            return true;
    return false;
}

void cga_select(const Cga *cga, Population *parents, Population *children) {
    for (size_t i = 0; i < children->len; i++) {
        if (in_population(parents, &children->items[i].genome))
            vec_release(&children->items[i].genome);
        else
            vec_push(parents, children->items[i]);
    }
    vec_clear(children);
    /* An insertion sort: two times fifty individuals, and the older of two equally fit ones stays in front. */
    for (size_t i = 1; i < parents->len; i++) {
        Individual individual = parents->items[i];
        size_t at = i;
        for (; at > 0 && parents->items[at - 1].fitness < individual.fitness; at--)
            parents->items[at] = parents->items[at - 1];
        parents->items[at] = individual;
    }
    while (parents->len > cga->population) {
        parents->len--;
        vec_release(&parents->items[parents->len].genome);
    }
}
