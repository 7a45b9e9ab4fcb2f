/* Strategies: what a method of isolation tests next, what it keeps of a result, how it scores statements.
 *
 * The search (search.c) reads: propose, test, absorb, until a limit. A Strategy is a table of functions around that loop,
 * with a state of its own. A further one is one more file with its table, named below, and a row in method.c.
 *
 * Strategies are made of three sources of candidates: mutants of the failing program (mutants.h), programs that have nothing
 * to do with it (programs.h), and other sequences of passes (sequences.h).
 */
#ifndef ISOLATE_STRATEGY_H
#define ISOLATE_STRATEGY_H

#include "isolate/isolate.h"
#include "isolate/search.h"

struct Strategy {
    /* Makes search->state. `tester` has just shown the bug, for questions to its compiler. */
    bool (*open)(Search *search, Tester *tester, Error *err);
    void (*close)(Search *search); /* also of what was opened in part, or not at all */
    /* The next candidate; NULL if this attempt gave none. Sets search->idle if only a result that comes in could help. */
    Candidate *(*propose)(Search *search);
    /* Learns from a candidate that was tested, keeps it as a witness or not, and feeds the spectrum. */
    void (*absorb)(Search *search, Candidate *c);
    /* Sets isolation->scores of the suspects, which start at 0, and isolation->evidence. */
    void (*score)(Isolation *isolation, const Spectrum *spectrum, Formula formula);
};

extern const Strategy strategy_mutants; /* mutants of the failing program */
extern const Strategy strategy_blend;   /* mutants, blended with code of other programs */
extern const Strategy strategy_pool;    /* programs of a pool */
extern const Strategy strategy_random;  /* random programs */
extern const Strategy strategy_files;   /* programs of a pool; a run covers whole files */
extern const Strategy strategy_fusion;  /* every kind of evidence */
/* Pass sequences: the genetic algorithm, the same without the constraint, and random ones in place of both. */
extern const Strategy strategy_locseq, strategy_locseq_wc, strategy_locseq_r, strategy_locseq_rwc;

#endif
