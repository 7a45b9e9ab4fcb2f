#include "campaign/finding.h"

#include <string.h>

#include "base/file.h"
#include "compiler/signature.h"

const char *config_compiler(const Config *config) { return path_name(config->compiler->command.items[0]); }

const char *config_family(const Config *config) {
    return config->compiler->family == FAMILY_OTHER ? config_compiler(config)
                                                    : compiler_family_name(config->compiler->family);
}

const char *finding_reason(const Execution *execution, Arena *arena) {
    Signature signature;
    const char *reason;
    switch (execution->verdict) {
    case VERDICT_CRASH:
        if (signature_extract(str_text(&execution->compile.err), execution->compile.signal, arena, &signature))
            return signature_text(&signature, arena);
        return "";
    case VERDICT_REJECTS_VALID:
        reason = signature_of_rejection(str_text(&execution->compile.err), arena);
        return reason ? reason : "";
    default: return "";
    }
}

static Finding *find_or_add(Findings *findings, Verdict verdict, const char *family, const char *signature) {
    for (size_t i = 0; i < findings->len; i++) {
        Finding *finding = &findings->items[i];
        if (finding->verdict == verdict && str_equal(finding->family, family) &&
            str_equal(finding->signature, signature))
            return finding;
    }
    vec_push(findings,
             (Finding){.verdict = verdict, .family = family, .signature = signature, .passing = FINDING_NONE});
    return &vec_last(findings);
}

/* Lower is better: the compiler itself unoptimised, the compiler itself, its family, anyone; unoptimised first. */
static int distance(const Config *failing, const Config *passing) {
    int levels = str_equal(config_level(&passing->flags), "0") ? 0 : 1;
    if (failing->compiler == passing->compiler)
        return levels;
    return (str_equal(config_family(failing), config_family(passing)) ? 2 : 4) + levels;
}

/* Whether it can serve as the right one: a program that was merely slow is nobody's reference. */
static bool is_right(const Execution *execution) {
    return execution->verdict == VERDICT_OK && (!execution->ran || execution->run.limit == PROC_LIMIT_NONE);
}

static size_t best_passing(const Execution *executions, size_t count, const Config *failing) {
    size_t best = FINDING_NONE;
    for (size_t i = 0; i < count; i++)
        if (is_right(&executions[i]) && (best == FINDING_NONE || distance(failing, executions[i].config) <
                                                                     distance(failing, executions[best].config)))
            best = i;
    return best;
}

static const char *key_of(const Finding *finding, const Execution *executions, Arena *arena) {
    CLEANUP(str_release) Str key = {0};
    str_printf(&key, "%s %s: ", finding->family, verdict_kind(finding->verdict));
    if (*finding->signature)
        str_append(&key, finding->signature);
    else
        for (size_t i = 0; i < finding->failing.len; i++)
            str_printf(&key, "%s%s", i ? ", " : "", executions[finding->failing.items[i]].config->name);
    return arena_strndup(arena, str_text(&key), key.len);
}

void findings_collect(const Execution *executions, size_t count, Arena *arena, Findings *ret_findings) {
    for (size_t i = 0; i < count; i++) {
        const Execution *execution = &executions[i];
        if (execution->verdict == VERDICT_OK)
            continue;
        Finding *finding = find_or_add(ret_findings, execution->verdict, config_family(execution->config),
                                       finding_reason(execution, arena));
        vec_push(&finding->failing, i);
    }
    for (size_t i = 0; i < ret_findings->len; i++) {
        Finding *finding = &ret_findings->items[i];
        finding->passing = best_passing(executions, count, executions[finding->failing.items[0]].config);
        finding->key = key_of(finding, executions, arena);
    }
}

void findings_release(Findings *findings) {
    for (size_t i = 0; i < findings->len; i++)
        vec_release(&findings->items[i].failing);
    vec_release(findings);
}
