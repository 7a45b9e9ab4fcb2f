/* What can this compiler turn off? Optimisation flags, passes, debug counters, and the rest of a bisection.
 *
 * A Switch is a list of words to add to a command. The lists come from the compiler's own answers, with one reader for each
 * kind of answer (gcc.c, llvm.c); which switches hide a bug is the question of group_search.h.
 *
 *     SwitchQuery query = {.runner = runner, .command = &command, .dir = dir};
 *     SwitchList flags = {0};
 *     if (!switches_gcc_flags(&query, &flags, err)) …
 *     strlist_add_all(&command, &flags.items[0].off);          the command with the first flag off
 *     switch_list_release(&flags);
 */
#ifndef SWITCHES_SWITCHES_H
#define SWITCHES_SWITCHES_H

#include "base/strlist.h"
#include "base/vec.h"
#include "proc/run.h"

typedef enum SwitchKind {
    SWITCH_LEVEL,     /* a level of optimisation: "-O0" */
    SWITCH_FLAG,      /* "-ftree-pre" */
    SWITCH_PASS,      /* all instances of a pass of GCC */
    SWITCH_COUNTER,   /* the transformations that a debug counter counts */
    SWITCH_BISECTION, /* the executions of LLVM's optional passes */
} SwitchKind;

/* How a counter or a bisection is told to stop early. */
typedef enum LimitNotation {
    LIMIT_GCC_COUNTER,   /* -fdbg-cnt=NAME:LIMIT */
    LIMIT_LLVM_COUNTER,  /* -debug-counter=NAME-skip=0,NAME-count=LIMIT, to LLVM 18 */
    LIMIT_LLVM_RANGE,    /* -debug-counter=NAME=0-LAST, later */
    LIMIT_LLVM_BISECTION /* -opt-bisect-limit=LIMIT */
} LimitNotation;

typedef struct Switch {
    SwitchKind kind;
    char *name;        /* "-ftree-pre", "tree-ccp1", "vect_loop", "-O0" */
    StrList off;       /* the words that turn it off */
    StrList instances; /* of a pass, in the order they run: "tree-ccp1", "tree-ccp2" */
    int64_t steps;     /* of a counter or a bisection: how many it counted */
    LimitNotation notation;
    bool through_driver; /* clang hands LLVM's options on: "-mllvm" stands before each */
} Switch;

typedef Vec(Switch) SwitchList;

/* Adds a switch; its `off` is to be filled. The pointer is good until the next one is added. */
Switch *switch_list_add(SwitchList *list, SwitchKind kind, const char *name);
bool switch_list_has(const SwitchList *list, const char *name);
void switch_release(Switch *a_switch);
void switch_list_release(SwitchList *list);
/* Appends the words that let a counter or a bisection take only its first `limit` steps. */
void switch_limit(const Switch *a_switch, int64_t limit, StrList *ret_words);

/* --- Asking the compiler --- */

typedef struct SwitchQuery {
    Runner *runner;
    const StrList *command; /* that compiles a file of `dir` */
    const char *dir;
    uint32_t *runs; /* counts the questions; may be NULL */
} SwitchQuery;

/* What the compiler prints for the command with the words (separated by blanks) added: standard output and error. */
bool switches_ask(const SwitchQuery *query, const char *words, Str *ret_text, Error *err);
bool switches_ask_words(const SwitchQuery *query, const StrList *words, Str *ret_text, Error *err);

/* Each leaves the list as it is when the compiler does not know how to answer. */
bool switches_gcc_flags(const SwitchQuery *query, SwitchList *ret_flags, Error *err); /* that the level turns on */
bool switches_gcc_counters(const SwitchQuery *query, SwitchList *ret_counters, Error *err); /* all, steps 0 too */
/* The passes that run now and would not at -O0, and all passes that run now, in order. */
bool switches_gcc_passes(const SwitchQuery *query, SwitchList *ret_passes, StrList *ret_order, Error *err);
/* Without the number of the instance: "tree-ccp1" has 8 letters. */
size_t switches_pass_base(const char *pass);
bool switches_same_pass(const char *a, const char *b);

/* One switch, with steps 0 when no optional pass is counted; `ret_text` has the lines for switches_bisection_line. */
bool switches_llvm_bisection(const SwitchQuery *query, Switch *ret_bisection, Str *ret_text, Error *err);
/* What was executed as step `number`, up to the end of the line: "GVNPass on main"; NULL when there is no such step. */
const char *switches_bisection_line(const char *text, int64_t number);
/* Of LLVM built with assertions: the counters that counted anything. */
bool switches_llvm_counters(const SwitchQuery *query, SwitchList *ret_counters, Error *err);

/* --- The readers, which the above are made of --- */

void switches_read_gcc_flags(const char *text, SwitchList *ret_flags);       /* -Q --help=optimizers */
void switches_read_gcc_passes(const char *text, StrList *ret_names);         /* -fdump-passes */
void switches_read_gcc_counters(const char *text, SwitchList *ret_counters); /* -fdbg-cnt-list */
int64_t switches_read_llvm_steps(const char *text);                          /* -opt-bisect-limit=-1 */

#endif
