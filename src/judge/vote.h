/* Voting: which of the configurations that ran one program are wrong? */
#ifndef JUDGE_VOTE_H
#define JUDGE_VOTE_H

#include "judge/failure.h"

/* Marks wrong code among the executions of one program that ran: against the expectation (may be NULL), else the
 * strict majority of configurations, else the same compiler's -O0, else (BASIS_NONE) whatever differs from the
 * commonest answer. A crash is an answer too: a program that most configurations abort is nobody's bug. A time-out
 * stays one only where all others were much faster; otherwise the program is merely slow and the execution says
 * nothing (VERDICT_OK). Answers agree within `tolerance`, as in run_difference; the expectation has its own. */
void vote(Execution *executions, size_t count, const Expectation *expectation, double tolerance);

#endif
