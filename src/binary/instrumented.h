/* What an ELF file is, as far as collecting coverage depends on it. */
#ifndef BINARY_INSTRUMENTED_H
#define BINARY_INSTRUMENTED_H

#include <stdbool.h>

/* Whether it can be started by itself; a library is loaded by a program. */
bool elf_is_program(const char *path);

typedef struct ElfInstrumented {
    bool is_module;     /* a linked file with SanitizerCoverage's flags in it */
    bool needs_runtime; /* it does not bring the runtime itself */
} ElfInstrumented;

/* Nothing for files that are not ELF. */
ElfInstrumented elf_instrumented(const char *path);

#endif
