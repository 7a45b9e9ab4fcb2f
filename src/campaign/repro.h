/* repro.sh and Makefile of a bug directory: the bug for people and tools that know nothing of culprit. */
#ifndef CAMPAIGN_REPRO_H
#define CAMPAIGN_REPRO_H

#include "base/arena.h"
#include "judge/script.h"

/* Appends what a crash must repeat: the assertion or error text, where the messages have it word by word. Its place
 * is left out, which other versions of the compiler have elsewhere. */
void repro_words(const char *messages, int signal, StrList *ret_words);

/* Writes repro-reduced.sh, for the reduced program that bug.json names; nothing where there is none. */
bool repro_write_reduced(const char *bug_dir, Error *err);
bool repro_write_script(const Script *script, const char *path, Error *err); /* executable */

#endif
