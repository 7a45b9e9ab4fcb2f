/* Near configurations: what GCC's answers about itself are read as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

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
        cmocka_unit_test(test_compile_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
