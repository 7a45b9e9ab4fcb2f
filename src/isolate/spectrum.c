#include "isolate/spectrum.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void spectrum_init(Spectrum *spectrum, const Bitset *failing) {
    *spectrum = (Spectrum){0};
    bitset_init_copy(&spectrum->suspects, failing);
    spectrum->failed = mem_zalloc(failing->bits + 1, sizeof(uint32_t));
    for (int kind = 0; kind < WITNESS_KINDS; kind++)
        spectrum->passed[kind] = mem_zalloc(failing->bits + 1, sizeof(uint32_t));
    spectrum_add_failing(spectrum, failing);
}

void spectrum_init_copy(Spectrum *spectrum, const Spectrum *other) {
    size_t bytes = other->suspects.bits * sizeof(uint32_t);
    spectrum_init(spectrum, &other->suspects);
    memcpy(spectrum->failed, other->failed, bytes);
    for (int kind = 0; kind < WITNESS_KINDS; kind++) {
        memcpy(spectrum->passed[kind], other->passed[kind], bytes);
        spectrum->passing_runs[kind] = other->passing_runs[kind];
    }
    spectrum->failing_runs = other->failing_runs;
}

void spectrum_runs_release(SpectrumRuns *runs) {
    for (size_t i = 0; i < runs->len; i++)
        bitset_release(&runs->items[i].cover);
    vec_release(runs);
}

void spectrum_release(Spectrum *spectrum) {
    spectrum_runs_release(&spectrum->runs);
    map_release(&spectrum->seen);
    free(spectrum->failed);
    for (int kind = 0; kind < WITNESS_KINDS; kind++)
        free(spectrum->passed[kind]);
    bitset_release(&spectrum->suspects);
    *spectrum = (Spectrum){0};
}

/* Adds `by`, 1 or the unsigned -1, to the counts of the suspects that ran. */
static void count_run(uint32_t *counts, const Bitset *run, const Bitset *suspects, uint32_t by) {
    BUG_ON(run->bits != suspects->bits);
    for (size_t w = 0; w < BITSET_WORDS(run->bits); w++)
        for (uint64_t word = run->words[w] & suspects->words[w]; word; word &= word - 1)
            counts[w * 64 + (size_t)__builtin_ctzll(word)] += by;
}

static void keep_run(Spectrum *spectrum, uint32_t kind, const Bitset *run) {
    const Bitset *suspects = &spectrum->suspects;
    SpectrumRun kept = {.tested = spectrum->tested, .kind = kind};
    size_t bit = 0;
    if (!spectrum->keeps_runs)
        return;
    bitset_init(&kept.cover, bitset_count(suspects));
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1), bit++)
        if (bitset_get(run, s))
            bitset_set(&kept.cover, bit);
    vec_push(&spectrum->runs, kept);
}

void spectrum_add_failing(Spectrum *spectrum, const Bitset *run) {
    keep_run(spectrum, SPECTRUM_FAILING, run);
    count_run(spectrum->failed, run, &spectrum->suspects, 1);
    spectrum->failing_runs++;
}

/* Whether no run of the kind covered the same suspects before. */
static bool is_distinct(Spectrum *spectrum, WitnessKind kind, const Bitset *run) {
    CLEANUP(bitset_release) Bitset covered;
    bitset_init_copy(&covered, run);
    bitset_and(&covered, &spectrum->suspects);
    const struct {
        Hash cover;
        uint64_t kind;
    } key = {hash_bytes(covered.words, BITSET_WORDS(covered.bits) * sizeof(uint64_t)), kind};
    bool is_new;
    map_insert(&spectrum->seen, &key, sizeof key, &is_new);
    return is_new;
}

bool spectrum_add_passing(Spectrum *spectrum, WitnessKind kind, const Bitset *run) {
    if (spectrum->distinct && !is_distinct(spectrum, kind, run))
        return false;
    keep_run(spectrum, kind, run);
    count_run(spectrum->passed[kind], run, &spectrum->suspects, 1);
    spectrum->passing_runs[kind]++;
    return true;
}

void spectrum_remove_passing(Spectrum *spectrum, WitnessKind kind, const Bitset *run) {
    count_run(spectrum->passed[kind], run, &spectrum->suspects, UINT32_MAX);
    spectrum->passing_runs[kind]--;
}
