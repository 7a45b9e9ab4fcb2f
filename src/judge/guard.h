/* Guards: is this program fit as evidence, or does it lean on undefined behaviour?
 *
 * A list of named checks, cheap first; each says clean, complains (with what it saw) or has no answer (with why). Reduction
 * runs them on every accepted step and stops at the first complaint; `culprit check` runs all and adds Frama-C.
 *
 *     GuardTools *tools = guard_tools_new(runner, LANGUAGE_C, err);    finds gcc, clang and their sanitizers once
 *     GuardReport report = {0};
 *     guard_run(tools, runner, &program, &options, &report, err)
 *     if (report.complaint != GUARD_NONE) … guard_name(report.complaint), report.results[report.complaint].text
 */
#ifndef JUDGE_GUARD_H
#define JUDGE_GUARD_H

#include "compiler/execute.h"

typedef enum Guard {
    GUARD_WARNINGS,  /* of gcc and clang, those that betray undefined behaviour */
    GUARD_AGREEMENT, /* gcc's and clang's -O0 make programs that end well and behave the same */
    GUARD_UBSAN,
    GUARD_ASAN,
    GUARD_MSAN,    /* clang: reads of uninitialised memory */
    GUARD_FRAMA_C, /* Eva as an interpreter */
    GUARD_COUNT,
    GUARD_NONE = GUARD_COUNT,
} Guard;

typedef enum GuardAnswer { GUARD_NOT_RUN, GUARD_CLEAN, GUARD_COMPLAINS, GUARD_NO_ANSWER } GuardAnswer;

#define GUARD_BIT(guard) (1u << (guard))
#define GUARDS_DEFAULT (GUARD_BIT(GUARD_FRAMA_C) - 1) /* all but Frama-C, which takes seconds */
#define GUARDS_ALL (GUARD_BIT(GUARD_COUNT) - 1)

typedef struct GuardOptions {
    unsigned guards;          /* GUARD_BITs; 0 means GUARDS_DEFAULT */
    bool all;                 /* run on after a complaint */
    bool separate;            /* each guard by its own build; else, and without `all`, builds serve several guards */
    const StrList *flags;     /* or a whole command: what changes the meaning (-std, -D, -m…) is used; may be NULL */
    CompilerFamily suspect;   /* its own -O0 may have the bug: it has no say in the agreement; FAMILY_OTHER: none */
    const StrList *tolerated; /* warnings that do not count, of guard_known_warnings; may be NULL */
    const char *dir;          /* where the program's files lie already; NULL: they are written to a scratch directory */
    double tolerance;         /* within which outputs agree, as in run_difference */
    int64_t run_ms;           /* time for one run of the program without sanitizers; 0 means 10 s */
} GuardOptions;

typedef struct GuardResult {
    GuardAnswer answer;
    Str text; /* what it complains of, or why it has no answer; a few lines */
} GuardResult;

typedef struct GuardReport {
    GuardResult results[GUARD_COUNT];
    Guard complaint; /* the first guard that complained, GUARD_NONE where none did */
} GuardReport;

typedef struct GuardTools GuardTools;

GuardTools *guard_tools_new(Runner *runner, Language language, Error *err);
void guard_tools_free(GuardTools *tools);
DEFINE_FREEP(GuardTools, guard_tools_free)

/* Guards leave out flags that do not change the meaning, and have no answer where a compiler refuses the others: a mistyped
 * flag would pass for a clean program. False, with the compiler's words, if neither gcc nor clang takes the flags. */
bool guard_check_flags(const GuardTools *tools, Runner *runner, const StrList *flags, Error *err);

/* Tools are shared by threads, runners are not. */
bool guard_run(const GuardTools *tools, Runner *runner, const Program *program, const GuardOptions *options,
               GuardReport *ret_report, Error *err);
/* Appends the warnings that the program has already: in programs that no other guard complains of they are about code that
 * never runs. */
bool guard_known_warnings(const GuardTools *tools, Runner *runner, const Program *program, const GuardOptions *options,
                          StrList *ret_tags, Error *err);
/* Appends lines of a shell script that exit 1 where a guard complains of the file `name` of the directory. They call the
 * function same_output of script.c. */
void guard_script(const GuardTools *tools, const GuardOptions *options, const char *name, Str *ret_script);
void guard_report_release(GuardReport *report);

const char *guard_name(Guard guard); /* "warnings", "agreement", "ubsan", … */
const char *guard_answer_name(GuardAnswer answer);
bool guard_parse_list(const char *names, unsigned *ret_guards, Error *err); /* "warnings,ubsan", "all", "none" */

#endif
