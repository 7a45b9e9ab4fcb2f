/* Isolation: given a bug and an instrumented compiler, rank the compiler's files and functions by suspicion.
 *
 *     IsolateOptions options = isolate_defaults();
 *     Isolation isolation;
 *     if (!isolate(&bug, cover, &options, console, &isolation, err)) …        one sentence says why and what to do
 *     isolation.files.items[0] …                                              the most suspicious file
 *
 * The search stops at the first of its limits, at SIGINT, or when no new mutant is left, and what it found by then is
 * ranked. With a limit of mutants, the same seed and one job give the same ranking.
 */
#ifndef ISOLATE_ISOLATE_H
#define ISOLATE_ISOLATE_H

#include "base/json.h"
#include "isolate/clues.h"
#include "isolate/fitness.h"
#include "isolate/method.h"
#include "isolate/rank.h"
#include "isolate/tester.h"

typedef enum FakePolicy {
    FAKES_KEEP,
    FAKES_DROP, /* if any other witness is left */
} FakePolicy;

typedef struct IsolateOptions {
    const Method *method;
    Formula formula;
    Aggregation aggregation;     /* isolate_defaults: the method's own, see isolate_use_method */
    int64_t time_ms;             /* 0: no limit */
    uint64_t mutants, witnesses; /* 0: no limit */
    uint64_t stable;             /* programs without a move of the ranking that end the search; 0: the method's own */
    const char *pool;            /* NULL: the subject's own test suite, else what comes with culprit */
    size_t jobs;
    uint64_t seed;
    unsigned guards;    /* GUARD_BITs run on passing mutants; 0: none */
    bool record;        /* keep all runs, for recording_write */
    const Clues *clues; /* what is known beside coverage; NULL: nothing */
    /* The tightest pair: options with which the bug just shows, and those of one transformation less; NULL: not known. */
    const StrList *step_shows, *step_hides;
    const char *good_source; /* sources of an older version without the bug; NULL: none */
    FakePolicy fakes;
    double alpha;        /* RecBi's weight of diversity against similarity, 0 to 1 */
    size_t horizon;      /* RecBi's u: future steps in an advantage, at least 1 */
    bool copies;         /* test mutants again that were tested before */
    FitnessKind fitness; /* of pass sequences */
} IsolateOptions;

IsolateOptions isolate_defaults(void); /* fusion, Ochiai, 60 s, UBSan, RecBi's settings */
void isolate_use_method(IsolateOptions *options, const Method *method); /* with its aggregation */

/* What a statement's suspicion is made of: one factor for every kind of witness, one for the failing runs and one for every
 * kind of clue. */
enum { EVIDENCE_FAILING = WITNESS_KINDS, EVIDENCE_CLUES, EVIDENCE_KINDS = EVIDENCE_CLUES + CLUE_KINDS };
const char *evidence_name(int kind); /* "mutants", "options", "ordinary", "sequences", "steps", "failing", "named", … */

typedef struct Witness {
    WitnessKind kind;
    char *text;        /* NULL: the failing program's own */
    char *summary;     /* "line 7: < becomes <=", the program's name, an option, or a sequence of passes */
    uint32_t line;     /* of the mutation */
    const Rule *rule;  /* that made it; NULL: no mutation of C */
    double similarity; /* 1 - dist to the failing program */
    unsigned order;    /* of the mutation; 0 for programs that are no mutants */
    bool fake;         /* its output no longer depends on the mutated code */
    bool counted;      /* in the spectrum */
} Witness;

#define ISOLATE_EXHAUSTED "nothing left to try"

typedef struct IsolateStatistics {
    uint64_t tested;   /* programs compiled */
    uint64_t repeated; /* mutants that had been tested before, not tested again */
    uint64_t outcomes[OUTCOME_COUNT];
    uint64_t fakes;
    unsigned order;               /* of the mutations at the end */
    int64_t wall_ms;              /* of the search */
    size_t failing_statements;    /* covered by the failing program */
    double similarity, diversity; /* RecBi's Formulae 1 and 2 */
    double least_distance;        /* DiWi's diversity: the mean over witnesses of the distance to the nearest other */
    const char *stopped_by;       /* "time", "mutants", "witnesses", "interrupt", ISOLATE_EXHAUSTED, … */
} IsolateStatistics;

/* The ranking of files when so many witnesses were there: how it came about. */
typedef struct RankSnapshot {
    size_t witnesses;
    RankedList files;
} RankSnapshot;

typedef struct Isolation {
    const UnitTable *units; /* the cover's */
    WitnessSet set;
    Vec(Witness) witnesses;           /* witnesses.items[i] has the coverage set.runs.items[i] */
    Spectrum spectrum;                /* what the ranking reads; fed by the method's strategy */
    Clues clues;                      /* the options', and the stack of a crash */
    char *lean;                       /* options with which the bug still shows; NULL: none were found */
    double *scores;                   /* of the statements: the product of */
    double *evidence[EVIDENCE_KINDS]; /* each NULL if there is none of the kind */
    RankedList files;                 /* sources and descriptions (.c, .cc, .cpp, .pd, .md): what Top-n counts */
    RankedList others;                /* headers and generated files */
    RankedList functions;
    Vec(RankSnapshot) history; /* at 1, 2, 4, 8 … witnesses; for people, nothing reads it in the search */
    IsolateStatistics statistics;
    char *original; /* the failing text */
    bool unfit;     /* on the way: see isolate */
} Isolation;

/* The bug as the subject sees it: fail_cmd is the subject's, everything else is borrowed from the original. An LLVM with
 * assertions has bugs that the installed one, which bug.json names, does not show. */
bool bug_of_subject(const Bug *bug, const Subject *subject, Bug *ret_bug, Error *err);
void bug_of_subject_release(Bug *bug);

/* If it fails, `ret_unfit` (may be NULL) tells whether bug and subject are to blame, which no second try would change, or
 * the machine. */
bool isolate(const Bug *bug, Cover *cover, const IsolateOptions *options, Console *console, Isolation *ret_isolation,
             bool *ret_unfit, Error *err);
void isolation_release(Isolation *isolation);

/* Ranks again: by another formula, another aggregation, or without fakes. */
void isolation_rank(Isolation *isolation, const IsolateOptions *options);
void isolation_clear_ranking(Isolation *isolation);
/* Ranks, and keeps the files' ranks, whenever the number of witnesses has doubled: a dozen times at most. */
void isolation_remember(Isolation *isolation, const IsolateOptions *options);
/* Up to `want` witnesses that teach most: closest to the failing program, at different places. Returns how many. */
size_t isolation_instructive(const Isolation *isolation, size_t want, size_t *ret_witnesses);
void isolation_diff(const Isolation *isolation, size_t witness, Str *ret_diff); /* against the failing program */
/* The most suspicious functions of a file, best first. */
void isolation_file_functions(const Isolation *isolation, uint32_t file, size_t most, StrList *ret_names);
/* What speaks against a file, each between 0 (nothing) and 1: means over its statements, weighted by their scores; negative
 * if there is no evidence of the kind. */
void isolation_evidence(const Isolation *isolation, uint32_t file, double ret_evidence[EVIDENCE_KINDS]);
/* The same in words, a clause each: "without -ftree-pre the bug is gone, and 90% of what is suspicious in it does not run". */
void isolation_reasons(const Isolation *isolation, uint32_t file, StrList *ret_clauses);
/* The source of one file with the score of every covered statement in front. */
bool isolation_annotate(const Isolation *isolation, const char *file, const char *source_root, Str *ret_text,
                        Error *err);
/* Witnesses by the operator that made them: {"insert-if": 3, …}. */
Json *isolation_operators_json(const Isolation *isolation);
/* suspects.json */
Json *isolation_json(const Isolation *isolation, const Bug *bug, const Subject *subject, const IsolateOptions *options);

#endif
