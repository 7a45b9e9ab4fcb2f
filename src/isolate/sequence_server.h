/* Pass sequences on the bug's own module, by the fork server: the subject's instrumented libLLVM runs a batch of them, each
 * in a fork that has the module already, so that one costs the passes it runs and little else. What the fork covers is what
 * its passes cover: reading the module and starting are cut off.
 *
 *     SequenceServer *server = sequence_server_new(&config, runner, &failing, err);     NULL: run opt instead, err says why
 *     sequence_server_run(server, runner, runs, count, err);                            from any thread
 */
#ifndef ISOLATE_SEQUENCE_SERVER_H
#define ISOLATE_SEQUENCE_SERVER_H

#include "bug/bug.h"
#include "cover/cover.h"
#include "judge/failure.h"
#include "llvm/opt_command.h"

/* One sequence on its way through a tester. */
typedef struct SequenceRun {
    const char *passes;
    bool as_written;    /* by the user, who may leave managers to LLVM's guess */
    bool cover_failing; /* its coverage is wanted also if the bug shows */
    Outcome outcome;
    Bitset cover; /* if it passes, or the above; else without bits */
} SequenceRun;

typedef struct SequenceConfig {
    const Bug *bug; /* as the subject sees it */
    Cover *cover;
    const OptCommand *command; /* the bug's */
    const char *sequence;      /* its passes, each in a manager of its own */
} SequenceConfig;

typedef struct SequenceServer SequenceServer;

/* Runs the failing sequence, as the user wrote it. The bug must show as it does with opt: `known` (its verdict, and for
 * crashes the signature) is what oracle and tester know. `ret_failing` gets what its passes cover; where the bug shows also
 * if each has a manager of its own, what they cover then, so that failing and bug-free sequences are read alike. */
SequenceServer *sequence_server_new(const SequenceConfig *config, const Failure *known, Runner *runner,
                                    Bitset *ret_failing, Error *err);
void sequence_server_free(SequenceServer *server);
DEFINE_FREEP(SequenceServer, sequence_server_free)

/* False only when the machine fails. */
bool sequence_server_run(const SequenceServer *server, Runner *runner, SequenceRun *runs, size_t count, Error *err);

#endif
