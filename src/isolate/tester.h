/* Tester: the outcome of one program: does the bug still show, and what did the failing compilation cover?
 *
 * One per worker thread. The failing command is the subject's, so that its compilation is covered in the same run that
 * decides; nothing is compiled twice for coverage. Undefined behaviour is looked for in passing programs only.
 */
#ifndef ISOLATE_TESTER_H
#define ISOLATE_TESTER_H

#include "base/hash.h"
#include "cover/cover.h"
#include "isolate/devtest.h"
#include "judge/guard.h"
#include "judge/oracle.h"
#include "switches/switches.h"

typedef struct TesterConfig {
    const Bug *bug; /* its fail_cmd is the subject's; it outlives the tester */
    Cover *cover;
    const GuardTools *guards; /* NULL: undefined behaviour is not looked for */
    unsigned guard_bits;
    bool cover_failing; /* the coverage of failing programs is wanted too */
    int64_t run_cpu_ms; /* for one run of a mutant; 0: the oracle's own limit */
} TesterConfig;

typedef struct Tester Tester;

/* With `check_reference`, crashes count only if the reference accepts the program: for the bug's own one. */
Tester *tester_new(const TesterConfig *config, bool check_reference, Runner *runner, Error *err);
void tester_free(Tester *tester);
DEFINE_FREEP(Tester, tester_free)

/* The bug's own text, with repetitions that must agree. An Error, that says what to do, unless the bug shows; then `ret_unfit`
 * tells whether bug and subject are to blame, not the machine. Tells how long the reference's program ran, and the
 * functions on the stack of a crash, innermost first, as far as the compiler prints them. */
bool tester_original(Tester *tester, Bitset *ret_cover, int64_t *ret_run_cpu_ms, StrList *ret_stack, bool *ret_unfit,
                     Error *err);
const Str *tester_original_text(const Tester *tester);
/* How the bug's own text fails: what "the same failure" is compared with. Lives as long as the tester. */
const Failure *tester_failure(const Tester *tester);

/* A mutant, with options (NULL: none) added to the failing command. `ret_cover` is filled for passing ones only, see
 * cover_failing. False only when the machine fails. */
bool tester_mutant(Tester *tester, const char *text, size_t len, const StrList *options, Bitset *ret_cover,
                   Outcome *ret_outcome, Error *err);
/* A program that has nothing to do with the bug: it passes if the failing command, told to stop before linking,
 * accepts it. */
bool tester_program(Tester *tester, const char *text, size_t len, const StrList *options, Bitset *ret_cover,
                    Outcome *ret_outcome, Error *err);
/* A test of the compiler's own suite, by its text and path: it passes if the compiler, with the failing options, does what
 * the test asks. Programs are linked and run where it asks for that. */
bool tester_suite_test(Tester *tester, const char *path, const char *text, size_t len, Bitset *ret_cover,
                       Outcome *ret_outcome, Error *err);
/* What the failing command covers beyond that for a trivial program: linking, in compilers that do it themselves. */
bool tester_linking(Tester *tester, Bitset *ret_cover, Error *err);
/* The bug's own program, with options added to the failing command. */
bool tester_options(Tester *tester, const StrList *options, Bitset *ret_cover, Outcome *ret_outcome, Error *err);
/* The bug's own program under another command, of the same program and files: other passes. */
bool tester_command(Tester *tester, const StrList *command, Bitset *ret_cover, Outcome *ret_outcome, Error *err);
/* For asking the failing compiler what it can turn off. */
SwitchQuery tester_query(const Tester *tester);
/* What the program does when the reference compiled it; false if that failed. For effect probes. */
bool tester_behaviour(Tester *tester, const char *text, size_t len, Hash *ret_behaviour, Error *err);

/* The command without linking, its output in "ordinary.out": for programs that need not have a main. */
void tester_compile_only(const StrList *command, StrList *ret_command);

#endif
