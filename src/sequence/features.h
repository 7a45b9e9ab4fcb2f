/* Static features of programs, the simpler alternative to represent.h (CTOS' SPS, after Chen et al.): counts of what a program
 * has, in three groups: language (functions, calls, blocks), operations (opcodes by kind), structure (loops, regions). */
#ifndef SEQUENCE_FEATURES_H
#define SEQUENCE_FEATURES_H

#include "learn/vectors.h"
#include "llvm/graph.h"

/* FEATURE(NAME, name) */
#define FEATURES(FEATURE)                             \
    FEATURE(FUNCTIONS, "functions")                   \
    FEATURE(BLOCKS, "blocks")                         \
    FEATURE(CALLS, "calls of functions defined")      \
    FEATURE(OUTSIDE_CALLS, "calls of others")         \
    FEATURE(INTEGER, "integer arithmetic")            \
    FEATURE(DIVISION, "integer divisions")            \
    FEATURE(FLOAT, "floating-point arithmetic")       \
    FEATURE(BITWISE, "bitwise operations")            \
    FEATURE(COMPARISON, "comparisons and selections") \
    FEATURE(CONVERSION, "conversions")                \
    FEATURE(VARIABLE, "local variables")              \
    FEATURE(LOAD, "loads")                            \
    FEATURE(STORE, "stores")                          \
    FEATURE(ADDRESS, "address computations")          \
    FEATURE(AGGREGATE, "vectors and aggregates")      \
    FEATURE(ATOMIC, "atomic operations")              \
    FEATURE(BRANCH, "branches")                       \
    FEATURE(SWITCH, "switches and computed jumps")    \
    FEATURE(OTHER, "other instructions")              \
    FEATURE(EDGES, "control-flow edges")              \
    FEATURE(LOOPS, "loop entries")                    \
    FEATURE(REGIONS, "regions")                       \
    FEATURE(DEPTH, "depth of the deepest region")     \
    FEATURE(LARGEST, "blocks of the largest function")

typedef enum Feature {
#define MEMBER(NAME, name) FEATURE_##NAME,
    FEATURES(MEMBER)
#undef MEMBER
        FEATURE_COUNT
} Feature;

const char *feature_name(Feature feature);
void features_count(const IrGraph *graph, float ret_features[static FEATURE_COUNT]);
/* Makes every column of a batch, a row per program, run from 0 to 1; one that is the same everywhere becomes 0. */
void features_normalise(Vectors *programs);

#endif
