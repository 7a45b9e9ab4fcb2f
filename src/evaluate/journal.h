/* The journal of an isolation benchmark: one line of JSON for each run, and what a run measured.
 *
 * Runs are told apart by bug, method, seed and terms, so that one file can hold those of other time limits, settings and
 * subjects without mixing them. A line also has what a reader needs to judge it by (version, date, load of the machine)
 * and nothing of the bug but its name, so that it can be kept beside the sources and gone on with on another machine.
 */
#ifndef EVALUATE_JOURNAL_H
#define EVALUATE_JOURNAL_H

#include "base/json.h"
#include "base/map.h"
#include "base/vec.h"
#include "evaluate/metrics.h"

/* What runs must share to be compared. */
typedef struct BenchTerms {
    const char *subject;
    const char *options; /* of `culprit bench`: "--time 600s -j2" */
} BenchTerms;

/* One run; texts belong to the journal. */
typedef struct BenchRun {
    const char *bug, *method;
    uint64_t seed;
    BenchTerms terms;
    const char *family;               /* of the subject's compiler, "" if not noted */
    const char *version, *note, *day; /* of culprit; what the user wanted noted; "2026-11-18" */
    double load;                      /* of the machine in the run's last minute, its own workers included */
    const char *skipped;              /* why the bug cannot be isolated; NULL: it was */
    const char *failed;               /* why the machine could not; NULL: it could */
    bool measured, has_functions;
    bool exhausted; /* it ended before its limits, with nothing new left to try */
    BugRank files, other_aggregation, without_fakes, functions;
    double mutants_per_minute, witnesses_per_minute, similarity, diversity, least_distance;
    int64_t tested, witnesses, covered_files;
} BenchRun;

/* Rows by terms, bug, method and seed; zeroed is empty. */
typedef struct Journal {
    Map rows; /* of Json * */
} Journal;

/* A last line that a kill cut off is ignored; so are failures of the machine, which are tried again. No path, or no such
 * file: empty. */
bool journal_read(const char *path, Journal *ret_journal, Error *err);
void journal_release(Journal *journal);
/* Takes the row, which has terms, bug, method and seed; appends it to the file, if there is one. */
bool journal_add_take(Journal *journal, const char *path, Json *row, Error *err);

bool journal_find(const Journal *journal, BenchTerms terms, const char *bug, const char *method, uint64_t seed,
                  BenchRun *ret_run);
bool terms_equal(BenchTerms a, BenchTerms b);
BenchRun journal_run(const Journal *journal, size_t i); /* in the order of the file */

void journal_put_rank(Json *row, const char *name, BugRank rank);
/* A table with a header line, for spreadsheets and R: one line for each run. */
void journal_csv(const Journal *journal, Str *ret_text);

#endif
