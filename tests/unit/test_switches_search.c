/* The searches against bugs whose answer is known. */
#include "unit.h"

#include "base/rng.h"
#include "switches/group_search.h"

/* A bug over n switches: it hides when any switch of `alone` is off, or all of `together`; `broken` ones break. */
typedef struct Puzzle {
    uint64_t alone, together, broken;
    size_t asked;
} Puzzle;

static bool ask(void *context, const size_t *switches, size_t count, Outcome *ret_outcome, Error *err) {
    (void)err;
    Puzzle *puzzle = context;
    uint64_t off = 0;
    for (size_t i = 0; i < count; i++)
        off |= (uint64_t)1 << switches[i];
    puzzle->asked++;
    bool hidden = (off & puzzle->alone) || (puzzle->together && (off & puzzle->together) == puzzle->together);
    *ret_outcome = off & puzzle->broken ? OUTCOME_OTHER : hidden ? OUTCOME_PASSES : OUTCOME_FAILS;
    return true;
}

static uint64_t mask_of(const Indices *indices) {
    uint64_t mask = 0;
    for (size_t i = 0; i < indices->len; i++)
        mask |= (uint64_t)1 << indices->items[i];
    return mask;
}

static void switches_that_hide_alone_are_all_found(void **state) {
    (void)state;
    Rng rng = rng_from_seed(1);
    for (int round = 0; round < 300; round++) {
        Puzzle puzzle = {.alone = rng_next(&rng) & rng_next(&rng) & rng_next(&rng) & rng_next(&rng)};
        puzzle.broken = rng_next(&rng) & rng_next(&rng) & rng_next(&rng) & ~puzzle.alone;
        Indices alone = {0}, together = {0};
        Error err;
        assert_ok(search_switches(64, ask, &puzzle, &alone, &together, &err), err);
        assert_int_equal(mask_of(&alone), puzzle.alone);
        vec_release(&alone);
        vec_release(&together);
    }
}

static void one_guilty_switch_costs_little(void **state) {
    (void)state;
    for (size_t guilty = 0; guilty < 64; guilty++) {
        Puzzle puzzle = {.alone = (uint64_t)1 << guilty};
        Indices alone = {0}, together = {0};
        Error err;
        assert_ok(search_switches(64, ask, &puzzle, &alone, &together, &err), err);
        assert_int_equal(alone.len, 1);
        assert_in_range(puzzle.asked, 1, 13); /* 1 + 2 log2 64 */
        vec_release(&alone);
        vec_release(&together);
    }
}

static void conjunctions_are_shrunk(void **state) {
    (void)state;
    Rng rng = rng_from_seed(2);
    for (int round = 0; round < 200; round++) {
        Puzzle puzzle = {.together = (uint64_t)1 << rng_below(&rng, 32) | (uint64_t)1 << (32 + rng_below(&rng, 32))};
        Indices alone = {0}, together = {0};
        Error err;
        assert_ok(search_switches(64, ask, &puzzle, &alone, &together, &err), err);
        assert_int_equal(alone.len, 0);
        assert_int_equal(mask_of(&together), puzzle.together);
        vec_release(&alone);
        vec_release(&together);
    }
}

typedef struct Steps {
    int64_t first, hidden_again_at;
} Steps;

static bool ask_limit(void *context, int64_t limit, Outcome *ret_outcome, Error *err) {
    (void)err;
    const Steps *steps = context;
    *ret_outcome = limit < steps->first || limit == steps->hidden_again_at ? OUTCOME_PASSES : OUTCOME_FAILS;
    return true;
}

static void the_first_step_is_found(void **state) {
    (void)state;
    for (int64_t last = 1; last < 60; last++)
        for (int64_t first = 1; first <= last; first++) {
            Steps steps = {first, -1};
            Step step;
            Error err;
            assert_ok(search_step(last, ask_limit, &steps, &step, &err), err);
            assert_true(step.found && step.monotone);
            assert_int_equal(step.number, first);
        }
}

static void what_is_not_monotone_is_said(void **state) {
    (void)state;
    Steps steps = {10, 10 + (1000 - 10) / 5};
    Step step;
    Error err;
    assert_ok(search_step(1000, ask_limit, &steps, &step, &err), err);
    assert_true(step.found);
    assert_false(step.monotone);
    Steps always = {0, -1}, never = {2000, -1};
    assert_ok(search_step(1000, ask_limit, &always, &step, &err), err);
    assert_false(step.found);
    assert_ok(search_step(1000, ask_limit, &never, &step, &err), err);
    assert_false(step.found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_that_hide_alone_are_all_found),
        cmocka_unit_test(one_guilty_switch_costs_little),
        cmocka_unit_test(conjunctions_are_shrunk),
        cmocka_unit_test(the_first_step_is_found),
        cmocka_unit_test(what_is_not_monotone_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
