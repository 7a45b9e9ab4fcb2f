/* DebugInfo: what an executable or library says about its own code: which line and which function stands at an address.
 *
 * Addresses are as linked. Read once, when a unit table is made; files go straight into the table's builder.
 */
#ifndef BINARY_DEBUG_INFO_H
#define BINARY_DEBUG_INFO_H

#include "base/str.h"
#include "binary/unit_table.h"

/* From this address on, up to the next row, code belongs to this line. */
typedef struct CodeRow {
    uint64_t address;
    uint32_t file; /* of the builder; UINT32_MAX if no line is known */
    uint32_t line;
} CodeRow;

/* From this address on, up to the next one, code belongs to this function, which may have been inlined here. */
typedef struct CodeOwner {
    uint64_t address;
    uint32_t name; /* index into names.entries; UINT32_MAX: none */
} CodeOwner;

/* A function as linked. */
typedef struct CodeSymbol {
    uint64_t address, size;
    uint32_t name; /* index into names.entries */
} CodeSymbol;

typedef struct DebugInfo {
    Vec(CodeRow) rows;       /* by address */
    Vec(CodeOwner) owners;   /* by address */
    Vec(CodeSymbol) symbols; /* by address; of several names of one function the first */
    Map names;               /* symbols; the value is demangled, as an offset into `plain` */
    Str plain;
} DebugInfo;

bool debug_info_read(const char *path, UnitBuilder *builder, DebugInfo *ret_info, Error *err);
void debug_info_release(DebugInfo *info);

/* Index of the last row that starts at or before the address, SIZE_MAX if all start behind it; true if that row has a
 * line. */
bool debug_info_row(const DebugInfo *info, uint64_t address, size_t *ret_row);
/* The function, demangled and without parameters; "" if unknown. */
const char *debug_info_function(const DebugInfo *info, uint64_t address);

#endif
