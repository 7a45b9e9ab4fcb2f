/* Random programs that are valid, terminate, execute no undefined behaviour and print one checksum.
 *
 * gen_program is pure: the same options give the same bytes on every machine, it does no I/O and keeps no state, so
 * that many threads may call it at once. The program has no input, hence one execution, and the interpreter that ran it
 * knows the line it must print: `expected`. That line holds for the data model it was computed for, and for no other.
 *
 *     GenOptions options = gen_defaults(seed);
 *     CLEANUP(arena_release) Arena arena = {0};
 *     GenProgram program;
 *     if (!gen_program(&options, &arena, &program, err) || !gen_write(&program, dir, err)) …
 *
 * docs/generator.md describes what the programs are made of, the switches and how soundness is tested.
 */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include "base/arena.h"
#include "base/error.h"

#define GEN_SIZE_DEFAULT 30000
#define GEN_SIZE_LIMIT (64u << 20) /* such a program takes 0.8 GiB to make */

typedef enum GenLanguage { GEN_C, GEN_CXX } GenLanguage;

/* Sizes of the integer types: int has 32 bits and long long 64 in all of them. */
typedef enum GenModel {
    GEN_LP64,  /* long has 64 bits: 64-bit Unix */
    GEN_LLP64, /* long has 32 bits, pointers 64: 64-bit Windows */
    GEN_ILP32, /* long and pointers have 32 bits */
} GenModel;

/* What a program may contain. Each can be switched off, by the user or, with policies, by the seed (swarm testing). */
typedef enum GenFeature {
    GEN_LOOPS,           /* for, while, do; break and continue */
    GEN_CALLS,           /* functions that call one another, by value and by pointer */
    GEN_RECURSION,       /* functions that call themselves, to a bounded depth */
    GEN_ARRAYS,          /* arrays of one and two dimensions */
    GEN_POINTERS,        /* pointers, pointers to pointers, pointer arithmetic and comparisons */
    GEN_STRUCTS,         /* structs, nested, copied, passed by value */
    GEN_BITFIELDS,       /* bit-fields under the language's rules */
    GEN_UNIONS,          /* unions, used through one member */
    GEN_SWITCH,          /* switch with fall-through */
    GEN_GOTO,            /* goto, forwards */
    GEN_COMPOUND,        /* compound assignment, ++ and -- */
    GEN_COMMA,           /* comma, assignments inside conditions, where the order is defined */
    GEN_VOLATILE,        /* volatile objects: integers, arrays, structs and members of structs */
    GEN_CONST,           /* const inputs */
    GEN_BOOL,            /* bool */
    GEN_ENUMS,           /* enumeration constants */
    GEN_DESIGNATED,      /* designated initialisers (C, and C++20) */
    GEN_STATIC_MEMBERS,  /* static members of C++ structs */
    GEN_CONTAINERS,      /* C++ arrays as valarray, vector and array; at() */
    GEN_STATIC_LOCALS,   /* locals that keep their value between calls */
    GEN_POINTER_MEMBERS, /* structs with pointers in them */
    GEN_INLINE,          /* inline functions with external linkage, as C99 has them */
    GEN_FLOATS,          /* floating point, compared within a tolerance; off by default */
    GEN_VECTORS,         /* GCC and Clang vector extensions; off by default */
    GEN_FEATURE_COUNT,
} GenFeature;

typedef uint32_t GenFeatures; /* bit set of 1u << GenFeature */

typedef struct GenOptions {
    uint64_t seed;
    GenLanguage language;
    const char *standard; /* "c99" … "c17", "c++11" … "c++20"; NULL: c99 or c++11, the strictest */
    uint64_t size;        /* bytes; programs have at most a tenth and 8 KB more. Up to GEN_SIZE_LIMIT */
    bool single;          /* one file instead of init.h, func.c and driver.c */
    bool policies;        /* the paper's generation policies, shuffling and swarm */
    GenFeatures features;
    GenModel model;
} GenOptions;

typedef struct GenFile {
    const char *name; /* "init.h", "func.c", "driver.c", or "program.c"; .cpp in C++ */
    const char *text;
    size_t len;
} GenFile;

typedef struct GenStatistics {
    uint64_t bytes;          /* of all files */
    uint64_t executed_bytes; /* of the statements that the one execution reaches */
    uint64_t statements;     /* generated */
    uint64_t steps;          /* operations executed in the final run */
    uint64_t repairs;        /* operations rewritten by the table */
    uint64_t safe_forms;     /* operations that needed the form that is safe for all values */
    uint64_t reruns;         /* statements run again because a repair changed what had run before */
    GenFeatures features;    /* on in this program */
} GenStatistics;

typedef struct GenProgram {
    GenFile files[3];
    size_t file_count;
    const char *expected; /* standard output of a correct program, with its newline */
    GenLanguage language;
    const char *standard;
    GenModel model;
    double tolerance; /* relative difference allowed in the lines after the first; 0 without floating point */
    GenStatistics statistics;
} GenProgram;

GenOptions gen_defaults(uint64_t seed);

/* Everything in ret_program lives in the arena. Fails only on options that contradict one another. */
bool gen_program(const GenOptions *options, Arena *arena, GenProgram *ret_program, Error *err);

/* Creates the directory with the program's files and `expected`, completely or not at all. An empty directory may exist
 * already; one with files in it may not. */
bool gen_write(const GenProgram *program, const char *dir, Error *err);

/* Names as the command line has them. */
const char *gen_feature_name(GenFeature feature);
bool gen_feature_parse(const char *name, GenFeature *ret_feature, Error *err);
const char *gen_model_name(GenModel model); /* "lp64" */
bool gen_model_parse(const char *name, GenModel *ret_model, Error *err);
/* One switch of a generator, as a word: "single", "policies", "no-policies", "+floats", "-loops". */
bool gen_switch_parse(const char *word, GenOptions *options, Error *err);
/* Sets language and standard from "c17", "gnu++14" and the like. */
bool gen_standard_parse(const char *name, GenOptions *options, Error *err);

#endif
