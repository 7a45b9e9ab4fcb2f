/* Near configurations: what GCC's answers about itself are read as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "isolate/configs.h"
#include "isolate/tester.h"

static void assert_options(void (*parse)(const char *, StrList *), const char *text, const char *want) {
    StrList options = {0};
    parse(text, &options);
    char *got = strlist_join(&options, " ");
    assert_string_equal(got, want);
    free(got);
    strlist_release(&options);
}

static void test_optimizers(void **unused) {
    (void)unused;
    assert_options(configs_parse_optimizers,
                   "The following options control optimizations:\n"
                   "  -O<number>                  \t\t\n"
                   "  -faggressive-loop-optimizations \t[enabled]\n"
                   "  -falign-functions=          \t\t16\n"
                   "  -fassociative-math          \t\t[disabled]\n"
                   "  -ftree-pre                  \t\t[enabled]\n",
                   "-fno-aggressive-loop-optimizations -fno-tree-pre");
}

static void test_counters(void **unused) {
    (void)unused;
    assert_options(configs_parse_counters,
                   "  counter name                  counter value closed intervals\n"
                   "-----------------------------------------------------------------\n"
                   "  match                         1          unset\n"
                   "  pre_insn                      0          unset\n",
                   "-fdbg-cnt=match:0 -fdbg-cnt=pre_insn:0");
}

static void test_noise_gives_nothing(void **unused) {
    (void)unused;
    const char *noise = "cc: error: unrecognized command-line option '-fdump-passes'\n\n";
    assert_options(configs_parse_optimizers, noise, "");
    assert_options(configs_parse_counters, "", "");
    assert_options(configs_parse_counters, "opt-14: Unknown command line argument '-fdbg-cnt-list'.\n", "");
}

/* Whether the options, separated in either way, hold this one. */
static bool has_option(const char *options, const char *option) {
    Str padded = {0}, word = {0};
    str_printf(&padded, " %s ", options);
    for (size_t i = 0; i < padded.len; i++)
        padded.data[i] = padded.data[i] == CONFIG_SEPARATOR ? ' ' : padded.data[i];
    str_printf(&word, " %s ", option);
    bool has = strstr(str_text(&padded), str_text(&word));
    str_release(&padded);
    str_release(&word);
    return has;
}

/* Hiding options are found, each exactly once, with far fewer questions than there are options; all others stay off. */
static void test_group_testing_finds_every_hiding_option(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(31);
    NearConfigs near = {0};
    StrList lean = {0};
    LeanSearch search = {0};
    Str group = {0};
    size_t questions = 0, found = 0;
    for (int i = 0; i < 200; i++)
        strlist_addf(&near.options, "-fno-x%d", i);
    StrList command = {0};
    strlist_split(&command, "cc -O2 x.c", ' ');
    lean_search_fill(&search, &command, &near, &rng);
    assert_string_equal(search.groups.items[search.groups.len - 1], "-O0");
    assert_string_equal(search.groups.items[search.groups.len - 2], "-O1");
    for (; lean_search_next(&search, &group); questions++) {
        bool hides = has_option(str_text(&group), "-O0") || has_option(str_text(&group), "-fno-x7") ||
                     has_option(str_text(&group), "-fno-x123");
        found += lean_search_learn(&search, str_text(&group), !hides);
    }
    strlist_split(&lean, str_text(&search.lean), ' ');
    assert_int_equal(found, 3);
    assert_int_equal(lean.len, 199); /* with -O1 */
    assert_false(has_option(str_text(&search.lean), "-fno-x7"));
    assert_in_range(questions, 13, 40);
    str_release(&group);
    configs_release(&near);
    strlist_release(&lean);
    strlist_release(&command);
    lean_search_release(&search);
}

/* The last pass that hides the bug is found by bisection and asked for once more, as the witness. */
static void test_passes_are_bisected(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(1);
    for (int64_t guilty = 1; guilty <= 40; guilty++) {
        NearConfigs near = {.passes = 40,
                            .stop_after = guilty % 2 ? "-opt-bisect-limit=" : "-mllvm -opt-bisect-limit="};
        StrList command = {0};
        strlist_split(&command, "clang -O0 x.c", ' ');
        LeanSearch search = {0};
        Str group = {0};
        int64_t witness = 0;
        size_t questions = 0;
        lean_search_fill(&search, &command, &near, &rng);
        for (; lean_search_next(&search, &group); questions++) {
            int64_t limit = strtoll(strrchr(str_text(&group), '=') + 1, NULL, 10);
            if (lean_search_learn(&search, str_text(&group), limit >= guilty))
                witness = limit;
        }
        assert_int_equal(witness, guilty - 1);
        assert_in_range(questions, 5, 7);
        assert_string_equal(str_text(&search.lean), "");
        str_release(&group);
        strlist_release(&command);
        lean_search_release(&search);
    }
}

static void test_passes_are_counted(void **unused) {
    (void)unused;
    assert_int_equal(configs_parse_passes("BISECT: running pass (1) A on f\nBISECT: running pass (12) B on [module]\n"),
                     12);
    assert_int_equal(configs_parse_passes("error: unknown argument\n"), 0);
}

static void test_commands_that_extend_another(void **unused) {
    (void)unused;
    NearConfigs near = {0};
    StrList command = {0}, others[4] = {0};
    static const char *const texts[] = {"cc -O2 x.c -mllvm -opt-bisect-limit=3", "cc -O1 x.c", "cc -O2 -fno-pre x.c",
                                        "cc -O2 -fno-pre x.c"};
    strlist_split(&command, "cc -O2 x.c", ' ');
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        strlist_split(&others[i], texts[i], ' ');
    configs_add_extensions(&near, &command, others, ARRAY_LEN(others));
    char *got = strlist_join(&near.options, "|");
    assert_string_equal(got, "-mllvm -opt-bisect-limit=3|-fno-pre");
    free(got);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        strlist_release(&others[i]);
    strlist_release(&command);
    configs_release(&near);
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
        cmocka_unit_test(test_optimizers),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_noise_gives_nothing),
        cmocka_unit_test(test_compile_only),
        cmocka_unit_test(test_passes_are_bisected),
        cmocka_unit_test(test_passes_are_counted),
        cmocka_unit_test(test_commands_that_extend_another),
        cmocka_unit_test(test_group_testing_finds_every_hiding_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
