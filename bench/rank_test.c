/* rank_test REPETITIONS: which of two sides is better, name by name.
 *
 * Reads lines "name<TAB>side<TAB>repetition<TAB>value", with side 1 or 2 and repetitions from 1; values of one name, side and
 * repetition are added up, and what is missing is 0. Prints, in the order in which names came, "name<TAB>sum of side 1<TAB>sum of
 * side 2<TAB>p<TAB>better|worse|comparable": side 1 against side 2 by the Mann-Whitney U test over repetitions, at 95%, as in
 * sections 4.2 and 4.3 of YARPGen's paper. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/strlist.h"
#include "evaluate/statistics.h"

static double sum(const double *values, size_t count) {
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += values[i];
    return total;
}

int main(int argc, char **argv) {
    size_t repetitions = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (repetitions == 0) {
        fputs("usage: rank_test REPETITIONS <table\n", stderr);
        return 2;
    }
    Map names = {0};
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        char *tab = strchr(line, '\t');
        unsigned side, repetition;
        double value;
        if (!tab || sscanf(tab + 1, "%u\t%u\t%lf", &side, &repetition, &value) != 3 || side < 1 || side > 2 ||
            repetition < 1 || repetition > repetitions) {
            fprintf(stderr, "rank_test: this is no line of a table: %s", line);
            return 1;
        }
        MapEntry *entry = map_insert(&names, line, (size_t)(tab - line), NULL);
        if (!entry->pointer)
            entry->pointer = mem_zalloc(2 * repetitions, sizeof(double));
        ((double *)entry->pointer)[(side - 1) * repetitions + repetition - 1] += value;
    }
    for (size_t i = 0; i < names.len; i++) {
        const double *first = names.entries[i].pointer, *second = first + repetitions;
        RankTest test = mann_whitney_u(first, repetitions, second, repetitions);
        double larger = vargha_delaney_a12(first, repetitions, second, repetitions);
        const char *word = test.p >= 0.05 ? "comparable" : larger > 0.5 ? "better" : "worse";
        printf("%s\t%g\t%g\t%.4f\t%s\n", names.entries[i].key, sum(first, repetitions), sum(second, repetitions),
               test.p, word);
        free(names.entries[i].pointer);
    }
    map_release(&names);
    free(line);
    return 0;
}
