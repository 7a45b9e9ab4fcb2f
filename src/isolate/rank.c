/* Spectrum-based ranking as in DiWi (section 4.3) and RecBi (section 3.3, Formulae 9 to 11):
 *
 *     score(s) = ef_s / sqrt((ef_s + nf_s) (ef_s + ep_s))              Ochiai; with one failing program,
 *              = 1 / sqrt(1 + ep_s)                                    ef_s = 1 and nf_s = 0 for every suspect
 *     SCORE(f) = sum over the n_f covered statements of score(s_i) / n_f
 *
 * and the same mean per function. The mean forgets how much of a file speaks against it: a file with two covered
 * statements that no witness covers beats one with two hundred of three hundred, and in a compiler the small file is
 * seldom guilty. The sum forgets how much speaks for it. AGGREGATE_GEOMETRIC, ours, is their geometric mean,
 * sqrt(sum * sum / n_f) = sum / sqrt(n_f). It still drowns a few guilty statements in many innocent ones.
 * AGGREGATE_LENGTH, ours too, does not: the length of the vector of scores is governed by the largest of them, and grows with
 * their number as sum / sqrt(n_f) does if all are alike.
 * The other seven formulas are those that DiWi compared. If a formula divides by
 * zero we take its limit, or the nearest finite value that keeps its order: D^2 = ef^2 / (ep + nf) counts half a passing
 * program if none covers the statement, so that "never covered" stays ahead of "covered once".
 */
#include "isolate/rank.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

static const char *const formula_names[FORMULA_COUNT] = {
    [FORMULA_OCHIAI] = "ochiai",   [FORMULA_TARANTULA] = "tarantula",
    [FORMULA_JACCARD] = "jaccard", [FORMULA_OCHIAI2] = "ochiai2",
    [FORMULA_SBI] = "sbi",         [FORMULA_KULCZYNSKI2] = "kulczynski2",
    [FORMULA_OP2] = "op2",         [FORMULA_D2] = "d2",
};

const char *formula_name(Formula formula) { return formula_names[formula]; }

bool formula_parse(const char *name, Formula *ret_formula, Error *err) {
    for (Formula f = 0; f < FORMULA_COUNT; f++) {
        if (str_equal(name, formula_names[f])) {
            *ret_formula = f;
            return true;
        }
    }
    return error_set(err, "there is no formula \"%s\"; choose one of %s", name, FORMULA_CHOICES);
}

static const char *const aggregation_names[] = {"mean", "geometric", "length"};

const char *aggregation_name(Aggregation aggregation) { return aggregation_names[aggregation]; }

bool aggregation_parse(const char *name, Aggregation *ret_aggregation, Error *err) {
    for (size_t i = 0; i < ARRAY_LEN(aggregation_names); i++) {
        if (str_equal(name, aggregation_names[i])) {
            *ret_aggregation = (Aggregation)i;
            return true;
        }
    }
    return error_set(err, "there is no aggregation \"%s\"; choose one of %s", name, AGGREGATION_CHOICES);
}

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

double formula_score(Formula formula, double ef, double nf, double ep, double np) {
    switch (formula) {
    case FORMULA_OCHIAI: return ratio(ef, sqrt((ef + nf) * (ef + ep)));
    case FORMULA_TARANTULA: {
        double failing = ratio(ef, ef + nf), passing = ratio(ep, ep + np);
        return ratio(failing, failing + passing);
    }
    case FORMULA_JACCARD: return ratio(ef, ef + nf + ep);
    case FORMULA_OCHIAI2: return ratio(ef * np, sqrt((ef + ep) * (nf + np) * (ef + nf) * (ep + np)));
    case FORMULA_SBI: return ratio(ef, ef + ep);
    case FORMULA_KULCZYNSKI2: return (ratio(ef, ef + nf) + ratio(ef, ef + ep)) / 2;
    case FORMULA_OP2: return ef - ep / (ep + np + 1);
    case FORMULA_D2: return ef * ef / fmax(ep + nf, 0.5);
    case FORMULA_COUNT: break;
    }
    BUG("no such formula");
}

void rank_statements(Formula formula, const Spectrum *spectrum, WitnessKind kind, double *ret_scores) {
    const Bitset *suspects = &spectrum->suspects;
    memset(ret_scores, 0, suspects->bits * sizeof *ret_scores);
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1)) {
        double ep = spectrum->passed[kind][s];
        ret_scores[s] = formula_score(formula, 1, 0, ep, (double)spectrum->passing_runs[kind] - ep);
    }
}

void rank_groups(const double *scores, const Bitset *failing, const uint32_t *group_of, size_t group_count,
                 const bool *eligible, Aggregation aggregation, RankedList *ret_list) {
    Ranked *groups = mem_zalloc(group_count ? group_count : 1, sizeof *groups);
    for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1)) {
        if (group_of[s] == RANK_NO_GROUP)
            continue;
        groups[group_of[s]].score += aggregation == AGGREGATE_LENGTH ? scores[s] * scores[s] : scores[s];
        groups[group_of[s]].statements++;
    }
    for (uint32_t g = 0; g < group_count; g++) {
        if (!groups[g].statements || (eligible && !eligible[g]))
            continue;
        groups[g].group = g;
        double n = (double)groups[g].statements, sum = groups[g].score;
        groups[g].score =
            aggregation == AGGREGATE_LENGTH ? sqrt(sum) : sum / (aggregation == AGGREGATE_MEAN ? n : sqrt(n));
        vec_push(ret_list, groups[g]);
    }
    free(groups);
    rank_sort(ret_list);
}

static int by_score(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Means of equal scores differ in their last bits when they are summed in another order: those are ties too. */
static bool tied(double a, double b) { return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b)); }

void rank_sort(RankedList *list) {
    if (!list->len)
        return;
    qsort(list->items, list->len, sizeof *list->items, by_score);
    for (size_t start = 0, end; start < list->len; start = end) {
        for (end = start + 1; end < list->len && tied(list->items[end].score, list->items[start].score); end++)
            ;
        for (size_t i = start; i < end; i++)
            list->items[i].rank = end;
    }
}

size_t rank_of(const RankedList *list, uint32_t group, size_t missing) {
    for (size_t i = 0; i < list->len; i++)
        if (list->items[i].group == group)
            return list->items[i].rank;
    return missing;
}
