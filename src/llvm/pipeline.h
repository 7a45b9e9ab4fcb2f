/* Pipelines: sequences of passes and how LLVM writes them.
 *
 * A sequence is a list of passes, each with the kind of code it works on, meant one after the other. As a `-passes=`
 * string it nests: `globalopt,function(sroa),function(loop-mssa(licm))`. A loop pass in the wrong kind of loop manager
 * ends LLVM with a message that looks like a crash and is our mistake, so that the kind belongs to the pass
 * (catalogue.h finds it out).
 *
 *     Pipeline pipeline = {0};
 *     vec_push(&pipeline, (Pass){PASS_FUNCTION, "sroa"});          the text is borrowed
 *     pipeline_print(&pipeline, (PipelineStyle){.verify = true}, &text);
 */
#ifndef LLVM_PIPELINE_H
#define LLVM_PIPELINE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

typedef enum PassKind {
    PASS_MODULE,
    PASS_CGSCC, /* strongly connected components of the call graph */
    PASS_FUNCTION,
    PASS_LOOP,
    PASS_LOOP_MSSA, /* loops, with MemorySSA at hand */
    PASS_KINDS
} PassKind;

const char *pass_kind_name(PassKind kind); /* "module", "cgscc", "function", "loop", "loop-mssa" */
bool pass_kind_parse(const char *name, PassKind *ret_kind);

typedef struct Pass {
    PassKind kind;
    const char *text; /* with its parameters: "simplifycfg<keep-loops>" */
} Pass;

typedef Vec(Pass) Pipeline;

typedef struct PipelineStyle {
    /* Neighbours of one kind share a pass manager: LLVM then runs all of them on one function before it looks at the
     * next. Without, each has its own and each pass runs over the whole program before the next. */
    bool shared;
    /* `verify` after every pass, and its result dropped. Only modules and functions can be verified, so that call-graph and loop passes that
     * share a manager are verified behind the last of them. */
    bool verify;
} PipelineStyle;

void pipeline_print(const Pipeline *pipeline, PipelineStyle style, Str *ret_text); /* appends */

/* Reads such a string, or what -print-pipeline-passes printed: managers are dissolved into the kinds of their passes;
 * devirt<N>(…) and repeat<N>(…) count as what they repeat, once. `verify` is left out. Texts are in the arena. */
bool pipeline_parse(const char *text, Arena *arena, Pipeline *ret_pipeline, Error *err);

bool pipeline_equal(const Pipeline *a, const Pipeline *b);

/* The length of a pass's name without its parameters. */
size_t pass_name_len(const char *text);

#endif
