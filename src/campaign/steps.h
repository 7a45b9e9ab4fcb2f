/* What a campaign can do about each bug that it keeps: the HuntSteps of hunt.h that work on the bug itself. */
#ifndef CAMPAIGN_STEPS_H
#define CAMPAIGN_STEPS_H

#include "campaign/hunt.h"

/* Writes reduced.c. Five minutes at most: further work is for `culprit reduce`. No context. */
bool step_reduce(Runner *runner, const char *bug_dir, void *context, Error *err);
/* Puts the guilty pass and the fingerprint into bug.json. No context. */
bool step_triage(Runner *runner, const char *bug_dir, void *context, Error *err);
/* Tries the other installed versions; the context is a Versions (versions.h). */
bool step_versions(Runner *runner, const char *bug_dir, void *context, Error *err);

#endif
