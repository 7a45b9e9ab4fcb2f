/* The generator tried with random options: every language, standard, model, size and set of features.
 *   gen_fuzz COUNT [FIRST]
 * Each case is made twice and must give the same bytes, within its bounds. A crash names its case; `gen_fuzz 1 CASE`
 * repeats it. Prints the slowest case, the largest program beside what was asked for, and a fingerprint of all, which is
 * the same whatever compiler built this program. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/rng.h"
#include "gen/gen.h"

static volatile unsigned long long current;

static void report(int number) {
    char text[64];
    int len = snprintf(text, sizeof(text), "\ngen_fuzz: signal %d in case %llu\n", number, current);
    if (write(STDERR_FILENO, text, (size_t)len) < 0)
        _exit(4);
    _exit(3);
}

static GenOptions draw_options(uint64_t number) {
    static const char *const standards[] = {"c99",   "c11",   "c17",   "gnu99",   "gnu11",   "gnu17",  "c++11",
                                            "c++14", "c++17", "c++20", "gnu++11", "gnu++17", "gnu++20"};
    static const uint64_t sizes[] = {0, 1, 500, 3000, 3000, 8000, 8000, 30000, 30000, 120000};
    Rng rng = rng_from_seed(number);
    GenOptions options = gen_defaults(rng_next(&rng));
    Error err;
    if (!gen_standard_parse(standards[rng_below(&rng, ARRAY_LEN(standards))], &options, &err))
        abort();
    GenFeatures all = (1u << GEN_FEATURE_COUNT) - 1;
    switch (rng_below(&rng, 4)) {
    case 0: break;
    case 1: options.features = (GenFeatures)rng_next(&rng) & all; break;
    case 2: options.features = (GenFeatures)(rng_next(&rng) & rng_next(&rng)) & all; break;
    default: options.features = (GenFeatures)(rng_next(&rng) | rng_next(&rng)) & all; break;
    }
    options.size = sizes[rng_below(&rng, ARRAY_LEN(sizes))];
    options.single = rng_below(&rng, 2);
    options.policies = rng_below(&rng, 4) != 0;
    options.model = (GenModel)rng_below(&rng, GEN_ILP32 + 1);
    return options;
}

static bool same(const GenProgram *a, const GenProgram *b) {
    bool equal = a->file_count == b->file_count && strcmp(a->expected, b->expected) == 0;
    for (size_t i = 0; equal && i < a->file_count; i++)
        equal = strcmp(a->files[i].text, b->files[i].text) == 0;
    return equal;
}

int main(int argc, char **argv) {
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t slowest = 0, largest = 0, excess = 0, fingerprint = 0;
    clock_t worst = 0;
    signal(SIGABRT, report);
    signal(SIGSEGV, report);
    for (current = first; current < first + count; current++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions options = draw_options(current);
        GenProgram program, again;
        Error err;
        clock_t start = clock();
        if (!gen_program(&options, &arena, &program, &err)) {
            fprintf(stderr, "gen_fuzz: case %llu: %s\n", current, err.text);
            return 3;
        }
        for (size_t i = 0; i < program.file_count; i++)
            fingerprint = fingerprint * 31 + hash_u64(program.files[i].text, program.files[i].len);
        if (clock() - start > worst)
            worst = clock() - start, slowest = current;
        if (program.statistics.bytes > options.size && program.statistics.bytes - options.size > excess)
            excess = program.statistics.bytes - options.size, largest = current;
        if (!gen_program(&options, &arena, &again, &err) || !same(&program, &again)) {
            fprintf(stderr, "gen_fuzz: case %llu: made twice, it differs\n", current);
            return 3;
        }
    }
    printf("%llu cases; slowest %.1f ms (case %llu); largest %llu bytes over what was asked for (case %llu); "
           "fingerprint %016llx\n",
           (unsigned long long)count, 1e3 * (double)worst / CLOCKS_PER_SEC, (unsigned long long)slowest,
           (unsigned long long)excess, (unsigned long long)largest, (unsigned long long)fingerprint);
    return 0;
}
