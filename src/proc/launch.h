/* Launching: a program that outlives us, such as the user's browser. For everything else see run.h. */
#ifndef PROC_LAUNCH_H
#define PROC_LAUNCH_H

#include "base/error.h"

/* Starts it in a session of its own, without our standard input and output, and does not wait for it. */
bool launch_detached(const char *const *argv, Error *err);

#endif
