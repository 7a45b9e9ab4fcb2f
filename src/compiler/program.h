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

/* How a program becomes a file that runs. */
typedef struct BuildOptions {
    const StrList *flags;      /* besides the configuration's; may be NULL */
    const StrList *link_flags; /* behind the sources: "-lm"; may be NULL */
    const char *folder;        /* where the sources lie, relative to the working directory: "test"; NULL: in it */
    const char *makes;         /* "a.out" */
} BuildOptions;

/* Appends the one command that compiles and links it: "gcc-11 -O3 -w test/a.c test/b.c -o a.out -lm". Unknown
 * compilers are spared the options that they may not know. */
void program_build_command(const Program *program, const Config *config, const BuildOptions *options,
                           StrList *ret_command);
/* What a command makes: the word behind its last -o, else "a.out". */
const char *command_output(const StrList *command);

#endif
