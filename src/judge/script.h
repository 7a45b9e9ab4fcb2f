/* repro.sh and Makefile of a bug directory: the bug for people and tools that know nothing of culprit. */
#ifndef JUDGE_SCRIPT_H
#define JUDGE_SCRIPT_H

#include "base/arena.h"
#include "base/strlist.h"
#include "bug/bug.h"

typedef struct Repro {
    const char *id;
    Verdict verdict;
    const char *program;     /* in the bug directory: "test", "reduced.c", "reduced" */
    bool is_folder;          /* the program */
    const StrList *fail_cmd; /* names its files; makes a.out */
    const StrList *pass_cmd; /* empty: compare with outputs/expected.txt */
    const StrList *emulator;
    const char *message;      /* words of the compiler that a crash must repeat; NULL: any crash */
    int64_t compile_s, run_s; /* time limits */
    uint64_t memory_bytes;    /* limit of the compiler */
    bool has_expected;
} Repro;

void repro_script(const Repro *repro, Str *ret_text);
void repro_makefile(const Repro *repro, Str *ret_text);
/* The assertion or error text of a crash, where the compiler's messages have it word by word; else NULL. */
const char *repro_message(const char *messages, int signal, Arena *arena);

/* Writes repro-reduced.sh into the bug's directory, for its reduced program; nothing where there is none. */
bool repro_write_reduced(const Bug *bug, Error *err);
bool repro_write_script(const Repro *repro, const char *path, Error *err); /* executable */

#endif
