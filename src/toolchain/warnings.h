/* Warnings that betray undefined behaviour, of gcc and clang. */
#ifndef TOOLCHAIN_WARNINGS_H
#define TOOLCHAIN_WARNINGS_H

#include "toolchain/execute.h"

typedef enum WarningsAnswer { WARNINGS_CLEAN, WARNINGS_BETRAY, WARNINGS_NO_ANSWER } WarningsAnswer;

/* Asks each compiler (NULL entries are skipped) about the program, whose files lie in `dir`. The text, appended to, has
 * the warnings, or why there is no answer: no compiler accepts the program. */
bool warnings_ask(Runner *runner, const Program *program, const char *dir, const Config *const *configs, size_t count,
                  const StrList *flags, WarningsAnswer *ret_answer, Str *ret_text, Error *err);

/* Whether one line of a compiler's messages is such a warning. */
bool warning_betrays(const char *line, size_t len);

#endif
