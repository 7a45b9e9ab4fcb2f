/* Coverage: which units of a subject ran for this input? One question, three providers.
 *
 *     Cover *cover = cover_open(&subject, runner, console, err);      makes or loads the unit table
 *     Bitset units; bitset_init(&units, cover_units(cover)->unit_count);
 *     cover_run(cover, runner, &request, &units, &result, err);       any number of times, from any thread
 *
 * A run collects into a fresh directory of its own on tmpfs, so nothing is ever reset or merged. Randomisation of
 * addresses is off: the same input gives the same bits. What a compiler covered is delivered however it ended; only
 * gcov cannot tell after a SIGKILL, which is an Error that says so.
 */
#ifndef COVER_COVER_H
#define COVER_COVER_H

#include "base/bitset.h"
#include "binary/unit_table.h"
#include "proc/run.h"
#include "subject/subject.h"

typedef struct Cover Cover;

Cover *cover_open(const Subject *subject, Runner *runner, Console *console, Error *err);
void cover_free(Cover *cover);
DEFINE_FREEP(Cover, cover_free)

const UnitTable *cover_units(const Cover *cover);
const Subject *cover_subject(const Cover *cover);

/* Runs request->argv (see subject_command) and sets ret_units to exactly what ran. True also if the compiler
 * crashed, was killed or hit a limit: ret_result tells. */
bool cover_run(Cover *cover, Runner *runner, const ProcRequest *request, Bitset *ret_units, ProcResult *ret_result,
               Error *err);

/* The same with the edges of the control flow that ran, where the provider knows them: cover_edge_count is 0 if it does not.
 * An edge belongs to its first unit; one of code without lines has UINT32_MAX. */
bool cover_run_edges(Cover *cover, Runner *runner, const ProcRequest *request, Bitset *ret_units, Bitset *ret_edges,
                     ProcResult *ret_result, Error *err);
size_t cover_edge_count(const Cover *cover);
uint32_t cover_edge_unit(const Cover *cover, size_t edge);

/* The two halves of cover_run, for programs that are not started through a Runner (the fork server, whose children call
 * culprit_cover_begin(run.dir)). Every begun run is ended; after an end with ret_units NULL nothing is collected. */
typedef struct CoverRun {
    char *dir;   /* what the program writes there is collected */
    StrList env; /* to be added to the program's environment */
} CoverRun;

bool cover_begin(Cover *cover, CoverRun *ret_run, Error *err);
bool cover_end(Cover *cover, CoverRun *run, const ProcResult *result, Bitset *ret_units, Error *err);
/* Appends the environment of such a forking server, which replaces that of the runs. False: the provider cannot collect
 * from children of a server. */
bool cover_server_env(const Cover *cover, StrList *ret_env);

/* --- For providers --- */

typedef struct CoverProvider {
    const char *name;
    /* Loads the unit table, or makes and caches it in subject->dir; `ret_state` is what the functions below get. */
    bool (*open)(const Subject *subject, Runner *runner, Console *console, UnitTable *ret_units, void **ret_state,
                 Error *err);
    void (*close)(void *state);
    /* The environment that makes a program collect into `dir`, an empty directory. */
    bool (*prepare)(void *state, const char *dir, StrList *env, Error *err);
    /* Sets the bits of what was collected there; `units` is all zero before. `result` may be NULL. Thread-safe. */
    bool (*collect)(void *state, const char *dir, const ProcResult *result, Bitset *units, Error *err);
    /* The edges behind the units; NULL: the provider knows none. */
    size_t (*edge_count)(const void *state);
    uint32_t (*edge_unit)(const void *state, size_t edge);
    bool (*collect_edges)(void *state, const char *dir, Bitset *edges, Error *err);
    /* See cover_server_env; NULL: the provider cannot. */
    void (*serve)(void *state, StrList *env);
} CoverProvider;

extern const CoverProvider cover_gcov, cover_sancov, cover_trace, cover_trace_blocks;

#endif
