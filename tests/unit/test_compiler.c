/* Compilers' facts, discovery, the matrix, set files, and who is judged wrong. */
#include "base/file.h"
#include "compiler/identify.h"
#include "compiler/setfile.h"
#include "judge/vote.h"
#include "proc/scratch.h"
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

static Runner *runner;

static int set_up_group(void **state) {
    (void)state;
    Error err;
    runner = runner_new(&err);
    return runner ? 0 : -1;
}

static int tear_down_group(void **state) {
    (void)state;
    runner_free(runner);
    return 0;
}

static void test_facts_of_real_compilers(void **state) {
    (void)state;
    static const struct {
        const char *command;
        Language language;
        CompilerFamily family;
        int major, long_size, pointer_size;
        bool char_signed, cross;
    } cases[] = {
        {"gcc-11", LANGUAGE_C, FAMILY_GCC, 11, 8, 8, true, false},
        {"gcc-12 -funsigned-char", LANGUAGE_C, FAMILY_GCC, 12, 8, 8, false, false},
        {"gcc-11 -m32", LANGUAGE_C, FAMILY_GCC, 11, 4, 4, true, false},
        {"gcc-11 -mx32", LANGUAGE_C, FAMILY_GCC, 11, 4, 4, true, false},
        {"clang-14", LANGUAGE_C, FAMILY_CLANG, 14, 8, 8, true, false},
        {"clang-14 -target armv7-linux-gnueabi", LANGUAGE_C, FAMILY_CLANG, 14, 4, 4, false, true},
        {"clang-14 --target=aarch64-linux-gnu", LANGUAGE_C, FAMILY_CLANG, 14, 8, 8, false, true},
        {"tcc", LANGUAGE_C, FAMILY_TCC, 0, 8, 8, true, false},
        {"pcc", LANGUAGE_C, FAMILY_PCC, 1, 8, 8, true, false},
        {"g++-11", LANGUAGE_CXX, FAMILY_GCC, 11, 8, 8, true, false},
        {"clang++-14", LANGUAGE_CXX, FAMILY_CLANG, 14, 8, 8, true, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(matrix_release) Matrix matrix = {0};
        CLEANUP(str_release) Str found = {0};
        CLEANUP(strlist_release) StrList words = {0};
        Error err;
        strlist_split(&words, cases[i].command, ' ');
        if (!path_find_program(words.items[0], &found, NULL))
            continue;
        assert_ok(matrix_add(&matrix, runner, cases[i].language, cases[i].command, &err), err);
        const Compiler *compiler = matrix.compilers.items[0];
        print_message("%s: %s, %s\n", cases[i].command, compiler->version_text, compiler->target);
        assert_int_equal(compiler->family, cases[i].family);
        assert_int_equal(compiler->version[0], cases[i].major);
        assert_int_equal(compiler->model.int_size, 4);
        assert_int_equal(compiler->model.long_size, cases[i].long_size);
        assert_int_equal(compiler->model.pointer_size, cases[i].pointer_size);
        assert_int_equal(compiler->model.char_signed, cases[i].char_signed);
        assert_int_equal(compiler->cross, cases[i].cross);
    }
}

static void test_unusable_compilers_are_errors(void **state) {
    (void)state;
    static const struct {
        const char *command, *part;
    } cases[] = {
        {"no-such-compiler-7 -O2", "no-such-compiler-7"},
        {"false", "does not compile"},
        {"true", "probe.o"},
        {"gcc 'unclosed", "gcc 'unclosed"},
        {"", "empty"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(matrix_release) Matrix matrix = {0};
        Error err = {0};
        assert_fails(matrix_add(&matrix, runner, LANGUAGE_C, cases[i].command, &err), err, cases[i].part);
        assert_int_equal(matrix.configs.len, 0);
    }
}

/* An unknown compiler is one whose macros say nothing: its sizes are still found, its version by its words. */
static void test_unknown_compilers_work(void **state) {
    (void)state;
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(matrix_release) Matrix matrix = {0};
    Error err;
    assert_ok(scratch_new(&scratch, &err), err);
    CLEANUP(mem_freep) char *path = path_of(scratch.path, "mycc");
    assert_ok(file_write_text(path,
                              "#!/bin/sh\n[ \"$1\" = --version ] && { echo my compiler 3.14; exit; }\n"
                              "exec gcc -U__GNUC__ \"$@\"\n",
                              &err),
              err);
    assert_int_equal(chmod(path, 0755), 0);
    assert_ok(matrix_add(&matrix, runner, LANGUAGE_C, path, &err), err);
    assert_int_equal(matrix.compilers.items[0]->family, FAMILY_OTHER);
    assert_int_equal(matrix.compilers.items[0]->version[0], 3);
    assert_int_equal(matrix.compilers.items[0]->version[1], 14);
    assert_int_equal(matrix.compilers.items[0]->model.pointer_size, sizeof(void *));
}

static void test_configurations_share_compilers(void **state) {
    (void)state;
    CLEANUP(matrix_release) Matrix matrix = {0};
    Error err;
    static const char *const commands[] = {"gcc -O0", "gcc -O3 -fno-inline", "gcc -march=native -O2", "gcc -m32"};
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        assert_ok(matrix_add(&matrix, runner, LANGUAGE_C, commands[i], &err), err);
    assert_int_equal(matrix.compilers.len, 2);
    assert_ptr_equal(matrix.configs.items[0].compiler, matrix.configs.items[1].compiler);
    assert_ptr_equal(matrix.configs.items[0].compiler, matrix.configs.items[2].compiler);
    assert_string_equal(matrix.configs.items[1].name, "gcc -O3 -fno-inline");
    assert_string_equal(config_level(&matrix.configs.items[1].flags), "3");
}

static void test_discovery_finds_each_compiler_once(void **state) {
    (void)state;
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(strlist_release) StrList names = {0};
    Error err;
    assert_ok(scratch_new(&scratch, &err), err);
    /* gcc -> gcc-12; a cache behind a compiler's name; tools that only look like compilers. */
    static const char *const files[] = {"gcc-12", "gcc-9", "clang-14", "gcc-ar-12", "clang-format-14", "ccache", "tcc"};
    static const char *const links[][2] = {{"gcc", "gcc-12"}, {"clang", "clang-14"}, {"clang-99", "ccache"}};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        CLEANUP(mem_freep) char *path = path_of(scratch.path, files[i]);
        assert_ok(file_write_text(path, "#!/bin/sh\n", &err), err);
    }
    for (size_t i = 0; i < ARRAY_LEN(links); i++) {
        CLEANUP(mem_freep) char *path = path_of(scratch.path, links[i][0]);
        assert_int_equal(symlink(links[i][1], path), 0);
    }
    CLEANUP(mem_freep) char *path = mem_strdup(getenv("PATH"));
    setenv("PATH", scratch.path, 1);
    compiler_discover(LANGUAGE_C, &names);
    setenv("PATH", path, 1);
    CLEANUP(mem_freep) char *joined = strlist_join(&names, " ");
    assert_string_equal(joined, "gcc-9 gcc-12 clang-14 tcc");
}

static void test_default_matrix(void **state) {
    (void)state;
    CLEANUP(matrix_release) Matrix matrix = {0};
    Error err;
    assert_ok(matrix_discover(&matrix, runner, LANGUAGE_C, &err), err);
    for (size_t i = 0; i < matrix.configs.len; i++)
        print_message("%s\n", matrix.configs.items[i].name);
    assert_true(matrix.configs.len > matrix.compilers.len);
}

static void test_cxx_names(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"gcc", "g++"},       {"gcc-11", "g++-11"}, {"/opt/x/clang-14", "/opt/x/clang++-14"},
        {"clang", "clang++"}, {"tcc", NULL},        {"mygcc", NULL}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str name = {0};
        bool found = compiler_cxx_name(cases[i][0], &name);
        assert_int_equal(found, cases[i][1] != NULL);
        if (found)
            assert_string_equal(str_text(&name), cases[i][1]);
    }
}

static void test_set_files(void **state) {
    (void)state;
    static const char text[] =
        "# what we test\n[fast]\n  compilers gcc-11, clang-14 -m32 # two\n  options -O0 | -O3 -g\n"
        "compilers tcc\n\n[slow]\ncompilers gcc-12\noptions -O2\noptions -O3 -DX=#1\n";
    static const struct {
        const char *name, *expected;
    } cases[] = {
        {"fast", "gcc-11 -O0;gcc-11 -O3 -g;clang-14 -m32 -O0;clang-14 -m32 -O3 -g;tcc"},
        {"slow", "gcc-12 -O2;gcc-12 -O3 -DX=#1"},
        {NULL, "gcc-11 -O0;gcc-11 -O3 -g;clang-14 -m32 -O0;clang-14 -m32 -O3 -g;tcc;gcc-12 -O2;gcc-12 -O3 -DX=#1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(strlist_release) StrList commands = {0};
        Error err;
        assert_ok(setfile_commands(text, "x.set", cases[i].name, &commands, &err), err);
        CLEANUP(mem_freep) char *joined = strlist_join(&commands, ";");
        assert_string_equal(joined, cases[i].expected);
    }
}

static void test_set_file_errors_have_lines(void **state) {
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"[a]\ncompiler gcc\n", "x.set:2: expected [name]"},
        {"compilers gcc\n", "x.set:1: a set's name"},
        {"[a\n", "x.set:1: a set's name stands alone"},
        {"[a]\n\noptions -O2\n", "x.set:3: options without compilers"},
        {"[a]\ncompilers gcc,, tcc\n", "x.set:2: a compiler is missing"},
        {"[a]\ncompilers\n", "x.set:2: a compiler is missing"},
        {"[b]\ncompilers gcc\n", "no set called \"a\""},
        {"# nothing\n", "no set called"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(strlist_release) StrList commands = {0};
        Error err = {0};
        assert_fails(setfile_commands(cases[i].text, "x.set", "a", &commands, &err), err, cases[i].part);
    }
}

/* --- Judging: outputs of gcc -O0, gcc -O3, clang -O0, clang -O3, tcc as letters; '!' is a crash, '-' did not run. --- */

static const struct {
    const char *outputs, *expected; /* verdicts: '.' ok, 'w' wrong code, 'c' run crash */
    Basis basis;
    const char *foretold;
} judge_cases[] = {
    {"AAAAA", ".....", BASIS_NONE, NULL},     {"ABAAA", ".w...", BASIS_MAJORITY, NULL},
    {"A!AAA", ".c...", BASIS_MAJORITY, NULL}, {"!!!!!", ".....", BASIS_NONE, NULL},
    {"!!!!A", "....w", BASIS_MAJORITY, NULL}, {"AABB-", "..ww.", BASIS_NONE, NULL},
    {"ABAB-", ".w.w.", BASIS_OWN_O0, NULL},   {"ABCC-", ".w...", BASIS_OWN_O0, NULL},
    {"BBBBA", "wwww.", BASIS_EXPECTED, "A"},  {"AAAAB", "....w", BASIS_EXPECTED, "A"},
    {"A----", ".....", BASIS_NONE, NULL},
};

static void set_outcome(Execution *execution, const Config *config, char letter) {
    *execution = (Execution){.config = config, .ran = letter != '-', .run = {.wall_us = 1000}};
    if (letter == '!') {
        execution->verdict = VERDICT_RUN_CRASH;
        execution->run.exit_code = -1;
        execution->run.signal = 6;
    } else {
        str_append_char(&execution->run.out, letter);
    }
}

static char verdict_letter(Verdict verdict) {
    return verdict == VERDICT_OK ? '.' : verdict == VERDICT_WRONG_CODE ? 'w' : verdict == VERDICT_RUN_CRASH ? 'c' : '?';
}

static void test_judging(void **state) {
    (void)state;
    static Compiler compilers[3];
    static Config configs[5] = {{.compiler = &compilers[0]},
                                {.compiler = &compilers[0]},
                                {.compiler = &compilers[1]},
                                {.compiler = &compilers[1]},
                                {.compiler = &compilers[2]}};
    for (size_t i = 0; i < 5; i++)
        strlist_add(&configs[i].flags, i % 2 ? "-O3" : "-O0");
    for (size_t c = 0; c < ARRAY_LEN(judge_cases); c++) {
        Execution executions[5];
        char got[6] = {0};
        for (size_t i = 0; i < 5; i++)
            set_outcome(&executions[i], &configs[i], judge_cases[c].outputs[i]);
        const char *foretold = judge_cases[c].foretold;
        vote(executions, 5, foretold ? &(Expectation){foretold, 1, 0, 0} : NULL, 0);
        for (size_t i = 0; i < 5; i++) {
            got[i] = verdict_letter(executions[i].verdict);
            if (got[i] != '.')
                assert_string_equal(basis_name(executions[i].basis), basis_name(judge_cases[c].basis));
            execution_release(&executions[i]);
        }
        assert_string_equal(got, judge_cases[c].expected);
    }
    for (size_t i = 0; i < 5; i++)
        strlist_release(&configs[i].flags);
}

/* Floating-point values of programs whose output nobody foretold: neighbours within the tolerance are no majority against
 * each other, and one far off is wrong. */
static void test_votes_within_a_tolerance(void **state) {
    (void)state;
    static const char *const values[] = {"1.0000", "1.0001", "0.9999", "1.5000"};
    static const struct {
        double tolerance;
        const char *expected;
    } cases[] = {{0, "wwww"}, {0.01, "...w"}};
    Compiler compilers[4] = {0};
    Config configs[4];
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        Execution executions[4];
        char got[5] = {0};
        for (size_t i = 0; i < 4; i++) {
            configs[i] = (Config){.compiler = &compilers[i]};
            executions[i] = (Execution){.config = &configs[i], .ran = true};
            str_printf(&executions[i].run.out, "7\nx %s\n", values[i]);
        }
        vote(executions, 4, NULL, cases[c].tolerance);
        for (size_t i = 0; i < 4; i++) {
            got[i] = verdict_letter(executions[i].verdict);
            execution_release(&executions[i]);
        }
        if (c == 0)
            got[0] = 'w'; /* the earliest of equals is nobody's suspect */
        assert_string_equal(got, cases[c].expected);
    }
}

/* A time-out counts only where the others were much faster. */
static void test_slow_programs_are_nobodys_bug(void **state) {
    (void)state;
    static const struct {
        int64_t others_us;
        Verdict expected;
    } cases[] = {{1000, VERDICT_RUN_HANG}, {5000000, VERDICT_OK}};
    Compiler compiler = {0};
    Config config = {.compiler = &compiler};
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        Execution executions[2];
        set_outcome(&executions[0], &config, 'A');
        set_outcome(&executions[1], &config, 'A');
        executions[0].run.wall_us = cases[c].others_us;
        executions[1].run.wall_us = 10000000;
        executions[1].verdict = VERDICT_RUN_HANG;
        vote(executions, 2, NULL, 0);
        assert_int_equal(executions[1].verdict, cases[c].expected);
        assert_int_equal(executions[0].verdict, VERDICT_OK);
        execution_release(&executions[0]);
        execution_release(&executions[1]);
    }
}

static void test_families_by_name(void **state) {
    (void)state;
    static const struct {
        const char *name;
        CompilerFamily family;
    } cases[] = {
        {"gcc", FAMILY_GCC},
        {"/opt/x/bin/gcc-11", FAMILY_GCC},
        {"x86_64-linux-gnu-g++-12", FAMILY_GCC},
        {"musl-gcc", FAMILY_GCC},
        {"clang++-14", FAMILY_CLANG},
        {"aarch64-linux-gnu-clang-16", FAMILY_CLANG},
        {"tcc", FAMILY_TCC},
        {"x86_64-linux-gnu-pcc", FAMILY_PCC},
        {"opt-19", FAMILY_OPT},
        {"/usr/lib/llvm-14/bin/llc", FAMILY_LLC},
        {"gcc-ar-12", FAMILY_OTHER},
        {"clang-format-14", FAMILY_OTHER},
        {"bad-pcc", FAMILY_OTHER},
        {"optscript", FAMILY_OTHER},
        {"12", FAMILY_OTHER},
        {"", FAMILY_OTHER},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (compiler_family_of_name(cases[i].name) != cases[i].family)
            fail_msg("%s is taken for %s", cases[i].name, compiler_family_name(compiler_family_of_name(cases[i].name)));
}

static void identify(const char *program, CompilerFamily family, int major) {
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(str_release) Str found = {0};
    CompilerIdentity identity;
    Error err;
    strlist_add(&command, program);
    if (!path_find_program(program, &found, NULL))
        return; /* not installed here */
    assert_ok(compiler_identify(runner, &command, &identity, &err), err);
    if (identity.family != family || (major >= 0 && identity.version[0] != major))
        fail_msg("%s is taken for %s %d", program, compiler_family_name(identity.family), identity.version[0]);
}

static void test_programs_say_who_they_are(void **state) {
    (void)state;
    CLEANUP(scratch_release) Scratch scratch = {0};
    Error err;
    assert_ok(scratch_new(&scratch, &err), err);
    CLEANUP(mem_freep) char *wrapper = path_of(scratch.path, "opt");
    CLEANUP(mem_freep) char *silent = path_of(scratch.path, "mute");
    assert_ok(file_write_text(wrapper, "#!/bin/sh\nexec gcc \"$@\"\n", &err), err);
    assert_ok(file_write_text(silent, "#!/bin/sh\n[ \"$1\" = --version ] && exit 1\nexec gcc \"$@\"\n", &err), err);
    assert_int_equal(chmod(wrapper, 0755) + chmod(silent, 0755), 0);
    identify("gcc-11", FAMILY_GCC, 11);
    identify("g++-12", FAMILY_GCC, 12);
    identify("aarch64-linux-gnu-gcc", FAMILY_GCC, -1);
    identify("clang++-14", FAMILY_CLANG, 14);
    identify("tcc", FAMILY_TCC, 0);
    identify("pcc", FAMILY_PCC, 1);
    identify("opt-14", FAMILY_OPT, 14);
    identify("llc-14", FAMILY_LLC, 14);
    identify("cat", FAMILY_OTHER, -1);
    identify(wrapper, FAMILY_GCC, -1); /* whatever it is called */
    identify(silent, FAMILY_GCC, -1);  /* by the macros it defines */
    CLEANUP(strlist_release) StrList missing = {0};
    CompilerIdentity identity;
    strlist_add(&missing, "no-such-compiler");
    assert_fails(compiler_identify(runner, &missing, &identity, &err), err, "no-such-compiler");
}

static void test_verdict_names(void **state) {
    (void)state;
    Error err = {0};
    for (Verdict verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        Verdict parsed;
        assert_ok(verdict_parse(verdict_name(verdict), &parsed, &err), err);
        assert_int_equal(parsed, verdict);
        assert_ok(verdict_parse(verdict_kind(verdict), &parsed, &err), err);
    }
    Verdict parsed;
    assert_fails(verdict_parse("wrongcode", &parsed, &err), err, "no kind of bug");
}

static void test_commands_as_people_type_them(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool changes;
    } cases[] = {
        {"gcc -O2", false}, {"/usr/bin/cc", false}, {"./build/cc -O2", true}, {"a/cc", true}, {"-Ia/b x", false}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(strlist_release) StrList words = {0};
        Error err;
        if (!compiler_read_command(cases[i].text, &words, &err))
            fail_msg("%s", err.text);
        CLEANUP(mem_freep) char *text = strlist_join(&words, " ");
        assert_int_equal(!str_equal(text, cases[i].text), cases[i].changes);
        assert_true(!cases[i].changes || (*text == '/' && str_ends(words.items[0], "/cc")));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_as_people_type_them),
        cmocka_unit_test(test_facts_of_real_compilers),
        cmocka_unit_test(test_unusable_compilers_are_errors),
        cmocka_unit_test(test_unknown_compilers_work),
        cmocka_unit_test(test_configurations_share_compilers),
        cmocka_unit_test(test_discovery_finds_each_compiler_once),
        cmocka_unit_test(test_default_matrix),
        cmocka_unit_test(test_cxx_names),
        cmocka_unit_test(test_set_files),
        cmocka_unit_test(test_set_file_errors_have_lines),
        cmocka_unit_test(test_judging),
        cmocka_unit_test(test_votes_within_a_tolerance),
        cmocka_unit_test(test_slow_programs_are_nobodys_bug),
        cmocka_unit_test(test_families_by_name),
        cmocka_unit_test(test_programs_say_who_they_are),
        cmocka_unit_test(test_verdict_names),
    };
    return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
