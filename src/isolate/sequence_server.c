#include "isolate/sequence_server.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "llvm/server.h"

/* A sequence may take so many times the failing one's CPU time, and the floor on top, but never more than the most. One that
 * takes the floor's double hangs, where the bug is a hang (see the oracle). */
enum { PATIENCE = 20, FLOOR_CPU_MS = 1000, MOST_CPU_MS = 10000 };

struct SequenceServer {
    SequenceConfig config;
    const char *library;
    char *module;
    StrList env;
    ServerLimits limits;
    int level;            /* of the back end, where programs are run; else -1 */
    Arena arena;          /* of */
    Failure known;        /* what the failing sequence shows here */
    ProcResult reference; /* what the program does without any pass */
};

/* --- What became of a sequence, in the words of processes, so that judge and compiler decide as they do for opt --- */

static void compile_result(const ServerResult *result, ProcResult *ret_result) {
    static const ProcLimit limits[SERVER_FATES] = {
        [SERVER_OVER_TIME] = PROC_LIMIT_CPU, [SERVER_OVER_MEMORY] = PROC_LIMIT_MEMORY};
    bool done = result->stage > SERVER_PASSES || result->fate == SERVER_UNTESTED;
    ret_result->limit = done ? PROC_LIMIT_NONE : limits[result->fate];
    ret_result->signal = done || result->fate != SERVER_SIGNALLED ? 0 : result->signal;
    ret_result->exit_code = done ? 0 : ret_result->signal ? -1 : 1;
    if (!done)
        str_append(&ret_result->err, result->message);
}

static void run_result(const ServerResult *result, ProcResult *ret_result) {
    ret_result->limit = result->fate == SERVER_OVER_TIME     ? PROC_LIMIT_CPU
                        : result->fate == SERVER_OVER_MEMORY ? PROC_LIMIT_MEMORY
                        : result->fate == SERVER_OVER_OUTPUT ? PROC_LIMIT_OUTPUT
                                                             : PROC_LIMIT_NONE;
    ret_result->signal = result->fate == SERVER_SIGNALLED ? result->signal : 0;
    ret_result->exit_code = result->fate == SERVER_EXITED ? result->exit_code : -1;
    str_append_n(&ret_result->out, result->output, MIN_OF(result->output_len, (uint64_t)SERVER_OUTPUT_KEPT));
    if (result->output_len > SERVER_OUTPUT_KEPT) /* the rest by its hash */
        str_printf(&ret_result->out, "\n… %016llx", (unsigned long long)result->output_hash);
}

/* As the oracle decides: a failure of the passes by its reason, then the program by its reference. */
static Outcome judge(const SequenceServer *server, const Failure *known, const ServerResult *result, Arena *arena,
                     Failure *ret_seen) {
    CLEANUP(proc_result_release) ProcResult compile = {0};
    CLEANUP(proc_result_release) ProcResult run = {0};
    if (result->fate == SERVER_UNKNOWN) {
        *ret_seen = (Failure){.verdict = VERDICT_OK};
        return OUTCOME_OTHER;
    }
    compile_result(result, &compile);
    Verdict verdict = verdict_of_compile(&compile);
    *ret_seen = failure_of(verdict, &compile, arena);
    if (verdict != VERDICT_OK)
        return failure_same(known, ret_seen) ? OUTCOME_FAILS : OUTCOME_OTHER;
    if (server->level < 0)
        return OUTCOME_PASSES;
    if (result->stage < SERVER_RUN) {
        ret_seen->verdict = VERDICT_CODEGEN;
        return failure_same(known, ret_seen) ? OUTCOME_FAILS : OUTCOME_OTHER;
    }
    run_result(result, &run);
    if (!run_difference(&run, &server->reference, server->config.bug->tolerance))
        return OUTCOME_PASSES;
    verdict = verdict_of_run(&run, false);
    ret_seen->verdict = verdict == VERDICT_OK ? VERDICT_WRONG_CODE : verdict;
    return failure_same(known, ret_seen) ? OUTCOME_FAILS : OUTCOME_OTHER;
}

/* --- Batches --- */

static bool run_batch(const SequenceServer *server, Runner *runner, SequenceRun *runs, size_t count, CoverRun *covers,
                      ServerResults *ret_results, Error *err) {
    ServerNode *nodes = mem_zalloc(count + 1, sizeof *nodes);
    const char **dirs = mem_zalloc(count + 1, sizeof *dirs);
    Arena texts = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        /* LLVM guesses from the first pass how a string is meant. All begin alike, with what opt itself begins with, so that
         * guessing covers the same code. */
        const char *passes = runs[i].as_written ? runs[i].passes : arena_printf(&texts, "verify,%s", runs[i].passes);
        nodes[i] = (ServerNode){.parent = -1, .level = server->level, .passes = passes};
        ok = cover_begin(server->config.cover, &covers[i], err);
        dirs[i] = covers[i].dir;
    }
    ServerOpt opt = {.options = &server->config.command->options, .cover_dirs = dirs, .env = &server->env};
    ok = ok && server_run_as_opt(runner, &opt, server->library, server->module, nodes, count, &server->limits,
                                 ret_results, err);
    arena_release(&texts);
    free(nodes);
    free(dirs);
    return ok;
}

/* `known`: with what failures are compared. The last run's failure is told, for the first batch of all. */
static bool run_judged(const SequenceServer *server, const Failure *known, Runner *runner, SequenceRun *runs,
                       size_t count, Arena *arena, Failure *ret_last, int64_t *ret_cpu_ms, Error *err) {
    CLEANUP(server_results_release) ServerResults results = {0};
    CoverRun *covers = mem_zalloc(count + 1, sizeof *covers);
    bool ok = run_batch(server, runner, runs, count, covers, &results, err);
    for (size_t i = 0; i < count; i++) {
        bool decode = false;
        if (ok) {
            const ServerResult *result = &results.items[i];
            runs[i].outcome = judge(server, known, result, arena, ret_last);
            *ret_cpu_ms = result->cpu_us[SERVER_PASSES] / 1000;
            decode = runs[i].outcome == OUTCOME_PASSES || (runs[i].outcome == OUTCOME_FAILS && runs[i].cover_failing);
        }
        if (decode)
            bitset_init(&runs[i].cover, cover_units(server->config.cover)->unit_count);
        if (covers[i].dir)
            ok = cover_end(server->config.cover, &covers[i], NULL, decode ? &runs[i].cover : NULL, ok ? err : NULL) &&
                 ok;
    }
    free(covers);
    return ok;
}

bool sequence_server_run(const SequenceServer *server, Runner *runner, SequenceRun *runs, size_t count, Error *err) {
    Failure last;
    int64_t cpu_ms;
    Arena arena = {0};
    bool ok = run_judged(server, &server->known, runner, runs, count, &arena, &last, &cpu_ms, err);
    arena_release(&arena);
    return ok;
}

/* --- Making one --- */

/* The program without any pass, for bugs that show when it is run. */
static bool run_reference(SequenceServer *server, Runner *runner, Error *err) {
    CLEANUP(server_results_release) ServerResults results = {0};
    ServerNode node = {.parent = -1, .level = server->level, .passes = ""};
    ServerOpt opt = {.options = &server->config.command->options, .env = &server->env};
    if (!server_run_as_opt(runner, &opt, server->library, server->module, &node, 1, &server->limits, &results, err))
        return false;
    if (results.items[0].stage < SERVER_RUN)
        return error_set(err, "the program does not run without passes: %s",
                         server_fate_name((ServerFate)results.items[0].fate));
    run_result(&results.items[0], &server->reference);
    return true;
}

static bool show_bug(SequenceServer *server, const Failure *known, Runner *runner, Bitset *ret_failing, Error *err) {
    enum { APART, AS_WRITTEN, STRINGS }; /* the last one's failure and time are told */
    SequenceRun runs[STRINGS] = {{.passes = server->config.sequence, .cover_failing = true},
                                 {.passes = server->config.command->passes, .as_written = true, .cover_failing = true}};
    int64_t cpu_ms = 0;
    bool ok = run_judged(server, known, runner, runs, STRINGS, &server->arena, &server->known, &cpu_ms, err);
    if (ok && runs[AS_WRITTEN].outcome != OUTCOME_FAILS)
        ok = error_set(err, "the bug does not show in the fork server as it does with opt (%s%s%s)",
                       outcome_name(runs[AS_WRITTEN].outcome), server->known.reason ? ": " : "",
                       server->known.reason ? server->known.reason : "");
    if (ok) {
        if (known->verdict != VERDICT_HANG)
            server->limits.cpu_ms = MIN_OF(FLOOR_CPU_MS + PATIENCE * cpu_ms, (int64_t)MOST_CPU_MS);
        bitset_copy(ret_failing, &runs[runs[APART].outcome == OUTCOME_FAILS ? APART : AS_WRITTEN].cover);
    }
    for (size_t i = 0; i < STRINGS; i++)
        bitset_release(&runs[i].cover);
    return ok;
}

SequenceServer *sequence_server_new(const SequenceConfig *config, const Failure *known, Runner *runner,
                                    Bitset *ret_failing, Error *err) {
    CLEANUP(sequence_server_freep) SequenceServer *server = mem_zalloc(1, sizeof *server);
    CLEANUP(strlist_release) StrList sources = {0};
    const Bug *bug = config->bug;
    server->config = *config;
    server->library = cover_subject(config->cover)->libllvm;
    server->limits.cpu_ms = known->verdict == VERDICT_HANG ? 2 * FLOOR_CPU_MS : MOST_CPU_MS;
    server->level = bug->run || bug->run_cmd.len > 0 ? 0 : -1;
    bug_sources(bug, &sources);
    if (!server->library || !cover_server_env(config->cover, &server->env) || sources.len == 0) {
        error_set(err, "the subject %s has no library that the fork server could load",
                  cover_subject(config->cover)->name);
        return NULL;
    }
    server->module = path_of(bug->dir, sources.items[0]);
    if ((server->level >= 0 && !run_reference(server, runner, err)) ||
        !show_bug(server, known, runner, ret_failing, err))
        return NULL;
    SequenceServer *made = server;
    server = NULL;
    return made;
}

void sequence_server_free(SequenceServer *server) {
    if (!server)
        return;
    free(server->module);
    strlist_release(&server->env);
    arena_release(&server->arena);
    proc_result_release(&server->reference);
    free(server);
}
