/* IrGraph: the shape of a module of LLVM IR: its functions, their basic blocks as sequences of opcodes, the edges between
 * blocks and the calls between functions. No operands, no types, no values.
 *
 *     IrGraphReader reader = {.runner = runner, .libllvm = "/usr/lib/llvm-14/lib/libLLVM-14.so.1"};
 *     IrGraph graph = {0};
 *     if (!ir_graph_read(&reader, "test.bc", &graph, err)) …
 *     ir_graph_release(&graph);
 *
 * The module, text or bitcode, is parsed by a small program of its own (runtime/graph.c) inside the libLLVM named: one that
 * crashes, hangs or eats memory is an Error here. What the program prints is not trusted either: every number is checked,
 * so that users of a graph may rely on successors being blocks and callees being functions.
 */
#ifndef LLVM_GRAPH_H
#define LLVM_GRAPH_H

#include "base/arena.h"
#include "base/error.h"
#include "proc/run.h"

#define IR_OPCODES 128             /* opcodes are LLVMOpcode's numbers, the same in every version, and below this */
#define IR_CALL_UNKNOWN UINT32_MAX /* a callee that is no function by name: a pointer, an alias, inline assembly */

typedef struct IrBlock {
    const char *name; /* "" where the compiler discarded names */
    const uint8_t *opcodes;
    uint32_t opcode_count;
    const uint32_t *successors; /* blocks of the same function; a block may stand there twice */
    uint32_t successor_count;
} IrBlock;

typedef struct IrFunction {
    const char *name;
    const IrBlock *blocks; /* the entry first */
    uint32_t block_count;  /* 0: only declared */
    const uint32_t
        *calls; /* callees in the order of the call instructions, functions of the graph or IR_CALL_UNKNOWN */
    uint32_t call_count;
} IrFunction;

typedef struct IrGraph {
    Arena arena; /* of all of it */
    const IrFunction *functions;
    uint32_t function_count;
} IrGraph;

typedef struct IrGraphReader {
    Runner *runner;
    const char *libllvm;   /* the path of a libLLVM, 14 or later, that can read the module's version */
    int64_t wall_ms;       /* 0: one minute */
    uint64_t memory_bytes; /* 0: 2 GiB */
} IrGraphReader;

bool ir_graph_read(const IrGraphReader *reader, const char *module, IrGraph *ret_graph, Error *err);
/* What the program prints, for tests: see graph.c for the format. */
bool ir_graph_decode(const void *bytes, size_t len, IrGraph *ret_graph, Error *err);
void ir_graph_release(IrGraph *graph);

const char *ir_opcode_name(uint8_t opcode); /* "load", "br", …; "unknown" for numbers that LLVM did not use yet */

#endif
