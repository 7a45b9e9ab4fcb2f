#include "sequence/features.h"

#include <string.h>

#include "sequence/regions.h"

const char *feature_name(Feature feature) {
    static const char *const names[] = {
#define NAME(NAME, name) name,
        FEATURES(NAME)
#undef NAME
    };
    return names[feature];
}

/* By LLVMOpcode's numbers; ir_opcode_name has their names. */
static Feature feature_of_opcode(uint8_t opcode) {
    switch (opcode) {
    case 8:
    case 10:
    case 12: return FEATURE_INTEGER;
    case 14:
    case 15:
    case 17:
    case 18: return FEATURE_DIVISION;
    case 9:
    case 11:
    case 13:
    case 16:
    case 19:
    case 66: return FEATURE_FLOAT;
    case 20:
    case 21:
    case 22:
    case 23:
    case 24:
    case 25: return FEATURE_BITWISE;
    case 42:
    case 43:
    case 46: return FEATURE_COMPARISON;
    case 30:
    case 31:
    case 32:
    case 33:
    case 34:
    case 35:
    case 36:
    case 37:
    case 38:
    case 39:
    case 40:
    case 41:
    case 60: return FEATURE_CONVERSION;
    case 26: return FEATURE_VARIABLE;
    case 27: return FEATURE_LOAD;
    case 28: return FEATURE_STORE;
    case 29: return FEATURE_ADDRESS;
    case 50:
    case 51:
    case 52:
    case 53:
    case 54: return FEATURE_AGGREGATE;
    case 55:
    case 56:
    case 57: return FEATURE_ATOMIC;
    case 2: return FEATURE_BRANCH;
    case 3:
    case 4: return FEATURE_SWITCH;
    default: return FEATURE_OTHER;
    }
}

static void count_function(const IrGraph *graph, const IrFunction *function, float *counts) {
    CLEANUP(arena_release) Arena arena = {0};
    RegionTree tree;
    region_tree_build(function, &arena, &tree);
    counts[FEATURE_FUNCTIONS]++;
    counts[FEATURE_BLOCKS] += (float)function->block_count;
    counts[FEATURE_LARGEST] = MAX_OF(counts[FEATURE_LARGEST], (float)function->block_count);
    counts[FEATURE_REGIONS] += (float)tree.count;
    for (uint32_t r = 0; r < tree.count; r++)
        counts[FEATURE_DEPTH] = MAX_OF(counts[FEATURE_DEPTH], (float)tree.regions[r].depth);
    for (uint32_t c = 0; c < function->call_count; c++) {
        uint32_t callee = function->calls[c];
        bool defined = callee != IR_CALL_UNKNOWN && graph->functions[callee].block_count > 0;
        counts[defined ? FEATURE_CALLS : FEATURE_OUTSIDE_CALLS]++;
    }
    for (uint32_t b = 0; b < function->block_count; b++) {
        counts[FEATURE_EDGES] += (float)function->blocks[b].successor_count;
        counts[FEATURE_LOOPS] += tree.loop_entries[b];
        for (uint32_t i = 0; i < function->blocks[b].opcode_count; i++)
            counts[feature_of_opcode(function->blocks[b].opcodes[i])]++;
    }
}

void features_count(const IrGraph *graph, float ret_features[static FEATURE_COUNT]) {
    memset(ret_features, 0, FEATURE_COUNT * sizeof *ret_features);
    for (uint32_t f = 0; f < graph->function_count; f++)
        if (graph->functions[f].block_count > 0)
            count_function(graph, &graph->functions[f], ret_features);
}

void features_normalise(Vectors *programs) {
    for (size_t c = 0; programs->rows > 0 && c < programs->columns; c++) {
        float least = vectors_row(programs, 0)[c], most = least;
        for (size_t r = 1; r < programs->rows; r++) {
            least = MIN_OF(least, vectors_row(programs, r)[c]);
            most = MAX_OF(most, vectors_row(programs, r)[c]);
        }
        for (size_t r = 0; r < programs->rows; r++) {
            float *value = &vectors_row(programs, r)[c];
            *value = most > least ? (*value - least) / (most - least) : 0;
        }
    }
}
