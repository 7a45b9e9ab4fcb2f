/* Generators: where a campaign's programs come from. Our own, csmith, or any command.
 *
 * Every generator is a child process with limits, ours too (runtime/generate.c): whatever becomes of it, the campaign
 * goes on with the next seed.
 *
 * The contract of a command (`--generator CMD`): it is run by the shell in an empty directory, with the seed in
 * $CULPRIT_SEED and the language ("c" or "c++") in $CULPRIT_LANGUAGE. It writes the program's sources and headers there
 * and exits 0. The same seed should give the same program. If it writes a file called `expected`, that is the standard
 * output of a correct program, which must then also exit 0; without one, compilers are compared with each other. A
 * number in a file called `tolerance` beside it allows floating-point values to differ by that share: the first line of
 * the output is then compared exactly, and the others are "name value".
 *
 * A directory of LLVM modules takes a generator's place for pass sequences: a seed stands for one of the files, mutated in up
 * to three places (mutate/llvm_ir.h).
 *
 * One program in ten of our own generator, chosen by its seed, is made without generation policies, because policies
 * make some optimisations rarer (YARPGen, section 4.3); the switches "policies" and "no-policies" decide otherwise.
 *
 * A Generator does not change after generator_new: threads share it.
 */
#ifndef CAMPAIGN_GENERATOR_H
#define CAMPAIGN_GENERATOR_H

#include "compiler/execute.h"

/* How a generator's own options are chosen for each seed (swarm testing, Groce et al. 2012). */
typedef enum GeneratorVariety {
    VARIETY_USUAL,        /* as the generator does by itself */
    VARIETY_SWARM,        /* every feature is on or off by a coin */
    VARIETY_SWARM_VALUES, /* ours: the same, and every weight is drawn anew; csmith: every probability is */
} GeneratorVariety;

typedef struct GeneratorOptions {
    const char *name;        /* "own", "csmith", else a command */
    Language language;       /* C or C++ */
    const char *standard;    /* "c11"; NULL: the generator's choice */
    uint64_t size;           /* bytes, about; 0: the generator's choice; only our own generator listens */
    const StrList *switches; /* words of gen_switch_parse, for our own generator alone; may be NULL */
    DataModel model;         /* of the compilers under test */
    int64_t wall_ms;         /* limit for one program; 0: a minute */
    bool single;             /* one file; only our own generator has to be told */
    bool rare;               /* features that are off by default, each in one program of four of our own, by the seed */
    GeneratorVariety variety; /* of our own generator's programs and csmith's */
    bool modules; /* the name is a directory: a program is one of the .ll files below it that are for x86-64 or no machine */
} GeneratorOptions;

typedef struct Generator Generator;

/* A generated program; starts zeroed and may be reused. */
typedef struct Generated {
    Program program;
    bool has_expected;
    Str expected;     /* standard output of a correct program */
    double tolerance; /* of its floating-point values; 0: none */
    int64_t cpu_us;   /* spent on it */
    bool cancelled;   /* with the runner */
    bool refused;     /* the generator made no program of this seed */
    Str why;          /* the refusal, in words without the seed */
} Generated;

bool generator_new(const GeneratorOptions *options, Generator **ret_generator, Error *err);
void generator_free(Generator *generator);
DEFINE_FREEP(Generator, generator_free)

/* `dir` is an empty directory to work in; it is left with the program's files in it. A command that fails, hangs or
 * writes no program for one seed is a refusal, one that cannot be run an Error. */
bool generator_make(const Generator *generator, Runner *runner, uint64_t seed, const char *dir,
                    Generated *ret_generated, Error *err);
void generated_release(Generated *generated);

/* Options that its programs need at every compilation, such as csmith's include directory. */
const StrList *generator_flags(const Generator *generator);
const StrList *generator_link_flags(const Generator *generator);
/* Whether its programs are valid, terminate and have one meaning, so that a single compiler's failure is evidence. */
bool generator_is_trusted(const Generator *generator);

#endif
