#include "campaign/finding.h"

#include <string.h>

#include "base/file.h"
#include "judge/failure.h"

const char *config_compiler(const Config *config) { return path_name(config->compiler->command.items[0]); }

const char *config_family(const Config *config) {
    return config->compiler->family == FAMILY_OTHER ? config_compiler(config)
                                                    : compiler_family_name(config->compiler->family);
}

static Finding *find_or_add(Findings *findings, const Failure *failures, const Failure *failure, const char *family) {
    for (size_t i = 0; i < findings->len; i++) {
        Finding *finding = &findings->items[i];
        const Failure *first = &failures[finding->failing.items[0]];
        if (first->verdict == failure->verdict && failure_same(first, failure) && !first->reason == !failure->reason &&
            str_equal(finding->family, family))
            return finding;
    }
    vec_push(findings, (Finding){.verdict = failure->verdict,
                                 .family = family,
                                 .signature = failure->reason ? failure->reason : "",
                                 .passing = FINDING_NONE});
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
    Failure *failures = arena_array(arena, Failure, count + 1);
    for (size_t i = 0; i < count; i++) {
        const Execution *execution = &executions[i];
        if (execution->verdict == VERDICT_OK)
            continue;
        failures[i] = failure_of(execution->verdict, &execution->compile, arena);
        Finding *finding = find_or_add(ret_findings, failures, &failures[i], config_family(execution->config));
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
