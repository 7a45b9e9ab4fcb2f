/* UnitTable: what the bits of a coverage run mean, for one build of a compiler.
 *
 * A unit is a statement: one line of one file. (If a provider knows functions only, it is a function, at the line
 * where it starts, or line 0 if that is unknown.) Units are sorted by file and line, so that a file's units are one
 * range of ids; ids are indices into `units` and bit numbers in a run's Bitset. Files are named relative to the source
 * root ("gcc/fold-const.c"); what a build generated without saying from what stays under "build/".
 *
 * A table is made once per build-id, through a UnitBuilder, saved, and later mapped into memory without parsing. It
 * never changes, so threads may share it.
 */
#ifndef BINARY_UNIT_TABLE_H
#define BINARY_UNIT_TABLE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/vec.h"

typedef enum UnitFileKind {
    UNIT_FILE_SOURCE,      /* .c .cc .cpp … */
    UNIT_FILE_HEADER,      /* .h .hpp .def .inc … */
    UNIT_FILE_DESCRIPTION, /* .pd .md .td .y …: what a build generates sources from, reached through #line */
    UNIT_FILE_GENERATED,   /* generated, and no #line says from what */
    UNIT_FILE_UNKNOWN,     /* functions whose file nobody knows */
} UnitFileKind;

const char *unit_file_kind_name(UnitFileKind kind); /* "source", "header", … */
UnitFileKind unit_file_kind_of(const char *path);   /* by extension, and by "build/" in front */

typedef struct Unit {
    uint32_t file;       /* index into files */
    uint32_t line;       /* 0 if unknown */
    uint32_t function;   /* index into functions */
    uint32_t confidence; /* percent: how sure file and line are; 100 for debug information */
} Unit;

typedef struct UnitFile {
    uint32_t name; /* offset into strings */
    uint32_t kind; /* UnitFileKind */
    uint32_t first_unit, unit_count;
} UnitFile;

typedef struct UnitFunction {
    uint32_t name; /* offset into strings; demangled, without parameters */
    uint32_t file; /* index into files */
    uint32_t line; /* the smallest of its units */
    uint32_t unit_count;
} UnitFunction;

typedef struct UnitTable {
    const Unit *units;
    const UnitFile *files;
    const UnitFunction *functions;
    const char *strings;
    size_t unit_count, file_count, function_count, strings_len;
    void *memory; /* of the heap, unless the table is mapped */
    FileMap map;
} UnitTable;

void unit_table_release(UnitTable *table);

static inline const char *unit_file_name(const UnitTable *table, uint32_t file) {
    return table->strings + table->files[file].name;
}
static inline const char *unit_function_name(const UnitTable *table, uint32_t function) {
    return table->strings + table->functions[function].name;
}

/* Whether the function goes by that name: a fix is remembered as "GVNPass::run", the function is "llvm::GVNPass::run". */
bool unit_function_is(const UnitTable *table, uint32_t function, const char *name);

/* The index of the file called so, or file_count. */
size_t unit_table_find_file(const UnitTable *table, const char *name);
/* The unit at this line, or unit_count. */
size_t unit_table_find(const UnitTable *table, size_t file, uint32_t line);

/* Complete or absent, as file_write; loading checks everything that an index could break. */
bool unit_table_save(const UnitTable *table, const char *path, Error *err);
bool unit_table_load(const char *path, UnitTable *ret_table, Error *err);

/* --- Making one --- */

typedef struct UnitDraft {
    uint32_t file, line, function, confidence;
} UnitDraft;

/* Zeroed and with its roots set, a UnitBuilder is ready. */
typedef struct UnitBuilder {
    const char *source_root; /* cut off file names; NULL: none */
    const char *build_root;  /* replaced by "build/"; NULL: none */
    Map files, functions, lines;
    Vec(UnitDraft) drafts;
} UnitBuilder;

/* The draft of this line; asking twice gives the same one, and the first function and confidence count. Paths may be
 * relative to `comp_dir` (may be NULL) and may contain "..". */
uint32_t unit_builder_file(UnitBuilder *builder, const char *path, const char *comp_dir);
uint32_t unit_builder_add(UnitBuilder *builder, uint32_t file, uint32_t line, const char *function,
                          uint32_t confidence);
/* A draft of its own even if the line has one: several functions on one line, blocks of one function. */
uint32_t unit_builder_add_distinct(UnitBuilder *builder, uint32_t file, uint32_t line, const char *function,
                                   uint32_t confidence);
/* Sorts the drafts into a table; ret_ids[draft] is the unit's id, to be freed by the caller (may be NULL). Releases the builder. */
void unit_builder_finish(UnitBuilder *builder, UnitTable *ret_table, uint32_t **ret_ids);
void unit_builder_release(UnitBuilder *builder);

#endif
