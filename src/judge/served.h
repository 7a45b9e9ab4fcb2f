/* A bug of opt inside LLVM's own process: the oracle's questions at the price of a fork.
 *
 * The bug's module lies on a workbench (llvm/workbench.h); what a pipeline makes of it, or of an edit of it, is turned
 * into the Execution that opt, the code generator and the program would have given, and compared by judge/failure, as
 * the oracle does. Other than the oracle it does not ask pass_cmd of a failure of opt, for which the module has to be
 * valid only, and takes the module as it is for the reference of wrong code. So its answers are for searches: who
 * reports something asks the oracle again.
 *
 *     ServedBug *served = served_open(runner, &bug, err);         NULL: no libLLVM, or the bug does not show in it
 *     served_ask(served, &(Attempt){.passes = "sroa"}, &shows, err);
 */
#ifndef JUDGE_SERVED_H
#define JUDGE_SERVED_H

#include "bug/bug.h"
#include "judge/failure.h"
#include "llvm/workbench.h"

typedef struct ServedBug ServedBug;

/* front_cmd is run, if there is one. */
ServedBug *served_open(Runner *runner, const Bug *bug, Error *err);
void served_close(ServedBug *served);
DEFINE_FREEP(ServedBug, served_close)

/* Does the bug show? Passes NULL: the bug's own; the attempt's level is not looked at. */
bool served_ask(ServedBug *served, const Attempt *attempt, bool *ret_shows, Error *err);
/* The same bug on another module, text or bitcode; what must show is not learnt anew. */
bool served_load(ServedBug *served, const char *module, Error *err);
Workbench *served_bench(ServedBug *served);

/* What opt, the code generator and the program would have done. */
void served_execution(const ServerResult *result, Execution *ret_execution);

#endif
