/* Calls of opt, taken apart and put together with other passes. */
#include "unit.h"
#include "llvm/opt_command.h"

typedef struct Case {
    const char *command, *passes, *options, *with; /* with "sroa" in place of the passes */
} Case;

static const Case cases[] = {
    {"opt-19 -passes=gvn -disable-output fail.ll", "gvn", "", "opt-19 -passes=sroa -disable-output fail.ll"},
    {"opt -p licm,gvn -S fail.ll -o out.ll", "licm,gvn", "", "opt -p sroa -S fail.ll -o out.ll"},
    {"opt --passes=function(gvn) -unroll-count=4 x.ll", "function(gvn)", "-unroll-count=4",
     "opt --passes=sroa -unroll-count=4 x.ll"},
    {"opt -passes dse -mtriple riscv64-linux -mattr=+v -o - x.ll", "dse", "-mtriple riscv64-linux -mattr=+v",
     "opt -passes sroa -mtriple riscv64-linux -mattr=+v -o - x.ll"},
};

static void test_commands(void **unused) {
    (void)unused;
    Error err;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(strlist_release) StrList command = {0}, with = {0};
        OptCommand opt;
        strlist_split(&command, cases[i].command, ' ');
        assert_ok(opt_command_read(&command, &opt, &err), err);
        assert_string_equal(opt.passes, cases[i].passes);
        CLEANUP(mem_freep) char *options = strlist_join(&opt.options, " ");
        assert_string_equal(options, cases[i].options);
        opt_command_set_passes(&command, "sroa", &with);
        CLEANUP(mem_freep) char *joined = strlist_join(&with, " ");
        assert_string_equal(joined, cases[i].with);
        opt_command_release(&opt);
    }
}

static void test_no_passes(void **unused) {
    (void)unused;
    static const char *const commands[] = {"opt-19 -O2 fail.ll", "clang -c x.c", "opt -passes",
                                           "opt -print-passes x.ll"};
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        CLEANUP(strlist_release) StrList command = {0};
        OptCommand opt;
        Error err;
        strlist_split(&command, commands[i], ' ');
        assert_fails(opt_command_read(&command, &opt, &err), err, "sequence of passes");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands), cmocka_unit_test(test_no_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
