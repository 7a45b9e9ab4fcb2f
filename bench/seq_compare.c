/* seq_compare: reads lines "STRATEGY UNIQUE-BUGS" from standard input, a line for each run, and compares the first strategy
 * with every other: medians, the Mann-Whitney U test and Vargha and Delaney's A12, as in CTOS' Table 2. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vec.h"
#include "evaluate/statistics.h"

typedef struct Sample {
    char name[64];
    Vec(double) values;
} Sample;

int main(void) {
    Vec(Sample) samples = {0};
    char name[64];
    double value;
    while (scanf("%63s %lf", name, &value) == 2) {
        size_t i = 0;
        while (i < samples.len && strcmp(samples.items[i].name, name) != 0)
            i++;
        if (i == samples.len) {
            vec_push(&samples, (Sample){0});
            snprintf(vec_last(&samples).name, sizeof name, "%s", name);
        }
        vec_push(&samples.items[i].values, value);
    }
    for (size_t i = 0; i < samples.len; i++) {
        const Sample *first = &samples.items[0], *other = &samples.items[i];
        double sum = 0;
        for (size_t k = 0; k < other->values.len; k++)
            sum += other->values.items[k];
        printf("%-28s %zu runs, %.1f unique bugs on average", other->name, other->values.len,
               sum / (double)other->values.len);
        if (i > 0) {
            RankTest test =
                mann_whitney_u(first->values.items, first->values.len, other->values.items, other->values.len);
            double a12 =
                vargha_delaney_a12(first->values.items, first->values.len, other->values.items, other->values.len);
            printf("; %s against it: p %.3f, A12 %.2f (%s)", first->name, test.p, a12, vargha_delaney_word(a12));
        }
        putchar('\n');
    }
    for (size_t i = 0; i < samples.len; i++)
        vec_release(&samples.items[i].values);
    vec_release(&samples);
    return 0;
}
