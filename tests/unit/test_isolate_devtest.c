/* What developers' tests ask for. */
#include "isolate/devtest.h"
#include "unit.h"

static void test_directives(void **unused) {
    (void)unused;
    static const struct {
        const char *path, *text;
        DevTestKind kind;
        bool refused;
    } cases[] = {
        {"gcc.dg/a.c", "/* { dg-do run } */ int main(void) { return 0; }", DEVTEST_RUN, false},
        {"gcc.dg/a.c", "/* { dg-do run { target lp64 } } */ int main(void) { return 0; }", DEVTEST_RUN, false},
        {"gcc.dg/a.c", "// { dg-do compile }\nint main(void) { return 0; }", DEVTEST_COMPILE, false},
        {"gcc.dg/a.c", "/* { dg-do assemble } */", DEVTEST_COMPILE, false},
        {"gcc.dg/a.c", "/* { dg-do link } */ int main(void) { return 0; }", DEVTEST_LINK, false},
        {"gcc.dg/a.c", "/* { dg-do run } */ int x = y; /* { dg-error \"undeclared\" } */", DEVTEST_COMPILE, true},
        {"gcc.c-torture/execute/1.c", "int x;\nmain () { exit (0); }", DEVTEST_RUN, false},
        {"gcc.c-torture/compile/1.c", "int main(void) { return f(); }", DEVTEST_COMPILE, false},
        {"gcc.c-torture/execute/1.c", "int domain(int); int remain; int main1(void);", DEVTEST_COMPILE, false},
        {"pool/a.c", "int f(void) { return 1; }", DEVTEST_COMPILE, false},
        {"pool/a.c", "int main\n(void) { return 0; }", DEVTEST_RUN, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        DevTest test = devtest_of(cases[i].path, cases[i].text);
        if (test.kind != cases[i].kind || test.refused != cases[i].refused)
            fail_msg("%s: kind %d, refused %d", cases[i].text, test.kind, test.refused);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_directives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
