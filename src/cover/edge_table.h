/* EdgeTable: what the flags of a sancov build stand for, and how they become units.
 *
 * A module's flag stands for an edge; when it is set, all units in the edge's list ran. The lists of all modules are
 * made with the unit table and saved beside it. The lines of a block are neighbours, and so are their units: a list
 * says which bits of which words of a run's Bitset to set, not which bits one by one.
 */
#ifndef COVER_EDGE_TABLE_H
#define COVER_EDGE_TABLE_H

#include "base/bitset.h"
#include "base/console.h"
#include "base/file.h"
#include "binary/unit_table.h"
#include "subject/subject.h"

/* The bits of one word of a Bitset; two halves, so that twelve bytes are enough. */
typedef struct EdgeUnits {
    uint32_t word;
    uint32_t low, high;
} EdgeUnits;

typedef struct EdgeModule {
    uint64_t key;           /* what the runtime names its files after */
    uint64_t first;         /* offset of the first flag in a .flags file */
    uint64_t count;         /* of flags */
    const uint32_t *starts; /* count + 1: where each edge's list starts in `units` */
    const EdgeUnits *units;
} EdgeModule;

typedef struct EdgeTable {
    EdgeModule *modules;
    size_t module_count;
    FileMap map;
} EdgeTable;

void edge_table_release(EdgeTable *table);
bool edge_table_load(const char *path, size_t unit_count, EdgeTable *ret_table, Error *err);

/* Makes both tables from the .pcs files in `dir` and saves them. */
bool edge_table_make(const Subject *subject, const char *dir, const char *units_path, const char *edges_path,
                     Console *console, Error *err);

/* Sets the units of all flags that are 1. `flags` has module->count bytes, each 0 or 1. */
void edge_module_decode(const EdgeModule *module, const unsigned char *flags, Bitset *units);

#endif
