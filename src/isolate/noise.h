/* What a compiler runs to report a crash: it is executed by every crashing program and by no witness, and it is innocent. */
#ifndef ISOLATE_NOISE_H
#define ISOLATE_NOISE_H

#include "isolate/tester.h"

/* Removes from `failing` the statements that only report. If the compiler cannot be made to crash on purpose, what
 * reporting an error covers is removed alone. False only when the machine fails. */
bool noise_remove_report(Tester *tester, Language language, Cover *cover, Runner *runner, Bitset *failing, Error *err);

#endif
