/* Bug-free pass sequences: LocSeq's search, as a part of strategies (compare mutants.h, programs.h).
 *
 * The failing sequence O_b is what pipeline_parse makes of the failing command's passes, each with the kind it has; the
 * candidates O_c are the paper's Table I, as far as this LLVM has them. Every pass of an individual gets a pass manager of its
 * own, so that one runs over the whole module before the next, as the paper's opt did. So does the failing run, unless the bug
 * then does not show: it is the user's string then.
 *
 * A generation is cut into batches, CANDIDATE_SEQUENCES, for the search's workers. A sequence that was tested before has its
 * result already. Zeroed is closed.
 */
#ifndef ISOLATE_SEQUENCES_H
#define ISOLATE_SEQUENCES_H

#include "base/map.h"
#include "isolate/cga.h"
#include "isolate/search.h"
#include "isolate/sequence_server.h"
#include "llvm/catalogue.h"

typedef struct TestedSequence {
    const char *passes; /* as printed; the key of `seen` */
    double fitness;     /* 0 until it is known */
} TestedSequence;

typedef struct Sequences {
    Arena arena;
    Catalogue *catalogue;
    OptCommand command;
    SequenceServer *server;   /* NULL: an opt process each */
    Bitset failing;           /* what the failing passes cover; no bits without the server, which alone can tell */
    Pipeline passes;          /* passes.items[gene] */
    Genome buggy, candidates; /* O_b, O_c */
    Cga cga;
    bool evolves; /* false: every generation is made anew, at random (LocSeq_r) */
    Rng rng;
    FitnessBase fitness;
    Population parents, children;
    Map seen; /* printed sequences, each with the index of its entry in */
    Vec(TestedSequence) tested;
    Vec(size_t) queue; /* entries of this generation that are new; those before `next` are under way or tested */
    size_t next;
    int64_t spent_ms; /* on batches, to tell how large the next should be */
    size_t spent_runs;
    bool over; /* nothing new comes any more */
} Sequences;

/* The failing sequence must be one of passes that the subject's opt knows. Without a server that shows the bug, processes of
 * opt do. The caller may change `cga` and `evolves` before it begins. */
bool sequences_open(Sequences *sequences, Search *search, Tester *tester, Error *err);
void sequences_begin(Sequences *sequences, const Search *search); /* when the isolation's suspects are settled */
void sequences_close(Sequences *sequences);
/* Takes passes out of O_b while the bug shows without them, and tells what is left and what that covers. False, and nothing
 * changed, if all are needed, or if the bug does not show where every pass has a manager of its own. */
bool sequences_lean(Sequences *sequences, Search *search, Tester *tester, Str *ret_passes, Bitset *ret_cover);

/* A batch; NULL where a result must come in first, or nothing is left (`over`). */
Candidate *sequences_propose(Sequences *sequences, Search *search);
void sequences_learn(Sequences *sequences, const Candidate *batch);
/* On a worker's thread: runs a batch. */
bool sequences_test(const Sequences *sequences, Tester *tester, Runner *runner, Candidate *batch, Error *err);

/* Table I for this LLVM: appends a pass for each of its names, in order; `ret_missing` (may be NULL) gets the names that this
 * LLVM has nothing for. */
void sequences_table_one(const Catalogue *catalogue, Pipeline *ret_passes, StrList *ret_missing);

#endif
