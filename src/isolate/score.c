/* From an isolation's spectrum to its ranking. The papers' score of a statement is here; strategies may have their own. */
#include "isolate/score.h"

#include <float.h>
#include <stdlib.h>

#include "isolate/strategy.h"

const char *evidence_name(int kind) {
    static const char *const names[] = {"mutants", "options", "ordinary", "sequences", "steps", "failing"};
    return kind < EVIDENCE_CLUES ? names[kind] : clue_names[kind - EVIDENCE_CLUES];
}

void score_start(Isolation *isolation, const Spectrum *spectrum) {
    const Bitset *suspects = &spectrum->suspects;
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
        isolation->scores[s] = 1;
}

void score_multiply_take(Isolation *isolation, const Spectrum *spectrum, int kind, double *evidence) {
    const Bitset *suspects = &spectrum->suspects;
    isolation->evidence[kind] = evidence;
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
        isolation->scores[s] *= evidence[s];
}

double *score_of_kind(const Spectrum *spectrum, WitnessKind kind, Formula formula) {
    double *scores = mem_zalloc(spectrum->suspects.bits + 1, sizeof *scores);
    rank_statements(formula, spectrum, kind, scores);
    return scores;
}

void score_by_witnesses(Isolation *isolation, const Spectrum *spectrum, Formula formula) {
    score_start(isolation, spectrum);
    for (WitnessKind kind = 0; kind < WITNESS_KINDS; kind++)
        if (spectrum->passing_runs[kind] > 0)
            score_multiply_take(isolation, spectrum, kind, score_of_kind(spectrum, kind, formula));
}

/* --- Files and functions --- */

/* A fix is made in a source or in what a source is generated from; headers and generated files are listed apart. */
static bool is_ranked_file(const UnitTable *units, uint32_t file) {
    uint32_t kind = units->files[file].kind;
    return kind == UNIT_FILE_SOURCE || kind == UNIT_FILE_DESCRIPTION;
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

/* Scores without the fakes, if any other witness is left. */
static void score_without_fakes(Isolation *isolation, const IsolateOptions *options) {
    bool any_real = false;
    for (size_t i = 0; i < isolation->witnesses.len; i++)
        any_real |= !isolation->witnesses.items[i].fake;
    Spectrum real;
    spectrum_init_copy(&real, &isolation->spectrum);
    for (size_t i = 0; any_real && i < isolation->witnesses.len; i++) {
        const Witness *witness = &isolation->witnesses.items[i];
        if (witness->fake && witness->counted)
            spectrum_remove_passing(&real, witness->kind, &isolation->set.runs.items[i]);
    }
    options->method->strategy->score(isolation, &real, options->formula);
    spectrum_release(&real);
}

void isolation_rank(Isolation *isolation, const IsolateOptions *options) {
    const UnitTable *units = isolation->units;
    bool *ranked = mem_zalloc(units->file_count + 1, sizeof *ranked);
    bool *other = mem_zalloc(units->file_count + 1, sizeof *other);
    for (uint32_t f = 0; f < units->file_count; f++)
        other[f] = !(ranked[f] = is_ranked_file(units, f));
    isolation_clear_ranking(isolation);
    isolation->scores = mem_zalloc(units->unit_count + 1, sizeof *isolation->scores);
    if (options->fakes == FAKES_DROP)
        score_without_fakes(isolation, options);
    else
        options->method->strategy->score(isolation, &isolation->spectrum, options->formula);
    rank_functions(isolation, options->aggregation, &isolation->functions);
    rank_files(isolation, ranked, options->aggregation, &isolation->files);
    rank_files(isolation, other, options->aggregation, &isolation->others);
    free(ranked);
    free(other);
}

void isolation_remember(Isolation *isolation, const IsolateOptions *options) {
    size_t now = isolation->witnesses.len, last = isolation->history.len ? vec_last(&isolation->history).witnesses : 0;
    if (now == 0 || now < last * 2)
        return;
    RankSnapshot snapshot = {.witnesses = now};
    isolation_rank(isolation, options);
    for (size_t i = 0; i < isolation->files.len; i++)
        vec_push(&snapshot.files, isolation->files.items[i]);
    vec_push(&isolation->history, snapshot);
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
