/* The workbench: one module inside one libLLVM, on which pipelines are tried, and from which parts are taken away.
 *
 * The fork server (server.h) with questions one after the other instead of a batch: what is tried next may depend on the
 * last answer, and nothing is loaded or parsed again. A try happens in a fork and changes nothing; `keep` makes the same
 * edit for good. The rules of edits, by name, are those of runtime/edit.h.
 *
 *     Workbench *bench = workbench_open(library, "x.bc", &options, err);
 *     workbench_count(bench, "function-bodies", &count, err);
 *     workbench_try(bench, &(Attempt){.rule = "function-bodies", .to = count, .passes = "gvn", .level = -1}, &result, err);
 *     workbench_keep(bench, "function-bodies", 0, count, &size, err);
 *     workbench_write(bench, &text, err);
 *
 * One thread at a time.
 */
#ifndef LLVM_WORKBENCH_H
#define LLVM_WORKBENCH_H

#include "base/strlist.h"
#include "llvm/server.h"

typedef struct WorkbenchOptions {
    ServerLimits limits;    /* of each try; the batch's time is not looked at */
    const StrList *options; /* LLVM's own, "-slp-threshold=-9"; may be NULL */
} WorkbenchOptions;

typedef struct Attempt {
    const char *rule; /* NULL: no edit */
    size_t from, to;  /* places of the rule */
    const char *passes;
    int level; /* of the back end; -1: only the passes are run */
} Attempt;

typedef struct Workbench Workbench;

Workbench *workbench_open(const char *library, const char *module, const WorkbenchOptions *options, Error *err);
void workbench_close(Workbench *bench); /* NULL is fine */
DEFINE_FREEP(Workbench, workbench_close)

/* An edit that LLVM refuses or crashes in is SERVER_NOT_RUN. The result lives until the next try. */
bool workbench_try(Workbench *bench, const Attempt *attempt, const ServerResult **ret_result, Error *err);
bool workbench_count(Workbench *bench, const char *rule, size_t *ret_places, Error *err);
bool workbench_keep(Workbench *bench, const char *rule, size_t from, size_t to, size_t *ret_size, Error *err);
bool workbench_write(Workbench *bench, Str *ret_text, Error *err);

#endif
