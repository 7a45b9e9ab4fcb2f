/* Scratch directories: on tmpfs if there is room, removed when done, and swept at the next start after a SIGKILL.
 *
 * Their names carry the owner's process id and start time, so that a sweep removes only what no living process owns.
 */
#ifndef PROC_SCRATCH_H
#define PROC_SCRATCH_H

#include "base/error.h"

typedef struct Scratch {
    char *path; /* NULL if none was made */
    int lock;   /* held while the owner lives */
} Scratch;

bool scratch_new(Scratch *ret_scratch, Error *err); /* under $CULPRIT_SCRATCH, else /dev/shm, else $TMPDIR, else /tmp */
bool scratch_empty(Scratch *scratch, Error *err);   /* removes its content */
void scratch_release(Scratch *scratch);
size_t scratch_sweep(void); /* removes directories of dead owners; returns how many */

#endif
