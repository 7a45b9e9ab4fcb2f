/* Which installed versions have a bug: the ones that the campaign did not test anyway.
 *
 * Versions remembers what is installed, so that each compiler is asked once in a campaign. Threads share it.
 */
#ifndef CAMPAIGN_VERSIONS_H
#define CAMPAIGN_VERSIONS_H

#include "proc/run.h"

typedef struct Versions Versions;

Versions *versions_new(void);
void versions_free(Versions *versions);
DEFINE_FREEP(Versions, versions_free)

/* Tries the bug with the other installed compilers of its family and adds what they do to `versions` in bug.json. */
bool versions_try(Versions *versions, Runner *runner, const char *bug_dir, Error *err);

#endif
