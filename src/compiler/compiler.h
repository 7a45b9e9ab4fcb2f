/* Compilers under test: a command line plus the facts that asking it gave.
 *
 * A Compiler is the program with the options that change what it is (-m32, --target, -B, --sysroot); a Config is one
 * Compiler with the remaining options: a column of the test matrix. Facts are asked once per Compiler, by its own
 * answers where the family is known and by compiling small probes otherwise, so that any C compiler works.
 *
 *     Matrix matrix = {0};
 *     matrix_add(&matrix, runner, LANGUAGE_C, "gcc-11 -O3", err);        --cc
 *     matrix_discover(&matrix, runner, LANGUAGE_C, err);                nothing given; setfile.h reads --set
 */
#ifndef COMPILER_COMPILER_H
#define COMPILER_COMPILER_H

#include "base/strlist.h"
#include "base/vec.h"
#include "proc/run.h"

/* opt and llc take LLVM IR: no column of a matrix, but bugs are theirs too. */
typedef enum CompilerFamily {
    FAMILY_OTHER,
    FAMILY_GCC,
    FAMILY_CLANG,
    FAMILY_TCC,
    FAMILY_PCC,
    FAMILY_OPT,
    FAMILY_LLC,
} CompilerFamily;
typedef enum Language { LANGUAGE_C, LANGUAGE_CXX, LANGUAGE_LLVM_IR } Language;

/* Sizes in bytes. */
typedef struct DataModel {
    uint8_t short_size, int_size, long_size, long_long_size, pointer_size;
    bool char_signed;
    bool little_endian;
} DataModel;

typedef struct Compiler {
    StrList command; /* program and the options that define it: "gcc-11", "-m32" */
    char *path;      /* of the program */
    CompilerFamily family;
    Language language;
    int version[3];     /* 0 where unknown */
    char *version_text; /* first line of what it says about itself */
    char *target;       /* "x86_64-linux-gnu"; "" where unknown */
    bool cross;         /* its programs do not run here without an emulator */
    DataModel model;
} Compiler;

typedef struct Config {
    const Compiler *compiler; /* belongs to the matrix */
    StrList flags;            /* "-O3", "-fno-inline" */
    char *name;               /* "gcc-11 -O3": the whole command line */
} Config;

/* Compilers are on the heap, so that configurations may point at them. */
typedef struct Matrix {
    Vec(Compiler *) compilers;
    Vec(Config) configs;
} Matrix;

const char *compiler_family_name(CompilerFamily family);
const char *language_name(Language language); /* "c", "c++", "llvm-ir" */
bool language_parse(const char *name, Language *ret_language, Error *err);
Language language_of_file(const char *name); /* by its ending; C where unknown */

/* Reads a command as people type it. A program given by a relative path ("./build/cc") becomes absolute, because compilers
 * run in directories of their own. The command may also be options alone. */
bool compiler_read_command(const char *text, StrList *ret_words, Error *err);

/* Asks a compiler for its facts. A command that cannot be run, or that cannot compile an empty program, is an Error. */
bool compiler_probe(Runner *runner, const StrList *command, Language language, Compiler **ret_compiler, Error *err);
void compiler_free(Compiler *compiler);
DEFINE_FREEP(Compiler, compiler_free)

/* Installed compilers found along PATH, versions of one program through several names once: "gcc-11", "tcc", … */
void compiler_discover(Language language, StrList *ret_names);
/* gcc-11 -> g++-11, clang-14 -> clang++-14; false where no counterpart is known. Keeps a directory in front. */
bool compiler_cxx_name(const char *c_name, Str *ret_name);
/* The optimisation levels that a campaign tries by default, "" for no option at all. NULL-terminated. */
const char *const *compiler_default_levels(CompilerFamily family);

/* Adds one configuration. Commands are split as a shell splits words. */
bool matrix_add(Matrix *matrix, Runner *runner, Language language, const char *command, Error *err);
/* Adds what is installed at its default levels, without what is there already. An Error where there is nothing. */
bool matrix_discover(Matrix *matrix, Runner *runner, Language language, Error *err);
void matrix_release(Matrix *matrix);

/* Appends the whole command line: program, defining options, flags. */
void config_command(const Config *config, StrList *ret_command);
/* The -O level of the options, as a compiler reads them (the last one wins): "0" where none is given. */
const char *config_level(const StrList *flags);

#endif
