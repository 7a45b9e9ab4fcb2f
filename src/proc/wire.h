/* Wire: what a Runner and its warden say to each other.
 *
 * They share a SOCK_SEQPACKET pair, so that every message arrives whole, whichever thread sent it. The texts of a
 * request (program, directory, its /tmp, arguments, environment) can be megabytes: they stand in a shared memory file, one after
 * the other, each with its NUL. Standard output and error come through two pipes that live as long as the runner:
 * nothing of a tree survives its run, so what is in a pipe when the report arrives is all there will be.
 */
#ifndef PROC_WIRE_H
#define PROC_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "proc/run.h"

/* The descriptors a warden is born with. */
enum {
    WIRE_FD_LINK = 3, /* the socket */
    WIRE_FD_OWNER,    /* a pidfd of culprit, readable once culprit is dead; never if there are no pidfds */
    WIRE_FD_OUT,      /* write ends of the pipes */
    WIRE_FD_ERR,
    WIRE_FD_TEXT, /* the memory file */
    WIRE_FD_END,
};

/* Descriptors that come with a request, in this order. */
typedef enum WireFd { WIRE_INPUT, WIRE_OUT_FILE, WIRE_ERR_FILE, WIRE_RULESET, WIRE_FDS } WireFd;

typedef struct WireRequest {
    uint32_t argc, envc;
    uint64_t text_len;
    bool fds[WIRE_FDS]; /* which ones are attached */
    bool merge_output, no_randomisation, no_network;
    ProcLimits limits;
} WireRequest;

typedef enum WireKind { WIRE_RUN, WIRE_STRIKE } WireKind;

/* To the warden. A strike ends the run of that number; one that comes too late is ignored. */
typedef struct WireOrder {
    WireKind kind;
    uint32_t run;
    union {
        WireRequest request;
        ProcLimit strike;
    };
} WireOrder;

/* What a child does before it becomes the program: the sentence for a failure depends on it. */
typedef enum WireStep { WIRE_STEP_NONE, WIRE_STEP_FORK, WIRE_STEP_DIR, WIRE_STEP_CONFINE, WIRE_STEP_EXEC } WireStep;

/* From the warden. */
typedef struct WireReport {
    uint32_t run;
    WireStep failed_step; /* WIRE_STEP_NONE: it ran */
    int failed_errno;
    int status; /* as of wait */
    ProcLimit limit;
    bool left_processes;
    int64_t wall_us, user_us, system_us;
    uint64_t peak_bytes;
} WireReport;

/* Count up when messages change their meaning; a change of size shows by itself. */
#define WIRE_PROTOCOL ((uint64_t)2 << 32 | sizeof(WireOrder) << 16 | sizeof(WireReport))

/* The warden's first words. */
typedef struct WireHello {
    uint64_t protocol;
    bool namespaced;        /* it is process 1 of a PID namespace */
    bool can_fix_addresses; /* randomisation can be switched off */
} WireHello;

#endif
