/* Recordings: the evidence of an isolation in the order in which it came in, so that rankings can be made of it again: by
 * another formula, from its first so many programs, on a machine that has neither the compiler nor the bug.
 *
 *     recording_write(&isolation, &bug, &subject, path, err)        options.record kept the runs
 *     recording_read(path, &recording, err)
 *     recording_replay(&recording, 40, &options, &isolation)        as it was after 40 programs
 *
 * Only what the failing program covers is suspicious, so that runs are recorded over these units alone; the units' names
 * are part of the recording.
 */
#ifndef ISOLATE_RECORDING_H
#define ISOLATE_RECORDING_H

#include "isolate/isolate.h"

typedef struct Recording {
    char *bug, *subject, *method;
    StrList files, functions; /* the answer, if it is known */
    Clues clues;              /* as in Isolation */
    UnitTable units;          /* the suspects */
    SpectrumRuns runs;
} Recording;

bool recording_write(const Isolation *isolation, const Bug *bug, const Subject *subject, const IsolateOptions *options,
                     const char *path, Error *err);
bool recording_read(const char *path, Recording *ret_recording, Error *err);
void recording_release(Recording *recording);

/* How many programs had been tested when the last run came in. */
uint64_t recording_programs(const Recording *recording);
/* The ranking of what had come in after so many programs. The isolation has no texts of witnesses; the recording outlives
 * it. */
void recording_replay(const Recording *recording, uint64_t programs, const IsolateOptions *options,
                      Isolation *ret_isolation);

#endif
