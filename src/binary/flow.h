/* Which code must have run when a flag of a sancov build is set?
 *
 * Flags stand at the starts of some basic blocks only. A Flow answers, for one flag, with the address ranges of all
 * blocks that every run through it executes.
 */
#ifndef BINARY_FLOW_H
#define BINARY_FLOW_H

#include "base/error.h"
#include "binary/debug_info.h"

typedef struct CodeRange {
    uint64_t from, to;
} CodeRange;

typedef struct Flow {
    Vec(CodeRange) ranges;
    Vec(uint32_t) starts;     /* for each flag, and one more: where its ranges start */
    Vec(uint32_t) dominators; /* for each flag: the nearest one that is set whenever it is, or FLOW_NONE */
} Flow;

#define FLOW_NONE UINT32_MAX

/* `pcs` are the addresses of the flagged blocks, in any order; the answer is in the same order. */
bool flow_read(const char *path, const DebugInfo *info, const uint64_t *pcs, size_t count, Flow *ret_flow, Error *err);
void flow_release(Flow *flow);

#endif
