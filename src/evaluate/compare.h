/* Contenders side by side: methods and baselines, their rank on each bug, and whether their differences mean anything.
 *
 * Two contenders are compared on the bugs that both have, by Wilcoxon's signed-rank test on the rank of the first guilty file
 * (or function), as DiWi does. Baselines are what every method must beat:
 *
 *     static prior    the file most often fixed in the set, the bug's own report left out
 *     pass's file     the source file of the pass that triage names, on bugs where it names one
 */
#ifndef EVALUATE_COMPARE_H
#define EVALUATE_COMPARE_H

#include "base/json.h"
#include "base/vec.h"
#include "bug/bug.h"
#include "evaluate/metrics.h"
#include "evaluate/statistics.h"
#include "triage/pass_file.h"

/* Ranks of the first guilty file by bug; NaN where a contender has none. */
typedef struct Contender {
    const char *name;
    Vec(double) ranks; /* one for each bug, in one order for all contenders */
} Contender;

typedef Vec(Contender) Contenders;

typedef struct Comparison {
    const char *a, *b;
    size_t pairs;              /* bugs that both have */
    double a_median, b_median; /* of the ranks */
    RankTest test;
} Comparison;

void contenders_release(Contenders *contenders);
Comparison compare(const Contender *a, const Contender *b);
/* "fusion before static prior: p = 0.004 (41 bugs, median rank 2 and 14)" */
void comparison_text(const Comparison *comparison, Str *ret_text);
Json *comparison_json(const Comparison *comparison);

/* The report that a bug of a set is from: "pr100499" of "gcc11-pr100499-3", which other versions and cases share; else its id. */
void bug_report_of(const char *id, Str *ret_report);
/* `bugs` are those with known answers; *ret_rank is of bugs[which]. Files that the prior does not know stand behind all
 * `files` of the compiler. False if no other bug of this compiler has an answer. */
bool prior_rank(const Bug *bugs, size_t count, size_t which, size_t files, BugRank *ret_rank);
/* False if triage named no pass, or its file is not known. */
bool pass_rank(const Bug *bug, const PassFiles *pass_files, size_t files, BugRank *ret_rank);

#endif
