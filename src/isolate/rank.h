/* Ranking: from what the failing and the passing programs covered to suspicious statements, files and functions.
 *
 * A statement is a unit of the subject's table. Only statements that the failing program covers are suspects. Files and functions are groups of statements; what they are called is the
 * caller's business.
 */
#ifndef ISOLATE_RANK_H
#define ISOLATE_RANK_H

#include "base/bitset.h"
#include "base/error.h"
#include "base/vec.h"
#include "isolate/spectrum.h"

typedef enum Formula {
    FORMULA_OCHIAI,
    FORMULA_TARANTULA,
    FORMULA_JACCARD,
    FORMULA_OCHIAI2,
    FORMULA_SBI,
    FORMULA_KULCZYNSKI2,
    FORMULA_OP2,
    FORMULA_D2,
    FORMULA_COUNT,
} Formula;

#define FORMULA_CHOICES "ochiai|tarantula|jaccard|ochiai2|sbi|kulczynski2|op2|d2"

const char *formula_name(Formula formula);
bool formula_parse(const char *name, Formula *ret_formula, Error *err);
/* ef and nf: failing programs that cover the statement or do not; ep and np: passing ones. Always finite. */
double formula_score(Formula formula, double ef, double nf, double ep, double np);

/* Scores of the suspects by the passing runs of one kind; the other statements get 0. */
void rank_statements(Formula formula, const Spectrum *spectrum, WitnessKind kind, double *ret_scores);

typedef struct Ranked {
    uint32_t group;
    double score;
    size_t statements; /* covered by the failing program */
    size_t rank;       /* from 1; tied groups all take the worst rank among them */
} Ranked;

typedef Vec(Ranked) RankedList;

#define RANK_NO_GROUP UINT32_MAX

/* From the scores of a group's statements to the group's. */
typedef enum Aggregation {
    AGGREGATE_MEAN,      /* the papers' Formula 11 */
    AGGREGATE_GEOMETRIC, /* the geometric mean of sum and mean: sum / sqrt(n) */
    AGGREGATE_LENGTH,    /* of the vector of the scores: the root of the sum of their squares */
} Aggregation;

#define AGGREGATION_CHOICES "mean|geometric|length"

const char *aggregation_name(Aggregation aggregation);
bool aggregation_parse(const char *name, Aggregation *ret_aggregation, Error *err);

/* The aggregated score of each group's covered statements, best first. Groups with `eligible[group]` false (NULL: none) and
 * groups without covered statements are left out. */
void rank_groups(const double *scores, const Bitset *failing, const uint32_t *group_of, size_t group_count,
                 const bool *eligible, Aggregation aggregation, RankedList *ret_list);
/* Sorts by score and assigns ranks; for lists that were scored otherwise. */
void rank_sort(RankedList *list);
/* The group's rank, or `missing` if it is not in the list. */
size_t rank_of(const RankedList *list, uint32_t group, size_t missing);

#endif
