/* Bugs: a directory with bug.json and the test's files. docs/bug-format.md lists the members of bug.json; this folder alone
 * knows their names (schema.c), and what the directory's files are called.
 *
 * What we know is read into the struct; everything else stays in `json` and is written back untouched. A bug directory is
 * never changed by running it: commands run in a copy (bug_copy_to).
 */
#ifndef BUG_BUG_H
#define BUG_BUG_H

#include "base/json.h"
#include "compiler/execute.h"

/* The files of a bug directory. A bug set has bug.json and the test, wherever fail_cmd says it is; the rest is culprit's. */
#define BUG_JSON "bug.json"
#define BUG_TEST "test" /* the program that a campaign found, a folder */
#define BUG_OUTPUTS "outputs"
#define BUG_MESSAGES "outputs/compiler.txt"
#define BUG_ACTUAL "outputs/actual.txt"
#define BUG_EXPECTED "outputs/expected.txt"
#define BUG_REDUCED_FILE "reduced.c"
#define BUG_REDUCED_MODULE "reduced.ll"
#define BUG_REDUCED "reduced" /* the same for a program of several files, a folder */
#define BUG_SCRIPT "repro.sh"
#define BUG_REDUCED_SCRIPT "repro-reduced.sh"
#define BUG_MAKEFILE "Makefile"
#define BUG_REPORT "report.md"
#define BUG_SUSPECTS "suspects.json"
#define BUG_UNDONE ".undone" /* work on it was left undone */

/* The guilty transformation, as far as triage found it. */
typedef struct Guilty {
    char *flag;             /* "-ftree-pre" */
    char *pass;             /* "tree-pre", "GVNPass" */
    char *function;         /* that the pass ran on */
    int64_t number;         /* of the transformation (-opt-bisect-limit, -fdbg-cnt); -1: unknown */
    bool monotone;          /* false: the bug comes and goes with the number */
    char *counter;          /* the debug counter that counts it: "vect_loop" */
    int64_t transformation; /* LLVM: among those that `counter` counts; 0: unknown */
    StrList passes, flags;  /* all that hide the bug, each alone … */
    bool together;          /* … or the passes only together */
    char *damaged_by;       /* the pass behind which the compiler's own checks find its work broken */
    char *why_not;          /* if no pass was found: the reason, a clause */
} Guilty;

/* In the place of verdict and outcome of an LLVM that has not all of the passes, or does not take the program or module. */
#define VERSION_NOT_APPLICABLE "not-applicable"

/* What one compiler, with its options, does with the test. */
typedef struct BugVersion {
    char *command; /* "gcc-12 -O3" */
    char *version; /* what the compiler says about itself */
    char *verdict; /* verdict_name */
    char *outcome; /* outcome_name, if that was asked; NULL: known from the campaign's own runs */
} BugVersion;

/* What reduction left: the files that fail_cmd names. */
typedef struct ReducedProgram {
    StrList fail_cmd, pass_cmd; /* fail_cmd is empty while there is no such program */
    StrList front_cmd;          /* empty: none, whatever the bug's own program needs */
    /* If fail_cmd names a module that was reduced as such: what makes one from the program that was reduced before. */
    StrList source_cmd;
    size_t passes_before, passes; /* of opt's sequence; 0: it has none */
    size_t tokens, tokens_before;
    size_t bytes, bytes_before;
    bool stopped;                       /* before nothing was left to try */
    int64_t wall_ms;                    /* spent on it, in all */
    char *messages, *actual, *expected; /* what compiler and programs say; NULL: nothing */
    char *why_not;                      /* if there is none although it was tried: the reason, a sentence */
} ReducedProgram;

typedef struct Bug {
    char *dir;  /* absolute */
    bool loose; /* made from a file: dir holds other things too */
    char *id, *compiler, *version;
    char *version_text, *target; /* what the compiler says about itself; may be NULL, as all texts from here on */
    Verdict kind;
    StrList fail_cmd, pass_cmd; /* the compiler's name first; pass_cmd may be empty */
    /* Bugs of a compiler's middle: what makes the input of fail_cmd and pass_cmd from the sources, and what makes a program
     * of their output. Neither is suspected; both are empty for most bugs. */
    StrList front_cmd, codegen_cmd;
    bool run;                 /* execute what the commands made? */
    StrList run_cmd;          /* how; empty: the output file */
    char *expected;           /* for people */
    char *reach;              /* for people: who can meet the bug, of passes that no default pipeline runs so */
    double tolerance;         /* within which floating-point values of its output are right; 0: bytes are compared */
    char *basis;              /* basis_name: how the right output is known */
    StrList files, functions; /* the answer, in bug sets */
    char *truth_match;
    char *generator;
    bool has_seed;
    uint64_t seed;
    char *signature; /* signature_text of the crash; NULL: found by running it */
    char *key;       /* of a campaign: equal keys are held to be one bug, until triage says more */
    struct {
        char *compiler, *actual, *expected; /* files with what they said; NULL: there is none */
    } outputs;
    StrList guards;           /* sentences: why the program is valid */
    Vec(BugVersion) versions; /* who has the bug and who does not */
    Vec(StrList) passing;     /* further commands that do not show the bug */
    Guilty guilty;
    char *fingerprint; /* of triage: equal for duplicates; NULL: not triaged */
    uint32_t triage_runs;
    ReducedProgram reduced;
    StrList suspects;      /* the compiler's source files that isolation suspects most */
    bool suspects_stopped; /* the search for them ended early */
    Json *json;            /* the whole of bug.json */
} Bug;

bool bug_load(const char *dir, Bug *ret_bug, Error *err);
bool bug_save(Bug *bug, Error *err); /* writes bug->dir/bug.json, durably */
void bug_release(Bug *bug);
/* The triage object as bug.json has it. */
Json *bug_triage_json(const Bug *bug);

bool bug_is_reduced(const Bug *bug);
/* The bug with the commands of its reduced program, if there is one, else as it is. Borrows everything from `bug`: it is
 * neither saved nor released. */
Bug bug_smallest(const Bug *bug);

/* Record what was found out, in place of what was known; texts are copied. */
void bug_add_version(Bug *bug, const char *command, const char *version, const char *verdict, const char *outcome);
void bug_add_passing(Bug *bug, const StrList *command); /* once, however often it is added */
void bug_set_text(char **text, const char *value);
void bug_set_list(StrList *list, const StrList *value);

/* An error if a command names a source outside the directory: a copy would lack it, and whoever writes a changed test to
 * that name would write beside the copy. */
bool bug_stays_inside(const Bug *bug, Error *err);
/* The test's files, not culprit's results; they must stay inside. */
bool bug_copy_to(const Bug *bug, const char *dir, Error *err);
/* A file of the directory; false if there is none, or if its name or a link leads out of the directory: what a stranger's bug
 * says must not make us show other files. Appends. */
bool bug_read_file(const Bug *bug, const char *name, Str *ret_text);
/* The command that names the sources, with the options that they need: front_cmd if there is one, else fail_cmd. */
const StrList *bug_source_command(const Bug *bug);
/* The names in it that are files of the bug: its sources, in order. */
void bug_sources(const Bug *bug, StrList *ret_names);
Language bug_language(const Bug *bug);
/* The family at fault where even its unoptimised code is wrong, as a pass_cmd of another compiler tells; FAMILY_OTHER
 * where the compiler's own -O0 is a good witness. For GuardOptions.suspect. */
CompilerFamily bug_suspect(const Bug *bug);
/* Bug directories under a path: itself, its children, or those of its bugs/ folder; sorted. */
bool bug_find_all(const char *path, StrList *ret_dirs, Error *err);
/* Under all paths; that there is none at all is an error. */
bool bug_find_any(const StrList *paths, StrList *ret_dirs, Error *err);

#endif
