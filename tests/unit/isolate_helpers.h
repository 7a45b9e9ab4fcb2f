/* An isolation made by hand, for tests of rankings. */
#ifndef TESTS_ISOLATE_HELPERS_H
#define TESTS_ISOLATE_HELPERS_H

#include "isolate/isolate.h"

enum { UNITS = 4 };

/* a.c has lines 1 and 2, b.c lines 1 and 2; each line is a function of its own. The failing program covers them all. */
static inline void set_up(Isolation *isolation, UnitTable *table) {
    UnitBuilder builder = {0};
    static const char *const files[] = {"a.c", "b.c"};
    for (uint32_t i = 0; i < UNITS; i++) {
        char function[] = {(char)('f' + i), 0};
        unit_builder_add(&builder, unit_builder_file(&builder, files[i / 2], NULL), 1 + i % 2, function, 100);
    }
    unit_builder_finish(&builder, table, NULL);
    *isolation = (Isolation){.units = table};
    Bitset failing;
    bitset_init(&failing, UNITS);
    for (size_t s = 0; s < UNITS; s++)
        bitset_set(&failing, s);
    witness_set_init(&isolation->set, &failing, 0.8);
    spectrum_init(&isolation->spectrum, &failing);
    bitset_release(&failing);
}

static inline void set_run(Bitset *run, const char *covered) {
    bitset_init(run, UNITS);
    for (size_t s = 0; s < UNITS; s++)
        if (covered[s] == '1')
            bitset_set(run, s);
}

static inline void add(Isolation *isolation, WitnessKind kind, const char *covered) {
    Bitset run;
    set_run(&run, covered);
    WitnessChange change = witness_set_try(&isolation->set, &run);
    witness_set_add(&isolation->set, &run, &change);
    vec_push(&isolation->witnesses, ((Witness){.kind = kind, .counted = true}));
    spectrum_add_passing(&isolation->spectrum, kind, &run);
    bitset_release(&run);
}

#endif
