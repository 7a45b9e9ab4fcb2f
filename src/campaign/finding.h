/* Findings: what one test says about compilers, after its configurations were judged.
 *
 * Failing configurations that most likely show one bug are one finding: those of one compiler family with the same kind
 * and, where the compiler says why it failed, the same reason. The key tells which findings of different tests are the
 * same bug. With a reason it is family, kind and reason, so that gcc-11 and gcc-12 dying in the same assertion are one
 * bug of gcc. Wrong code gives no reason; its key is the set of failing configurations, which triage refines later.
 */
#ifndef CAMPAIGN_FINDING_H
#define CAMPAIGN_FINDING_H

#include "base/arena.h"
#include "base/vec.h"
#include "compiler/execute.h"

#define FINDING_NONE ((size_t)-1)

/* Indices are into the executions of the test. Strings live in the arena given to findings_collect. */
typedef struct Finding {
    Verdict verdict;
    const char *key;
    const char *family;    /* "gcc", or the program's name where the family is unknown */
    const char *signature; /* the reason in one line; "" where there is none */
    Vec(size_t) failing;   /* at least one */
    size_t passing;        /* the best to compare with: same compiler, lowest level; FINDING_NONE where all fail */
} Finding;

typedef Vec(Finding) Findings;

void findings_collect(const Execution *executions, size_t count, Arena *arena, Findings *ret_findings);
void findings_release(Findings *findings);

const char *config_family(const Config *config);
const char *config_compiler(const Config *config); /* "gcc-11": the program's name */

#endif
