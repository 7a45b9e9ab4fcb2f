/* Which compiler is this? The one answer, for everybody who treats compilers differently.
 *
 * Ask the program itself (compiler_identify) where there is a runner; wrappers, copies and builds of one's own may be
 * called anything. Its name tells the same for the usual names, and is all there is for programs that are merely
 * listed.
 */
#ifndef COMPILER_IDENTIFY_H
#define COMPILER_IDENTIFY_H

#include "compiler/compiler.h"

typedef struct CompilerIdentity {
    CompilerFamily family;
    int version[3]; /* 0 where unknown */
} CompilerIdentity;

/* By what the program prints about itself, else by the macros it defines, else by its name; one or two runs of the first
 * word of `command`, which may be a whole command line. A program that cannot be started is an Error. */
bool compiler_identify(Runner *runner, const StrList *command, CompilerIdentity *ret_identity, Error *err);

/* "gcc-11", "/opt/bin/x86_64-linux-gnu-g++-12", "clang++-14", "opt-19", "tcc"; FAMILY_OTHER for any other name
 * ("gcc-ar"). */
CompilerFamily compiler_family_of_name(const char *program);

/* The parts of such a name. */
typedef struct CompilerName {
    CompilerFamily family;
    Language language;   /* that a driver of this name links */
    const char *stem;    /* "g++-12" in "x86_64-linux-gnu-g++-12" */
    const char *version; /* "-12", "" where there is none */
} CompilerName;

bool compiler_parse_name(const char *program, CompilerName *ret_name); /* false: FAMILY_OTHER */
/* "gcc", "g++", "clang", … without a version; NULL if the family has no driver for the language. */
const char *compiler_stem(CompilerFamily family, Language language);

/* The first number with a dot in a text, as in "tcc version 0.9.27": all 0 where there is none. */
void compiler_read_version(const char *text, int *ret_version);

#endif
