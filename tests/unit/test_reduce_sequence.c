/* Reduction of sequences against bugs whose needs are known. */
#include "unit.h"

#include "base/rng.h"
#include "reduce/sequence.h"

/* A bug that shows where the passes of `needs` stand in this order, with any others between them, and where one of
 * `either` is there, if there are any. A need is met by a pass of that name that has its parameter, if it has one. */
typedef struct Puzzle {
    const char *needs[6], *either[2];
    size_t answers; /* after so many batches every answer is no: the time is over; 0: never */
    size_t asked, batches;
} Puzzle;

static bool meets(const char *text, const char *need) {
    size_t name = pass_name_len(need);
    CLEANUP(str_release) Str parameter = {0};
    if (pass_name_len(text) != name || strncmp(text, need, name) != 0)
        return false;
    if (need[name])
        str_append_n(&parameter, need + name + 1, strlen(need) - name - 2);
    return strstr(text, str_text(&parameter));
}

static bool puzzle_shows(const Puzzle *puzzle, const Pipeline *pipeline) {
    size_t found = 0;
    bool either = !puzzle->either[0];
    for (size_t i = 0; i < pipeline->len; i++) {
        const char *text = pipeline->items[i].text;
        found += puzzle->needs[found] && meets(text, puzzle->needs[found]);
        for (size_t j = 0; j < 2; j++)
            either |= puzzle->either[j] && meets(text, puzzle->either[j]);
    }
    return either && !puzzle->needs[found];
}

static bool ask(void *context, const Pipeline *candidates, size_t count, bool *ret_shows, Error *err) {
    (void)err;
    Puzzle *puzzle = context;
    puzzle->batches++;
    for (size_t i = 0; i < count; i++) {
        assert_true(candidates[i].len > 0);
        for (size_t j = 0; j < i; j++)
            assert_false(pipeline_equal(&candidates[i], &candidates[j]));
        ret_shows[i] = (!puzzle->answers || puzzle->batches <= puzzle->answers) && puzzle_shows(puzzle, &candidates[i]);
        puzzle->asked++;
    }
    return true;
}

static bool ask_fails(void *context, const Pipeline *candidates, size_t count, bool *ret_shows, Error *err) {
    (void)context, (void)candidates, (void)count, (void)ret_shows;
    return error_set(err, "there is no opt");
}

static char *reduce_text(const char *text, Puzzle *puzzle) {
    Arena arena = {0};
    Pipeline pipeline = {0}, smallest = {0}, plain = {0};
    Str printed = {0};
    Error err;
    assert_ok(pipeline_parse(text, &arena, &pipeline, &err), err);
    assert_ok(sequence_reduce(&pipeline, ask, puzzle, &smallest, &err), err);
    assert_ok(sequence_simplify(&smallest, &arena, ask, puzzle, &plain, &err), err);
    pipeline_print(&plain, (PipelineStyle){.shared = true}, &printed);
    vec_release(&pipeline);
    vec_release(&smallest);
    vec_release(&plain);
    arena_release(&arena);
    return str_detach(&printed);
}

static void what_is_needed_is_left(void **state) {
    (void)state;
    const struct {
        const char *from, *to;
        Puzzle puzzle;
    } cases[] = {
        {"a", "a", {.needs = {"a"}}},
        {"b,a", "a", {.needs = {"a"}}},
        {"a,a", "a,a", {.needs = {"a", "a"}}},
        {"a,b,a,b,a,b", "b,a", {.needs = {"b", "a"}}},
        {"a,function(x,y),b,x,y,c", "a,b,c", {.needs = {"a", "b", "c"}}},
        {"l,q,a,r,s,t", "l,a", {.needs = {"a"}, .either = {"l", "r"}}},
        {"function(x<u;v=1;w>),function(a<k;l>)", "function(x<v=1>,a)", {.needs = {"x<v=1>", "a"}}},
        {"function(loop-mssa(licm,a))", "function(loop(licm))", {.needs = {"licm"}}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Puzzle puzzle = cases[i].puzzle;
        CLEANUP(mem_freep) char *text = reduce_text(cases[i].from, &puzzle);
        assert_string_equal(text, cases[i].to);
    }
}

/* Any bug over any sequence: no pass can be removed from what is left, and the bug shows there. */
static void no_single_pass_can_be_removed(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    Rng rng = rng_from_seed(7);
    for (int round = 0; round < 300; round++) {
        Puzzle puzzle = {.either = {names[rng_below(&rng, 6)], names[rng_below(&rng, 6)]}};
        Pipeline pipeline = {0}, smallest = {0};
        Error err;
        for (size_t i = 0, count = rng_below(&rng, 6); i < count; i++)
            puzzle.needs[i] = names[rng_below(&rng, 6)];
        do
            vec_push(&pipeline, (Pass){PASS_FUNCTION, names[rng_below(&rng, 6)]});
        while (pipeline.len < 50 || !puzzle_shows(&puzzle, &pipeline));
        assert_ok(sequence_reduce(&pipeline, ask, &puzzle, &smallest, &err), err);
        assert_true(puzzle_shows(&puzzle, &smallest));
        for (size_t i = 0; smallest.len > 1 && i < smallest.len; i++) {
            Pipeline without = {0};
            for (size_t j = 0; j < smallest.len; j++)
                if (j != i)
                    vec_push(&without, smallest.items[j]);
            assert_false(puzzle_shows(&puzzle, &without));
            vec_release(&without);
        }
        vec_release(&pipeline);
        vec_release(&smallest);
    }
}

static void one_pass_of_many_costs_little(void **state) {
    (void)state;
    Pipeline pipeline = {0}, smallest = {0};
    Error err;
    for (size_t i = 0; i < 128; i++)
        vec_push(&pipeline, (Pass){PASS_FUNCTION, i == 77 ? "guilty" : "other"});
    Puzzle puzzle = {.needs = {"guilty"}};
    assert_ok(sequence_reduce(&pipeline, ask, &puzzle, &smallest, &err), err);
    assert_int_equal(smallest.len, 1);
    assert_in_range(puzzle.asked, 1, 14);  /* 2 log2 128 */
    assert_in_range(puzzle.batches, 1, 7); /* log2 128 */
    vec_release(&pipeline);
    vec_release(&smallest);
}

static void a_search_out_of_time_keeps_what_it_has(void **state) {
    (void)state;
    Puzzle puzzle = {.needs = {"a"}, .answers = 1};
    CLEANUP(mem_freep) char *text = reduce_text("b,c,a,d", &puzzle);
    assert_string_equal(text, "a,d");
}

static void errors_end_the_search(void **state) {
    (void)state;
    Pass passes[] = {{PASS_MODULE, "a<x>"}, {PASS_MODULE, "b"}};
    Pipeline pipeline = {passes, 2, 2}, untouched = {0};
    Arena arena = {0};
    Error err;
    assert_fails(sequence_reduce(&pipeline, ask_fails, NULL, &untouched, &err), err, "there is no opt");
    assert_fails(sequence_simplify(&pipeline, &arena, ask_fails, NULL, &untouched, &err), err, "there is no opt");
    assert_null(untouched.items);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_needed_is_left),        cmocka_unit_test(no_single_pass_can_be_removed),
        cmocka_unit_test(one_pass_of_many_costs_little), cmocka_unit_test(a_search_out_of_time_keeps_what_it_has),
        cmocka_unit_test(errors_end_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
