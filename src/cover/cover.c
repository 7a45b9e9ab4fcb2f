#include "cover/cover.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "proc/scratch.h"

struct Cover {
    const CoverProvider *provider;
    const Subject *subject;
    UnitTable units;
    void *state;
    Scratch scratch; /* runs get directories of their own in it */
    atomic_uint_fast64_t runs;
};

static const CoverProvider *find_provider(const char *name) {
    static const CoverProvider *const providers[] = {&cover_sancov, &cover_gcov, &cover_trace, &cover_trace_blocks};
    for (size_t i = 0; i < ARRAY_LEN(providers); i++)
        if (str_equal(providers[i]->name, name))
            return providers[i];
    return NULL;
}

Cover *cover_open(const Subject *subject, Runner *runner, Console *console, Error *err) {
    const CoverProvider *provider = find_provider(subject->provider);
    if (!provider) {
        error_set(err, "the subject %s names the unknown provider \"%s\"; it is sancov, gcov, trace or trace-blocks",
                  subject->name, subject->provider);
        return NULL;
    }
    Cover *cover = mem_zalloc(1, sizeof(*cover));
    cover->subject = subject;
    if (!scratch_new(&cover->scratch, err) ||
        !provider->open(subject, runner, console, &cover->units, &cover->state, err)) {
        cover_free(cover);
        return NULL;
    }
    cover->provider = provider; /* only an opened one is closed */
    return cover;
}

void cover_free(Cover *cover) {
    if (!cover)
        return;
    if (cover->provider)
        cover->provider->close(cover->state);
    unit_table_release(&cover->units);
    scratch_release(&cover->scratch);
    free(cover);
}

const UnitTable *cover_units(const Cover *cover) { return &cover->units; }
const Subject *cover_subject(const Cover *cover) { return cover->subject; }

static void run_release(CoverRun *run) {
    if (run->dir)
        dir_remove(run->dir, NULL);
    free(run->dir);
    strlist_release(&run->env);
    *run = (CoverRun){0};
}

bool cover_begin(Cover *cover, CoverRun *ret_run, Error *err) {
    CLEANUP(str_release) Str dir = {0};
    str_printf(&dir, "%s/%llu", cover->scratch.path, (unsigned long long)atomic_fetch_add(&cover->runs, 1));
    if (!dir_make(str_text(&dir), err))
        return false;
    *ret_run = (CoverRun){.dir = str_detach(&dir)};
    if (cover->provider->prepare(cover->state, ret_run->dir, &ret_run->env, err))
        return true;
    run_release(ret_run);
    return false;
}

bool cover_server_env(const Cover *cover, StrList *ret_env) {
    if (!cover->provider->serve)
        return false;
    cover->provider->serve(cover->state, ret_env);
    return true;
}

bool cover_end(Cover *cover, CoverRun *run, const ProcResult *result, Bitset *ret_units, Error *err) {
    bool ok = true;
    if (ret_units) {
        BUG_ON(ret_units->bits != cover->units.unit_count);
        bitset_clear(ret_units);
        ok = cover->provider->collect(cover->state, run->dir, result, ret_units, err);
    }
    run_release(run);
    return ok;
}

/* A confined program may also write where its coverage is collected. */
static void allow_dir(const ProcConfinement *confinement, const char *dir, StrList *paths,
                      ProcConfinement *ret_confinement) {
    for (size_t i = 0; confinement->more_writable && confinement->more_writable[i]; i++)
        strlist_add(paths, confinement->more_writable[i]);
    strlist_add(paths, dir);
    *ret_confinement = *confinement;
    ret_confinement->more_writable = (const char *const *)paths->items;
}

size_t cover_edge_count(const Cover *cover) {
    return cover->provider->edge_count ? cover->provider->edge_count(cover->state) : 0;
}

uint32_t cover_edge_unit(const Cover *cover, size_t edge) { return cover->provider->edge_unit(cover->state, edge); }

bool cover_run(Cover *cover, Runner *runner, const ProcRequest *request, Bitset *ret_units, ProcResult *ret_result,
               Error *err) {
    return cover_run_edges(cover, runner, request, ret_units, NULL, ret_result, err);
}

bool cover_run_edges(Cover *cover, Runner *runner, const ProcRequest *request, Bitset *ret_units, Bitset *ret_edges,
                     ProcResult *ret_result, Error *err) {
    CoverRun run;
    if (!cover_begin(cover, &run, err))
        return false;
    CLEANUP(strlist_release) StrList env = {0};
    CLEANUP(strlist_release) StrList writable = {0};
    for (size_t i = 0; request->env && request->env[i]; i++)
        strlist_add(&env, request->env[i]);
    strlist_add_all(&env, &run.env);
    ProcConfinement confinement;
    ProcRequest covered = *request;
    covered.env = (const char *const *)env.items;
    covered.no_randomisation = true;
    if (request->confinement) {
        allow_dir(request->confinement, run.dir, &writable, &confinement);
        covered.confinement = &confinement;
    }
    bool ran = runner_run(runner, &covered, ret_result, err);
    if (ran && ret_edges && ret_edges->bits) {
        bitset_clear(ret_edges);
        ran = cover->provider->collect_edges(cover->state, run.dir, ret_edges, err);
    }
    return cover_end(cover, &run, ret_result, ran ? ret_units : NULL, err) && ran;
}
