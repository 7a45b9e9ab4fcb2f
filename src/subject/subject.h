/* Subject: a compiler whose coverage can be collected: what it is, how it is called, where its sources are.
 *
 * A subject is a directory with a subject.json, found by name under $CULPRIT_SUBJECTS (default: culprit/subjects in the
 * XDG cache), or by path. "stock:CC" is a compiler (or opt, or llc) as the distribution installed it, traced without
 * preparation, function by function, or block by block if its files are ranked (sources.h); "stock-functions:CC" and
 * "stock-blocks:CC" say which. It has no subject.json, only a cache directory.
 */
#ifndef SUBJECT_SUBJECT_H
#define SUBJECT_SUBJECT_H

#include "base/console.h"
#include "base/error.h"
#include "base/strlist.h"
#include "proc/run.h"

typedef struct Subject {
    char *name;
    char *dir;         /* where its files are; caches of tables go here */
    char *version;     /* of the compiler: "11.3.0" */
    char *provider;    /* "sancov", "gcov", "trace" or "trace-blocks" */
    char *source_root; /* NULL if unknown */
    char *build_root;  /* where it was compiled; NULL if unknown */
    StrList cc;        /* how to call it as a C compiler: {"gcc-11", "-B/…/bin/"}; empty if it is none */
    StrList opt, llc;  /* the LLVM tools, for subjects that have them */
    char *libllvm;     /* the instrumented shared library, for the fork server; NULL: none */
    StrList modules;   /* the instrumented executables and libraries */
    bool preload;      /* modules expect the sancov runtime from outside: it is preloaded */
    StrList made;      /* how it was made, "key: value" lines for people */
} Subject;

void subject_release(Subject *subject);

/* `which` is a name, a directory, "stock:CC", "stock-functions:CC" or "stock-blocks:CC". `source_dir` (may be NULL) names the source tree if the
 * subject does not know it. */
bool subject_open(const char *which, const char *source_dir, Subject *ret_subject, Error *err);

/* The subject for bugs of this program ("gcc-11", "opt-19"), by version: one that was built, else "stock:PROGRAM". */
void subject_choose(const char *program, Str *ret_which);

/* How the subject is called in place of this program: as opt, as llc or as a compiler, by the program's name. */
StrList *subject_tool(Subject *subject, const char *program);

/* The command `argv`, as a bug.json has it ("gcc-11 -O2 x.c"), turned into one of the subject: its first word, looked at
 * only to tell opt and llc from a compiler, is replaced. */
bool subject_command(const Subject *subject, const char *const *argv, StrList *ret_argv, Error *err);

/* The directory under which subjects are found by name. */
void subjects_dir(Str *ret_path);
/* Names of the subjects there, sorted. */
bool subjects_list(StrList *ret_names, Error *err);

/* Bytes on disk below subject->dir. */
uint64_t subject_bytes(const Subject *subject);

/* Writes subject.json into subject->dir. */
bool subject_save(const Subject *subject, Error *err);

#endif
