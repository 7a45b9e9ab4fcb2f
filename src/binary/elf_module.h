/* ElfModule: the code of an executable or shared library: where it lies, where its functions start and end, and what they
 * are called.
 *
 * Functions come from .eh_frame, which stripped programs keep because unwinding needs it; one FDE is one contiguous piece
 * of code: a function, or the cold part that the compiler split off. Names come from .symtab (the module's, or its
 * separate debug file's under /usr/lib/debug) and from .dynsym. Addresses are the module's own, before relocation.
 */
#ifndef BINARY_ELF_MODULE_H
#define BINARY_ELF_MODULE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "binary/addresses.h"
#include "binary/elf_file.h"

typedef struct ElfFunction {
    uint64_t start, end;
    const char *name;  /* as linked (mangled); NULL if stripped */
    const char *file;  /* base name of the source file from .symtab's FILE symbols; NULL if unknown */
    bool has_handlers; /* exception landing pads: code that is reached by no branch */
} ElfFunction;

typedef Vec(ElfFunction) ElfFunctions;

typedef struct ElfModule {
    Arena arena;
    const char *path;
    const char *build_id; /* hexadecimal */
    bool is_relocatable;  /* position-independent: loaded anywhere */
    ElfSegments segments;
    uint64_t end;           /* first address behind everything the module maps */
    uint64_t text_address;  /* of .text */
    uint64_t text_offset;   /* in the file */
    size_t text_size;       /* bytes */
    const uint8_t *text;    /* content */
    ElfFunctions functions; /* inside .text, by address, not overlapping */
    ElfFile *file;
} ElfModule;

/* If the module cannot be patched for tracing, the error says why and what to do. */
bool elf_module_open(const char *path, ElfModule *ret_module, Error *err);
void elf_module_release(ElfModule *module);

/* The function that covers the address, or NULL. */
const ElfFunction *elf_module_function(const ElfModule *module, uint64_t address);

/* False if the module has no such section. */
bool elf_module_section(const ElfModule *module, const char *name, uint64_t *ret_address, uint64_t *ret_size);

/* An address inside .text that stands in data. */
typedef struct CodePointer {
    uint64_t place; /* of the pointer */
    uint64_t target;
} CodePointer;

typedef Vec(CodePointer) CodePointers;

/* Appends those of the module's data and of its relocations, and numbers that look so. */
void elf_module_code_pointers(const ElfModule *module, CodePointers *ret_pointers);

/* `size` bytes of the module's initialised content at the address, or NULL. */
const uint8_t *elf_module_bytes(const ElfModule *module, uint64_t address, size_t size);
/* The text of at most `most` characters that begins at the address and ends with a NUL, or NULL. */
const char *elf_module_string(const ElfModule *module, uint64_t address, size_t most);

#endif
