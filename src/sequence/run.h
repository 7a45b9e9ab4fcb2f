/* What sequences of passes do to one module: steps 3 and 4 of CTOS, optimise and generate code, and what became of it.
 *
 * The fork server does the work (llvm/server.h), or opt's own processes: opt, clang, the program, one after the other, for
 * those who trust nothing else. Both give the same results. Comparing them with each other is judge.h's.
 */
#ifndef SEQUENCE_RUN_H
#define SEQUENCE_RUN_H

#include "base/arena.h"
#include "compiler/execute.h"
#include "llvm/server.h"

/* One LLVM: how its programs are called and where its library is. */
typedef struct SequenceTools {
    const StrList *opt, *clang;
    const char *library;
    const StrList *link_flags; /* "-lm"; may be NULL */
} SequenceTools;

typedef struct SequenceRun {
    Runner *runner;
    const SequenceTools *tools;
    bool by_opt;        /* instead of the server; nodes may not have parents then */
    const char *dir;    /* of the module; opt's processes work there */
    const char *module; /* its name in there */
    bool passes_only;   /* the module is no program: no code, nothing is run, whatever the nodes' levels are */
    ServerLimits limits;
} SequenceRun;

typedef struct SequenceResult {
    bool tested;     /* false: not run, or refused by our own mistake; nothing else counts then */
    bool refused;    /* the pipeline was not accepted, or nested wrongly */
    Verdict verdict; /* VERDICT_OK: the program came to its end; judge.h compares what it did */
    int exit_code;
    uint64_t output_len, output_hash;
    const char *output; /* its beginning, SERVER_OUTPUT_KEPT bytes at most */
    const char *reason; /* why LLVM failed, in one line that is equal where reasons are; "" where none is known */
    uint64_t ir_hash;   /* of the optimised module; 0: unknown */
    bool same_module;   /* as one tested before, whose result was taken over */
    int64_t passes_us, codegen_us, run_us; /* CPU time */
} SequenceResult;

/* A result for each node; texts are in the arena. False only where the machine fails, or the module cannot be read. */
bool sequence_run(const SequenceRun *run, const ServerNode *nodes, size_t count, Arena *arena,
                  SequenceResult *ret_results, Error *err);

/* The same for one result of the server. */
SequenceResult sequence_result_of(const ServerResult *result, Arena *arena);

/* The commands, as bug.json has them: appended. */
void sequence_opt_command(const SequenceTools *tools, const char *module, const char *passes, StrList *ret_command);
void sequence_codegen_command(const SequenceTools *tools, int level, StrList *ret_command);
#define SEQUENCE_OPTIMISED "out.bc" /* what the first makes and the second reads */

#endif
