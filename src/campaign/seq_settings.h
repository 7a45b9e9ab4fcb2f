/* What a campaign of pass sequences works with: LLVMs, passes, where programs and sequences come from, sizes, limits. */
#ifndef CAMPAIGN_SEQ_SETTINGS_H
#define CAMPAIGN_SEQ_SETTINGS_H

#include "campaign/generator.h"
#include "campaign/seq.h"
#include "sequence/run.h"
#include "llvm/catalogue.h"

/* One LLVM under test. */
typedef struct SeqLlvm {
    char *name; /* "opt-14", or the subject's name and "opt": of bugs and rows */
    StrList opt, clang;
    char *library;
    Catalogue *catalogue;
    Pipeline passes;   /* that sequences are drawn from, by number */
    int64_t config_id; /* in the store */
    SequenceTools tools;
} SeqLlvm;

typedef enum SeqSequences { SEQUENCES_RANDOM, SEQUENCES_COVERING, SEQUENCES_REPRESENTATIVE } SeqSequences;
typedef enum SeqPrograms {
    PROGRAMS_RANDOM,
    PROGRAMS_SWARM,
    PROGRAMS_SWARM_VALUES,
    PROGRAMS_SELECTED,
    PROGRAMS_FEATURES,
} SeqPrograms;

typedef struct SeqSettings {
    Vec(SeqLlvm) llvms; /* does not grow after it was resolved: tools point into it */
    const char *generator;
    uint64_t size, seed;
    SeqSequences sequences;
    SeqPrograms programs;
    uint64_t least, most;
    uint64_t batch, round, chosen, sequence_pool, program_pool;
    bool by_opt;
    ServerLimits limits;
    StrList link_flags; /* of programs */
    Arena arena;        /* of the strings */
} SeqSettings;

/* Reads, decides, asks the LLVMs for their passes, and stores what was decided. */
bool seq_settings_resolve(const SeqOptions *options, Store *store, Runner *runner, Console *console,
                          SeqSettings *ret_settings, Error *err);
void seq_settings_release(SeqSettings *settings);

/* Names of what is installed with opt, clang and libLLVM: "14", "19". */
void seq_llvms_installed(StrList *ret_names);
/* Opens one and asks for its passes, which takes ten seconds the first time; `passes` as in SeqOptions, never NULL. */
bool seq_llvm_open(const char *which, const char *passes, Runner *runner, Console *console, SeqLlvm *ret_llvm,
                   Error *err);
void seq_llvm_release(SeqLlvm *llvm);

#endif
