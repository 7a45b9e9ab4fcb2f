/* Reduction: shrink a failing program to what a compiler developer can read, keeping the same bug.
 *
 *     ReduceResult result = {0};
 *     if (reduce_bug(&bug, &options, &result, err) && reduce_keep(&bug, &result, err)) bug_save(&bug, err);
 */
#ifndef REDUCE_REDUCE_H
#define REDUCE_REDUCE_H

#include "base/console.h"
#include "bug/bug.h"
#include "judge/guard.h"

typedef struct ReduceOptions {
    size_t jobs;      /* 0: one */
    unsigned guards;  /* GUARD_BITs for wrong code; 0: GUARDS_DEFAULT */
    bool no_guards;   /* trust the program whatever becomes of it */
    int64_t time_ms;  /* 0: until nothing is left to remove */
    Console *console; /* may be NULL */
    const char *with; /* "cvise" or "creduce" with the same test; NULL: our own passes */
} ReduceOptions;

typedef struct ReduceCounts {
    uint64_t tries;    /* candidates asked for */
    uint64_t known;    /* answered from earlier answers */
    uint64_t unparsed; /* refused by the parser, no compiler run */
    uint64_t tested;   /* by compilers */
    uint64_t guarded;  /* refused by a guard */
    uint64_t accepted;
} ReduceCounts;

/* What the compiler and the two programs say in the end, each with how it ended if that was not well. */
typedef struct ReduceOutputs {
    Str messages;         /* of the failing compiler */
    Str actual, expected; /* "" if nothing is run */
} ReduceOutputs;

typedef struct ReduceResult {
    Program program; /* one file, or several if the bug shows only in separate ones */
    Bug bug;         /* what `program` is for: its commands name the new files; its directory is gone */
    /* Bugs of opt: how many passes its command had and has; 0: none. If `program` is a module that came from another
     * program, that one too, with what makes a module of it. */
    size_t passes_before, passes_after;
    Program source;
    StrList source_cmd;
    size_t tokens_before, tokens_after;
    size_t bytes_before, bytes_after;
    ReduceOutputs outputs;
    ReduceCounts counts;
    size_t rounds;
    bool stopped;    /* before nothing was left to try */
    int64_t wall_ms; /* that the caller spent on it, in all; recorded with the rest */
} ReduceResult;

/* A C program; a bug of opt has its passes reduced first, then its C program if there is one, then, if opt itself or the
 * code generator fails, the module. */
bool reduce_bug(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err);
void reduce_result_release(ReduceResult *result);

/* Writes the program into the bug's directory (reduced.c; a folder `reduced` if there are several files), and records in
 * `bug`, to be saved by the caller, what it is and how it is compiled. */
bool reduce_keep(Bug *bug, const ReduceResult *result, Error *err);

/* Is the text, in place of the bug's (first) source, still the same bug? ret_why says what is wrong if it is not. */
bool reduce_test(const Bug *bug, const ReduceOptions *options, const Str *text, bool *ret_interesting, Str *ret_why,
                 Error *err);

/* For other reducers: writes the program, ready to be reduced, and a script test.sh that exits 0 in a directory where
 * that file still shows the bug. Appends the file's name. */
bool reduce_export(const Bug *bug, const ReduceOptions *options, const char *dir, Str *ret_name, Error *err);

/* Tokens of a text, preprocessor directives included. */
size_t reduce_count_tokens(const char *text, size_t len);

#endif
