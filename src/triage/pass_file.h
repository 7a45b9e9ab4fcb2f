/* Which source file implements a pass: the first place to look, and a check of triage against known answers. */
#ifndef TRIAGE_PASS_FILE_H
#define TRIAGE_PASS_FILE_H

#include "base/error.h"
#include "base/map.h"

typedef struct PassFiles {
    Map gcc; /* "tree-ccp" -> path in the source tree, in `arena` */
    Arena arena;
} PassFiles;

/* Reads the pass definitions of a GCC source tree. Without one (source NULL) only LLVM's passes are known. */
bool pass_files_load(PassFiles *files, const char *source, Error *err);
void pass_files_release(PassFiles *files);

/* The path below the source root ("gcc/tree-ssa-ccp.c", "llvm/lib/Transforms/Scalar/GVN.cpp"), or NULL. GCC numbers the
 * instances of a pass ("tree-ccp2"); the number does not matter. */
const char *pass_files_find(const PassFiles *files, const char *pass);

#endif
