#include "sequence/judge.h"

#include <stdlib.h>
#include <string.h>

#include "llvm/pipeline.h"

#define SLOW_FACTOR 20
#define SLOW_LEAST_US 2000000
#define MAJORITY_LEAST 3 /* programs that must have come to an end: one of two is no majority */

SequenceAnswer sequence_expected(const char *output, size_t len) {
    return (SequenceAnswer){.basis = BASIS_EXPECTED, .output_len = len, .output = output};
}

static bool same_answer(const SequenceResult *a, const SequenceResult *b) {
    return a->exit_code == b->exit_code && a->output_len == b->output_len && a->output_hash == b->output_hash;
}

static bool has_answer(const SequenceResult *result) { return result->tested && result->verdict == VERDICT_OK; }

/* Boyer and Moore's vote, then the count: one candidate can have a majority. */
SequenceAnswer sequence_majority(const SequenceResult *results, size_t count) {
    const SequenceResult *candidate = NULL;
    size_t lead = 0, votes = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        if (!has_answer(&results[i]))
            continue;
        if (lead == 0)
            candidate = &results[i];
        lead += same_answer(candidate, &results[i]) ? 1 : -1;
        all++;
    }
    for (size_t i = 0; i < count; i++)
        votes += candidate && has_answer(&results[i]) && same_answer(candidate, &results[i]);
    if (all < MAJORITY_LEAST || 2 * votes <= all)
        return (SequenceAnswer){0};
    return (SequenceAnswer){BASIS_MAJORITY, candidate->exit_code, candidate->output_len, candidate->output_hash,
                            candidate->output};
}

static bool is_right(const SequenceAnswer *answer, const SequenceResult *result) {
    if (answer->exit_code != result->exit_code || answer->output_len != result->output_len)
        return false;
    if (answer->basis == BASIS_MAJORITY)
        return answer->output_hash == result->output_hash;
    size_t kept = MIN_OF(answer->output_len, (uint64_t)SERVER_OUTPUT_KEPT);
    return kept == 0 || memcmp(answer->output, result->output, kept) == 0;
}

void sequence_compare(const SequenceAnswer *answer, SequenceResult *results, size_t count) {
    for (size_t i = 0; i < count && answer->basis != BASIS_NONE; i++) {
        SequenceResult *result = &results[i];
        bool died = result->verdict == VERDICT_RUN_CRASH || result->verdict == VERDICT_RUN_HANG;
        if (result->tested && (died || (result->verdict == VERDICT_OK && !is_right(answer, result)))) {
            result->verdict = VERDICT_WRONG_CODE;
            result->reason = "";
        }
    }
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t sequence_slow_us(const SequenceResult *results, size_t count) {
    CLEANUP(mem_freep) int64_t *times = mem_zalloc(count + 1, sizeof *times);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (has_answer(&results[i]))
            times[n++] = results[i].passes_us;
    qsort(times, n, sizeof *times, by_value);
    return MAX_OF(SLOW_FACTOR * times[n / 2], (int64_t)SLOW_LEAST_US);
}

void sequence_mark_slow(int64_t slow_us, SequenceResult *results, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (has_answer(&results[i]) && results[i].passes_us > slow_us)
            results[i].verdict = VERDICT_HANG;
}

bool sequence_same_failure(const SequenceResult *known, const SequenceResult *seen) {
    return seen->tested && known->verdict == seen->verdict && str_equal(known->reason, seen->reason);
}

const char *sequence_key(Verdict verdict, const char *last_pass, const char *reason, Arena *arena) {
    return arena_printf(arena, "opt %s: %.*s%s%s", verdict_kind(verdict), (int)pass_name_len(last_pass), last_pass,
                        *reason ? ": " : "", reason);
}
