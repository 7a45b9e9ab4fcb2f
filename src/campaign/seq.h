/* Seq: a campaign that looks for bugs of LLVM's passes in sequences that no default pipeline has (CTOS, TSE 2021).
 *
 * One test is one program and a batch of sequences on each LLVM of the campaign. docs/sequences.md describes the method; the
 * steps are seq_test.c's.
 */
#ifndef CAMPAIGN_SEQ_H
#define CAMPAIGN_SEQ_H

#include "campaign/campaign.h"

/* NULL, 0 and empty lists mean: as the campaign has it, else the default. */
typedef struct SeqOptions {
    CampaignOptions campaign;
    const StrList *llvms;   /* "14", a subject, a directory with bin/opt and bin/clang; none: all installed */
    const char *passes;     /* "production", "all", or a list as opt takes it */
    const char *exec;       /* "server" or "opt" */
    const char *sequences;  /* "random", "covering", "representative": RS, 2W, SS */
    const char *programs;   /* "random", "swarm", "swarm-values", "selected", "features": RP, RPS, RPSv, SP, SPS */
    const char *generator;  /* as for hunts */
    uint64_t size;          /* of programs, bytes */
    uint64_t least, most;   /* passes of a sequence */
    uint64_t batch;         /* sequences for one program and LLVM */
    uint64_t round;         /* programs between two selections */
    uint64_t chosen;        /* sequences chosen for a round; fewer than its programs need are used again */
    uint64_t sequence_pool; /* that a round's sequences are chosen from */
    uint64_t program_pool;  /* that a round's programs are chosen from */
    int64_t cpu_ms;         /* of one sequence's passes, or of the program they make */
    uint64_t memory_bytes;  /* of one sequence */
} SeqOptions;

SeqOptions seq_defaults(void);
bool seq(const SeqOptions *options, Console *console, CampaignSummary *ret_summary, Error *err);

#endif
