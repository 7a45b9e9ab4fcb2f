/* The search for the lean configuration, against bugs whose answer is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "isolate/lean.h"
#include "isolate/tester.h"

static void add_flag(LeanSearch *search, const char *word) {
    strlist_add(&switch_list_add(&search->switches, SWITCH_FLAG, word)->off, word);
}

/* Hiding options are found, each exactly once, with far fewer questions than there are options; all others stay off. */
static void test_group_testing_finds_every_hiding_option(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(31);
    LeanSearch search = {0};
    StrList words = {0}, command = {0};
    size_t questions = 0, found = 0;
    for (int i = 0; i < 200; i++) {
        char word[32];
        snprintf(word, sizeof word, "-fno-x%d", i);
        add_flag(&search, word);
    }
    strlist_split(&command, "cc -O2 x.c", ' ');
    lean_search_start(&search, &command, &rng);
    for (; lean_search_next(&search, &words); questions++) {
        bool hides = strlist_contains(&words, "-O0") || strlist_contains(&words, "-fno-x7") ||
                     strlist_contains(&words, "-fno-x123");
        if (questions < 2)
            assert_string_equal(words.items[0], questions == 0 ? "-O0" : "-O1");
        found += lean_search_learn(&search, hides ? OUTCOME_PASSES : OUTCOME_FAILS);
        strlist_clear(&words);
    }
    assert_int_equal(found, 3);
    assert_int_equal(search.lean.len, 199); /* with -O1 */
    assert_false(strlist_contains(&search.lean, "-fno-x7"));
    assert_in_range(questions, 13, 40);
    strlist_release(&words);
    strlist_release(&command);
    lean_search_release(&search);
}

/* A group that breaks the compiler says nothing: its members are tried, and a single one that breaks it is not kept. */
static void test_options_that_break_the_compiler(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(32);
    LeanSearch search = {0};
    StrList words = {0}, command = {0};
    size_t found = 0;
    for (int i = 0; i < 16; i++)
        add_flag(&search, (char[]){'-', (char)('a' + i), 0});
    strlist_split(&command, "cc x.c", ' ');
    lean_search_start(&search, &command, &rng);
    for (; lean_search_next(&search, &words); strlist_clear(&words))
        found += lean_search_learn(&search, strlist_contains(&words, "-c") ? OUTCOME_OTHER : OUTCOME_FAILS);
    assert_int_equal(found, 1);
    assert_int_equal(search.lean.len, 15);
    assert_false(strlist_contains(&search.lean, "-c"));
    strlist_release(&words);
    strlist_release(&command);
    lean_search_release(&search);
}

/* The last pass that hides the bug is found by bisection and asked for once more, as the witness. */
static void test_passes_are_bisected(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(1);
    for (int64_t guilty = 1; guilty <= 40; guilty++) {
        LeanSearch search = {
            .bisection = {
                .kind = SWITCH_BISECTION, .steps = 40, .notation = LIMIT_LLVM_BISECTION, .through_driver = guilty % 2}};
        StrList command = {0}, words = {0};
        strlist_split(&command, "clang -O0 x.c", ' ');
        int64_t witness = 0;
        size_t questions = 0;
        lean_search_start(&search, &command, &rng);
        for (; lean_search_next(&search, &words); questions++) {
            assert_int_equal(words.len, guilty % 2 ? 2 : 1);
            int64_t limit = strtoll(strrchr(words.items[words.len - 1], '=') + 1, NULL, 10);
            if (lean_search_learn(&search, limit >= guilty ? OUTCOME_FAILS : OUTCOME_PASSES))
                witness = limit;
            strlist_clear(&words);
        }
        assert_int_equal(witness, guilty - 1);
        assert_in_range(questions, 5, 7);
        assert_int_equal(search.lean.len, 0);
        strlist_release(&words);
        strlist_release(&command);
        lean_search_release(&search);
    }
}

static void test_commands_that_extend_another(void **unused) {
    (void)unused;
    LeanSearch search = {0};
    StrList command = {0}, others[4] = {0};
    static const char *const texts[] = {"cc -O2 x.c -mllvm -opt-bisect-limit=3", "cc -O1 x.c", "cc -O2 -fno-pre x.c",
                                        "cc -O2 -fno-pre x.c"};
    strlist_split(&command, "cc -O2 x.c", ' ');
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        strlist_split(&others[i], texts[i], ' ');
    lean_search_extend(&search, &command, others, ARRAY_LEN(others));
    assert_int_equal(search.switches.len, 2);
    assert_string_equal(search.switches.items[0].name, "-mllvm -opt-bisect-limit=3");
    assert_int_equal(search.switches.items[0].off.len, 2);
    assert_string_equal(search.switches.items[1].name, "-fno-pre");
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        strlist_release(&others[i]);
    strlist_release(&command);
    lean_search_release(&search);
}

static void test_compile_only(void **unused) {
    (void)unused;
    StrList command = {0}, only = {0};
    static const char *const cases[][2] = {
        {"gcc-11 -w -O2 fail.c -c -o a.out -lm", "gcc-11 -w -O2 fail.c -S -o ordinary.out"},
        {"/usr/bin/tcc fail.c -o /dev/null", "/usr/bin/tcc fail.c -c -o ordinary.out"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        strlist_clear(&command);
        strlist_clear(&only);
        strlist_split(&command, cases[i][0], ' ');
        tester_compile_only(&command, &only);
        char *got = strlist_join(&only, " ");
        assert_string_equal(got, cases[i][1]);
        free(got);
    }
    strlist_release(&command);
    strlist_release(&only);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compile_only),
        cmocka_unit_test(test_passes_are_bisected),
        cmocka_unit_test(test_commands_that_extend_another),
        cmocka_unit_test(test_options_that_break_the_compiler),
        cmocka_unit_test(test_group_testing_finds_every_hiding_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
