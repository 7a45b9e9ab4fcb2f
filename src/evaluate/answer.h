/* Where a ranking puts what a bug's fix changed. */
#ifndef EVALUATE_ANSWER_H
#define EVALUATE_ANSWER_H

#include "evaluate/metrics.h"
#include "isolate/isolate.h"

typedef struct Answer {
    const StrList *files, *functions; /* of bug.json */
    bool of_recording;                /* the functions are known to exist, though the table has the suspects' alone */
} Answer;

bool answer_is_ranked(const char *file); /* sources and descriptions are, by their names */
/* Headers do not count; a bug whose fix changed nothing else has no answer. */
bool answer_has_files(const Answer *answer);
BugRank answer_rank_files(const Isolation *isolation, const Answer *answer);
/* Answers may name what this version of the compiler has no function of: new functions, classes, patterns of a description.
 * Nothing could rank them. False if no function is left. */
bool answer_rank_functions(const Isolation *isolation, const Answer *answer, BugRank *ret_rank);

#endif
