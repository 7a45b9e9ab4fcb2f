/* repro.sh and repro-reduced.sh of a bug directory: the bug for people and tools that know nothing of culprit. */
#ifndef JUDGE_REPRO_H
#define JUDGE_REPRO_H

#include "bug/bug.h"
#include "judge/script.h"

/* Appends what a crash must repeat: the assertion or error text, if the messages have it word by word. Its place is left
 * out, which other versions of the compiler have elsewhere. */
void repro_words(const char *messages, int signal, StrList *ret_words);

bool repro_write_script(const Script *script, const char *path, Error *err); /* executable */
/* repro-reduced.sh, for the bug's reduced program; nothing if there is none. */
bool repro_write_reduced(const Bug *bug, Error *err);

#endif
