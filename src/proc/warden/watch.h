/* Watching a running tree for the limits that the kernel does not enforce: wall-clock time, and CPU time, memory and
 * number of processes of the whole tree, also for root and for sanitized programs. */
#ifndef PROC_WARDEN_WATCH_H
#define PROC_WARDEN_WATCH_H

#include "proc/run.h"
#include "proc/warden/process_tree.h"

/* What is known of the machine, from run to run. */
typedef struct Machine {
    int64_t processors;
    int64_t look_cost_us; /* of the last look at a tree */
} Machine;

typedef struct Watch {
    const ProcLimits *limits;
    int64_t started_us, ends_us; /* INT64_MAX here and below: never */
    int64_t look_us;             /* when to look at the tree again */
    Machine *machine;
    int64_t count_us, count_interval_us; /* when to count processes again */
    unsigned other_processes;            /* and threads, of the machine, not of the tree; 0 if nobody asks */
} Watch;

int64_t watch_now_us(void);
Machine machine_now(void);
void watch_start(Watch *watch, const ProcLimits *limits, Machine *machine);
int64_t watch_wait_us(const Watch *watch); /* how long the next look may wait; -1: for ever */
/* Does what is due; the limit that is exceeded. */
ProcLimit watch_look(Watch *watch, Tree *tree, const TreeDead *dead);
/* The limit that explains how the program ended by itself. */
ProcLimit watch_explain(const ProcLimits *limits, const TreeDead *dead);

#endif
