/* Warnings that betray undefined behaviour, of gcc and clang. */
#ifndef JUDGE_WARNINGS_H
#define JUDGE_WARNINGS_H

#include "compiler/execute.h"

typedef enum WarningsAnswer { WARNINGS_CLEAN, WARNINGS_BETRAY, WARNINGS_NO_ANSWER } WarningsAnswer;

/* Asks each compiler (NULL entries are skipped) about the program, whose files lie in `dir`. The text, appended to, has
 * the warnings, or why there is no answer: no compiler accepts the program. Those in `tolerated` (may be NULL) do not
 * count. */
bool warnings_ask(Runner *runner, const Program *program, const char *dir, const Config *const *configs, size_t count,
                  const StrList *flags, const StrList *tolerated, WarningsAnswer *ret_answer, Str *ret_text,
                  Error *err);

/* What one line of a compiler's messages is recognised by: a tag without "-W", or a phrase; NULL where it does not betray
 * anything. */
const char *warning_tag(const char *line, size_t len);
/* Appends the tags of all such warnings that the compilers have about the program, each once. */
bool warnings_list(Runner *runner, const Program *program, const char *dir, const Config *const *configs, size_t count,
                   const StrList *flags, StrList *ret_tags, Error *err);
/* Appends script lines that exit 1 where a compiler has such a warning about the file. */
void warnings_script(const Config *const *configs, size_t count, const StrList *flags, const StrList *tolerated,
                     const char *name, Str *ret_script);

#endif
