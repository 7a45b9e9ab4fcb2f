/* repro.sh and Makefile of a bug directory: the bug for people and tools that know nothing of culprit. */
#ifndef CAMPAIGN_REPRO_H
#define CAMPAIGN_REPRO_H

#include "base/strlist.h"
#include "toolchain/verdict.h"

typedef struct Repro {
    const char *id;
    Verdict verdict;
    const StrList *fail_cmd; /* sources are test/…, the program is a.out */
    const StrList *pass_cmd; /* empty: compare with outputs/expected.txt */
    const StrList *emulator;
    const char *message;      /* words of the compiler that a crash must repeat; NULL: any crash */
    int64_t compile_s, run_s; /* time limits */
    uint64_t memory_bytes;    /* limit of the compiler */
    bool has_expected;
} Repro;

void repro_script(const Repro *repro, Str *ret_text);
void repro_makefile(const Repro *repro, Str *ret_text);

#endif
