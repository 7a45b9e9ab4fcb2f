/* The interestingness test: is a text still the same bug? Made from the verdict, asked in parallel.
 *
 * A text is interesting if it parses no worse than the original (implicit declarations and their like count as errors),
 * the failing command still shows the bug (same kind, same signature), and, if the bug is in what a program does, the
 * guards find no undefined behaviour. Answers are kept by content. Candidates are tested ahead of need on all workers,
 * but the first interesting one in their order wins, so that the result does not depend on the number of workers.
 */
#ifndef REDUCE_INTERESTING_H
#define REDUCE_INTERESTING_H

#include "reduce/reduce.h"

typedef struct Interestingness Interestingness;

/* The bug's sources are read from its directory. */
Interestingness *interesting_new(const Bug *bug, const ReduceOptions *options, Error *err);
void interesting_free(Interestingness *test);
DEFINE_FREEP(Interestingness, interesting_free)

/* Is the program as it stands the bug? To be asked first: it tells how long programs may run, and what goes wrong. */
bool interesting_original(Interestingness *test, bool *ret_interesting, const char **ret_why, Error *err);

/* Candidates stand for one file of the program, the first at the start, while the others stay as they are. */
size_t interesting_file_count(const Interestingness *test);
void interesting_focus(Interestingness *test, size_t file);
const char *interesting_file_name(const Interestingness *test); /* of that file, and its text */
const char *interesting_text(const Interestingness *test, size_t *ret_len);
void interesting_set_text(Interestingness *test, const Str *text);
const Program *interesting_program(const Interestingness *test); /* all files as they are now */

/* Writes the candidate with that number, or nothing to pass over it; false if there are no more. Candidates are asked
 * for once, in order. */
typedef bool MakeCandidate(void *context, size_t number, Str *ret_text);

/* *ret_found is false if no candidate is interesting, or the user or the clock stopped the search. */
bool interesting_first(Interestingness *test, MakeCandidate *make, void *context, size_t *ret_number, Str *ret_text,
                       bool *ret_found, Error *err);
/* One text alone; *ret_why (may be NULL) says what is wrong with it, until the next call. */
bool interesting_one(Interestingness *test, const char *text, size_t len, bool *ret_interesting, const char **ret_why,
                     Error *err);

/* Asks every guard by itself, as `culprit check` does: builds that serve several guards may let something escape. If
 * one did, all further candidates are asked like this. */
bool interesting_verify(Interestingness *test, const Str *text, bool *ret_sound, Error *err);

/* Appends a shell script that asks the same of the file in the directory it runs in. */
void interesting_script(const Interestingness *test, Str *ret_script);

/* Whether candidates are tested after the end too: for what makes the result good to read. */
void interesting_overtime(Interestingness *test, bool allowed);
bool interesting_stopped(const Interestingness *test); /* by the user or the clock */
const ReduceCounts *interesting_counts(const Interestingness *test);
/* Compiles and runs a text with the bug's pass_cmd and gives what it wrote to standard error; *ret_ran is false if it
 * did not end well. For looking at values; the text need not be interesting. */
bool interesting_run_reference(Interestingness *test, const char *text, size_t len, Str *ret_messages, bool *ret_ran,
                               Error *err);
/* Compiles and runs the program as it stands with both commands, for those who will read of it. */
bool interesting_outputs(Interestingness *test, ReduceOutputs *ret_outputs, Error *err);

#endif
