/* Contenders and baselines on small examples worked out by hand. */
#include "unit.h"

#include <math.h>

#include "evaluate/compare.h"

static void assert_report(const char *id, const char *want) {
    CLEANUP(str_release) Str report = {0};
    bug_report_of(id, &report);
    assert_string_equal(str_text(&report), want);
}

static void test_reports_of_bugs(void **unused) {
    (void)unused;
    assert_report("gcc11-pr100499-3", "pr100499");
    assert_report("gcc12-pr100499", "pr100499");
    assert_report("pr7-x", "pr7");
    assert_report("llvm19-expr5-pr", "llvm19-expr5-pr"); /* "pr5" inside a word is no report */
    assert_report("known", "known");
}

static Contender contender(const char *name, const double *ranks, size_t count) {
    Contender c = {.name = name};
    for (size_t i = 0; i < count; i++)
        vec_push(&c.ranks, ranks[i]);
    return c;
}

/* Six bugs on which a is better, each by another amount: of 2^6 signs one is as extreme on either side. */
static void test_compare(void **unused) {
    (void)unused;
    const double a[] = {1, 1, 1, 1, 1, 1, NAN, 5}, b[] = {2, 3, 4, 5, 6, 7, 1, NAN};
    Contender x = contender("ours", a, 8), y = contender("theirs", b, 8);
    Comparison c = compare(&x, &y);
    CLEANUP(str_release) Str text = {0}, reverse = {0};
    assert_int_equal(c.pairs, 6);
    assert_true(c.test.exact && fabs(c.test.p - 2.0 / 64) < 1e-12);
    assert_true(c.a_median == 1 && c.b_median == 4.5);
    comparison_text(&c, &text);
    assert_true(str_starts(str_text(&text), "ours before theirs: p = 0.031"));
    c = compare(&y, &x);
    comparison_text(&c, &reverse);
    assert_true(str_starts(str_text(&reverse), "ours before theirs"));
    vec_release(&x.ranks);
    vec_release(&y.ranks);
}

static Bug bug_with(const char *id, const char *compiler, const char *files) {
    Bug bug = {.id = mem_strdup(id)};
    strlist_add(&bug.fail_cmd, compiler);
    strlist_split(&bug.files, files, ' ');
    return bug;
}

/* For pr1-b: pr2 and pr3 vote for a.c, pr3 for b.c; its own report's other bug and clang's do not vote. a.c: rank 1. */
static void test_prior(void **unused) {
    (void)unused;
    Bug bugs[] = {bug_with("pr1-a", "gcc-11", "c.c"),       bug_with("pr1-b", "gcc-11", "a.c x.h"),
                  bug_with("pr2", "gcc-12", "a.c"),         bug_with("pr3", "gcc-11", "b.c a.c"),
                  bug_with("pr4", "clang-14", "c.c c.cpp"), bug_with("pr5", "opt-14", "z.c")};
    BugRank rank;
    assert_true(prior_rank(bugs, 6, 1, 100, &rank));
    assert_true(rank.first == 1 && rank.average == 1); /* headers do not count */
    assert_true(prior_rank(bugs, 6, 0, 100, &rank));
    assert_true(rank.first == 101); /* nobody else fixed c.c */
    assert_true(prior_rank(bugs, 6, 3, 100, &rank));
    assert_true(rank.first == 1 && rank.average == (1 + 101) / 2.0);
    assert_true(prior_rank(bugs, 6, 5, 100, &rank)); /* opt and clang are one compiler */
    assert_false(prior_rank(bugs + 2, 1, 0, 100, &rank));
    for (size_t i = 0; i < ARRAY_LEN(bugs); i++)
        bug_release(&bugs[i]);
}

static void test_pass_file(void **unused) {
    (void)unused;
    PassFiles files = {0};
    Bug bug = bug_with("b", "opt-14", "llvm/lib/Transforms/Scalar/GVN.cpp llvm/lib/Other.cpp");
    BugRank rank;
    assert_false(pass_rank(&bug, &files, 50, &rank)); /* not triaged */
    bug.guilty.pass = mem_strdup("GVNPass");
    assert_true(pass_rank(&bug, &files, 50, &rank));
    assert_true(rank.first == 1 && rank.average == (1 + 51) / 2.0);
    bug_release(&bug);
    pass_files_release(&files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_of_bugs),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_prior),
        cmocka_unit_test(test_pass_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
