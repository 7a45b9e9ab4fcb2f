/* Patches: how a module's text is changed so that it tells which places it passed. See trace_patch.c for the two kinds.
 *
 * A site is the address of an instruction; site i is unit i of the module.
 */
#ifndef COVER_TRACE_PATCH_H
#define COVER_TRACE_PATCH_H

#include "base/str.h"
#include "binary/x86.h"
#include "cover/trace_format.h"

typedef enum TraceLevel {
    TRACE_FUNCTIONS,
    TRACE_BLOCKS,
    TRACE_REPORTERS, /* only functions that report a failure of the program itself; needs nothing decoded */
} TraceLevel;

typedef Vec(uint64_t) TraceSites;

typedef struct TracePatch {
    TraceSites sites;      /* ascending */
    uint64_t text_address; /* of `text`, at a page boundary */
    Str text;              /* whole pages, patched */
    uint64_t flags_address;
    uint64_t stubs_address;
    Str stubs;
    Vec(TraceTrap) traps;
    Vec(TraceDetour) detours;
    uint64_t freeze_address, freeze_size; /* see TracePlanHeader; set by the caller */
} TracePatch;

bool trace_patch_make(const X86Code *code, TraceLevel level, TracePatch *ret_patch, Error *err);
void trace_patch_release(TracePatch *patch);

/* Writes the plan file. */
bool trace_patch_write(const TracePatch *patch, const ElfModule *module, const char *path, Error *err);

#endif
