/* What tracing needs to know of an executable or shared library: where its code lies, where its functions start and end,
 * and what they are called.
 *
 * Functions come from .eh_frame, which stripped programs keep because unwinding needs it; one FDE is one contiguous piece
 * of code: a function, or the cold part that the compiler split off. Names come from .symtab (the module's, or its
 * separate debug file's under /usr/lib/debug) and from .dynsym. Addresses are the module's own, before relocation.
 */
#ifndef BINARY_ELF_H
#define BINARY_ELF_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct TraceFunction {
    uint64_t start, end;
    const char *name;  /* as linked (mangled); NULL where stripped */
    const char *file;  /* base name of the source file from .symtab's FILE symbols; NULL where unknown */
    bool has_handlers; /* exception landing pads: code that is reached by no branch */
} TraceFunction;

typedef Vec(TraceFunction) TraceFunctions;

/* Bytes of the file as they are loaded. */
typedef struct TraceSegment {
    uint64_t address;
    size_t size;
    const uint8_t *bytes;
} TraceSegment;

typedef struct TraceModule {
    Arena arena;
    const char *path;
    const char *build_id; /* hexadecimal */
    bool is_relocatable;  /* position-independent: loaded anywhere */
    Vec(TraceSegment) segments;
    uint64_t end;             /* first address behind everything the module maps */
    uint64_t text_address;    /* of .text */
    uint64_t text_offset;     /* in the file */
    size_t text_size;         /* bytes */
    const uint8_t *text;      /* content */
    TraceFunctions functions; /* inside .text, by address, not overlapping */
    struct TraceElf *elf;
} TraceModule;

/* Where the program cannot be traced, the error says why and what to do. */
bool trace_module_open(const char *path, TraceModule *ret_module, Error *err);
void trace_module_release(TraceModule *module);

/* Whether the program can be traced at all, without reading all of it. */
bool trace_check_program(const char *path, Error *err);

/* Appends the build-id of a file, in hexadecimal. */
bool trace_build_id(const char *path, Str *ret_id, Error *err);

/* The function that covers the address, or NULL. */
const TraceFunction *trace_module_function(const TraceModule *module, uint64_t address);

/* False where the module has no such section. */
bool trace_module_section(const TraceModule *module, const char *name, uint64_t *ret_address, uint64_t *ret_size);

typedef Vec(uint64_t) Addresses;

/* Appends the addresses inside .text that stand in the module's data or in its relocations, and numbers that look so. */
void trace_module_code_addresses(const TraceModule *module, Addresses *ret_addresses);

/* `size` bytes of the module's initialised content at the address, or NULL. */
const uint8_t *trace_module_bytes(const TraceModule *module, uint64_t address, size_t size);

#endif
