/* LocSeq's genetic algorithm, property by property: the constraint, sizes, probabilities, selection. */
#include <math.h>

#include "isolate/cga.h"
#include "unit.h"

enum { GENES = 20, ROUNDS = 4000 };

typedef struct Fixture {
    Genome buggy, candidates;
    Cga cga;
    Rng rng;
} Fixture;

/* The failing sequence is 3 7 3, so that one gene counts twice; candidates are 0 to 19. */
static int set_up(void **state) {
    Fixture *f = mem_zalloc(1, sizeof *f);
    vec_push(&f->buggy, 3);
    vec_push(&f->buggy, 7);
    vec_push(&f->buggy, 3);
    for (Gene gene = 0; gene < GENES; gene++)
        vec_push(&f->candidates, gene);
    f->cga = cga_defaults();
    f->cga.buggy = &f->buggy;
    f->cga.candidates = &f->candidates;
    f->rng = rng_from_seed(16);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    Fixture *f = *state;
    vec_release(&f->buggy);
    vec_release(&f->candidates);
    free(f);
    return 0;
}

static Genome genome_of(const char *letters) {
    Genome genome = {0};
    for (; *letters; letters++)
        vec_push(&genome, (Gene)(*letters - 'a'));
    return genome;
}

/* A naive model of the constraint: cross out the genes one by one. */
static bool holds_all(const Genome *genome, const Genome *wanted) {
    Genome left = {0};
    genome_copy(&left, genome);
    size_t found = 0;
    for (size_t i = 0; i < wanted->len; i++)
        for (size_t k = 0; k < left.len; k++)
            if (left.items[k] == wanted->items[i]) {
                vec_remove(&left, k);
                found++;
                break;
            }
    vec_release(&left);
    return found == wanted->len;
}

/* Whether a share of `tries` is what it should be, within five standard deviations. */
static void assert_share(size_t hits, size_t tries, double want) {
    double share = (double)hits / (double)tries, deviation = sqrt(want * (1 - want) / (double)tries);
    if (fabs(share - want) > 5 * deviation)
        fail_msg("%.4f of %zu, expected %.4f", share, tries, want);
}

static void test_the_papers_parameters(void **state) {
    (void)state;
    Cga cga = cga_defaults();
    assert_int_equal(cga.population, 50);
    assert_true(cga.crossover == 0.5 && cga.mutation == 0.3);
    assert_int_equal(cga.max_size, 15);
    assert_true(cga.constrained);
}

static void test_the_constraint_counts_repetitions(void **state) {
    Fixture *f = *state;
    static const struct {
        const char *genome;
        bool holds;
    } cases[] = {{"ddh", true}, {"hdd", true}, {"adbhcd", true}, {"dh", false}, {"ddd", false}, {"", false}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Genome genome = genome_of(cases[i].genome);
        assert_int_equal(cga_satisfies(&f->cga, &genome), cases[i].holds);
        vec_release(&genome);
    }
}

/* Sizes are uniform between |O_b| + 1 and MAX_SIZE, and every order of the passes comes up. */
static void test_initial_sequences(void **state) {
    Fixture *f = *state;
    Genome genome = {0};
    size_t sizes[16] = {0}, first_is_buggy = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        cga_random_genome(&f->cga, &f->rng, &genome);
        assert_true(holds_all(&genome, &f->buggy));
        assert_in_range(genome.len, 4, 15);
        sizes[genome.len]++;
        first_is_buggy += genome.items[0] == 3 || genome.items[0] == 7;
    }
    for (size_t size = 4; size <= 15; size++)
        assert_share(sizes[size], ROUNDS, 1.0 / 12);
    assert_true(first_is_buggy < ROUNDS * 2 / 3);
    vec_release(&genome);
}

/* A failing sequence of MAX_SIZE passes and more gets one more. */
static void test_long_failing_sequences(void **state) {
    Fixture *f = *state;
    Genome genome = {0};
    while (f->buggy.len < 20)
        vec_push(&f->buggy, 5);
    cga_random_genome(&f->cga, &f->rng, &genome);
    assert_int_equal(genome.len, 21);
    assert_true(holds_all(&genome, &f->buggy));
    vec_release(&genome);
}

/* Each child begins with one parent and goes on with the other from the cut, with the other's length; or is the first's clone. */
static void test_crossover(void **state) {
    Fixture *f = *state;
    Genome p1 = {0}, p2 = {0}, o1 = {0}, o2 = {0};
    size_t clones = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        cga_random_genome(&f->cga, &f->rng, &p1);
        cga_random_genome(&f->cga, &f->rng, &p2);
        cga_crossover(&f->cga, &p1, &p2, &f->rng, &o1, &o2);
        assert_true(holds_all(&o1, &f->buggy) && holds_all(&o2, &f->buggy));
        assert_int_equal(o1.items[0], p1.items[0]);
        assert_int_equal(o2.items[0], p2.items[0]);
        assert_true(genome_equal(&o1, &p1) || o1.len == p2.len);
        assert_true(genome_equal(&o2, &p2) || o2.len == p1.len);
        clones += genome_equal(&o1, &p1);
    }
    assert_in_range(clones, ROUNDS / 10, ROUNDS * 9 / 10); /* the constraint forbids many, not all */
    vec_release(&p1);
    vec_release(&p2);
    vec_release(&o1);
    vec_release(&o2);
}

static void test_crossover_at_the_cut(void **state) {
    Fixture *f = *state;
    f->cga.constrained = false;
    Genome p1 = genome_of("abcd"), p2 = genome_of("efghij"), o1 = {0}, o2 = {0};
    size_t cuts[5] = {0};
    for (size_t i = 0; i < ROUNDS; i++) {
        cga_crossover(&f->cga, &p1, &p2, &f->rng, &o1, &o2);
        size_t cut = 0;
        while (cut < 4 && o1.items[cut] == p1.items[cut])
            cut++;
        cuts[cut]++;
        assert_int_equal(o1.len, 6);
        assert_int_equal(o2.len, 4);
        for (size_t k = 0; k < 6; k++)
            assert_int_equal(o1.items[k], k < cut ? p1.items[k] : p2.items[k]);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(o2.items[k], k < cut ? p2.items[k] : p1.items[k]);
    }
    for (size_t cut = 1; cut <= 4; cut++)
        assert_share(cuts[cut], ROUNDS, 0.25);
    vec_release(&p1);
    vec_release(&p2);
    vec_release(&o1);
    vec_release(&o2);
}

/* With a single position, the mutated individual tells which of the four operators was drawn: delete would leave nothing and
 * is taken back, swap has no other position, replace keeps the length, insert does not. */
static void test_operators_are_drawn_uniformly(void **state) {
    Fixture *f = *state;
    f->cga.constrained = false;
    size_t longer = 0, left = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        Genome genome = genome_of("z");
        cga_mutate(&f->cga, &genome, &f->rng);
        assert_in_range(genome.len, 1, 2);
        longer += genome.len == 2;
        left += genome.len == 2 && genome.items[1] == 'z' - 'a';
        vec_release(&genome);
    }
    assert_share(longer, ROUNDS, 0.25);
    assert_share(left, ROUNDS, 0.125);
}

/* Each of ten positions is mutated with the probability 1/10, and a quarter of mutations are insertions, another deletions. */
static void test_mutation_rate(void **state) {
    Fixture *f = *state;
    f->cga.constrained = false;
    size_t shorter = 0, longer = 0, rounds = 10 * ROUNDS;
    for (size_t i = 0; i < rounds; i++) {
        Genome genome = genome_of("abcdefghij");
        cga_mutate(&f->cga, &genome, &f->rng);
        longer += genome.len > 10;
        shorter += genome.len < 10;
        vec_release(&genome);
    }
    /* Ten tries, 1/40 for each of the two: more insertions than deletions have this probability. */
    assert_share(longer, rounds, 0.1818);
    assert_share(shorter, rounds, 0.1818);
}

static void test_mutation_keeps_the_constraint(void **state) {
    Fixture *f = *state;
    Genome genome = {0};
    cga_random_genome(&f->cga, &f->rng, &genome);
    size_t changed = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        Genome before = {0};
        genome_copy(&before, &genome);
        cga_mutate(&f->cga, &genome, &f->rng);
        assert_true(holds_all(&genome, &f->buggy));
        changed += !genome_equal(&genome, &before);
        vec_release(&before);
    }
    assert_true(changed > ROUNDS / 4);
    vec_release(&genome);
}

/* Without the constraint, passes of the failing sequence are drawn like all others, and need not be there. */
static void test_without_the_constraint(void **state) {
    Fixture *f = *state;
    f->cga.constrained = false;
    vec_clear(&f->candidates);
    vec_push(&f->candidates, 0);
    Genome genome = {0};
    size_t genes = 0, buggy = 0, broken = 0;
    for (size_t i = 0; i < ROUNDS; i++) {
        cga_random_genome(&f->cga, &f->rng, &genome);
        broken += !holds_all(&genome, &f->buggy);
        genes += genome.len;
        for (size_t k = 0; k < genome.len; k++)
            buggy += genome.items[k] != 0;
    }
    assert_true(broken > 0);
    assert_share(buggy, genes, 0.75);
    vec_release(&genome);
}

static void test_a_generation(void **state) {
    Fixture *f = *state;
    Population parents = {0}, children = {0};
    cga_initialize(&f->cga, &f->rng, &parents);
    assert_int_equal(parents.len, 50);
    cga_breed(&f->cga, &parents, &f->rng, &children);
    assert_int_equal(children.len, 50);
    for (size_t i = 0; i < children.len; i++)
        assert_true(holds_all(&children.items[i].genome, &f->buggy));
    population_release(&parents);
    population_release(&children);
}

/* The fittest of both generations live on, each once, best first; the older one goes first where two are equal. */
static void test_selection(void **state) {
    Fixture *f = *state;
    f->cga.population = 3;
    Population parents = {0}, children = {0};
    static const char *const old[] = {"a", "b", "c"}, *const new[] = {"d", "a", "e"};
    static const double old_fitness[] = {1, 5, 2}, new_fitness[] = {5, 1, 3};
    for (size_t i = 0; i < 3; i++) {
        vec_push(&parents, ((Individual){genome_of(old[i]), old_fitness[i]}));
        vec_push(&children, ((Individual){genome_of(new[i]), new_fitness[i]}));
    }
    cga_select(&f->cga, &parents, &children);
    assert_int_equal(children.len, 0);
    assert_int_equal(parents.len, 3);
    static const char want[] = "bde";
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(parents.items[i].genome.items[0], want[i] - 'a');
    population_release(&parents);
    population_release(&children);
}

/* The algorithm against a recorded source: the bug shows if a 7 follows a 3 at once. Fitness is the share of small genes. The search finds bug-free sequences and makes them fitter. */
static double recorded_fitness(const Genome *genome) {
    size_t small = 0;
    for (size_t i = 0; i < genome->len; i++) {
        if (i > 0 && genome->items[i - 1] == 3 && genome->items[i] == 7)
            return 0;
        small += genome->items[i] < 5;
    }
    return (double)small / (double)genome->len;
}

static void test_fitness_rises(void **state) {
    Fixture *f = *state;
    Population parents = {0}, children = {0};
    double first_mean = 0, mean = 0;
    cga_initialize(&f->cga, &f->rng, &children);
    for (size_t generation = 0; generation < 40; generation++) {
        for (size_t i = 0; i < children.len; i++)
            children.items[i].fitness = recorded_fitness(&children.items[i].genome);
        cga_select(&f->cga, &parents, &children);
        mean = 0;
        for (size_t i = 0; i < parents.len; i++)
            mean += parents.items[i].fitness / (double)parents.len;
        if (generation == 0)
            first_mean = mean;
        cga_breed(&f->cga, &parents, &f->rng, &children);
    }
    if (mean < first_mean + 0.2)
        fail_msg("the mean fitness went from %.3f to %.3f only", first_mean, mean);
    population_release(&parents);
    population_release(&children);
}

#define CGA_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {CGA_TEST(test_the_papers_parameters),
                                       CGA_TEST(test_the_constraint_counts_repetitions),
                                       CGA_TEST(test_initial_sequences),
                                       CGA_TEST(test_long_failing_sequences),
                                       CGA_TEST(test_crossover),
                                       CGA_TEST(test_crossover_at_the_cut),
                                       CGA_TEST(test_operators_are_drawn_uniformly),
                                       CGA_TEST(test_mutation_rate),
                                       CGA_TEST(test_mutation_keeps_the_constraint),
                                       CGA_TEST(test_without_the_constraint),
                                       CGA_TEST(test_a_generation),
                                       CGA_TEST(test_selection),
                                       CGA_TEST(test_fitness_rises)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
