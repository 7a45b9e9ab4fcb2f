/* Mutants for measurements.
 *
 *   mutants write FILE PER_RULE SEED DIR POOL   writes DIR/<n>.c and lists "n TAB operator TAB rule TAB summary"
 *   mutants speed FILE SECONDS POOL             mutants per CPU second without parsing, and the cost of parsing
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "mutate/mutator.h"

static Mutator *load(const char *path, const Ingredients *pool) {
    CLEANUP(str_release) Str text = {0};
    Error err = {0};
    MutatorConfig config = {.file_name = "fail.c", .ingredients = pool, .mutate_guards = true};
    Mutator *mutator = file_read(path, &text, &err) ? mutator_new(str_text(&text), text.len, &config, &err) : NULL;
    if (!mutator)
        fprintf(stderr, "%s\n", err.text);
    return mutator;
}

static int write_mutants(char **argv, const Ingredients *pool) {
    CLEANUP(mutator_freep) Mutator *mutator = load(argv[0], pool);
    CLEANUP(str_release) Str text = {0};
    CLEANUP(mutation_release) Mutation mutation = {0};
    Rng rng = rng_from_seed(strtoull(argv[2], NULL, 10));
    size_t written = 0;
    if (!mutator)
        return 1;
    for (size_t rule = 0; rule < mutation_rule_count; rule++) {
        for (long i = 0; i < atol(argv[1]); i++) {
            if (!mutator_apply(mutator, rule, &rng, &text, &mutation))
                continue;
            CLEANUP(str_release) Str path = {0};
            str_printf(&path, "%s/%zu.c", argv[3], written);
            if (!file_write(str_text(&path), text.data, text.len, NULL))
                return 1;
            printf("%zu\t%s\t%s\t%s\n", written++, mutation_operator_name(mutation_rules[rule].operator),
                   mutation_rules[rule].name, str_text(&mutation.summary));
        }
    }
    return 0;
}

static int measure(char **argv, const Ingredients *pool) {
    CLEANUP(mutator_freep) Mutator *mutator = load(argv[0], pool);
    CLEANUP(str_release) Str text = {0};
    CLEANUP(mutation_release) Mutation mutation = {0};
    Rng rng = rng_from_seed(1);
    if (!mutator)
        return 1;
    size_t made = 0, parsed = 0;
    int64_t limit = atol(argv[1]) * 1000000, start = clock_cpu_us(), mutated, reparsed;
    while ((mutated = clock_cpu_us() - start) < limit)
        made += mutator_apply(mutator, rng_below(&rng, mutation_rule_count), &rng, &text, &mutation);
    start = clock_cpu_us();
    while ((reparsed = clock_cpu_us() - start) < limit) {
        mutator_free(load(argv[0], pool));
        parsed++;
    }
    printf("%.0f mutants per CPU second; parsing and finding holes %.2f ms\n", (double)made * 1e6 / (double)mutated,
           (double)reparsed / 1e3 / (double)parsed);
    return 0;
}

int main(int argc, char **argv) {
    Error err = {0};
    bool writes = argc == 7 && strcmp(argv[1], "write") == 0, measures = argc == 5 && strcmp(argv[1], "speed") == 0;
    if (!writes && !measures) {
        fprintf(stderr, "usage: mutants write FILE PER_RULE SEED DIR POOL | mutants speed FILE SECONDS POOL\n");
        return 2;
    }
    CLEANUP(ingredients_freep) Ingredients *pool = ingredients_load(argv[argc - 1], NULL, NULL, &err);
    if (!pool) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    return writes ? write_mutants(argv + 2, pool) : measure(argv + 2, pool);
}
