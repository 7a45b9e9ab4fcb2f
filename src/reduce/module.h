/* Reduction of LLVM IR: the smallest module on which opt (or the code generator behind it) still fails in the same way.
 *
 * For failures of the compiler only. Wrong code would need a guard against undefined behaviour of the module itself:
 * poison, uninitialised memory and infinite loops come with almost every part that is taken away, and no tool tells.
 * There the C program, which has guards, is what is reduced.
 */
#ifndef REDUCE_MODULE_H
#define REDUCE_MODULE_H

#include "base/console.h"
#include "bug/bug.h"
#include "proc/run.h"

typedef struct ModuleResult {
    Str text;
    Str messages; /* what the compiler says about it */
    size_t tries, accepted, rounds;
    size_t confirmations; /* runs of opt itself */
    bool stopped;         /* by the user or the clock */
} ModuleResult;

/* The bug has no front_cmd: its one source is the module. `end_ms` of clock_ms, 0: until nothing is left to try. */
bool module_reduce(Runner *runner, const Bug *bug, int64_t end_ms, Console *console, ModuleResult *ret_result,
                   Error *err);
void module_result_release(ModuleResult *result);

/* Instructions of a module's text, by its lines. */
size_t module_count_instructions(const char *text);

#endif
