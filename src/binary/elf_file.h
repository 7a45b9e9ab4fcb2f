/* An ELF file as libelf opens it, for the modules of this folder; and the short questions about one that others ask, which
 * need not read all of it.
 */
#ifndef BINARY_ELF_FILE_H
#define BINARY_ELF_FILE_H

#include <elf.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct ElfFile {
    int fd;
    struct Elf *elf; /* libelf's; its functions may be called with it */
    size_t section_names;
} ElfFile;

ElfFile *elf_file_open(const char *path, Error *err);
void elf_file_close(ElfFile *file);
DEFINE_FREEP(ElfFile, elf_file_close)

/* The section called so, or NULL. */
struct Elf_Scn *elf_file_section(const ElfFile *file, const char *name, Elf64_Shdr *ret_header);
/* Appends the build-id in hexadecimal; false if the file has none. */
bool elf_file_build_id(const ElfFile *file, Str *ret_id);

/* Whether it is a program or library whose code can be patched for tracing, opened from `path`; the error says why not.
 * `ret_relocatable` (may be NULL): it is position-independent. */
bool elf_file_check_patchable(const ElfFile *file, const char *path, bool *ret_relocatable, Error *err);

/* A part of the file as it is loaded. */
typedef struct ElfSegment {
    uint64_t address, end; /* end: of the memory, which may be larger than its content */
    size_t size;           /* of the content */
    const uint8_t *bytes;
} ElfSegment;

typedef Vec(ElfSegment) ElfSegments;

/* False if the file cannot be read as a whole. The bytes live as long as the file is open. */
bool elf_file_segments(const ElfFile *file, ElfSegments *ret_segments);
/* The content from this address to the end of its segment, or NULL. */
const uint8_t *elf_segments_bytes(const ElfSegments *segments, uint64_t address, size_t *ret_len);

/* --- Questions about a file by its path --- */

bool elf_build_id(const char *path, Str *ret_id, Error *err);

/* Whether it can be started by itself, with libraries; a library is loaded by a program. */
bool elf_is_program(const char *path);

/* Whether it is a program that can be traced; if not, the error says why and what to do. */
bool elf_check_traceable(const char *path, Error *err);

typedef struct ElfInstrumented {
    bool is_module;     /* a linked file with SanitizerCoverage's flags in it */
    bool needs_runtime; /* it does not bring the runtime itself */
} ElfInstrumented;

/* Nothing for files that are not ELF. */
ElfInstrumented elf_instrumented(const char *path);

#endif
