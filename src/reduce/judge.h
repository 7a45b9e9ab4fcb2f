/* Judge: is a text still the same bug? The interestingness test, made from the verdict, asked in parallel.
 *
 * A text is interesting when it parses no worse than the original, the failing command still shows the bug (same kind,
 * same signature), and, where the bug is in what a program does, the guards find no undefined behaviour. Answers are
 * kept by content. Candidates are tested ahead of need on all workers, but the first interesting one in their order wins,
 * so that the result does not depend on the number of workers.
 */
#ifndef REDUCE_JUDGE_H
#define REDUCE_JUDGE_H

#include "reduce/reduce.h"

typedef struct Judge Judge;

Judge *judge_new(const Bug *bug, const ReduceOptions *options, Error *err);
void judge_free(Judge *judge);
DEFINE_FREEP(Judge, judge_free)

/* Writes the candidate with that number, or nothing to pass over it; false where there are no more. Candidates are asked
 * for once, in order. */
typedef bool JudgeCandidate(void *context, size_t number, Str *ret_text);

/* *ret_found is false where no candidate is interesting, or the user or the clock stopped the search. */
bool judge_first(Judge *judge, JudgeCandidate *candidate, void *context, size_t *ret_number, Str *ret_text,
                 bool *ret_found, Error *err);
/* One text alone; *ret_why (may be NULL) says what is wrong with it, until the next call. */
bool judge_one(Judge *judge, const char *text, size_t len, bool *ret_interesting, const char **ret_why, Error *err);

bool judge_stopped(Judge *judge); /* by the user or the clock */
const ReduceCounts *judge_counts(const Judge *judge);
/* Compiles and runs a text with the bug's pass_cmd and gives what it wrote to standard error; *ret_ran is false where it
 * did not end well. For looking at values; the text need not be interesting. */
bool judge_run_reference(Judge *judge, const char *text, size_t len, Str *ret_messages, bool *ret_ran, Error *err);

#endif
