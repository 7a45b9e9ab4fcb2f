/* The fork server: many pipelines on one module, each in a process of its own, at the cost of a fork.
 *
 * A program of its own (runtime/server.c) loads the libLLVM under test, reads the module once, and for each node of a
 * batch runs the passes, generates code in memory, loads it and calls main. A flat batch has no parents; in a tree the
 * passes of a node follow those of its parent, whose work is shared, and every node may be tested. A tree drops LLVM's
 * cached analyses between nodes, which hides bugs of stale ones: mix both.
 *
 *     ServerNode nodes[] = {{-1, 2, "function(sroa),verify"}, {0, 2, "globalopt,verify"}};
 *     CLEANUP(server_results_release) ServerResults results = {0};
 *     if (!server_run(runner, library, "x.bc", nodes, 2, &limits, &results, err)) …       no node could be run
 *     if (results.items[1].fate == SERVER_SIGNALLED) …     LLVM or the program crashed, by results.items[1].stage
 *
 * What LLVM does to a module is a result; an unreadable or invalid module or library is an error.
 */
#ifndef LLVM_SERVER_H
#define LLVM_SERVER_H

#include "base/strlist.h"
#include "proc/run.h"
#include "llvm/server_format.h"

typedef struct ServerNode {
    int parent;         /* index of an earlier node whose passes go before, or -1 */
    int level;          /* of the back end, 0 to 3; -1: the passes are run, but nothing is tested */
    const char *passes; /* a pipeline; verification is part of it where wanted */
} ServerNode;

/* Of each node; zero: the default. */
typedef struct ServerLimits {
    int64_t cpu_ms;        /* 10 s; of the passes and of the test each, where the node has continuations */
    int64_t wall_ms;       /* three times cpu_ms */
    uint64_t memory_bytes; /* 4 GiB; address space beyond what the library and the module take */
    uint64_t output_bytes; /* 1 MiB */
    int64_t batch_wall_ms; /* of all together; no limit. Nodes that come too late are SERVER_UNKNOWN. */
} ServerLimits;

typedef struct ServerResults {
    ServerResult *items;
    size_t len;
} ServerResults;

void server_results_release(ServerResults *results);

bool server_run(Runner *runner, const char *library, const char *module, const ServerNode *nodes, size_t node_count,
                const ServerLimits *limits, ServerResults *ret_results, Error *err);

/* For a bug of opt: the server does what opt does with the same words. A module without a triple is optimised for no machine
 * in particular, the module is verified behind the passes, and a crash prints LLVM's
 * stack of passes into the message. */
typedef struct ServerOpt {
    const StrList *
        options; /* opt's, without passes, input and output: -mtriple, -mcpu, -mattr and options of LLVM's own; unknown ones are ignored */
    const char *const *cover_dirs; /* one per node, empty directories for the coverage of its passes; NULL: none */
    const StrList *env; /* what an instrumented library needs to collect, see cover_server_env; may be NULL */
} ServerOpt;

bool server_run_as_opt(Runner *runner, const ServerOpt *opt, const char *library, const char *module,
                       const ServerNode *nodes, size_t node_count, const ServerLimits *limits,
                       ServerResults *ret_results, Error *err);

const char *server_stage_name(ServerStage stage); /* "passes", "code generation", … */
const char *server_fate_name(ServerFate fate);    /* "crash", "invalid IR", "time", … */

/* The libLLVM that belongs to an opt of that version ("14.0.6"). */
bool server_find_library(const char *opt, const char *version, Str *ret_path, Error *err);

#endif
