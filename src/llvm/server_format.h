/* What the fork server (runtime/server.c) and its caller (server.c) share: the batch file and the results.
 *
 * A batch file has a line per node: "PARENT LEVEL PASSES", PARENT being the number of an earlier line or -1, LEVEL the
 * back end's level 0 to 3, or -1 for a node that is not tested. The results are an array of ServerResult in a mapped
 * file, one per node, written by whoever knows: what a dying child wrote survives it.
 *
 * A workbench keeps one module and answers requests instead, a line each, by "ok", "ok NUMBER" or "error TEXT"; the first
 * "ok" comes unasked, when the module has been read:
 *
 *     try SLOT LEVEL RULE FROM TO PASSES   in a fork: edits places [FROM, TO) of the rule ("-": no edit), then as a node;
 *                                          the result is that of SLOT, below SERVER_BENCH_SLOTS
 *     count RULE                           how many places has it now?
 *     keep RULE FROM TO                    the same edit, for good; answers with the size of the module
 *     write PATH                           the module as text
 */
#ifndef LLVM_SERVER_FORMAT_H
#define LLVM_SERVER_FORMAT_H

#include <stdint.h>

enum { SERVER_BENCH_SLOTS = 64 };
enum { SERVER_OUTPUT_KEPT = 4096, SERVER_MESSAGE_KEPT = 4096, SERVER_PASS_KEPT = 160 };

/* How far a sequence came: the stage that was not left, or SERVER_DONE. */
typedef enum ServerStage {
    SERVER_NOT_RUN,
    SERVER_PASSES,
    SERVER_CODEGEN,
    SERVER_LOAD,
    SERVER_RUN,
    SERVER_DONE, /* main returned or exit was called */
    SERVER_STAGES
} ServerStage;

typedef enum ServerFate {
    SERVER_UNKNOWN,   /* not run: the server ended before, or an earlier node of the same branch failed */
    SERVER_EXITED,    /* at SERVER_DONE: exit_code is the program's; earlier: LLVM left with that status */
    SERVER_SIGNALLED, /* crash of LLVM or, at SERVER_RUN, of the program */
    SERVER_BROKEN_IR, /* the verifier complained */
    SERVER_FATAL,     /* LLVM gave up with a message of its own: report_fatal_error or an error diagnostic */
    SERVER_REFUSED,   /* the pipeline was not accepted (our mistake), or the object cannot be loaded */
    SERVER_OVER_TIME,
    SERVER_OVER_MEMORY,
    SERVER_OVER_OUTPUT,
    SERVER_UNTESTED, /* the passes ran; nothing else was asked for */
    SERVER_FATES
} ServerFate;

typedef struct ServerResult {
    uint32_t stage, fate; /* ServerStage, ServerFate */
    int32_t exit_code;
    int32_t signal;
    int32_t same_as; /* the node whose optimised module was the same, so that its test was not repeated; else -1 */
    uint32_t finished;
    uint64_t ir_hash;                  /* of the optimised module; 0 where the passes did not end */
    int64_t cpu_us[SERVER_STAGES];     /* of each stage */
    uint64_t peak_bytes;               /* resident */
    uint64_t output_len, output_hash;  /* of all the program wrote to standard output */
    char output[SERVER_OUTPUT_KEPT];   /* its beginning */
    char message[SERVER_MESSAGE_KEPT]; /* what LLVM said: assertion, fatal error, complaint; NUL-terminated */
    char pass[SERVER_PASS_KEPT];       /* where passes failed: LLVM's name of the one that ran, and on what; else "" */
} ServerResult;

#endif
