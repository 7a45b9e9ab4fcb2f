/* What the tests of src/mutate share: mutators of short texts and of the golden programs. */
#ifndef TESTS_MUTATE_HELPERS_H
#define TESTS_MUTATE_HELPERS_H

#include "base/file.h"
#include "mutate/mutator.h"
#include "unit.h"

static inline Mutator *mutator_of(const char *text, const Ingredients *ingredients) {
    Error err = {0};
    MutatorConfig config = {.ingredients = ingredients};
    Mutator *mutator = mutator_new(text, strlen(text), &config, &err);
    if (!mutator)
        fail_msg("%s", err.text);
    return mutator;
}

static inline size_t rule_named(const char *name) {
    int rule = mutation_rule_find(name);
    if (rule < 0)
        fail_msg("no rule '%s'", name);
    return (size_t)rule;
}

/* The mutator of tests/golden/mutate/NAME; tests run in the project's root. */
static inline Mutator *golden_mutator(const char *name, const Ingredients *ingredients) {
    CLEANUP(str_release) Str path = {0};
    CLEANUP(str_release) Str text = {0};
    Error err = {0};
    str_printf(&path, "tests/golden/mutate/%s", name);
    assert_ok(file_read(str_text(&path), &text, &err), err);
    return mutator_of(str_text(&text), ingredients);
}

#endif
