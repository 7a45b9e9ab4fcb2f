/* The trace provider: coverage of a compiler as the distribution built it, nothing rebuilt.
 *
 *  1. Find the programs and libraries that do the work (trace_find).
 *  2. For each, read its functions (elf_module), decode its code (x86), patch a copy (trace_patch), and give each
 *     unit a name and a file (source_index, function_names). Once per build-id; kept in the subject's directory.
 *  3. For each run, hand the copies to the preloaded library through the environment, and read the log it leaves.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "binary/function_names.h"
#include "cover/cover.h"
#include "cover/trace_find.h"
#include "cover/trace_log.h"
#include "cover/trace_patch.h"

#define CACHE_VERSION 7u /* counts up when plans or tables change their meaning */

typedef struct Trace {
    char *plans; /* value of TRACE_ENV_PLANS */
    size_t log_size;
    Vec(size_t) module_units; /* of each module */
    uint32_t *ids;            /* unit of each site, all modules in order */
} Trace;

static void trace_free(Trace *trace) {
    if (!trace)
        return;
    free(trace->plans);
    vec_release(&trace->module_units);
    free(trace->ids);
    free(trace);
}
DEFINE_FREEP(Trace, trace_free)

/* --- Making plans and tables --- */

/* What is kept per set of modules, level and source tree. */
typedef struct Cache {
    Str dir;
    StrList plans;
    Str units, ids;
} Cache;

static void cache_release(Cache *cache) {
    str_release(&cache->dir);
    strlist_release(&cache->plans);
    str_release(&cache->units);
    str_release(&cache->ids);
}

static bool cache_locate(const Subject *subject, const StrList *modules, TraceLevel level, Cache *ret_cache,
                         Error *err) {
    Hash hash = hash_bytes((uint32_t[]){CACHE_VERSION, level}, 2 * sizeof(uint32_t));
    const char *source = subject->source_root ? subject->source_root : "";
    hash = hash_combine(hash, hash_bytes(source, strlen(source)));
    for (size_t i = 0; i < modules->len; i++) {
        CLEANUP(str_release) Str id = {0};
        if (!elf_build_id(modules->items[i], &id, err))
            return false;
        hash = hash_combine(hash, hash_bytes(str_text(&id), id.len));
    }
    char text[HASH_TEXT_SIZE];
    hash_text(hash, text);
    str_printf(&ret_cache->dir, "%s/trace-%s", subject->dir, text);
    for (size_t i = 0; i < modules->len; i++)
        strlist_addf(&ret_cache->plans, "%s/%s.plan", str_text(&ret_cache->dir), path_name(modules->items[i]));
    str_printf(&ret_cache->units, "%s/units", str_text(&ret_cache->dir));
    str_printf(&ret_cache->ids, "%s/ids", str_text(&ret_cache->dir));
    return dir_make(str_text(&ret_cache->dir), err);
}

typedef struct Making {
    TraceLevel level;
    const SourceIndex *index; /* NULL: no source tree */
    Console *console;
    UnitBuilder builder;
    Vec(uint32_t) drafts; /* of each site, all modules in order */
} Making;

static void add_units(Making *making, const ElfModule *module, const TraceSites *sites, const FunctionName *names) {
    for (size_t i = 0; i < sites->len; i++) {
        const ElfFunction *function = elf_module_function(module, sites->items[i]);
        const FunctionName *name = &names[function - module->functions.items];
        uint32_t file = unit_builder_file(&making->builder, name->file ? name->file : "", NULL);
        vec_push(&making->drafts,
                 unit_builder_add_distinct(&making->builder, file, name->line, name->name, name->confidence));
    }
}

static void tell_names(Console *console, const ElfModule *module, const TracePatch *patch,
                       const FunctionNameStats *stats) {
    console_info(console, "%s: %zu functions, %zu named, %zu parts; %zu places to watch, %zu by detour, %zu by trap",
                 path_name(module->path), stats->functions, stats->named, stats->parts, patch->sites.len,
                 patch->detours.len, patch->traps.len);
    if (stats->by_name > 0)
        console_info(console,
                     "%s: source files: %zu by name, %zu by text (right %u%% of the time), %zu by place (%u%%), %zu by "
                     "company; %zu names ambiguous, %zu more by text (right %u%% of the time)",
                     path_name(module->path), stats->by_name, stats->by_text, stats->text_percent, stats->by_place,
                     stats->place_percent, stats->by_company, stats->ambiguous, stats->named_by_text,
                     stats->text_name_percent);
}

static bool make_module(Making *making, const char *path, const char *plan_path, Error *err) {
    ElfModule module;
    X86Code code;
    TracePatch patch;
    if (!elf_module_open(path, &module, err))
        return false;
    x86_code_read(&module, &code);
    bool ok = trace_patch_make(&code, making->level, &patch, err);
    if (ok) {
        CLEANUP(arena_release) Arena arena = {0};
        FunctionNameStats stats;
        const FunctionName *names = function_names_make(&code, making->index, &arena, &stats);
        add_units(making, &module, &patch.sites, names);
        tell_names(making->console, &module, &patch, &stats);
        ok = trace_patch_write(&patch, &module, plan_path, err);
        trace_patch_release(&patch);
    }
    x86_code_release(&code);
    elf_module_release(&module);
    return ok;
}

/* The table is written last: if it is present, everything is. */
static bool make_cache(const Cache *cache, const StrList *modules, Making *making, Error *err) {
    bool ok = true;
    for (size_t i = 0; ok && i < modules->len; i++) {
        console_status(making->console, "preparing %s", path_name(modules->items[i]));
        ok = make_module(making, modules->items[i], cache->plans.items[i], err);
    }
    console_status_end(making->console);
    uint32_t *ids = NULL;
    UnitTable units = {0};
    if (ok) {
        unit_builder_finish(&making->builder, &units, &ids);
        for (size_t i = 0; i < making->drafts.len; i++)
            making->drafts.items[i] = ids[making->drafts.items[i]];
        ok = file_write(str_text(&cache->ids), making->drafts.items, making->drafts.len * sizeof(uint32_t), err) &&
             unit_table_save(&units, str_text(&cache->units), err);
    }
    free(ids);
    unit_table_release(&units);
    return ok;
}

static bool make(const Subject *subject, const Cache *cache, const StrList *modules, TraceLevel level, Runner *runner,
                 Console *console, Error *err) {
    Making making = {.level = level, .console = console};
    SourceIndex index = {0};
    if (subject->source_root) {
        if (!source_index_open(subject->source_root, subject->dir, runner, console, &index, err))
            return false;
        making.index = &index;
    }
    bool ok = make_cache(cache, modules, &making, err);
    unit_builder_release(&making.builder);
    vec_release(&making.drafts);
    source_index_release(&index);
    return ok;
}

/* --- Opening --- */

static bool load_ids(Trace *trace, const Cache *cache, const UnitTable *units, Error *err) {
    CLEANUP(str_release) Str ids = {0};
    if (!file_read(str_text(&cache->ids), &ids, err))
        return false;
    size_t sites = 0;
    for (size_t i = 0; i < cache->plans.len; i++) {
        TracePlanHeader header;
        int fd = open(cache->plans.items[i], O_RDONLY | O_CLOEXEC);
        bool ok = fd >= 0 && read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header);
        if (fd >= 0)
            close(fd);
        if (!ok || header.magic != TRACE_PLAN_MAGIC)
            return error_set(err, "%s is damaged; remove %s and try again", cache->plans.items[i],
                             str_text(&cache->dir));
        vec_push(&trace->module_units, header.units);
        trace->log_size += TRACE_PAGES(header.units);
        sites += header.units;
    }
    bool ok = sites > 0 && ids.len == sites * sizeof(uint32_t);
    trace->ids = (uint32_t *)str_detach(&ids);
    for (size_t i = 0; ok && i < sites; i++)
        ok = trace->ids[i] < units->unit_count;
    return ok || error_set(err, "%s is damaged; remove it and try again", str_text(&cache->dir));
}

static bool open_level(const Subject *subject, TraceLevel level, Runner *runner, Console *console, UnitTable *ret_units,
                       void **ret_state, Error *err) {
    CLEANUP(strlist_release) StrList modules = {0};
    CLEANUP(cache_release) Cache cache = {0};
    CLEANUP(trace_freep) Trace *trace = mem_zalloc(1, sizeof(*trace));
    UnitTable units;
    const StrList *call = subject->cc.len > 0 ? &subject->cc : subject->opt.len > 0 ? &subject->opt : &subject->llc;
    if (!trace_find_modules(call, runner, &modules, err) || !cache_locate(subject, &modules, level, &cache, err))
        return error_context(err, "cannot trace %s", subject->name);
    if (!file_exists(str_text(&cache.units)) && !make(subject, &cache, &modules, level, runner, console, err))
        return error_context(err, "cannot prepare %s for tracing", subject->name);
    if (!unit_table_load(str_text(&cache.units), &units, err))
        return false;
    trace->plans = strlist_join(&cache.plans, ":");
    trace->log_size = TRACE_PAGE;
    if (!load_ids(trace, &cache, &units, err)) {
        unit_table_release(&units);
        return false;
    }
    *ret_units = units;
    *ret_state = TAKE(trace);
    return true;
}

static bool open_functions(const Subject *subject, Runner *runner, Console *console, UnitTable *ret_units,
                           void **ret_state, Error *err) {
    return open_level(subject, TRACE_FUNCTIONS, runner, console, ret_units, ret_state, err);
}

static bool open_blocks(const Subject *subject, Runner *runner, Console *console, UnitTable *ret_units,
                        void **ret_state, Error *err) {
    return open_level(subject, TRACE_BLOCKS, runner, console, ret_units, ret_state, err);
}

static void close_trace(void *state) { trace_free(state); }

/* --- Runs --- */

static bool prepare(void *state, const char *dir, StrList *env, Error *err) {
    const Trace *trace = state;
    return trace_log_prepare(dir, trace->plans, trace->log_size, getenv("LD_PRELOAD"), env, err);
}

/* Flags are looked at eight at a time: most are zero. */
static void collect_flags(const uint8_t *flags, size_t count, const uint32_t *ids, Bitset *units) {
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) { /* pages are read to their end */
        uint64_t eight;
        memcpy(&eight, flags + i, sizeof(eight));
        if (eight == 0)
            continue;
        for (size_t j = i; j < MIN_OF(i + sizeof(eight), count); j++)
            if (flags[j])
                bitset_set(units, ids[j]);
    }
}

static bool check_log(const TraceLog *log, Error *err) {
    if (log->failure == TRACE_FAILURE_PLAN)
        return error_set(err, "the compiler could not read its trace plan: %s", strerror((int)log->failure_errno));
    if (log->failure == TRACE_FAILURE_MAP)
        return error_set(err,
                         "the patched code could not be mapped into the compiler: %s (is the cache directory on a file "
                         "system mounted noexec? CULPRIT_SUBJECTS names another)",
                         strerror((int)log->failure_errno));
    if (log->processes == 0)
        return error_set(err,
                         "the compiler proper was never started, so there is nothing to trace: check its arguments");
    return true;
}

static bool collect(void *state, const char *dir, const ProcResult *result, Bitset *units, Error *err) {
    (void)result;
    const Trace *trace = state;
    CLEANUP(mem_freep) char *path = path_of(dir, TRACE_LOG_NAME);
    CLEANUP(file_unmap) FileMap log = {0};
    if (!file_map(path, &log, err))
        return false;
    if (log.len < trace->log_size)
        return error_set(err, "the trace %s was cut short", path);
    if (!check_log(log.memory, err))
        return false;
    const uint8_t *flags = (const uint8_t *)log.memory + TRACE_PAGE;
    size_t first = 0;
    for (size_t i = 0; i < trace->module_units.len; i++) {
        size_t count = trace->module_units.items[i];
        collect_flags(flags, count, trace->ids + first, units);
        flags += TRACE_PAGES(count);
        first += count;
    }
    return true;
}

const CoverProvider cover_trace = {
    .name = "trace", .open = open_functions, .close = close_trace, .prepare = prepare, .collect = collect};
const CoverProvider cover_trace_blocks = {
    .name = "trace-blocks", .open = open_blocks, .close = close_trace, .prepare = prepare, .collect = collect};
