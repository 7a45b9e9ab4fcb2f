/* Which source files implement what triage found: the first places to look, and a check of triage against known answers. */
#ifndef TRIAGE_PASS_FILE_H
#define TRIAGE_PASS_FILE_H

#include "triage/gcc_files.h"
#include "triage/triage.h"

typedef struct PassFiles {
    GccFiles gcc;
} PassFiles;

/* Reads the pass definitions of a GCC source tree. Without one (source NULL) only LLVM's passes are known. */
bool pass_files_load(PassFiles *files, const char *source, Error *err);
void pass_files_release(PassFiles *files);

/* Appends the files of a pass, its own first. */
void pass_files_of_pass(const PassFiles *files, const char *pass, StrList *ret_files);
/* Appends paths below the source root ("gcc/tree-ssa-ccp.c", "llvm/lib/Transforms/Scalar/GVN.cpp"), most likely first: the
 * pass's own file, what it calls and no other pass does, where a crash is reported from, where a guilty flag is read. */
void pass_files_answer(const PassFiles *files, const TriageFinding *finding, StrList *ret_files);

#endif
