/* Which source files belong to a pass or a flag: a small tree in the style of GCC's. */
#include "unit.h"

#include "base/file.h"
#include "proc/scratch.h"
#include "triage/pass_file.h"

static Scratch scratch;
static GccFiles files;

static void put(const char *name, const char *text) {
    CLEANUP(mem_freep) char *path = path_of(scratch.path, name);
    Error err;
    assert_true(file_write(path, text, strlen(text), &err));
}

#define PASS(class, type, name) \
    "const pass_data pass_data_" class " =\n{\n  " type ", /* type */\n  \"" name "\",\n};\n"

static int set_up(void **state) {
    (void)state;
    Error err;
    assert_true(scratch_new(&scratch, &err));
    CLEANUP(mem_freep)
    char *gcc = path_of(scratch.path, "gcc"), *config = path_of(gcc, "config"), *i386 = path_of(config, "i386");
    assert_true(dir_make(gcc, &err) && dir_make(config, &err) && dir_make(i386, &err));
    put("gcc/tree-ssa-ccp.c", PASS("ccp", "GIMPLE_PASS", "ccp") "unsigned int\npass_ccp::execute (function *)\n{\n"
                                                                "  common_helper ();\n  do_ccp ();\n}\nint\ndo_ccp "
                                                                "(void)\n{ if (flag_tree_ccp) common_helper (); }\n");
    put("gcc/tree-ssa-loop.c",
        PASS("vectorize", "GIMPLE_PASS",
             "vect") "class pass_vectorize : public gimple_opt_pass\n"
                     "{\n  virtual unsigned int execute (function *) { return vectorize_loops (); }\n};\n"
                     "int x (void) { return flag_tree_loop_vectorize; }\n");
    put("gcc/tree-vectorizer.c", "unsigned\nvectorize_loops (void)\n{\n  common_helper ();\n}\n");
    put("gcc/tree-vect-stmts.c", "int\nvect_transform_stmt (void)\n{\n  return 0;\n}\n");
    put("gcc/helper.c", "int\ncommon_helper (void)\n{\n  return 0;\n}\n");
    put("gcc/other.c", PASS("other", "RTL_PASS", "other") "int\nuse (void)\n{\n  return common_helper ();\n}\n");
    put("gcc/third.c", "int\nthird (void)\n{\n  return common_helper ();\n}\n");
    put("gcc/opts.c", "int\nall (void)\n{\n  return flag_tree_ccp + flag_tree_loop_vectorize;\n}\n");
    assert_true(gcc_files_load(&files, scratch.path, &err));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    gcc_files_release(&files);
    scratch_release(&scratch);
    return 0;
}

static void check(const StrList *list, const char *expected) {
    CLEANUP(mem_freep) char *joined = list ? strlist_join(list, " ") : NULL;
    assert_string_equal(joined ? joined : "nothing", expected);
}

static void files_of_passes(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"tree-ccp", "gcc/tree-ssa-ccp.c"},
        {"tree-ccp3", "gcc/tree-ssa-ccp.c"},
        {"tree-vect", "gcc/tree-vectorizer.c gcc/tree-ssa-loop.c gcc/tree-vect-stmts.c"},
        {"rtl-other", "gcc/other.c"},
        {"tree-other", "nothing"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check(gcc_files_of_pass(&files, cases[i][0]), cases[i][1]);
}

static void files_of_flags(void **state) {
    (void)state;
    check(gcc_files_of_flag(&files, "-ftree-ccp"), "gcc/tree-ssa-ccp.c");
    check(gcc_files_of_flag(&files, "-ftree-loop-vectorize"), "gcc/tree-ssa-loop.c");
    check(gcc_files_of_flag(&files, "-ftree-absent"), "nothing");
    assert_string_equal(gcc_files_path(&files, "helper.c"), "gcc/helper.c");
}

/* The answer puts the crash's place behind the pass, and a flag in front of passes that only help together. */
static void answers(void **state) {
    (void)state;
    PassFiles all = {.gcc = files};
    CLEANUP(strlist_release) StrList crash = {0}, together = {0};
    TriageFinding finding = {.pass = "rtl-other", .crash_file = "helper.c"};
    pass_files_answer(&all, &finding, &crash);
    check(&crash, "gcc/other.c gcc/helper.c");
    finding = (TriageFinding){.pass = "rtl-other", .together = true};
    strlist_add(&finding.flags, "-ftree-ccp");
    pass_files_answer(&all, &finding, &together);
    check(&together, "gcc/tree-ssa-ccp.c gcc/other.c");
    strlist_release(&finding.flags);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_passes),
        cmocka_unit_test(files_of_flags),
        cmocka_unit_test(answers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
