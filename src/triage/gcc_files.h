/* GCC's source tree as an index: pass, flag or function -> source files. */
#ifndef TRIAGE_GCC_FILES_H
#define TRIAGE_GCC_FILES_H

#include "base/error.h"
#include "base/map.h"
#include "base/strlist.h"
#include "base/vec.h"

/* Zeroed: nothing is known. Values are StrLists of paths ("gcc/tree-ssa-ccp.c"), in the arena's care. */
typedef struct GccFiles {
    Map passes; /* "tree-ccp" */
    Map flags;  /* "flag_tree_ccp" */
    Map names;  /* "tree-ssa-ccp.c" -> path */
    Arena arena;
    Vec(StrList *) lists;
} GccFiles;

bool gcc_files_load(GccFiles *files, const char *source, Error *err);
void gcc_files_release(GccFiles *files);

/* NULL if nothing is known. The pass's own file comes first; GCC numbers the instances of a pass ("tree-ccp2"), which
 * does not matter. A flag ("-ftree-ccp") that many files read is not known. */
const StrList *gcc_files_of_pass(const GccFiles *files, const char *pass);
const StrList *gcc_files_of_flag(const GccFiles *files, const char *flag);
const char *gcc_files_path(const GccFiles *files, const char *base_name);

#endif
