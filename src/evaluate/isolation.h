/* The isolation benchmark: methods over a bug set with known answers.
 *
 * Every (bug, method, seed) is one run; its outcome is one line of JSON in the journal, so that a benchmark which was
 * stopped goes on where it was, and so that its table can be printed again where neither bugs nor subject are. Runs
 * are taken in rounds: all methods on one bug with one seed, then the next bug, then the next seed. Only complete rounds
 * are summed up: however long a benchmark has been running, its methods are compared on the same bugs. The answers are looked at after a ranking is complete, never before. Bugs that cannot
 * be isolated (they do not fail with this subject, or have no reference) are counted with the reason. Failures of the
 * machine are no answer: they are noted, and tried again when the benchmark goes on.
 */
#ifndef EVALUATE_ISOLATION_H
#define EVALUATE_ISOLATION_H

#include "evaluate/compare.h"
#include "evaluate/journal.h"
#include "isolate/isolate.h"

typedef struct BenchOptions {
    const StrList *methods;
    size_t repeat;          /* seeds per bug and method */
    IsolateOptions isolate; /* method and seed are set for each run */
    const char *journal;    /* NULL: none */
    const char *note;       /* to be kept with every run; NULL: none */
} BenchOptions;

typedef struct MethodResult {
    const Method *method;
    Metrics files;             /* fakes kept */
    Metrics without_fakes;     /* fakes dropped */
    Metrics other_aggregation; /* geometric if the method takes the mean, and the other way round */
    Metrics functions;         /* of bugs whose answer names functions of this compiler */
    double mutants_per_minute, witnesses_per_minute; /* means over runs */
    double similarity, diversity, least_distance;    /* as in IsolateStatistics */
    Vec(double) similarities, diversities;           /* of each run */
    Vec(Metrics) seeds;                              /* of files, one for each repeat: the spread */
    size_t runs, runs_without_witness, runs_exhausted;
    size_t runs_failed; /* through no fault of the bug: a second call tries them again */
} MethodResult;

enum { BASELINE_PRIOR, BASELINE_PASS, BASELINES }; /* see compare.h */

typedef struct BaselineResult {
    const char *name;
    Metrics files;
} BaselineResult;

typedef struct SkippedBug {
    char *id, *reason;
} SkippedBug;

typedef struct BenchResult {
    CompilerFamily family; /* of the subject: FAMILY_GCC, FAMILY_CLANG (LLVM), else FAMILY_OTHER */
    Vec(MethodResult) methods;
    BaselineResult baselines[BASELINES];
    StrList ids;                 /* of the bugs that have an answer */
    Contenders files, functions; /* methods, then (files only) baselines; ranks of these bugs */
    Vec(Comparison) comparisons, function_comparisons;
    Vec(SkippedBug) skipped;
    size_t bugs;       /* that were measured */
    size_t incomplete; /* rounds that some methods have been through and others not */
    Str left_out;      /* methods of a journal with too few runs to be compared, and how many: "dev (2)" */
    Str terms,
        source; /* "--subject gcc-11 --time 60s -j2"; which versions made the runs of the journal, when, at which load */
    bool interrupted;
    Str csv; /* one line for each run of the journal */
} BenchResult;

bool bench_isolation(const StrList *bug_dirs, Cover *cover, const BenchOptions *options, Console *console,
                     BenchResult *ret_result, Error *err);
/* The same from a journal alone, one result for each of the terms that its runs have; no baselines, which need the bugs.
 * `wanted`: methods to compare; empty: those that have been through at least half as
 * many rounds as any other. */
typedef Vec(BenchResult) BenchResults;
bool bench_journal(const char *journal, const StrList *wanted, BenchResults *ret_results, Error *err);
void bench_results_release(BenchResults *results);
void bench_result_release(BenchResult *result);
Json *bench_result_json(const BenchResult *result);
/* A table for people; with the papers' figures for compilers of the family below ours. */
void bench_result_table(const BenchResult *result, size_t width, bool color, Str *ret_text);

#endif
