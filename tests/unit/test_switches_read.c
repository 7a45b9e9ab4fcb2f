/* What the answers that GCC and LLVM give about themselves are read as. */
#include "unit.h"

#include "switches/switches.h"

static void assert_words(const SwitchList *list, const char *want) {
    StrList words = {0};
    for (size_t i = 0; i < list->len; i++)
        strlist_add_all(&words, &list->items[i].off);
    char *got = strlist_join(&words, " ");
    assert_string_equal(got, want);
    free(got);
    strlist_release(&words);
}

static void assert_read(void (*read)(const char *, SwitchList *), const char *text, const char *want) {
    SwitchList list = {0};
    read(text, &list);
    assert_words(&list, want);
    switch_list_release(&list);
}

static void flags_that_are_on(void **state) {
    (void)state;
    static const char text[] = "The following options control optimizations:\n"
                               "  -O<number>                  \t\t\n"
                               "  -faggressive-loop-optimizations \t[enabled]\n"
                               "  -falign-functions=          \t\t16\n"
                               "  -fassociative-math          \t\t[disabled]\n"
                               "  -fno-threadsafe-statics     \t\t[enabled]\n"
                               "  -ftree-pre                  \t\t[enabled]\n"
                               "  -ftree-pre                  \t\t[enabled]\n";
    assert_read(switches_read_gcc_flags, text, "-fno-aggressive-loop-optimizations -fno-tree-pre");
}

static void counters_and_their_counts(void **state) {
    (void)state;
    SwitchList list = {0};
    switches_read_gcc_counters("  counter name                  counter value closed intervals\n"
                               "-----------------------------------------------------------------\n"
                               "  match                         1          unset\n"
                               "  pre_insn                      0          unset\n"
                               "  dce                           3          [1, 2]\n",
                               &list);
    assert_words(&list, "-fdbg-cnt=match:0 -fdbg-cnt=pre_insn:0");
    assert_string_equal(list.items[0].name, "match");
    assert_int_equal(list.items[0].steps, 1);
    assert_int_equal(list.items[1].steps, 0);
    switch_list_release(&list);
}

static void passes_that_run(void **state) {
    (void)state;
    StrList names = {0};
    switches_read_gcc_passes("   *warn_unused_result                  :  OFF\n"
                             "   *build_cgraph_edges                  :  ON\n"
                             "   tree-ccp1                            :  ON\n"
                             "      tree-fre1                         :  OFF\n"
                             "   tree-ccp2                            :  ON\n",
                             &names);
    char *got = strlist_join(&names, " ");
    assert_string_equal(got, "tree-ccp1 tree-ccp2");
    free(got);
    strlist_release(&names);
    assert_true(switches_same_pass("tree-ccp1", "tree-ccp12") && switches_same_pass("tree-pre", "tree-pre"));
    assert_false(switches_same_pass("tree-ccp1", "tree-cc1") || switches_same_pass("tree-pre", "rtl-pre"));
}

static void refusals_give_nothing(void **state) {
    (void)state;
    assert_read(switches_read_gcc_flags, "cc: error: unrecognized command-line option '-fdump-passes'\n\n", "");
    assert_read(switches_read_gcc_counters, "", "");
    assert_read(switches_read_gcc_counters, "opt-14: Unknown command line argument '-fdbg-cnt-list'.\n", "");
    assert_int_equal(switches_read_llvm_steps("error: unknown argument\n"), 0);
}

static void executions_of_passes(void **state) {
    (void)state;
    static const char text[] = "BISECT: running pass (1) A on f\nBISECT: running pass (12) B on [module]\n";
    assert_int_equal(switches_read_llvm_steps(text), 12);
    assert_true(str_starts(switches_bisection_line(text, 1), "A on f\n"));
    assert_true(str_starts(switches_bisection_line(text, 12), "B on [module]\n"));
    assert_null(switches_bisection_line(text, 2));
}

static void limits_in_every_notation(void **state) {
    (void)state;
    static const struct {
        Switch a_switch;
        int64_t limit;
        const char *want;
    } cases[] = {
        {{.name = "pre", .notation = LIMIT_GCC_COUNTER}, 7, "-fdbg-cnt=pre:7"},
        {{.name = "dce", .notation = LIMIT_LLVM_COUNTER, .through_driver = true},
         7,
         "-mllvm -debug-counter=dce-skip=0,dce-count=7"},
        {{.name = "dce", .notation = LIMIT_LLVM_RANGE}, 7, "-debug-counter=dce=0-6"},
        {{.name = "dce", .notation = LIMIT_LLVM_RANGE}, 0, "-debug-counter=dce=2000000000"},
        {{.notation = LIMIT_LLVM_BISECTION, .through_driver = true}, -1, "-mllvm -opt-bisect-limit=-1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        StrList words = {0};
        switch_limit(&cases[i].a_switch, cases[i].limit, &words);
        char *got = strlist_join(&words, " ");
        assert_string_equal(got, cases[i].want);
        free(got);
        strlist_release(&words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_that_are_on),    cmocka_unit_test(counters_and_their_counts),
        cmocka_unit_test(passes_that_run),      cmocka_unit_test(refusals_give_nothing),
        cmocka_unit_test(executions_of_passes), cmocka_unit_test(limits_in_every_notation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
