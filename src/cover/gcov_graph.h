/* GcovTable: the control-flow graphs of a --coverage build, ready for turning counts into units.
 *
 * Made once from all .gcno files of a build, with the unit table; saved, and mapped into memory later.
 */
#ifndef COVER_GCOV_GRAPH_H
#define COVER_GCOV_GRAPH_H

#include "base/bitset.h"
#include "base/console.h"
#include "base/file.h"
#include "base/strlist.h"
#include "binary/unit_table.h"
#include "cover/gcov_file.h"

/* All members are indices or counts of 32 bits, so that a table is four arrays in one file. */
typedef struct GraphFile {
    uint32_t counts_path; /* offset into strings: where the program writes its .gcda, without GCOV_PREFIX */
    uint32_t stamp;
    uint32_t first_function, function_count;
} GraphFile;

typedef struct GraphFunction {
    uint32_t ident, lineno_checksum, cfg_checksum; /* sorted by ident within a file */
    uint32_t block_count;
    uint32_t counter_count; /* arcs off the spanning tree, in the order of their counters … */
    uint32_t step_count;    /* … and arcs on it, in the order in which they can be solved */
    uint32_t first_word;    /* of this function in words: counters, steps, starts of blocks, units */
} GraphFunction;

typedef struct GcovTable {
    const GraphFile *files;
    const GraphFunction *functions;
    const uint32_t *words;
    const char *strings;
    uint64_t file_count, function_count, word_count, strings_len;
    FileMap map;
    uint32_t blocks_max; /* of one function */
} GcovTable;

void gcov_table_release(GcovTable *table);
bool gcov_table_load(const char *path, size_t unit_count, GcovTable *ret_table, Error *err);

/* Makes both tables from the .gcno files `notes` and saves them. */
bool gcov_table_make(const StrList *notes, const char *source_root, const char *build_root, const char *units_path,
                     const char *graphs_path, Console *console, Error *err);

/* Memory that decoding reuses from file to file. */
typedef struct GcovSolver {
    uint64_t *balance, *entered; /* one per block */
} GcovSolver;

void gcov_solver_init(GcovSolver *solver, const GcovTable *table);
void gcov_solver_release(GcovSolver *solver);

/* Sets the units that the .gcda file of table->files[file] says ran. */
bool gcov_decode(const GcovTable *table, size_t file, const void *counts, size_t len, GcovSolver *solver, Bitset *units,
                 Error *err);

#endif
