/* Regions: the nest of single-entry single-exit parts of a function, as LLVM's RegionInfo defines it.
 *
 * A region is a part of the control-flow graph that is entered through one block and left towards one block, its exit, which
 * is no longer part of it. Region 0 is the whole function. Blocks that cannot be reached from the entry are in no region.
 */
#ifndef SEQUENCE_REGIONS_H
#define SEQUENCE_REGIONS_H

#include "base/arena.h"
#include "llvm/graph.h"

#define REGION_NONE UINT32_MAX

typedef struct Region {
    uint32_t entry;
    uint32_t exit;   /* REGION_NONE: the function's return */
    uint32_t parent; /* REGION_NONE: this is the whole function */
    uint32_t depth;  /* 0 for the whole function */
} Region;

typedef struct RegionTree {
    Region *regions; /* parents before children, siblings in the order that LLVM prints */
    uint32_t count;
    uint32_t *of;       /* per block: the innermost region it belongs to, or REGION_NONE */
    uint32_t *idom;     /* per block: its immediate dominator; REGION_NONE for the entry and what it does not reach */
    bool *loop_entries; /* per block: does a retreating edge of the depth-first tree end here? */
} RegionTree;

/* Lives in the arena. The function must have blocks. */
void region_tree_build(const IrFunction *function, Arena *arena, RegionTree *ret_tree);

static inline uint32_t region_depth(const RegionTree *tree, uint32_t block) {
    return tree->of[block] == REGION_NONE ? 0 : tree->regions[tree->of[block]].depth;
}

#endif
