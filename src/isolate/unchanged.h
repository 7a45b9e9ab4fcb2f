/* Functions that an older version of the compiler, which is free of the bug, has word by word: hardly guilty. */
#ifndef ISOLATE_UNCHANGED_H
#define ISOLATE_UNCHANGED_H

#include "base/bitset.h"
#include "binary/unit_table.h"
#include "isolate/clues.h"

/* Adds CLUE_UNCHANGED for functions with suspects whose text, but for blanks, the file of the same name below `good_root`
 * contains too. Files that one of the trees lacks say nothing. GCC 12 renamed its .c to .cc: the same file. */
bool unchanged_functions(const UnitTable *units, const Bitset *suspects, const char *source_root, const char *good_root,
                         Clues *ret_clues, Error *err);

#endif
