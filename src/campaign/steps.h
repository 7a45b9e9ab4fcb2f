/* What a campaign can do about each bug that it keeps: the HuntSteps of hunt.h that work on the bug itself.
 *
 * Each loads bug.json, adds what it finds out, and works on the smallest program there is: reduced.c, once reduction has
 * left it. Their order, in which each makes less work for the next:
 *
 *     step_triage_early     crashes, and compilers with passes to switch off: the fingerprint comes before costly work
 *     step_reduce
 *     step_triage           other bugs, which are told apart by what the reduced program uses
 *     step_isolate
 *     step_versions
 */
#ifndef CAMPAIGN_STEPS_H
#define CAMPAIGN_STEPS_H

#include "campaign/hunt.h"

/* Puts the guilty pass and the fingerprint into bug.json. No context. */
bool step_triage_early(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err);
bool step_triage(Runner *runner, const char *bug_dir, int64_t most_ms, void *context,
                 Error *err); /* nothing where that is done */
/* Writes reduced.c, and its commands into bug.json. Five minutes at most: further work is for `culprit reduce`. C only; no
 * context. */
bool step_reduce(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err);
/* Writes suspects.json, and the first files of it into bug.json. Two minutes at most; the context is a Suspects
 * (suspects.h). */
bool step_isolate(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err);
/* Tries the other installed versions; the context is a Versions (versions.h). */
bool step_versions(Runner *runner, const char *bug_dir, int64_t most_ms, void *context, Error *err);

#endif
