/* The sancov provider: compilers built with clang's -fsanitize-coverage=inline-bool-flag,pc-table and linked with our
 * runtime (runtime/sancov_runtime.c), which keeps the flags in files of the run's directory. A flag is an edge of the control
 * flow; edge_table.c says which lines it stands for, symbolised once per build and cached by build-id.
 */
#include <stdlib.h>

#include "base/file.h"
#include "base/hash.h"
#include "binary/elf_file.h"
#include "cover/cover.h"
#include "cover/edge_table.h"
#include "cover/trace_stop.h"
#include "proc/scratch.h"

typedef struct Sancov {
    EdgeTable edges;
    char *preload; /* the runtime, or NULL if every module brings it */
    StrList stops; /* plans that end the recording where a compiler reports its own failure */
} Sancov;

/* One text for the builds of all modules. */
static bool fingerprint(const Subject *subject, char ret_text[static HASH_TEXT_SIZE], Error *err) {
    CLEANUP(str_release) Str ids = {0};
    for (size_t i = 0; i < subject->modules.len; i++)
        if (!elf_build_id(subject->modules.items[i], &ids, err))
            return false;
    hash_text(hash_bytes(str_text(&ids), ids.len), ret_text);
    return true;
}

/* Makes the runtime write the tables of addresses into `dir`: programs are started once, libraries are loaded into one
 * that does nothing. `runtime` (may be NULL) is preloaded. */
static bool export_pcs(const Subject *subject, Runner *runner, const char *runtime, const char *dir, Error *err) {
    CLEANUP(proc_result_release) ProcResult result = {0};
    for (size_t i = 0; i < subject->modules.len; i++) {
        const char *module = subject->modules.items[i];
        bool program = elf_is_program(module);
        CLEANUP(strlist_release) StrList env = {0};
        strlist_addf(&env, "CULPRIT_COVER_DIR=%s", dir);
        strlist_add(&env, "CULPRIT_COVER_PCS=1");
        strlist_addf(&env, "LD_PRELOAD=%s:%s", runtime ? runtime : "", program ? "" : module);
        const char *argv[] = {program ? module : "true", "--version", NULL};
        ProcRequest request = {
            .argv = argv, .dir = dir, .env = (const char *const *)env.items, .limits = {.wall_ms = 60000}};
        if (!runner_run(runner, &request, &result, err))
            return false;
    }
    return true;
}

static bool make_tables(const Subject *subject, Runner *runner, Console *console, const char *runtime,
                        const char *units_path, const char *edges_path, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    bool ok = scratch_new(&scratch, err) && export_pcs(subject, runner, runtime, scratch.path, err) &&
              edge_table_make(subject, scratch.path, units_path, edges_path, console, err);
    console_status_end(console);
    return ok || error_context(err, "cannot make the unit table of %s", subject->name);
}

static void sancov_close(void *state) {
    Sancov *sancov = state;
    if (!sancov)
        return;
    edge_table_release(&sancov->edges);
    free(sancov->preload);
    strlist_release(&sancov->stops);
    free(sancov);
}

static bool load_tables(const char *units_path, const char *edges_path, UnitTable *ret_units, EdgeTable *ret_edges,
                        Error *err) {
    if (!unit_table_load(units_path, ret_units, err))
        return false;
    if (edge_table_load(edges_path, ret_units->unit_count, ret_edges, err))
        return true;
    unit_table_release(ret_units);
    return false;
}

static bool sancov_open(const Subject *subject, Runner *runner, Console *console, UnitTable *ret_units,
                        void **ret_state, Error *err) {
    char id[HASH_TEXT_SIZE];
    CLEANUP(str_release) Str units_path = {0};
    CLEANUP(str_release) Str edges_path = {0};
    CLEANUP(str_release) Str runtime = {0};
    if (subject->modules.len == 0)
        return error_set(err, "%s/subject.json lists no instrumented modules; make it again (culprit subject add)",
                         subject->dir);
    if (!fingerprint(subject, id, err) || (subject->preload && !path_runtime("libsancov.so", &runtime, err)))
        return false;
    str_printf(&units_path, "%s/units2-%s", subject->dir, id);
    str_printf(&edges_path, "%s/edges4-%s", subject->dir, id);
    EdgeTable edges;
    /* Absent or damaged tables are made (again). */
    if (!load_tables(str_text(&units_path), str_text(&edges_path), ret_units, &edges, NULL) &&
        (!make_tables(subject, runner, console, subject->preload ? str_text(&runtime) : NULL, str_text(&units_path),
                      str_text(&edges_path), err) ||
         !load_tables(str_text(&units_path), str_text(&edges_path), ret_units, &edges, err)))
        return false;
    Sancov *sancov = mem_zalloc(1, sizeof(*sancov));
    sancov->edges = edges;
    if (subject->preload)
        sancov->preload = str_detach(&runtime);
    trace_stop_make(&subject->modules, "__sancov_bools", subject->dir, &sancov->stops);
    *ret_state = sancov;
    return true;
}

static bool sancov_prepare(void *state, const char *dir, StrList *env, Error *err) {
    const Sancov *sancov = state;
    strlist_addf(env, "CULPRIT_COVER_DIR=%s", dir);
    if (sancov->stops.len > 0)
        return trace_stop_prepare(&sancov->stops, dir, sancov->preload, env, err);
    if (sancov->preload)
        strlist_addf(env, "LD_PRELOAD=%s", sancov->preload);
    return true;
}

/* Calls back for every file of flags; `first` is the number of the module's first flag among all modules'. */
typedef void (*FlagsVisitor)(const EdgeModule *module, size_t first, const unsigned char *flags, Bitset *set);

static bool visit_file(const Sancov *sancov, const char *path, FlagsVisitor visit, Bitset *set, Error *err) {
    uint64_t key = strtoull(path_name(path), NULL, 16);
    size_t i = 0, first = 0;
    for (; i < sancov->edges.module_count && sancov->edges.modules[i].key != key; i++)
        first += sancov->edges.modules[i].count;
    if (i == sancov->edges.module_count)
        return error_set(err, "an instrumented program ran that the subject does not list as one of its modules");
    const EdgeModule *module = &sancov->edges.modules[i];
    CLEANUP(file_unmap) FileMap flags = {0};
    if (!file_map(path, &flags, err))
        return false;
    /* A process killed between creating its file and mapping it has covered nothing yet. */
    if (flags.len >= module->first + module->count)
        visit(module, first, (const unsigned char *)flags.memory + module->first, set);
    return true;
}

static bool visit_files(const Sancov *sancov, const char *dir, FlagsVisitor visit, Bitset *set, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    if (!dir_list(dir, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(mem_freep) char *path = path_of(dir, names.items[i]);
        if (str_ends(path, ".flags") && !visit_file(sancov, path, visit, set, err))
            return false;
    }
    return true;
}

static void add_units(const EdgeModule *module, size_t first, const unsigned char *flags, Bitset *units) {
    (void)first;
    edge_module_decode(module, flags, units);
}

static bool sancov_collect(void *state, const char *dir, const ProcResult *result, Bitset *units, Error *err) {
    (void)result;
    return visit_files(state, dir, add_units, units, err);
}

/* --- Edges --- */

static size_t sancov_edge_count(const void *state) {
    const Sancov *sancov = state;
    size_t count = 0;
    for (size_t i = 0; i < sancov->edges.module_count; i++)
        count += sancov->edges.modules[i].count;
    return count;
}

static uint32_t sancov_edge_unit(const void *state, size_t edge) {
    const Sancov *sancov = state;
    size_t i = 0;
    for (; edge >= sancov->edges.modules[i].count; i++)
        edge -= sancov->edges.modules[i].count;
    const EdgeModule *module = &sancov->edges.modules[i];
    if (module->starts[edge] == module->starts[edge + 1])
        return UINT32_MAX;
    const EdgeUnits *units = &module->units[module->starts[edge]];
    uint64_t word = (uint64_t)units->high << 32 | units->low;
    return units->word * 64 + (uint32_t)__builtin_ctzll(word);
}

static void add_edges(const EdgeModule *module, size_t first, const unsigned char *flags, Bitset *edges) {
    for (size_t i = 0; i < module->count; i++)
        if (flags[i])
            bitset_set(edges, first + i);
}

static bool sancov_collect_edges(void *state, const char *dir, Bitset *edges, Error *err) {
    return visit_files(state, dir, add_edges, edges, err);
}

/* The server itself collects nothing: no CULPRIT_COVER_DIR. Nor are there marks that end a recording: a crash's report is
 * part of a failing child's coverage, which the caller has to cut off. */
static void sancov_serve(void *state, StrList *env) {
    const Sancov *sancov = state;
    if (sancov->preload)
        strlist_addf(env, "LD_PRELOAD=%s", sancov->preload);
}

const CoverProvider cover_sancov = {.name = "sancov",
                                    .open = sancov_open,
                                    .close = sancov_close,
                                    .prepare = sancov_prepare,
                                    .collect = sancov_collect,
                                    .edge_count = sancov_edge_count,
                                    .edge_unit = sancov_edge_unit,
                                    .collect_edges = sancov_collect_edges,
                                    .serve = sancov_serve};
