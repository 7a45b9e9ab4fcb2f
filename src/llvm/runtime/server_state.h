/* The fork server in its parts: what they share. server.c begins and reads the batch, server_child.c is what children do,
 * server_fork.c is who forks and watches them, server_opt.c makes opt of it, server_bench.c answers the requests of a workbench.
 */
#ifndef LLVM_RUNTIME_SERVER_STATE_H
#define LLVM_RUNTIME_SERVER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "llvm/api.h"
#include "llvm/runtime/edit.h"
#include "llvm/server_format.h"

enum { LEVELS = 4, MOST_AT_EXIT = 32, LOG_BYTES = 64 << 20 };

typedef struct Node {
    int parent, level;
    const char *passes;
    const char *cover_dir; /* NULL: coverage is not wanted */
    int child, children;   /* the first one's number; how many */
    const EditRule *rule;  /* NULL: the module as it is */
    size_t from, to;
} Node;

/* One process, one server. */
typedef struct Server {
    LlvmApi llvm;
    LlvmModuleRef module;
    LlvmMachineRef machines[LEVELS];
    LlvmMachineRef pass_machine; /* what passes optimise for; NULL: no machine in particular */
    LlvmPassOptionsRef options;
    bool as_opt;
    void (*cover_begin)(const char *dir); /* of the coverage runtime that is in an instrumented library */
    Node *nodes;
    size_t node_count;
    ServerResult *results;  /* mapped, shared with all children */
    ServerResult *result;   /* the one that this process writes */
    int64_t stage_start_us; /* CPU time */
    int out, err;           /* files that take standard output and error of children */
    int progress;           /* write end of the pipe to whoever watches this process; -1: none */
    bool logging;           /* a failed node runs once more to find its pass */
    Edit edit;              /* of the workbench */
    int64_t cpu_ms, wall_ms;
    uint64_t memory_bytes, output_bytes;
    uint64_t own_bytes; /* address space of the library and the module */
    void (*at_exit[MOST_AT_EXIT])(void);
    size_t at_exit_count;
} Server;

extern Server server;

/* A sentence on standard error, and the end. */
void server_give_up(const char *format, const char *a, const char *b);
int64_t server_clock_us(clockid_t clock);
uint64_t server_hash(const char *bytes, size_t len);

/* --- In a child (server_child.c) --- */

void server_on_fatal_error(const char *reason);
void server_on_diagnostic(LlvmDiagnosticRef info, void *argument);
void server_catch_crashes(void);
void server_set_clock(bool is_last);
void server_become_child(ServerResult *result);
void server_make_edit(const Node *node);
void server_run_passes(const Node *node);
void server_test_module(int level); /* does not return */

/* --- In whoever forks (server_fork.c) --- */

typedef enum Job { JOB_NODE, JOB_TEST, JOB_LOG } Job;

size_t server_run_child(Job job, size_t number, size_t first, ServerResult *result);
void server_run_branch(size_t first);

/* --- As opt (server_opt.c) --- */

/* What opt does with -mtriple, -mcpu and -mattr; every other word is an option of LLVM's own. Those that the library does not
 * know, opt's own, are ignored: whether a failure still shows without them is for the caller to see. */
typedef struct OptWords {
    const char *triple, *cpu, *features;
} OptWords;

OptWords server_read_options(int argc, char **argv);
void server_become_opt(const OptWords *words);

/* --- The workbench (server_bench.c) --- */

void server_serve(const char *requests_path, const char *replies_path); /* does not return */

#endif
