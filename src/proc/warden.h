/* The warden process of a Runner, seen from culprit: its birth, its descriptors, its end. */
#ifndef PROC_WARDEN_H
#define PROC_WARDEN_H

#include <sys/types.h>

#include "proc/wire.h"

typedef struct Warden {
    pid_t pid;
    int link, out, err, text; /* the socket, read ends of the pipes, the memory file */
    WireHello hello;
} Warden;

bool warden_start(Warden *ret_warden, Error *err);
void warden_stop(Warden *warden); /* it kills what runs */

#endif
