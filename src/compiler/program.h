/* Test programs: source files, a language and a standard. */
#ifndef COMPILER_PROGRAM_H
#define COMPILER_PROGRAM_H

#include "compiler/compiler.h"

typedef struct ProgramFile {
    char *name; /* relative; no directories above */
    char *text;
    size_t len;
} ProgramFile;

typedef struct Program {
    Language language;
    char *standard; /* "c11": given as -std=; NULL: the compiler's own */
    Vec(ProgramFile) files;
} Program;

void program_add(Program *program, const char *name, const char *text, size_t len);
/* One file, or a directory of sources and headers. The language follows from the names. */
bool program_load(const char *path, Program *ret_program, Error *err);
bool program_write(const Program *program, const char *dir, Error *err);
bool program_is_source(const char *name); /* compiled by itself, not included: .c .cc .cpp .cxx .C .ll .bc */
void program_copy(const Program *program, Program *ret_program);
size_t program_bytes(const Program *program);
void program_clear(Program *program); /* keeps nothing but the memory of the list */
void program_release(Program *program);

#endif
