/* Row types of the campaign store: plain structs without a trace of the database behind them.
 *
 * Rows that the store returns live in the arena that the caller passes; rows that the caller passes are only read.
 * Kinds and verdicts are the texts of bug.json ("wrong-code", "crash", …), because the enum stands in a higher tier.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "base/base.h"

/* Test numbers count from 0 in each campaign; the program's seed is the campaign's seed plus the number. */
typedef struct StoreRange {
    uint64_t first, count;
} StoreRange;

/* A compiler with its options, as it was when the campaign met it. A new version of the same command is a new row. */
typedef struct StoreConfig {
    int64_t id;
    const char *command;  /* "gcc-12 -O3" */
    const char *compiler; /* "gcc-12" */
    const char *version;  /* its first line of --version or the like */
    const char *target;   /* "x86_64-linux-gnu"; may be NULL */
} StoreConfig;

/* What one configuration did with one test. */
typedef struct StoreVerdict {
    int64_t config;             /* StoreConfig.id */
    const char *verdict;        /* "ok", "crash", … */
    int64_t compile_us, run_us; /* CPU time */
} StoreVerdict;

/* One observation of a bug. Observations with the same key are the same bug. */
typedef struct StoreHit {
    const char *key;
    const char *kind;
    const char *compiler; /* of the first failing configuration, such as "gcc-12" */
    const char *version;
    const char *command; /* the first failing configuration */
    const char *signature;
    const char *oracle;    /* how the expected result was known; may be NULL */
    const char *directory; /* its name under bugs/, or NULL if none was kept */
    const char *sequence;  /* of passes, reduced; NULL: it is no such bug */
} StoreHit;

/* A subsequence of passes that later tests of that LLVM do without, because it found one bug often enough. */
typedef struct StoreExclusion {
    const char *compiler, *version; /* "opt-14"; of another version it no longer holds */
    const char *first, *second;     /* passes, in that order; second is "" for a single one */
    const char *bug;                /* its key */
    const char *kind;
    uint64_t hits;
    const char *ended; /* why it no longer holds, or NULL */
} StoreExclusion;

/* The result of one test: recorded whole or not at all. */
typedef struct StoreTest {
    uint64_t number;
    uint64_t program_bytes;
    uint64_t sequences;                      /* of passes that were tested; hunts have none */
    int64_t generate_us, compile_us, run_us; /* CPU time */
    int64_t finished_s;                      /* since 1970 */
    const StoreVerdict *verdicts;
    size_t verdict_count;
    const StoreHit *hits;
    size_t hit_count;
} StoreTest;

/* What later steps found out about one kept directory. */
typedef struct StoreExplanation {
    const char *fingerprint; /* of triage: equal fingerprints are one bug; NULL: unknown */
    const char *pass;        /* the guilty one; NULL: unknown */
    const char *suspects;    /* source files of the compiler, the most suspicious first, a line each; NULL: unknown */
    uint64_t reduced_bytes;  /* 0: not reduced */
} StoreExplanation;

typedef struct StoreBug {
    int64_t id;
    const char *key, *kind, *compiler, *version, *command, *signature;
    const char *oracle;    /* may be NULL */
    const char *directory; /* the first one kept, or NULL */
    uint64_t hits;
    uint64_t kept;     /* directories */
    uint64_t clusters; /* that its explained directories belong to */
    uint64_t first_test;
    int64_t first_seen_s, last_seen_s;
} StoreBug;

/* A distinct bug: what triage found to be the same, or a bug that it has not looked at. */
typedef struct StoreCluster {
    StoreBug bug;                 /* of the directory to look at first; hits, kept and times are the cluster's */
    StoreExplanation explanation; /* of that directory; without a fingerprint: not looked at */
    uint64_t keys;                /* bugs that were merged into it */
} StoreCluster;

typedef struct StoreKindCount {
    const char *kind;
    uint64_t bugs, hits;
} StoreKindCount;

typedef struct StoreTotals {
    uint64_t tests, bugs, hits, directories, program_bytes;
    uint64_t sequences;     /* of passes that were tested */
    uint64_t counted_tests; /* that say how many they tested; those of stores of version 4 and before do not */
    int64_t generate_us, compile_us, run_us;
} StoreTotals;

/* How far a campaign was when a second of it ended: sums since its start. Time between sessions, when nothing ran, does not
 * count as elapsed. */
typedef struct StoreProgress {
    int64_t wall_s;    /* since 1970 */
    int64_t elapsed_s; /* of its sessions together */
    int64_t cpu_us;    /* of generator, compilers and programs */
    uint64_t tests;
} StoreProgress;

/* How often each configuration gave each verdict. */
typedef struct StoreVerdictCount {
    const char *command, *version, *verdict;
    uint64_t tests;
    int64_t compile_us, run_us;
} StoreVerdictCount;

#endif
