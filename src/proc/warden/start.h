/* Starting the program of a request. */
#ifndef PROC_WARDEN_START_H
#define PROC_WARDEN_START_H

#include <sys/types.h>

#include "proc/wire.h"

/* How the processor is shared out. A fork bomb must not keep the warden from its work, which takes microseconds: it
 * runs before all others if it may, and else asks for short turns, which come sooner. Programs run as culprit
 * does. */
typedef struct Priority {
    bool raised;
    int policy, nice; /* culprit's */
} Priority;

void priority_raise(Priority *ret_priority);

typedef struct Start {
    const WireRequest *request;
    const char *program, *dir; /* dir: "" for the current one */
    const char *tmp_dir;       /* what the program shall find as /tmp; "": the real one */
    char *const *argv, *const *env;
    int fds[WIRE_FDS]; /* -1 if not attached */
    bool namespaced;
    Priority priority;
    unsigned other_processes; /* and threads, of everybody, if a limit of processes is set */
    /* What failed, written by the child into the memory it shares with the warden. */
    WireStep failed_step;
    int failed_errno;
} Start;

/* Returns when the child has become the program: its process id, or -1 with the failed step. */
pid_t start_program(Start *start);

#endif
