#include "sequence/run.h"

#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "compiler/signature.h"
#include "llvm/catalogue.h"

/* --- Commands --- */

void sequence_opt_command(const SequenceTools *tools, const char *module, const char *passes, StrList *ret_command) {
    strlist_add_all(ret_command, tools->opt);
    strlist_addf(ret_command, "-passes=%s", passes);
    strlist_add(ret_command, module);
    strlist_add(ret_command, "-o");
    strlist_add(ret_command, SEQUENCE_OPTIMISED);
}

/* The back end alone: clang would run all of -O2's passes over the module otherwise. */
void sequence_codegen_command(const SequenceTools *tools, int level, StrList *ret_command) {
    strlist_add_all(ret_command, tools->clang);
    strlist_addf(ret_command, "-O%d", level);
    strlist_add(ret_command, "-w");
    strlist_add(ret_command, "-Xclang");
    strlist_add(ret_command, "-disable-llvm-passes");
    strlist_add(ret_command, SEQUENCE_OPTIMISED);
    strlist_add(ret_command, "-o");
    strlist_add(ret_command, "a.out");
    if (tools->link_flags)
        strlist_add_all(ret_command, tools->link_flags);
}

/* --- Results of the server --- */

/* The first line of what the verifier says, which is the rule that was broken. */
static const char *first_line(const char *text, Arena *arena) {
    return arena_strndup(arena, text, strcspn(text, "\n"));
}

/* The assertion or message, else the signal and the pass that ran, without what it ran on. */
static const char *reason_of(const ServerResult *result, Arena *arena) {
    Signature signature;
    if (result->fate == SERVER_BROKEN_IR || (result->fate == SERVER_FATAL && *result->message))
        return first_line(result->message, arena);
    if (result->fate == SERVER_SIGNALLED && *result->message &&
        signature_extract(result->message, result->signal, arena, &signature) && signature.message)
        return signature_text(&signature, arena);
    const char *end = strstr(result->pass, " on ");
    const char *where =
        *result->pass ? arena_strndup(arena, result->pass, end ? (size_t)(end - result->pass) : strlen(result->pass))
                      : server_stage_name(result->stage);
    if (result->fate == SERVER_SIGNALLED)
        return arena_printf(arena, "SIG%s in %s", sigabbrev_np(result->signal), where);
    return "";
}

static Verdict verdict_of_passes(ServerFate fate) {
    switch (fate) {
    case SERVER_BROKEN_IR: return VERDICT_INVALID_IR;
    case SERVER_OVER_TIME: return VERDICT_HANG;
    case SERVER_OVER_MEMORY: return VERDICT_OUT_OF_MEMORY;
    default: return VERDICT_CRASH; /* a signal, a fatal error, or an exit in the middle of a pass */
    }
}

SequenceResult sequence_result_of(const ServerResult *result, Arena *arena) {
    SequenceResult seen = {
        .tested = true,
        .exit_code = result->exit_code,
        .output_len = result->output_len,
        .output_hash = result->output_hash,
        .reason = reason_of(result, arena),
        .ir_hash = result->ir_hash,
        .same_module = result->same_as >= 0,
        .passes_us = result->cpu_us[SERVER_NOT_RUN] + result->cpu_us[SERVER_PASSES],
        .codegen_us = result->cpu_us[SERVER_CODEGEN] + result->cpu_us[SERVER_LOAD],
        .run_us = result->cpu_us[SERVER_RUN] + result->cpu_us[SERVER_DONE],
    };
    seen.refused = result->stage == SERVER_PASSES &&
                   (result->fate == SERVER_REFUSED || catalogue_is_nesting_message(result->message));
    if (result->fate == SERVER_UNKNOWN || result->fate == SERVER_UNTESTED || seen.refused ||
        catalogue_is_check_message(result->message))
        seen.tested = false;
    else if (result->stage <= SERVER_PASSES)
        seen.verdict = verdict_of_passes(result->fate);
    else if (result->stage <= SERVER_LOAD) /* also an object that cannot be loaded */
        seen.verdict = VERDICT_CODEGEN;
    else if (result->stage == SERVER_RUN)
        seen.verdict = result->fate == SERVER_OVER_TIME ? VERDICT_RUN_HANG : VERDICT_RUN_CRASH;
    if (seen.verdict == VERDICT_OK && seen.tested)
        seen.output = arena_dup(arena, result->output, MIN_OF(result->output_len, (uint64_t)SERVER_OUTPUT_KEPT));
    return seen;
}

static bool run_by_server(const SequenceRun *run, const ServerNode *nodes, size_t count, Arena *arena,
                          SequenceResult *ret_results, Error *err) {
    CLEANUP(server_results_release) ServerResults results = {0};
    CLEANUP(mem_freep) char *module = path_of(run->dir, run->module);
    ServerNode *copy = run->passes_only ? arena_array(arena, ServerNode, count) : NULL;
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = (ServerNode){nodes[i].parent, -1, nodes[i].passes};
    if (!server_run(run->runner, run->tools->library, module, copy ? copy : nodes, count, &run->limits, &results, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        ret_results[i] = sequence_result_of(&results.items[i], arena);
        ret_results[i].tested |= run->passes_only && results.items[i].fate == SERVER_UNTESTED;
    }
    return true;
}

/* --- opt's own processes --- */

static SequenceResult result_of_execution(const Execution *execution, Arena *arena) {
    const ProcResult *compile = &execution->compile;
    SequenceResult seen = {.tested = true, .verdict = execution->verdict, .reason = ""};
    Signature signature;
    const char *messages = compiler_messages(compile);
    seen.refused = seen.verdict == VERDICT_REJECTS_VALID || catalogue_is_nesting_message(messages);
    seen.tested = !seen.refused && !catalogue_is_check_message(messages);
    if (seen.verdict == VERDICT_CRASH && strstr(messages, "Broken module found")) {
        seen.verdict = VERDICT_INVALID_IR;
        seen.reason = first_line(messages, arena);
    } else if (signature_extract(messages, compile->signal, arena, &signature))
        seen.reason = signature_text(&signature, arena);
    if (seen.verdict == VERDICT_OK) {
        const Str *out = &execution->run.out;
        seen.exit_code = execution->run.exit_code;
        seen.output_len = out->len;
        seen.output_hash = hash_u64(str_text(out), out->len);
        seen.output = arena_dup(arena, str_text(out), MIN_OF(out->len, (size_t)SERVER_OUTPUT_KEPT));
    }
    seen.passes_us = execution->compile_us;
    seen.run_us = execution->run_us;
    return seen;
}

static bool run_by_opt(const SequenceRun *run, const ServerNode *nodes, size_t count, Arena *arena,
                       SequenceResult *ret_results, Error *err) {
    ExecuteOptions options = execute_defaults();
    if (run->limits.cpu_ms)
        options.compile_limits.cpu_ms = options.run_limits.cpu_ms = run->limits.cpu_ms;
    if (run->limits.memory_bytes)
        options.compile_limits.memory_bytes = run->limits.memory_bytes;
    for (size_t i = 0; i < count; i++) {
        CLEANUP(strlist_release) StrList opt = {0}, codegen = {0}, program = {0};
        CLEANUP(execution_release) Execution execution = {0};
        BUG_ON(nodes[i].parent >= 0);
        sequence_opt_command(run->tools, run->module, *nodes[i].passes ? nodes[i].passes : "verify", &opt);
        sequence_codegen_command(run->tools, MAX_OF(nodes[i].level, 0), &codegen);
        strlist_add(&program, "./a.out");
        const ExecuteStep steps[] = {
            {STEP_COMPILE, &opt, SEQUENCE_OPTIMISED}, {STEP_CODEGEN, &codegen, "a.out"}, {STEP_RUN, &program, NULL}};
        bool only_passes = run->passes_only || nodes[i].level < 0;
        if (!execute(run->runner, run->dir, steps, only_passes ? 1 : 3, &options, &execution, err))
            return false;
        ret_results[i] = result_of_execution(&execution, arena);
    }
    return true;
}

bool sequence_run(const SequenceRun *run, const ServerNode *nodes, size_t count, Arena *arena,
                  SequenceResult *ret_results, Error *err) {
    return (run->by_opt ? run_by_opt : run_by_server)(run, nodes, count, arena, ret_results, err);
}
