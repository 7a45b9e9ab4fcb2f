/* Explain: what can be found out about one bug, the same for hunts and for the single commands.
 *
 *     versions_try          which installed compilers have it          (versions.h)
 *     explain_triage        guilty transformation, fingerprint
 *     explain_reduce        a small program, with reduce_keep
 *     explain_suspects      source files of the compiler, from an isolation
 *     explain_publish       scripts and report.md say what the bug does
 *     explain_tell_store    the campaign's list of bugs too
 *
 * A bug is loaded once and handed from one to the next. Each works on the smallest program there is and records what it
 * finds in the Bug, which the caller saves (bug_save). steps.h is what hunts make of it.
 */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "isolate/isolate.h"
#include "reduce/reduce.h"
#include "store/store.h"
#include "triage/triage.h"

bool explain_triage(Runner *runner, Bug *bug, const TriageOptions *options, Arena *arena, TriageFinding *ret_finding,
                    Error *err);

/* Goes on where an earlier reduction was stopped; sizes and time count from its start. Records nothing: reduce_keep does. */
bool explain_reduce(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err);

/* Isolation with all that can be known before it, if the method takes it (briefing.h). Everything else is as in isolate(). */
bool explain_isolate(Runner *runner, const Bug *bug, Cover *cover, const IsolateOptions *options, Console *console,
                     Isolation *ret_isolation, bool *ret_unfit, Error *err);

/* Records the most suspicious files of an isolation, and all of it in suspects.json. `stopped`: it would have gone on. */
bool explain_suspects(Bug *bug, const Isolation *isolation, const Subject *subject, const IsolateOptions *options,
                      bool stopped, Error *err);

/* Writes repro-reduced.sh, if there is a reduced program, and report.md anew, if the directory has one. */
bool explain_publish(const Bug *bug, Error *err);

/* Records in the campaign's store what is known about the bug's directory. */
bool explain_record(Store *store, const Bug *bug, Error *err);
/* For work outside of a hunt: the same for the campaign around the bug, if there is one and no hunt works on it. */
bool explain_tell_store(const Bug *bug, Error *err);

#endif
