/* The files through which culprit and its preloaded library (runtime/trace_preload.c) agree on what to trace.
 *
 * A *plan* is made once per module (executable or library) and level, and cached by build-id: a copy of the module's text
 * with the patches in it, the detours' code, and two tables, each part on pages of its own so that it can be mapped:
 *
 *     header | text pages | stub pages | traps | detours
 *
 * A *log* is made once per worker and zeroed before each run: one page with a TraceLog, then for each module, in the order
 * of CULPRIT_TRACE_PLANS, one byte per unit, rounded up to pages. It is mapped shared, so it outlives any kind of death.
 *
 * Addresses are relative to where the module was loaded (0 for position-dependent programs); they may be negative and
 * are then written as 64-bit two's complement.
 */
#ifndef COVER_TRACE_FORMAT_H
#define COVER_TRACE_FORMAT_H

#include <stdint.h>

#define TRACE_PLAN_MAGIC 0x33656361727463ULL /* "ctrace3" */
#define TRACE_PAGE 4096u
#define TRACE_PAGES(size) (((uint64_t)(size) + TRACE_PAGE - 1) / TRACE_PAGE * TRACE_PAGE)
#define TRACE_MODULES_MAX 8
#define TRACE_BUILD_ID_MAX 64

#define TRACE_ENV_LOG "CULPRIT_TRACE_LOG"     /* path of the log */
#define TRACE_ENV_PLANS "CULPRIT_TRACE_PLANS" /* paths of the plans, separated by colons */

typedef struct TracePlanHeader {
    uint64_t magic;
    uint32_t build_id_size; /* bytes */
    uint8_t build_id[TRACE_BUILD_ID_MAX];
    uint32_t units;
    uint64_t text_address, text_size; /* whole pages */
    uint64_t text_at;                 /* offset in this file; the same for the others */
    uint64_t flags_address;           /* where the module's part of the log is mapped */
    uint64_t stubs_address, stubs_size, stubs_at;
    uint64_t traps_at, detours_at;
    uint32_t trap_count, detour_count;
    /* Memory whose content is cut off from the file it is mapped to when recording stops: the flags that another provider's
     * runtime keeps. Size 0: none. */
    uint64_t freeze_address, freeze_size;
} TracePlanHeader;

/* A breakpoint that stands in the text until it is first reached. By text_offset. */
typedef struct TraceTrap {
    uint32_t text_offset; /* from text_address */
    uint32_t unit;
    uint8_t original; /* the byte it replaced */
    uint8_t stops;    /* the program is about to report its own failure: what follows is not recorded */
    uint8_t zero[2];
} TraceTrap;

/* A jump to a stub: `movb $1, flag`, the displaced instructions, a jump back. By stub_offset; for a program counter inside
 * the displaced instructions the original one is text_address + text_offset + (pc - stub - TRACE_STUB_HEAD). */
typedef struct TraceDetour {
    uint32_t stub_offset; /* from stubs_address */
    uint32_t text_offset;
} TraceDetour;

#define TRACE_STUB_HEAD 7u /* bytes of the movb */

typedef enum TraceFailure {
    TRACE_FAILURE_NONE,
    TRACE_FAILURE_PLAN, /* a plan could not be opened or is none */
    TRACE_FAILURE_MAP,  /* memory could not be mapped where it has to be */
} TraceFailure;

/* First page of the log. */
typedef struct TraceLog {
    uint32_t processes; /* that were traced: had at least one of the modules loaded */
    uint32_t modules;   /* bit i: module i was traced in some process */
    uint32_t failure;   /* TraceFailure */
    uint32_t failure_errno;
    uint32_t stopped; /* a process failed; later ones belong to its report and are not traced */
} TraceLog;

#endif
