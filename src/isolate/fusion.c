/* From an isolation's runs to its ranking: every kind of evidence has its say.
 *
 * The papers have one kind of witness: mutants of the failing program. They are alike, so that whole phases of the compiler
 * run for the failing program and for all of them, and their number says little. Other runs tell more, each in its own way:
 *
 *     mutant     the same configuration, another program      what of the program matters
 *     option     the same program, another configuration      which phase of the compiler matters
 *     ordinary   any program                                  what runs for everything is seldom guilty
 *     failing    other programs and configurations that       what they do not cover is not needed for the bug
 *                show the bug too
 *
 * Adding up witnesses of all kinds would let the most numerous kind decide. Each kind has a suspicion of its own, and
 * they are multiplied, so that a statement is suspicious only where no kind clears it:
 *
 *     score(s) = ef_s / failing_runs * product over kinds k of formula(1, 0, ep_k_s, n_k - ep_k_s)
 *              - product over kinds k of formula(1, 0, n_k, 0)                              0 where that is negative
 *
 * With one kind of witness and one failing run the first line is the papers' Formula 10, and they stop there. No weights were
 * fitted: each kind counts once. Failing runs are cheap, as they come up in every search; compare Ochiai's ef / (ef + nf)
 * under the root.
 *
 * For mutants, formula is a likelihood. Say the guilty statement makes a run that executes it fail with a chance t of which
 * nothing is known. Then ef failing and ep passing mutants that execute it have the probability of
 *
 *     integral over t from 0 to 1 of t^ef (1 - t)^ep = ef! ep! / (ef + ep + 1)!      divided by that for ep = 0
 *
 * Without failing runs this is 1 / (1 + ep), Ochiai squared. With them, it knows that where most mutants fail, few passing ones
 * that execute a statement clear it, and that two of thirty that do not execute it tell much. Mutants are alike, though,
 * and no thirty observations: each counts an eighth, the likelihood is raised to the power of LIKENESS.
 *
 * The second line is what a statement scores that every run covers, so that nothing at all speaks against it. It is small,
 * but a function of hundreds of such statements, a parser's or a driver's, would still beat a guilty one of ten.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "isolate/isolate.h"

const char *const evidence_names[EVIDENCE_KINDS] = {"mutants", "options", "ordinary", "failing"};

/* A fix is made in a source or in what a source is generated from; headers and generated files are listed apart. */
static bool is_ranked_file(const UnitTable *units, uint32_t file) {
    uint32_t kind = units->files[file].kind;
    return kind == UNIT_FILE_SOURCE || kind == UNIT_FILE_DESCRIPTION;
}

static bool has_real_witness(const Isolation *isolation) {
    for (size_t i = 0; i < isolation->witnesses.len; i++)
        if (!isolation->witnesses.items[i].fake)
            return true;
    return false;
}

/* Where a witness covers all that the failing program covers, the difference is not in what ran. It clears every statement
 * alike, which would only make the other witnesses weigh less. */
static bool tells_nothing(const Isolation *isolation, const Bitset *run) {
    return bitset_count_and(run, &isolation->set.failing) == bitset_count(&isolation->set.failing);
}

/* How many witnesses of the kind cover each unit, fakes left out where asked and where anything else is there. */
static uint32_t *count_passing(const Isolation *isolation, WitnessKind kind, const IsolateOptions *options,
                               size_t *ret_witnesses) {
    size_t units = isolation->units->unit_count;
    uint32_t *ep = mem_zalloc(units + 1, sizeof *ep);
    bool drop = options->fakes == FAKES_DROP && has_real_witness(isolation);
    *ret_witnesses = 0;
    for (size_t i = 0; i < isolation->witnesses.len; i++) {
        const Witness *witness = &isolation->witnesses.items[i];
        const Bitset *run = &isolation->set.runs.items[i];
        if (witness->kind != kind || (drop && witness->fake) ||
            (options->method->fused && tells_nothing(isolation, run)))
            continue;
        ++*ret_witnesses;
        for (size_t s = bitset_next(run, 0); s < units; s = bitset_next(run, s + 1))
            ep[s]++;
    }
    return ep;
}

/* Of 1/2, 1/4 and 1/8 the one that served injected faults of tcc and pcc best and did GCC 11 bugs no harm. */
static const double LIKENESS = 0.125;

static double likelihood(double ef, double ep) {
    return exp(LIKENESS * (lgamma(ep + 1) + lgamma(ef + 2) - lgamma(ef + ep + 2)));
}

/* Sets the scores by ep, and the score of what all runs cover. */
static void score_kind(const Isolation *isolation, const IsolateOptions *options, int kind, const uint32_t *ep,
                       size_t witnesses, double *scores, double *ret_least) {
    const Bitset *failing = &isolation->set.failing;
    if (kind != WITNESS_MUTANT || !options->method->fused) {
        rank_statements(options->formula, failing, ep, witnesses, scores);
        *ret_least = formula_score(options->formula, 1, 0, (double)witnesses, 0);
        return;
    }
    for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1))
        scores[s] = likelihood(isolation->ef[s], ep[s]);
    *ret_least = likelihood((double)isolation->failing_runs, (double)witnesses);
}

/* The suspicion of every failing statement by one kind of evidence; NULL where there is none of the kind. `ret_least` is that
 * of a statement which all runs of the kind cover. */
static double *evidence_of(const Isolation *isolation, const IsolateOptions *options, int kind, double *ret_least) {
    *ret_least = 1;
    const Bitset *failing = &isolation->set.failing;
    if (kind == EVIDENCE_FAILING && isolation->failing_runs < 2)
        return NULL; /* the failing program covers all of its own statements */
    double *scores = mem_zalloc(failing->bits + 1, sizeof *scores);
    if (kind == EVIDENCE_FAILING) {
        for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1))
            scores[s] = (double)isolation->ef[s] / (double)isolation->failing_runs;
        return scores;
    }
    size_t witnesses;
    uint32_t *ep = count_passing(isolation, (WitnessKind)kind, options, &witnesses);
    if (witnesses > 0)
        score_kind(isolation, options, kind, ep, witnesses, scores, ret_least);
    free(ep);
    if (witnesses > 0)
        return scores;
    free(scores);
    return NULL;
}

static void score_statements(Isolation *isolation, const IsolateOptions *options) {
    const Bitset *failing = &isolation->set.failing;
    for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1))
        isolation->scores[s] = 1;
    double cleared = 1, least;
    for (int kind = 0; kind < EVIDENCE_KINDS; kind++) {
        const double *evidence = isolation->evidence[kind] = evidence_of(isolation, options, kind, &least);
        for (size_t s = bitset_next(failing, 0); evidence && s < failing->bits; s = bitset_next(failing, s + 1))
            isolation->scores[s] *= evidence[s];
        cleared *= least;
    }
    if (!options->method->fused || cleared == 1) /* the latter where no witness tells anything */
        return;
    for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1))
        isolation->scores[s] = MAX_OF(isolation->scores[s] - cleared, 0.0);
}

/* Traditional spectrum-based localisation: a file is one element, covered by a program that ran anything of it. */
static void score_whole_files(Isolation *isolation, Formula formula) {
    const UnitTable *units = isolation->units;
    uint32_t *ep = mem_zalloc(units->file_count + 1, sizeof *ep);
    size_t witnesses = isolation->set.runs.len;
    for (size_t i = 0; i < witnesses; i++) {
        const Bitset *run = &isolation->set.runs.items[i];
        size_t s = bitset_next(run, 0);
        while (s < units->unit_count) {
            uint32_t file = units->units[s].file;
            ep[file]++;
            s = bitset_next(run, units->files[file].first_unit + units->files[file].unit_count);
        }
    }
    const Bitset *failing = &isolation->set.failing;
    for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1)) {
        double covered = ep[units->units[s].file];
        isolation->scores[s] = formula_score(formula, 1, 0, covered, (double)witnesses - covered);
    }
    free(ep);
}

static void rank_files(const Isolation *isolation, const bool *eligible, Aggregation how, RankedList *ret_files) {
    const UnitTable *units = isolation->units;
    uint32_t *file_of = mem_zalloc(units->unit_count + 1, sizeof *file_of);
    for (size_t s = 0; s < units->unit_count; s++)
        file_of[s] = units->units[s].file;
    rank_groups(isolation->scores, &isolation->set.failing, file_of, units->file_count, eligible, how, ret_files);
    free(file_of);
}

static void rank_functions(const Isolation *isolation, Aggregation how, RankedList *ret_functions) {
    const UnitTable *units = isolation->units;
    uint32_t *function_of = mem_zalloc(units->unit_count + 1, sizeof *function_of);
    for (size_t s = 0; s < units->unit_count; s++)
        function_of[s] = units->units[s].function;
    rank_groups(isolation->scores, &isolation->set.failing, function_of, units->function_count, NULL, how,
                ret_functions);
    free(function_of);
}

void isolation_clear_ranking(Isolation *isolation) {
    for (int kind = 0; kind < EVIDENCE_KINDS; kind++) {
        free(isolation->evidence[kind]);
        isolation->evidence[kind] = NULL;
    }
    free(isolation->scores);
    isolation->scores = NULL;
    vec_release(&isolation->files);
    vec_release(&isolation->others);
    vec_release(&isolation->functions);
}

void isolation_rank(Isolation *isolation, const IsolateOptions *options) {
    const UnitTable *units = isolation->units;
    bool *ranked = mem_zalloc(units->file_count + 1, sizeof *ranked);
    bool *other = mem_zalloc(units->file_count + 1, sizeof *other);
    for (uint32_t f = 0; f < units->file_count; f++)
        other[f] = !(ranked[f] = is_ranked_file(units, f));
    isolation_clear_ranking(isolation);
    isolation->scores = mem_zalloc(units->unit_count + 1, sizeof *isolation->scores);
    if (options->method->file_level)
        score_whole_files(isolation, options->formula);
    else
        score_statements(isolation, options);
    rank_functions(isolation, options->aggregation, &isolation->functions);
    rank_files(isolation, ranked, options->aggregation, &isolation->files);
    rank_files(isolation, other, options->aggregation, &isolation->others);
    free(ranked);
    free(other);
}

void isolation_evidence(const Isolation *isolation, uint32_t file, double ret_evidence[EVIDENCE_KINDS]) {
    const UnitFile *range = &isolation->units->files[file];
    const Bitset *failing = &isolation->set.failing;
    for (int kind = 0; kind < EVIDENCE_KINDS; kind++) {
        const double *evidence = isolation->evidence[kind];
        double sum = 0, weights = 0;
        for (size_t s = bitset_next(failing, range->first_unit); s < range->first_unit + range->unit_count;
             s = bitset_next(failing, s + 1)) {
            double weight =
                isolation->scores[s] + DBL_MIN; /* so that those of a file that is cleared altogether count alike */
            sum += evidence ? weight * evidence[s] : 0;
            weights += weight;
        }
        ret_evidence[kind] = evidence && weights > 0 ? sum / weights : -1;
    }
}
