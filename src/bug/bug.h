/* Bugs: a directory with bug.json and the test's files; docs/bug-format.md lists the members.
 *
 * Fields that we know are read into the struct; everything else stays in `json` and is written back untouched. A bug
 * directory is never changed by running it: commands run in a copy (bug_copy_to).
 */
#ifndef BUG_BUG_H
#define BUG_BUG_H

#include "base/json.h"
#include "compiler/execute.h"

/* The guilty transformation, as far as triage found it. */
typedef struct Guilty {
    char *flag;     /* "-ftree-pre" */
    char *pass;     /* "tree-pre", "GVNPass" */
    char *function; /* that the pass ran on */
    int64_t number; /* of the transformation (-opt-bisect-limit, -fdbg-cnt); -1 where unknown */
} Guilty;

typedef struct Bug {
    char *dir;  /* absolute */
    bool loose; /* made from a file: dir holds other things too */
    char *id, *compiler, *version;
    Verdict kind;
    StrList fail_cmd, pass_cmd; /* the compiler's name first; pass_cmd may be empty */
    bool run;                   /* execute what the commands made? */
    StrList run_cmd;            /* how; empty: the output file */
    char *expected;             /* for people */
    double tolerance;           /* within which floating-point values of its output are right; 0: bytes are compared */
    StrList files, functions;   /* the answer, in bug sets */
    char *truth_match;
    char *generator;
    bool has_seed;
    uint64_t seed;
    char *signature; /* signature_text of the crash; NULL: found by running it */
    Guilty guilty;
    Vec(StrList) passing; /* further commands that do not show the bug */
    Json *json;           /* the whole of bug.json */
} Bug;

bool bug_load(const char *dir, Bug *ret_bug, Error *err);
/* With the commands of its reduced program, where there is one. Not to be saved. */
bool bug_load_smallest(const char *dir, Bug *ret_bug, bool *ret_is_reduced, Error *err);
bool bug_save(Bug *bug, Error *err); /* writes bug->dir/bug.json, durably */
void bug_release(Bug *bug);
bool bug_copy_to(const Bug *bug, const char *dir, Error *err); /* the test's files, not culprit's results */
/* The names in fail_cmd that are files of the bug: its sources, in order. */
void bug_sources(const Bug *bug, StrList *ret_names);
Language bug_language(const Bug *bug);
/* The family at fault where even its unoptimised code is wrong, as a pass_cmd of another compiler tells; FAMILY_OTHER
 * where the compiler's own -O0 is a good witness. For GuardOptions.suspect. */
CompilerFamily bug_suspect(const Bug *bug);
/* Bug directories under a path: itself, its children, or those of its bugs/ folder; sorted. */
bool bug_find_all(const char *path, StrList *ret_dirs, Error *err);

#endif
