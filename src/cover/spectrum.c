#include "cover/spectrum.h"

#include <stdlib.h>
#include <string.h>

void spectrum_init(Spectrum *spectrum, size_t units) {
    *spectrum = (Spectrum){.units = units,
                           .failed = mem_zalloc(units + 1, sizeof(uint32_t)),
                           .passed = mem_zalloc(units + 1, sizeof(uint32_t))};
    bitset_init(&spectrum->suspects, units);
}

void spectrum_release(Spectrum *spectrum) {
    free(spectrum->failed);
    free(spectrum->passed);
    bitset_release(&spectrum->suspects);
    *spectrum = (Spectrum){0};
}

void spectrum_clear(Spectrum *spectrum) {
    memset(spectrum->failed, 0, spectrum->units * sizeof(uint32_t));
    memset(spectrum->passed, 0, spectrum->units * sizeof(uint32_t));
    bitset_clear(&spectrum->suspects);
    spectrum->failing_runs = spectrum->passing_runs = 0;
}

/* Adds one to the counts of the units in `run`, limited to those in `mask`. */
static void count_run(uint32_t *counts, const Bitset *run, const Bitset *mask) {
    BUG_ON(run->bits != mask->bits);
    for (size_t w = 0; w < BITSET_WORDS(run->bits); w++)
        for (uint64_t word = run->words[w] & mask->words[w]; word; word &= word - 1)
            counts[w * 64 + (size_t)__builtin_ctzll(word)]++;
}

void spectrum_add_failing(Spectrum *spectrum, const Bitset *run) {
    bitset_or(&spectrum->suspects, run);
    count_run(spectrum->failed, run, run);
    spectrum->failing_runs++;
}

void spectrum_add_passing(Spectrum *spectrum, const Bitset *run) {
    count_run(spectrum->passed, run, &spectrum->suspects);
    spectrum->passing_runs++;
}
