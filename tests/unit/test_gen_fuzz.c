/* The generator tried with random options: every language, standard, model, size and set of features.
 *   test_gen_fuzz [COUNT [FIRST]]
 * Each case is made twice and must give the same bytes, within its bounds. A crash names its case; `test_gen_fuzz 1 CASE`
 * repeats it. Prints the slowest case, the largest program beside what was asked for, and a fingerprint of all, which is
 * the same whatever compiler built this program. */
#include "unit.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/rng.h"
#include "gen/gen.h"

#define FIXED_BYTES 8000 /* that even the smallest program may take */

typedef struct Cases {
    uint64_t count, first;
} Cases;

static volatile unsigned long long current;

static void report(int number) {
    char text[80];
    int len = snprintf(text, sizeof(text), "\ntest_gen_fuzz: signal %d in case %llu\n", number, current);
    _exit(write(STDERR_FILENO, text, (size_t)len) < 0 ? 4 : 3);
}

static GenOptions draw_options(uint64_t number) {
    static const char *const standards[] = {"c99",   "c11",   "c17",   "gnu99",   "gnu11",   "gnu17",  "c++11",
                                            "c++14", "c++17", "c++20", "gnu++11", "gnu++17", "gnu++20"};
    static const uint64_t sizes[] = {0, 1, 500, 3000, 3000, 8000, 8000, 30000, 30000, 120000};
    Rng rng = rng_from_seed(number);
    GenOptions options = gen_defaults(rng_next(&rng));
    Error err;
    assert_ok(gen_standard_parse(standards[rng_below(&rng, ARRAY_LEN(standards))], &options, &err), err);
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

static void check_bounds(const GenOptions *options, const GenProgram *program) {
    assert_int_equal(program->file_count, options->single ? 1 : 3);
    assert_int_equal(program->statistics.features & ~options->features, 0);
    assert_in_range(program->statistics.executed_bytes, 1, program->statistics.bytes);
    assert_in_range(program->statistics.bytes, 1, options->size + options->size / 10 + FIXED_BYTES);
}

static void check_same(const GenProgram *a, const GenProgram *b) {
    assert_int_equal(a->file_count, b->file_count);
    assert_string_equal(a->expected, b->expected);
    for (size_t i = 0; i < a->file_count; i++)
        assert_string_equal(a->files[i].text, b->files[i].text);
}

static void test_random_options(void **state) {
    const Cases *cases = *state;
    uint64_t slowest = 0, largest = 0, excess = 0, fingerprint = 0;
    clock_t worst = 0;
    signal(SIGABRT, report);
    signal(SIGSEGV, report);
    for (current = cases->first; current < cases->first + cases->count; current++) {
        CLEANUP(arena_release) Arena arena = {0};
        GenOptions options = draw_options(current);
        GenProgram program, again;
        Error err;
        clock_t start = clock();
        assert_ok(gen_program(&options, &arena, &program, &err), err);
        if (clock() - start > worst)
            worst = clock() - start, slowest = current;
        if (program.statistics.bytes > options.size + excess)
            excess = program.statistics.bytes - options.size, largest = current;
        for (size_t i = 0; i < program.file_count; i++)
            fingerprint = fingerprint * 31 + hash_u64(program.files[i].text, program.files[i].len);
        assert_ok(gen_program(&options, &arena, &again, &err), err);
        check_bounds(&options, &program);
        check_same(&program, &again);
    }
    print_message("%llu cases; slowest %.1f ms (case %llu); largest %llu bytes over what was asked for (case %llu); "
                  "fingerprint %016llx\n",
                  (unsigned long long)cases->count, 1e3 * (double)worst / CLOCKS_PER_SEC, (unsigned long long)slowest,
                  (unsigned long long)excess, (unsigned long long)largest, (unsigned long long)fingerprint);
}

int main(int argc, char **argv) {
    Cases cases = {.count = argc > 1 ? strtoull(argv[1], NULL, 10) : 500,
                   .first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_random_options, &cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
