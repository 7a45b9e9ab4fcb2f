#include "llvm/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "proc/scratch.h"

const char *server_stage_name(ServerStage stage) {
    static const char *const names[SERVER_STAGES] = {"not run", "passes", "code generation", "load", "run", "done"};
    return names[stage];
}

const char *server_fate_name(ServerFate fate) {
    static const char *const names[SERVER_FATES] = {"unknown", "exit", "crash",  "invalid IR", "fatal error",
                                                    "refused", "time", "memory", "output",     "not tested"};
    return names[fate];
}

void server_results_release(ServerResults *results) {
    free(results->items);
    *results = (ServerResults){0};
}

bool server_find_library(const char *opt, const char *version, Str *ret_path, Error *err) {
    static const char *const places[] = {"lib/libLLVM-%d.so.1",
                                         "lib/libLLVM.so.%d.1",
                                         "lib/libLLVM-%d.so",
                                         "lib/libLLVM.so",
                                         "../x86_64-linux-gnu/libLLVM-%d.so.1",
                                         "../x86_64-linux-gnu/libLLVM.so.%d.1"};
    CLEANUP(str_release) Str path = {0};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        const char *number = strstr(places[i], "%d");
        str_clear(&path);
        str_append_n(&path, opt, (size_t)(path_name(opt) - opt));
        str_printf(&path, "../%.*s", number ? (int)(number - places[i]) : (int)strlen(places[i]), places[i]);
        if (number)
            str_printf(&path, "%d%s", atoi(version), number + 2);
        if (file_exists(path.data)) {
            str_append(ret_path, path.data);
            return true;
        }
    }
    return error_set(err, "%s has no libLLVM beside it; install the library package of LLVM %s", opt, version);
}

/* The server's own words, where it could not begin. */
static bool cannot_serve(const ProcResult *result, Error *err) {
    CLEANUP(str_release) Str words = {0}, end = {0};
    str_append(&words, str_text(&result->err));
    str_trim(&words);
    if (words.len > 0 && result->exit_code == 1)
        return error_set(err, "%s", words.data);
    proc_describe_end(result, &end);
    return error_set(err, "LLVM %s while it read the module%s%.300s", str_text(&end), words.len > 0 ? ": " : "",
                     str_text(&words));
}

bool server_run(Runner *runner, const char *library, const char *module, const ServerNode *nodes, size_t node_count,
                const ServerLimits *limits, ServerResults *ret_results, Error *err) {
    return server_run_as_opt(runner, NULL, library, module, nodes, node_count, limits, ret_results, err);
}

bool server_run_as_opt(Runner *runner, const ServerOpt *opt, const char *library, const char *module,
                       const ServerNode *nodes, size_t node_count, const ServerLimits *limits,
                       ServerResults *ret_results, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(str_release) Str program = {0}, batch = {0}, path = {0}, bytes = {0};
    CLEANUP(strlist_release) StrList argv = {0}, env = {0}, writable = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    if (!scratch_new(&scratch, err) || !path_runtime("llvm-server", &program, err) ||
        !path_absolute(module, &path, err))
        return false;
    if (!file_exists(path.data))
        return error_set(err, "there is no module %s", module);
    for (size_t i = 0; i < node_count; i++) {
        const char *cover_dir = opt && opt->cover_dirs ? opt->cover_dirs[i] : NULL;
        str_printf(&batch, "%d %d %s%s%s\n", nodes[i].parent, nodes[i].level, nodes[i].passes, cover_dir ? "\t" : "",
                   cover_dir ? cover_dir : "");
        if (cover_dir)
            strlist_add(&writable, cover_dir);
    }
    CLEANUP(mem_freep) char *batch_path = path_of(scratch.path, "batch");
    CLEANUP(mem_freep) char *results_path = path_of(scratch.path, "results");
    if (!file_write(batch_path, str_text(&batch), batch.len, err))
        return false;

    int64_t cpu_ms = limits->cpu_ms ? limits->cpu_ms : 10000;
    uint64_t memory = limits->memory_bytes ? limits->memory_bytes : (uint64_t)4 << 30;
    const char *const fixed[] = {program.data, library, path.data, batch_path, results_path};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        strlist_add(&argv, fixed[i]);
    strlist_addf(&argv, "%lld", (long long)cpu_ms);
    strlist_addf(&argv, "%lld", (long long)(limits->wall_ms ? limits->wall_ms : 3 * cpu_ms));
    strlist_addf(&argv, "%llu", (unsigned long long)memory);
    strlist_addf(&argv, "%llu", (unsigned long long)(limits->output_bytes ? limits->output_bytes : 1 << 20));
    if (opt) {
        strlist_add(&argv, "--opt");
        strlist_add_all(&argv, opt->options);
    }
    strlist_add(&env, "LC_ALL=C");
    strlist_add(&env, "TMPDIR=.");
    if (opt && opt->env)
        strlist_add_all(&env, opt->env);
    ProcConfinement confinement = {
        .writable_dir = scratch.path, .more_writable = (const char *const *)writable.items, .no_network = true};
    /* Each child limits its own address space; the tree's resident memory is watched against what escapes that. */
    ProcRequest request = {.argv = (const char *const *)argv.items,
                           .dir = scratch.path,
                           .env = (const char *const *)env.items,
                           .no_randomisation = true,
                           .limits = {.wall_ms = limits->batch_wall_ms,
                                      .memory_bytes = memory + memory / 2,
                                      .sanitized = true,
                                      .processes = 256},
                           .confinement = &confinement};
    if (!runner_run(runner, &request, &result, err))
        return false;
    if (result.limit == PROC_LIMIT_CANCELLED)
        return error_set(err, "the run of the passes was cancelled");
    if (!file_exists(results_path) || !file_read(results_path, &bytes, err) ||
        bytes.len < node_count * sizeof(ServerResult))
        return cannot_serve(&result, err);
    bool begun = node_count == 0;
    ServerResult *items = (ServerResult *)bytes.data;
    for (size_t i = 0; i < node_count && !begun; i++)
        begun = items[i].finished || items[i].stage != SERVER_NOT_RUN;
    if (!begun || (result.exit_code == 1 && result.limit == PROC_LIMIT_NONE))
        return cannot_serve(&result, err);
    /* The one that ran when the batch's time was over has no result of its own. */
    for (size_t i = 0; i < node_count; i++)
        if (!items[i].finished)
            items[i].fate = SERVER_UNKNOWN;
    *ret_results = (ServerResults){(ServerResult *)str_detach(&bytes), node_count};
    return true;
}
