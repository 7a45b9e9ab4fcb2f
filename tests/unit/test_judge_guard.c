/* Guards: programs with one kind of undefined behaviour each, and programs that only look bad. */
#include "judge/guard.h"

#include "base/file.h"
#include "judge/warnings.h"
#include "unit.h"

static Runner *runner;
static GuardTools *tools;

static int set_up_group(void **state) {
    (void)state;
    Error err;
    runner = runner_new(&err);
    tools = runner ? guard_tools_new(runner, LANGUAGE_C, &err) : NULL;
    return tools ? 0 : -1;
}

static int tear_down_group(void **state) {
    (void)state;
    guard_tools_free(tools);
    runner_free(runner);
    return 0;
}

static void check(const char *text, unsigned guards, bool all, GuardReport *ret_report) {
    CLEANUP(program_release) Program program = {0};
    GuardOptions options = {.guards = guards, .all = all, .run_ms = 2000};
    Error err;
    program_add(&program, "t.c", text, strlen(text));
    assert_ok(guard_run(tools, runner, &program, &options, ret_report, &err), err);
}

/* Each complaint by the guard that must see it; the sanitizers' separate and joint builds. */
static void test_each_guard_sees_its_kind(void **state) {
    (void)state;
    static const struct {
        Guard guard;
        const char *text;
    } cases[] = {
        {GUARD_WARNINGS, "int main(void) { int x; return x; }"},
        {GUARD_WARNINGS, "int f(int a) { if (a) return 1; } int main(void) { return f(0) & 0; }"},
        {GUARD_WARNINGS, "int main(void) { int i = 0; i = i++ + i++; return i & 0; }"},
        {GUARD_WARNINGS, "int *f(void) { int x = 1; return &x; } int main(void) { return !f() & 0; }"},
        {GUARD_WARNINGS, "int f() { return 1; } int main(void) { return f(1, 2) & 0; }"},
        {GUARD_WARNINGS, "#include <stdio.h>\nint main(void) { printf(\"%s\\n\", 3); return 0; }"},
        {GUARD_WARNINGS, "int a[3]; int main(void) { return a[4]; }"},
        {GUARD_AGREEMENT, "#include <stdio.h>\nint main(void) { puts(__VERSION__); return 0; }"},
        {GUARD_AGREEMENT, "int main(void) { for (;;) { } }"},
        {GUARD_AGREEMENT, "int main(void) { volatile int *volatile p = (int *)8; return *p; }"},
        {GUARD_UBSAN, "int main(void) { volatile int x = 2147483647; x += 1; return 0; }"},
        {GUARD_UBSAN, "int main(void) { volatile int n = 40; volatile int y = 1 << n; return y & 0; }"},
        {GUARD_UBSAN, "int a[4]; int main(void) { volatile int i = 5; return a[i] & 0; }"},
        {GUARD_UBSAN, "int main(void) { volatile double d = 1e20; volatile int i = (int)d; return i & 0; }"},
        {GUARD_ASAN, "int a[4]; int f(int *p, int i) { return p[i]; } int main(void) { return f(a, 5) & 0; }"},
        {GUARD_ASAN, "int *g; void f(void) { int x = 1; g = &x; } int main(void) { f(); return *g & 0; }"},
        {GUARD_MSAN, "int g(int *p) { return *p; } int main(void) { int x; if (g(&x)) return 0; return 0; }"},
        {GUARD_MSAN, "#include <stdlib.h>\nint main(void) { int *p = malloc(8); int r = p[1] > 3; free(p); if (r) "
                     "return 0; return 0; }"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(guard_report_release) GuardReport one = {0}, until = {0};
        check(cases[i].text, GUARD_BIT(cases[i].guard), true, &one);
        if (one.results[cases[i].guard].answer != GUARD_COMPLAINS)
            fail_msg("%s: %s (%s): %s", guard_name(cases[i].guard),
                     guard_answer_name(one.results[cases[i].guard].answer), str_text(&one.results[cases[i].guard].text),
                     cases[i].text);
        check(cases[i].text, 0, false, &until);
        assert_true(until.complaint != GUARD_NONE);
        assert_true(until.results[until.complaint].text.len > 0);
    }
}

static void test_sound_programs_are_clean(void **state) {
    (void)state;
    static const char *const texts[] = {
        "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 1); return 0; }",
        "#include <stdlib.h>\nint main(void) { abort(); }",
        "int main(void) { return 7; }",
        /* Wrong only where it is never executed, which warnings alone cannot know; none of ours claims to. */
        "int main(int n, char **v) { int x; (void)v; if (n > 0) x = 1; return n > 0 ? x - 1 : 0; }",
        "int main(void) { unsigned u = 4294967295u; u += 2; signed char c = (signed char)u; return c - 1; }",
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        for (int all = 0; all < 2; all++) {
            CLEANUP(guard_report_release) GuardReport report = {0};
            check(texts[i], 0, all, &report);
            if (report.complaint != GUARD_NONE)
                fail_msg("%s complains of %s: %s", guard_name(report.complaint), texts[i],
                         str_text(&report.results[report.complaint].text));
            assert_int_equal(report.results[GUARD_WARNINGS].answer, GUARD_CLEAN);
            assert_int_equal(report.results[GUARD_AGREEMENT].answer, GUARD_CLEAN);
            assert_int_equal(report.results[GUARD_FRAMA_C].answer, GUARD_NOT_RUN);
        }
    }
}

static void test_programs_that_cannot_run_get_no_answer(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"int f(void) { return 1; }", "no main function"},
                                           {"int main(void) { return 1 }", "error"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(guard_report_release) GuardReport report = {0};
        check(cases[i][0], GUARD_BIT(GUARD_AGREEMENT) | GUARD_BIT(GUARD_UBSAN), true, &report);
        assert_int_equal(report.complaint, GUARD_NONE);
        for (Guard guard = GUARD_AGREEMENT; guard <= GUARD_UBSAN; guard++) {
            assert_int_equal(report.results[guard].answer, GUARD_NO_ANSWER);
            assert_non_null(strstr(str_text(&report.results[guard].text), cases[i][1]));
        }
    }
}

static void test_frama_c(void **state) {
    (void)state;
    static const struct {
        const char *text;
        GuardAnswer answer;
    } cases[] = {
        {"int main(void) { int s = 0; for (int i = 0; i < 1000; i++) s += i; return s & 0; }", GUARD_CLEAN},
        {"int main(void) { int x = 2147483647; x += 1; return x & 0; }", GUARD_COMPLAINS},
        {"int a[3]; int main(void) { int i = 3; return a[i]; }", GUARD_COMPLAINS},
    };
    CLEANUP(str_release) Str path = {0};
    if (!path_find_program("frama-c", &path, NULL)) /* first of all: a test that skips releases nothing */
        skip_because("no Frama-C here");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(guard_report_release) GuardReport report = {0};
        check(cases[i].text, GUARD_BIT(GUARD_FRAMA_C), true, &report);
        assert_string_equal(guard_answer_name(report.results[GUARD_FRAMA_C].answer),
                            guard_answer_name(cases[i].answer));
    }
}

static void test_warnings_that_count(void **state) {
    (void)state;
    static const struct {
        const char *line;
        bool betrays;
    } cases[] = {
        {"t.c:1:2: warning: 'x' is used uninitialized [-Wuninitialized]", true},
        {"t.c:1:2: warning: 'x' may be used uninitialized [-Wmaybe-uninitialized]", false},
        {"t.c:1:2: error: call to undeclared function 'k' [-Wimplicit-function-declaration]", true},
        {"t.c:1:2: warning: format '%s' expects char * [-Wformat=]", true},
        {"t.c:1:2: warning: unused variable 'x' [-Wunused-variable]", false},
        {"t.c:1:2: warning: too many arguments in call to 'f'", true},
        {"t.c:1:2: error: use of unknown builtin '__builtin_exit' [-Wimplicit-function-declaration]", false},
        {"t.c:1:2: warning: function may return address of local variable [-Wreturn-local-addr]", false},
        {"t.c:1:2: warning: function returns address of local variable [-Wreturn-local-addr]", true},
        {"t.c:1:2: note: declared here [-Wuninitialized]", false},
        {"", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_int_equal(warning_tag(cases[i].line, strlen(cases[i].line)) != NULL, cases[i].betrays);
}

/* Flags of a whole command: those that the guards' compilers need are used, the rest would only confuse them. */
static void test_flags_that_change_the_meaning(void **state) {
    (void)state;
    static const char text[] =
        "#ifndef X\n#error no X\n#endif\nint main(void) { volatile int x = 2147483647; x += X; }";
    CLEANUP(program_release) Program program = {0};
    CLEANUP(strlist_release) StrList flags = {0};
    CLEANUP(guard_report_release) GuardReport report = {0};
    Error err;
    program_add(&program, "t.c", text, strlen(text));
    strlist_split(&flags, "gcc-11 -w -O2 -fipa-pta --param foo=1 -D X=1 -fwrapv t.c -o a.out -lm", ' ');
    GuardOptions options = {
        .guards = GUARD_BIT(GUARD_UBSAN) | GUARD_BIT(GUARD_AGREEMENT), .all = true, .flags = &flags};
    assert_ok(guard_run(tools, runner, &program, &options, &report, &err), err);
    assert_string_equal(str_text(&report.results[GUARD_UBSAN].text), "");
    assert_int_equal(report.results[GUARD_UBSAN].answer, GUARD_CLEAN);
    assert_int_equal(report.results[GUARD_AGREEMENT].answer, GUARD_CLEAN);
}

/* A compiler whose own -O0 is at fault has no say. */
static void test_the_suspect_does_not_vote(void **state) {
    (void)state;
    static const char text[] = "int main(void) {\n#ifndef __clang__\n__builtin_trap();\n#endif\nreturn 0; }";
    static const struct {
        CompilerFamily suspect;
        GuardAnswer answer;
    } cases[] = {{FAMILY_OTHER, GUARD_COMPLAINS}, {FAMILY_CLANG, GUARD_COMPLAINS}, {FAMILY_GCC, GUARD_CLEAN}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(program_release) Program program = {0};
        CLEANUP(guard_report_release) GuardReport report = {0};
        GuardOptions options = {.guards = GUARD_BIT(GUARD_AGREEMENT), .suspect = cases[i].suspect};
        Error err;
        program_add(&program, "t.c", text, strlen(text));
        assert_ok(guard_run(tools, runner, &program, &options, &report, &err), err);
        assert_int_equal(report.results[GUARD_AGREEMENT].answer, cases[i].answer);
    }
}

static void test_lists_of_guards(void **state) {
    (void)state;
    unsigned guards = 0;
    Error err = {0};
    assert_ok(guard_parse_list("warnings,msan", &guards, &err), err);
    assert_int_equal(guards, GUARD_BIT(GUARD_WARNINGS) | GUARD_BIT(GUARD_MSAN));
    assert_ok(guard_parse_list("all", &guards, &err), err);
    assert_int_equal(guards, GUARDS_ALL);
    assert_fails(guard_parse_list("warnings,valgrind", &guards, &err), err, "valgrind");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_guard_sees_its_kind),
        cmocka_unit_test(test_sound_programs_are_clean),
        cmocka_unit_test(test_programs_that_cannot_run_get_no_answer),
        cmocka_unit_test(test_frama_c),
        cmocka_unit_test(test_warnings_that_count),
        cmocka_unit_test(test_flags_that_change_the_meaning),
        cmocka_unit_test(test_the_suspect_does_not_vote),
        cmocka_unit_test(test_lists_of_guards),
    };
    return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
