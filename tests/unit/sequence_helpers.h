/* What the tests of src/sequence share: an LLVM, and modules made from C. */
#ifndef TESTS_SEQUENCE_HELPERS_H
#define TESTS_SEQUENCE_HELPERS_H

#include <glob.h>

#include "bench.h"
#include "llvm/graph.h"
#include "llvm/server.h"

/* The newest file that matches, or NULL; caller frees. */
static inline char *find_file(const char *pattern) {
    glob_t found;
    char *path = glob(pattern, 0, NULL, &found) == 0 ? mem_strdup(found.gl_pathv[found.gl_pathc - 1]) : NULL;
    globfree(&found);
    return path;
}

/* The library of one version of LLVM, or NULL; caller frees. */
static inline char *find_libllvm(int version) {
    char opt[64], number[16];
    Str path = {0};
    snprintf(opt, sizeof opt, "/usr/lib/llvm-%d/bin/opt", version);
    snprintf(number, sizeof number, "%d", version);
    return server_find_library(opt, number, &path, NULL) ? str_detach(&path) : NULL;
}

/* Compiles test.c to NAME as the sequences' programs are compiled, with the names of blocks. */
static inline void bench_compile(Bench *bench, const char *name) {
    char command[512];
    CLEANUP(mem_freep) char *csmith = find_file("/usr/include/csmith*");
    snprintf(command, sizeof command,
             "clang-14 -w -I%s -O0 -Xclang -disable-O0-optnone -fno-discard-value-names -emit-llvm -c -o %s test.c",
             csmith ? csmith : ".", name);
    if (!bench_run(bench, command))
        fail_msg("%s: %s", command, str_text(&bench->result.err));
}

static inline void bench_read(Bench *bench, const char *libllvm, const char *name, IrGraph *ret_graph) {
    Error err;
    CLEANUP(mem_freep) char *path = path_of(bench->scratch.path, name);
    IrGraphReader reader = {.runner = bench->runner, .libllvm = libllvm};
    assert_ok(ir_graph_read(&reader, path, ret_graph, &err), err);
}

static inline const IrFunction *find_function(const IrGraph *graph, const char *name) {
    for (uint32_t f = 0; f < graph->function_count; f++)
        if (str_equal(graph->functions[f].name, name))
            return &graph->functions[f];
    fail_msg("no function %s", name);
    return NULL;
}

/* A function of the test's own: edges as pairs of blocks. Every block has the opcodes "load br", or "ret" at the end. */
static inline IrFunction make_function(Arena *arena, uint32_t blocks, const uint32_t (*edges)[2], size_t edge_count) {
    static const uint8_t opcodes[] = {27, 2, 1};
    IrBlock *made = arena_array(arena, IrBlock, blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t *successors = arena_array(arena, uint32_t, edge_count);
        for (size_t e = 0; e < edge_count; e++)
            if (edges[e][0] == b)
                successors[made[b].successor_count++] = edges[e][1];
        bool end = made[b].successor_count == 0;
        made[b].name = "";
        made[b].opcodes = opcodes + (end ? 2 : 0);
        made[b].opcode_count = end ? 1 : 2;
        made[b].successors = successors;
    }
    return (IrFunction){.name = "made", .blocks = made, .block_count = blocks};
}

#endif
