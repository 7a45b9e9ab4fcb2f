/* How good a set of passing programs is. RecBi, Formulae 1 to 5 (DiWi's Formula 1 is their Formula 3):
 *
 *     sim  = sum over i of (1 - dist(p_i, f)) / n
 *     div  = sum over i < j of dist(p_i, p_j) / (n (n-1) / 2)          0 for n < 2
 *     dist(a, b) = 1 - |Cov_a and Cov_b| / |Cov_a or Cov_b|
 *     Q_t  = n (alpha div_t + (1 - alpha) sim_t)
 *     delta Q_t = Q_t - Q_(t-1)
 *
 * DiWi's diversity (section 5.6.3) is another one: the mean over witnesses of the least distance to the others.
 *
 * The published tool sums similarity where the paper says diversity; this follows the paper. delta Q is computed as the
 * difference of two Qs: the expanded form of Formula 5 is the same number. With d, the new program's mean distance to the
 * others, it comes to
 *
 *     delta Q_t = alpha (2 d - div_(t-1)) + (1 - alpha) (1 - dist(p, f))
 *
 * so that programs as like the failing one as mutants are (sim 0.8, div 0.1) are never rejected.
 */
#include "isolate/witnesses.h"

double coverage_distance(const Bitset *a, const Bitset *b) {
    size_t either = bitset_count_or(a, b);
    return either ? 1 - (double)bitset_count_and(a, b) / (double)either : 0;
}

void witness_set_init(WitnessSet *set, const Bitset *failing, double alpha) {
    *set = (WitnessSet){.alpha = alpha};
    bitset_init_copy(&set->failing, failing);
}

void witness_set_release(WitnessSet *set) {
    for (size_t i = 0; i < set->runs.len; i++)
        bitset_release(&set->runs.items[i]);
    vec_release(&set->runs);
    vec_release(&set->least);
    bitset_release(&set->failing);
    *set = (WitnessSet){0};
}

static double quality(double alpha, size_t n, double similarity_sum, double diversity_sum) {
    if (n == 0)
        return 0;
    double count = (double)n;
    double sim = similarity_sum / count, div = n < 2 ? 0 : diversity_sum / (count * (count - 1) / 2);
    return count * (alpha * div + (1 - alpha) * sim);
}

WitnessChange witness_set_try(const WitnessSet *set, const Bitset *run) {
    WitnessChange change = {
        .first = set->runs.len == 0, .least_distance = 1, .similarity = 1 - coverage_distance(run, &set->failing)};
    for (size_t i = 0; i < set->runs.len; i++) {
        if (set->runs.items[i].bits == 0)
            continue;
        double distance = coverage_distance(run, &set->runs.items[i]);
        change.distance_sum += distance;
        change.least_distance = MIN_OF(change.least_distance, distance);
    }
    change.mean_distance = set->runs.len ? change.distance_sum / (double)set->runs.len : 1;
    change.delta_quality = quality(set->alpha, set->runs.len + 1, set->similarity + change.similarity,
                                   set->diversity + change.distance_sum) -
                           witness_set_quality(set);
    return change;
}

void witness_set_add(WitnessSet *set, const Bitset *run, const WitnessChange *change) {
    Bitset copy;
    for (size_t i = 0; i < set->runs.len; i++)
        set->least.items[i] = MIN_OF(set->least.items[i], coverage_distance(run, &set->runs.items[i]));
    vec_push(&set->least, change->least_distance);
    bitset_init_copy(&copy, run);
    vec_push(&set->runs, copy);
    set->similarity += change->similarity;
    set->diversity += change->distance_sum;
}

void witness_set_count(WitnessSet *set, double similarity) {
    vec_push(&set->runs, (Bitset){0});
    set->similarity += similarity;
}

double witness_set_similarity(const WitnessSet *set) {
    return set->runs.len ? set->similarity / (double)set->runs.len : 0;
}

double witness_set_diversity(const WitnessSet *set) {
    double n = (double)set->runs.len;
    return n < 2 ? 0 : set->diversity / (n * (n - 1) / 2);
}

double witness_set_least_distance(const WitnessSet *set) {
    double sum = 0;
    for (size_t i = 0; i < set->least.len; i++)
        sum += set->least.items[i];
    return set->least.len < 2 ? 0 : sum / (double)set->least.len;
}

double witness_set_quality(const WitnessSet *set) {
    return quality(set->alpha, set->runs.len, set->similarity, set->diversity);
}
