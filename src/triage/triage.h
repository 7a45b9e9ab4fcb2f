/* Triage: which transformation of the compiler is guilty, and what tells the bug from others.
 *
 * For GCC, clang and opt the guilty transformation is found by asking the compiler again and again with some of its own
 * switches off (gcc.c, llvm.c); compilers without switches are told apart by the features of the program (features.c).
 * Bugs with equal fingerprints form one cluster.
 *
 *     TriageFinding finding;
 *     if (triage_bug(runner, &bug, &options, &arena, &finding, err)) { triage_record(&bug, &finding); bug_save(&bug, err); }
 */
#ifndef TRIAGE_TRIAGE_H
#define TRIAGE_TRIAGE_H

#include "base/arena.h"
#include "base/console.h"
#include "bug/bug.h"

typedef struct TriageOptions {
    uint32_t most_runs; /* compiler runs at most; 0: 1500 */
    Console *console;   /* may be NULL */
} TriageOptions;

/* Everything lives in the arena. */
typedef struct TriageFinding {
    const char *flag;        /* of the level, that hides the bug when off: "-ftree-pre"; NULL if none does */
    const char *pass;        /* "tree-pre", "GVNPass"; NULL if unknown */
    const char *function;    /* that the pass must leave alone to hide the bug; NULL if unknown */
    const char *crash_file;  /* base name of the file that a crash is reported from; NULL if unknown */
    const char *counter;     /* debug counter: GCC's "vect_loop", LLVM's "instcombine-visit"; NULL if unknown */
    int64_t number;          /* LLVM: of the pass execution; GCC: the counted transformation; -1 if unknown */
    int64_t transformation;  /* LLVM: among those that `counter` counts; 0 if unknown */
    bool monotone;           /* false: the bug comes and goes with the number */
    const char *damaged_by;  /* the pass behind which the compiler's own checks find its work broken; NULL if unknown */
    const char *why_not;     /* if no pass was found: the reason, a clause */
    StrList flags;           /* all that hide it alone */
    StrList passes;          /* all that hide it alone, in the order they run */
    bool together;           /* `passes` (or `flags`) hide it only together */
    StrList step_shows;      /* options that let `counter` go just far enough to show the bug, */
    StrList step_hides;      /* and one transformation less: the tightest pair of runs; both empty if unknown */
    Vec(StrList) passing;    /* commands that do not show the bug */
    const char *fingerprint; /* equal for bugs of one cluster */
    uint32_t runs;           /* of compilers */
} TriageFinding;

bool triage_bug(Runner *runner, const Bug *bug, const TriageOptions *options, Arena *arena, TriageFinding *ret_finding,
                Error *err);
void triage_release(TriageFinding *finding);

/* Puts the finding into the bug, to be saved by the caller: guilty transformation, passing commands, fingerprint. */
void triage_record(Bug *bug, const TriageFinding *finding);

#endif
