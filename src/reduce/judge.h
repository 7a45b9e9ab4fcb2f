/* Judge: is a text still the same bug? The interestingness test, made from the verdict, asked in parallel.
 *
 * A text is interesting when it parses no worse than the original (implicit declarations and their like count as
 * errors), the failing command still shows the bug (same kind, same signature), and, where the bug is in what a program
 * does, the guards find no undefined behaviour. Answers are kept by content. Candidates are tested ahead of need on all
 * workers, but the first interesting one in their order wins, so that the result does not depend on the number of
 * workers.
 */
#ifndef REDUCE_JUDGE_H
#define REDUCE_JUDGE_H

#include "reduce/reduce.h"

typedef struct Judge Judge;

/* The bug's sources are read from its directory. */
Judge *judge_new(const Bug *bug, const ReduceOptions *options, Error *err);
void judge_free(Judge *judge);
DEFINE_FREEP(Judge, judge_free)

/* Is the program as it stands the bug? To be asked first: it tells how long programs may run, and what goes wrong. */
bool judge_original(Judge *judge, bool *ret_interesting, const char **ret_why, Error *err);

/* Candidates stand for one file of the program, the first at the start, while the others stay as they are. */
size_t judge_file_count(const Judge *judge);
void judge_focus(Judge *judge, size_t file);
const char *judge_name(const Judge *judge); /* of that file, and its text */
const char *judge_text(const Judge *judge, size_t *ret_len);
void judge_set_text(Judge *judge, const Str *text);
const Program *judge_program(const Judge *judge); /* all files as they are now */

/* Writes the candidate with that number, or nothing to pass over it; false where there are no more. Candidates are asked
 * for once, in order. */
typedef bool JudgeCandidate(void *context, size_t number, Str *ret_text);

/* *ret_found is false where no candidate is interesting, or the user or the clock stopped the search. */
bool judge_first(Judge *judge, JudgeCandidate *candidate, void *context, size_t *ret_number, Str *ret_text,
                 bool *ret_found, Error *err);
/* One text alone; *ret_why (may be NULL) says what is wrong with it, until the next call. */
bool judge_one(Judge *judge, const char *text, size_t len, bool *ret_interesting, const char **ret_why, Error *err);

/* Asks every guard by itself, as `culprit check` does: builds that serve several guards may let something escape. Where
 * that is so, all further candidates are asked like this. */
bool judge_verify(Judge *judge, const Str *text, bool *ret_sound, Error *err);

/* Appends a shell script that asks the same of the file in the directory it runs in. */
void judge_script(const Judge *judge, Str *ret_script);

/* Whether candidates are tested after the end too: for what makes the result good to read. */
void judge_overtime(Judge *judge, bool allowed);
bool judge_stopped(Judge *judge); /* by the user or the clock */
const ReduceCounts *judge_counts(const Judge *judge);
/* Compiles and runs a text with the bug's pass_cmd and gives what it wrote to standard error; *ret_ran is false where it
 * did not end well. For looking at values; the text need not be interesting. */
bool judge_run_reference(Judge *judge, const char *text, size_t len, Str *ret_messages, bool *ret_ran, Error *err);
/* Compiles and runs the program as it stands with both commands, for those who will read of it. */
bool judge_show(Judge *judge, ReduceOutputs *ret_outputs, Error *err);

#endif
