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

#include "campaign/test.h"

/* "gcc-11-crash-1042"; findings of one test with equal names get "-2", "-3" … */
const char *bugdir_name(const Test *test, size_t finding, Arena *arena);

/* Writes bugs_dir/name, replacing what a killed campaign may have left there. */
bool bugdir_write(const Test *test, size_t finding, const char *generator, const char *bugs_dir, const char *name,
                  Error *err);

#endif
