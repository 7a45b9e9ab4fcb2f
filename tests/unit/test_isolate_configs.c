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

static void test_passes(void **unused) {
    (void)unused;
    assert_options(configs_parse_passes,
                   "   *warn_unused_result                                 :  ON\n"
                   "   tree-omplower                                       :  ON\n"
                   "   tree-tmlower                                        :  OFF\n"
                   "      ipa-visibility                                   :  ON\n"
                   "            rtl-combine                                :  ON",
                   "-fdisable-tree-omplower -fdisable-ipa-visibility -fdisable-rtl-combine");
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
    assert_options(configs_parse_passes, noise, "");
    assert_options(configs_parse_counters, "", "");
}

/* Hiding options are found, each exactly once, with far fewer questions than there are options. */
static void test_group_testing_finds_every_hiding_option(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(31);
    StrList options = {0};
    OptionQueue queue = {0};
    Str group = {0};
    size_t questions = 0, found = 0;
    for (int i = 0; i < 200; i++)
        strlist_addf(&options, "-fno-x%d", i);
    option_queue_fill(&queue, &options, &rng);
    while (option_queue_next(&queue, &group)) {
        Str padded = {0};
        str_printf(&padded, "%s ", str_text(&group));
        bool hides = strstr(str_text(&padded), "-fno-x7 ") || strstr(str_text(&padded), "-fno-x123 ");
        questions++;
        found += hides && option_queue_split(&queue, str_text(&group));
        str_release(&padded);
    }
    assert_int_equal(found, 2);
    assert_in_range(questions, 13, 40);
    str_release(&group);
    strlist_release(&options);
    option_queue_release(&queue);
}

static void test_compile_only(void **unused) {
    (void)unused;
    StrList command = {0}, only = {0};
    strlist_split(&command, "gcc-11 -w -O2 fail.c -c -o a.out -lm", ' ');
    tester_compile_only(&command, &only);
    char *got = strlist_join(&only, " ");
    assert_string_equal(got, "gcc-11 -w -O2 fail.c -S -o /dev/null");
    free(got);
    strlist_release(&command);
    strlist_release(&only);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimizers),   cmocka_unit_test(test_passes),
        cmocka_unit_test(test_counters),     cmocka_unit_test(test_noise_gives_nothing),
        cmocka_unit_test(test_compile_only), cmocka_unit_test(test_group_testing_finds_every_hiding_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
