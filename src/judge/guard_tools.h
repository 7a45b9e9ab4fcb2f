/* The compilers that guards use, and what of a test's command they are given. Only guard.c needs it. */
#ifndef JUDGE_GUARD_TOOLS_H
#define JUDGE_GUARD_TOOLS_H

#include "judge/guard.h"

typedef enum Tool { TOOL_GCC, TOOL_CLANG, TOOL_UBSAN, TOOL_ASAN, TOOL_MSAN, TOOL_UBSAN_ASAN, TOOL_COUNT } Tool;

struct GuardTools {
    Language language;
    Matrix matrix;
    int configs[TOOL_COUNT]; /* index into matrix.configs, -1 where missing */
    bool frama_c;
};

const Config *tool_config(const GuardTools *tools, Tool tool); /* NULL where it is missing */

/* Tools are native: their programs run as they are. */
bool tool_build_and_run(Runner *runner, const Program *program, const Config *config, const StrList *flags,
                        const char *dir, const ExecuteOptions *options, Execution *ret_execution, Error *err);

/* Appends the flags that change the meaning of a program. */
void meaningful_flags(const StrList *flags, StrList *ret_flags);

/* Appends the first lines that contain one of the words. */
void quote_lines(Str *out, const char *text, const char *const *words);

#endif
