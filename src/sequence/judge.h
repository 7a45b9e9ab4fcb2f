/* Step 5 of CTOS: compare what the programs did, and say which sequences found a bug.
 *
 * The five kinds of the paper, as verdicts:
 *
 *   crash            CRASH           LLVM dies in a pass
 *   invalid IR       INVALID_IR      the verifier refuses what a pass left
 *   wrong code       WRONG_CODE      another output or exit status than is right, a fault signal, or no end
 *   performance      OUT_OF_MEMORY   more than the limit, 4 GiB as in the paper
 *                    HANG            more than the limit of time, or far more than most sequences of the program
 *   code generator   CODEGEN         the back end fails on a module that the verifier accepts
 *
 * What is right: the value that the generator foretold, else the majority ("the majority of them should be identical").
 */
#ifndef SEQUENCE_JUDGE_H
#define SEQUENCE_JUDGE_H

#include "sequence/run.h"

/* What a right program does. */
typedef struct SequenceAnswer {
    Basis basis; /* BASIS_NONE: nobody knows; nothing is compared then */
    int exit_code;
    uint64_t output_len;
    uint64_t output_hash; /* of a majority */
    const char *output;   /* its beginning */
} SequenceAnswer;

/* The answer foretold, with status 0. */
SequenceAnswer sequence_expected(const char *output, size_t len);
/* The answer that more than half of the programs that came to an end gave, three at least. */
SequenceAnswer sequence_majority(const SequenceResult *results, size_t count);

/* Turns VERDICT_OK of those that answer otherwise into VERDICT_WRONG_CODE, and so for those that died or did not end. */
void sequence_compare(const SequenceAnswer *answer, SequenceResult *results, size_t count);

/* The CPU time of passes above which a sequence counts as slow: twenty times the median, the oracle's patience, but no
 * less than two seconds. Only whole sequences can be compared, not the single passes of a tree's nodes. */
int64_t sequence_slow_us(const SequenceResult *results, size_t count);
void sequence_mark_slow(int64_t slow_us, SequenceResult *results, size_t count); /* VERDICT_OK becomes VERDICT_HANG */

/* Whether `seen` is the failure `known`: the same verdict and reason. */
bool sequence_same_failure(const SequenceResult *known, const SequenceResult *seen);

/* What tells bugs of passes apart, after CTOS: kind, last pass of the reduced sequence, and reason. "opt crash: licm:
 * Assertion …". LLVM's developers blame the last pass (LLVM bug 40927). */
const char *sequence_key(Verdict verdict, const char *last_pass, const char *reason, Arena *arena);

#endif
