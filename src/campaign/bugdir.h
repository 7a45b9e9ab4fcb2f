/* Bug directories: what a finding leaves behind, complete or not at all.
 *
 *     bugs/gcc-11-crash-1042/
 *         bug.json      what, where, how (docs/bug-format.md)
 *         test/         the program
 *         outputs/      compiler messages, what the program printed and should have printed
 *         repro.sh      exits 0 while the bug reproduces; for `git bisect run` and reducers
 *         Makefile      make fail, make pass, make repro
 *         report.md     all of it for people
 * reduced.c and suspects.json come from later steps (src/explain).
 */
#ifndef CAMPAIGN_BUGDIR_H
#define CAMPAIGN_BUGDIR_H

#include "bug/bug.h"

/* What a directory is made from. */
typedef struct BugDraft {
    Bug bug;         /* but for dir and outputs, which bugdir_write fills in */
    Verdict verdict; /* of the finding; bug.kind is what bug.json can say about it */
    const Program *program;
    const Str *messages;    /* of the compiler at fault */
    int signal;             /* that it died of; 0: none */
    const Str *actual;      /* what the program printed; NULL: it did not run */
    const Str *expected;    /* what it should have printed; NULL: nobody knows */
    const StrList *run_cmd; /* how it was run; may be NULL */
    ExecuteOptions execute; /* limits that were in force */
} BugDraft;

/* Writes bugs_dir/name, replacing what a killed campaign may have left there. */
bool bugdir_write(BugDraft *draft, const char *bugs_dir, const char *name, Error *err);

#endif
