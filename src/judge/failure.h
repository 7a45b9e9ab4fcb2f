/* Failures: what went wrong, and whether it is the same thing again. The one comparison, for the oracle, campaigns,
 * reduction and votes.
 *
 * A failure of the compiler has a reason, as far as the compiler gives one: the signature of a crash, the first message
 * of a refusal. A failure of the program that it made has none; it differs from a right run in its output, its end, or
 * both.
 */
#ifndef JUDGE_FAILURE_H
#define JUDGE_FAILURE_H

#include "compiler/execute.h"
#include "compiler/signature.h"

/* How two runs differ. A wrong output that turns into a wrong exit status is, as a rule, another bug: compilers that
 * forget what main returns would attract every reduction. */
enum { DIFFERS_IN_OUTPUT = 1, DIFFERS_IN_END = 2 };

/* Bits of the above, 0 where the runs are the same. Outputs are compared byte by byte, or, with a tolerance above 0,
 * as the programs with floating point print them: the first line exactly, then lines "name value" whose values may
 * differ by that share of the value in `reference`. */
unsigned run_difference(const ProcResult *run, const ProcResult *reference, double tolerance);

/* What the generator foretold of a right run. */
typedef struct Expectation {
    const char *output;
    size_t len;
    int exit_code;
    double tolerance; /* as in run_difference */
} Expectation;

unsigned expectation_difference(const ProcResult *run, const Expectation *expectation);

typedef struct Failure {
    Verdict verdict;
    const char *
        reason; /* of a crash or a refusal, in one line that is equal where the reasons are; NULL where none is known */
    bool has_signature;
    Signature signature; /* of a crash */
} Failure;

/* What a compilation shows; strings live in the arena. */
Failure failure_of(Verdict verdict, const ProcResult *compile, Arena *arena);

/* Whether `seen` is the failure `known`. Where no reason is known any one will do. Of wrong code every difference
 * between the runs is the same failure, and so for a bug that comes and goes. */
bool failure_same(const Failure *known, const Failure *seen);

/* Appends parts of the compiler's messages that tell its failure from others, to the letter. */
void failure_words(const Failure *failure, const char *messages, StrList *ret_words);

#endif
