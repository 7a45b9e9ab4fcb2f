/* Names and source files of a module's functions, each with how sure it is. function_names.c has the rules. */
#ifndef BINARY_FUNCTION_NAMES_H
#define BINARY_FUNCTION_NAMES_H

#include "binary/source_index.h"
#include "binary/x86.h"

typedef struct FunctionName {
    const char *name;    /* demangled; never NULL: "cc1+0x1a2b0" if unknown */
    const char *file;    /* relative to the source tree; NULL if unknown */
    uint32_t line;       /* 0 if unknown */
    uint32_t confidence; /* percent, of the file */
} FunctionName;

/* How the files were found, for people. */
typedef struct FunctionNameStats {
    size_t functions, named, parts;                /* parts: code split off a function, named after it */
    size_t by_name, by_text, by_place, by_company; /* functions whose file is known, by rule */
    size_t named_by_text;
    size_t ambiguous; /* several files define the name */
    /* How often these were right about functions known by name: neighbours, texts about the file, texts about the name. */
    uint32_t place_percent, text_percent, text_name_percent;
} FunctionNameStats;

/* One name per function of the module, in the arena; files may point into the index. `index` may be NULL: then files are
 * known only if .symtab tells them. */
FunctionName *function_names_make(const X86Code *code, const SourceIndex *index, Arena *arena,
                                  FunctionNameStats *ret_stats);

#endif
