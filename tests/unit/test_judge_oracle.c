/* Bugs on disk, and whether they show: every kind with a compiler that misbehaves on purpose, real bugs where present. */
#include "base/file.h"
#include "judge/bug_from_file.h"
#include "judge/oracle.h"
#include "proc/scratch.h"
#include "unit.h"

/* Prints 40 with a right compiler: 5 << 3. */
static const char trigger[] = "/* TRIGGER */\n#include <stdio.h>\n"
                              "int main(void) { volatile int n = 5; printf(\"%d\\n\", n << 3); return 0; }\n";
static const char harmless[] = "#include <stdio.h>\n"
                               "int main(void) { volatile int n = 5; printf(\"%d\\n\", n << 3); return 0; }\n";

typedef struct Fixture {
    Runner *runner;
    Scratch scratch; /* holds the bug's directory */
    char *badcc;
    Error err;
} Fixture;

static int set_up(void **state) {
    Fixture *fixture = mem_zalloc(1, sizeof *fixture);
    const char *build = getenv("BUILD");
    CLEANUP(str_release) Str path = {0};
    CLEANUP(mem_freep) char *relative = path_of(build ? build : "build", "tests/support/badcc");
    *state = fixture;
    fixture->runner = runner_new(&fixture->err);
    bool ok = fixture->runner && scratch_new(&fixture->scratch, &fixture->err) &&
              path_absolute(relative, &path, &fixture->err);
    fixture->badcc = str_detach(&path);
    return ok ? 0 : -1;
}

static int tear_down(void **state) {
    Fixture *fixture = *state;
    scratch_release(&fixture->scratch);
    runner_free(fixture->runner);
    free(fixture->badcc);
    free(fixture);
    return 0;
}

/* Writes a bug directory, as a hunt would, and loads it. */
static void make_bug(Fixture *fixture, const char *kind, const char *mode, bool run, Bug *ret_bug) {
    CLEANUP(str_release) Str json = {0};
    CLEANUP(mem_freep) char *json_path = path_of(fixture->scratch.path, "bug.json");
    CLEANUP(mem_freep) char *source_path = path_of(fixture->scratch.path, "fail.c");
    const char *tail = run ? "\"fail.c\", \"-o\", \"a.out\"" : "\"-c\", \"fail.c\", \"-o\", \"/dev/null\"";
    str_printf(&json,
               "{\"id\": \"b1\", \"zebra\": [1, {\"kept\": true}], \"kind\": \"%s\", \"run\": %s,\n"
               " \"fail_cmd\": [\"%s\", \"--bad=%s\", \"-O3\", %s], \"pass_cmd\": [\"gcc\", \"-O0\", %s]}\n",
               kind, run ? "true" : "false", fixture->badcc, mode, tail, tail);
    assert_ok(file_write_text(json_path, str_text(&json), &fixture->err), fixture->err);
    assert_ok(file_write_text(source_path, trigger, &fixture->err), fixture->err);
    assert_ok(bug_load(fixture->scratch.path, ret_bug, &fixture->err), fixture->err);
}

static void ask(Fixture *fixture, Oracle *oracle, OracleQuestion question, Outcome expected) {
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    assert_ok(oracle_ask(oracle, &question, &answer, &fixture->err), fixture->err);
    if (answer.outcome != expected)
        fail_msg("%s (%s: %s), expected %s", outcome_name(answer.outcome), verdict_name(answer.verdict), answer.why,
                 outcome_name(expected));
}

static void test_each_kind_shows_and_passes(void **state) {
    static const struct {
        const char *kind, *mode;
        bool run;
    } cases[] = {
        {"crash", "ice", false},
        {"crash", "signal", false},
        {"crash", "assert", true},
        {"hang", "hang", false},
        {"rejects-valid", "reject", false},
        {"wrong-code", "miscompile", true},
        {"run-crash", "make-crashing", true},
        {"run-hang", "make-hanging", true},
        {"rejects-valid", "nothing", true},
        {"rejects-valid", "garbage", true},
    };
    Fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(bug_release) Bug bug = {0};
        make_bug(fixture, cases[i].kind, cases[i].mode, cases[i].run, &bug);
        CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
        assert_ok(oracle != NULL, fixture->err);
        ask(fixture, oracle, (OracleQuestion){0}, OUTCOME_FAILS);
        ask(fixture, oracle, (OracleQuestion){.text = harmless, .len = strlen(harmless)}, OUTCOME_PASSES);
        ask(fixture, oracle, (OracleQuestion){.text = "int x = ;", .len = 9}, OUTCOME_OTHER);
        ask(fixture, oracle, (OracleQuestion){0}, OUTCOME_FAILS);
    }
}

/* A front end before and a back end behind the compiler at fault, which reads neither C nor writes programs. */
static void test_bugs_of_a_compilers_middle_show(void **state) {
    static const char *const bugs[] = {
        "{\"id\": \"middle\", \"kind\": \"wrong-code\", \"run\": true,"
        " \"front_cmd\": [\"gcc\", \"-E\", \"-P\", \"-C\", \"fail.c\", \"-o\", \"middle.c\"],"
        " \"fail_cmd\": [\"%s\", \"--bad=miscompile\", \"-O3\", \"-S\", \"middle.c\", \"-o\", \"out.s\"],"
        " \"pass_cmd\": [\"gcc\", \"-S\", \"middle.c\", \"-o\", \"out.s\"],"
        " \"codegen_cmd\": [\"gcc\", \"out.s\", \"-o\", \"a.out\"]}",
        "{\"id\": \"back\", \"kind\": \"codegen\","
        " \"front_cmd\": [\"gcc\", \"-E\", \"-P\", \"-C\", \"fail.c\", \"-o\", \"middle.c\"],"
        " \"fail_cmd\": [\"gcc\", \"-E\", \"-C\", \"middle.c\", \"-o\", \"out.c\"],"
        " \"pass_cmd\": [\"gcc\", \"-E\", \"middle.c\", \"-o\", \"out.c\"],"
        " \"codegen_cmd\": [\"%s\", \"--bad=ice\", \"-O3\", \"out.c\", \"-o\", \"a.out\"]}",
    };
    static const char text[] =
        "int printf(const char *, ...);\n"
        "int main(void) { volatile int n = 5; printf(\"%d\\n\", n << 3); return 0; }\n/* TRIGGER */";
    const size_t harmless_len = strlen(text) - strlen("/* TRIGGER */");
    Fixture *fixture = *state;
    for (size_t i = 0; i < ARRAY_LEN(bugs); i++) {
        CLEANUP(str_release) Str json = {0};
        CLEANUP(bug_release) Bug bug = {0}, again = {0};
        CLEANUP(mem_freep) char *json_path = path_of(fixture->scratch.path, "bug.json");
        CLEANUP(mem_freep) char *source_path = path_of(fixture->scratch.path, "fail.c");
        str_printf(&json, bugs[i], fixture->badcc);
        assert_ok(file_write_text(json_path, str_text(&json), &fixture->err), fixture->err);
        assert_ok(file_write_text(source_path, text, &fixture->err), fixture->err);
        assert_ok(bug_load(fixture->scratch.path, &bug, &fixture->err), fixture->err);
        CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
        assert_ok(oracle != NULL, fixture->err);
        assert_string_equal(oracle_source_name(oracle), "fail.c");
        ask(fixture, oracle, (OracleQuestion){0}, OUTCOME_FAILS);
        ask(fixture, oracle, (OracleQuestion){.text = text, .len = harmless_len}, OUTCOME_PASSES);
        ask(fixture, oracle, (OracleQuestion){.text = "int x = ;", .len = 9}, OUTCOME_OTHER);
        ask(fixture, oracle, (OracleQuestion){.text = "#error no", .len = 9}, OUTCOME_OTHER);
        ask(fixture, oracle, (OracleQuestion){0}, OUTCOME_FAILS);
        assert_ok(bug_save(&bug, &fixture->err), fixture->err);
        assert_ok(bug_load(fixture->scratch.path, &again, &fixture->err), fixture->err);
        assert_int_equal(again.front_cmd.len, bug.front_cmd.len);
        assert_int_equal(again.codegen_cmd.len, bug.codegen_cmd.len);
    }
}

static void test_another_crash_is_something_else(void **state) {
    Fixture *fixture = *state;
    CLEANUP(bug_release) Bug bug = {0};
    make_bug(fixture, "crash", "ice", false, &bug);
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
    assert_ok(oracle != NULL, fixture->err);
    assert_string_equal(oracle_signature(oracle)->function, "phi_translate_1");
    CLEANUP(strlist_release) StrList other = {0};
    strlist_add_all(&other, &bug.fail_cmd);
    free(other.items[1]);
    other.items[1] = mem_strdup("--bad=assert");
    ask(fixture, oracle, (OracleQuestion){.fail_cmd = &other}, OUTCOME_OTHER);
}

/* A program that compiles and then goes wrong is no evidence for a bug of the compilation. */
static void test_wrong_code_is_no_rejection(void **state) {
    Fixture *fixture = *state;
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(strlist_release) StrList other = {0};
    make_bug(fixture, "rejects-valid", "reject", true, &bug);
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
    assert_ok(oracle != NULL, fixture->err);
    strlist_add_all(&other, &bug.fail_cmd);
    free(other.items[1]);
    other.items[1] = mem_strdup("--bad=miscompile");
    ask(fixture, oracle, (OracleQuestion){.fail_cmd = &other}, OUTCOME_OTHER);
}

static void test_compiler_and_flags_can_be_replaced(void **state) {
    Fixture *fixture = *state;
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(strlist_release) StrList harmless_flags = {0}, wrapped = {0};
    make_bug(fixture, "wrong-code", "miscompile", true, &bug);
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
    assert_ok(oracle != NULL, fixture->err);
    strlist_add_all(&harmless_flags, &bug.fail_cmd);
    strlist_insert(&harmless_flags, 3, "-O1");
    ask(fixture, oracle, (OracleQuestion){.fail_cmd = &harmless_flags}, OUTCOME_PASSES);
    strlist_split(&wrapped, "env", ' ');
    strlist_add(&wrapped, fixture->badcc);
    ask(fixture, oracle, (OracleQuestion){.compiler = &wrapped}, OUTCOME_FAILS);
    /* The variable breaks gcc, and the failing side's alone. */
    const char *const env[] = {"GCC_EXEC_PREFIX=/nonexistent/", NULL};
    ask(fixture, oracle, (OracleQuestion){.compiler_env = env}, OUTCOME_OTHER);
}

static void test_unsteady_failures_are_flaky(void **state) {
    Fixture *fixture = *state;
    CLEANUP(bug_release) Bug bug = {0};
    make_bug(fixture, "crash", "flicker", false, &bug);
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
    assert_ok(oracle != NULL, fixture->err);
    ask(fixture, oracle, (OracleQuestion){.repeat = 2}, OUTCOME_FLAKY);
}

/* A program that the reference itself crashes, or never ends, proves nothing about the failing side. */
static void test_bad_references_are_something_else(void **state) {
    static const char *const texts[] = {
        "int main(void) { /* TRIGGER */ return *(volatile int *)8; }",
        "int main(void) { /* TRIGGER */ for (;;) { } }",
    };
    Fixture *fixture = *state;
    CLEANUP(bug_release) Bug bug = {0};
    make_bug(fixture, "wrong-code", "miscompile", true, &bug);
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
    assert_ok(oracle != NULL, fixture->err);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        ask(fixture, oracle, (OracleQuestion){.text = texts[i], .len = strlen(texts[i])}, OUTCOME_OTHER);
}

static void test_running_leaves_the_directory_alone(void **state) {
    Fixture *fixture = *state;
    CLEANUP(bug_release) Bug bug = {0};
    make_bug(fixture, "wrong-code", "miscompile", true, &bug);
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
    assert_ok(oracle != NULL, fixture->err);
    ask(fixture, oracle, (OracleQuestion){.text = harmless, .len = strlen(harmless)}, OUTCOME_PASSES);
    CLEANUP(strlist_release) StrList names = {0};
    assert_ok(dir_list(fixture->scratch.path, &names, &fixture->err), fixture->err);
    CLEANUP(mem_freep) char *joined = strlist_join(&names, " ");
    assert_string_equal(joined, "bug.json fail.c");
}

static void test_saving_keeps_unknown_members(void **state) {
    Fixture *fixture = *state;
    CLEANUP(bug_release) Bug bug = {0}, again = {0};
    make_bug(fixture, "crash", "ice", false, &bug);
    StrList passing = {0};
    strlist_add(&passing, "gcc");
    vec_push(&bug.passing, passing);
    bug.guilty.pass = mem_strdup("tree-pre");
    bug.guilty.number = 17;
    bug.has_seed = true;
    bug.seed = UINT64_MAX;
    assert_ok(bug_save(&bug, &fixture->err), fixture->err);
    assert_ok(bug_load(fixture->scratch.path, &again, &fixture->err), fixture->err);
    assert_true(json_get_bool(json_item(json_get(again.json, "zebra"), 1), "kept", false));
    assert_string_equal(again.guilty.pass, "tree-pre");
    assert_int_equal(again.guilty.number, 17);
    assert_true(again.seed == UINT64_MAX);
    assert_int_equal(again.passing.len, 1);
    assert_int_equal(again.kind, VERDICT_CRASH);
}

/* Every member that we know, and strangers among them. */
static const char everything[] =
    "{\"id\":\"b\",\"compiler\":\"gcc-11\",\"version\":\"11.3.0\",\"version_text\":\"gcc 11\",\"target\":\"x86_64\","
    "\"expected\":\"exits with 1\",\"basis\":\"majority\",\"truth_match\":\"exact\",\"generator\":\"own\","
    "\"signature\":\"in f\",\"key\":\"k\",\"kind\":\"wrong-code\",\"fail_cmd\":[\"gcc-11\",\"-O2\",\"a.c\"],"
    "\"pass_cmd\":[],\"run_cmd\":[\"./a.out\"],\"files\":[\"a.c\"],\"functions\":[\"f\"],\"guards\":[\"msan\"],"
    "\"suspects\":[\"b.c\"],\"run\":true,\"suspects_stopped\":true,\"seed\":\"18446744073709551615\","
    "\"outputs\":{\"compiler\":\"c\",\"actual\":\"a\",\"x\":1},"
    "\"versions\":[{\"command\":\"gcc-11 -O2\",\"version\":\"v\",\"verdict\":\"ok\",\"outcome\":\"passes\",\"x\":2}],"
    "\"passing\":[[\"gcc-11\",\"-O0\"]],\"guilty\":{\"flag\":\"-fx\",\"pass\":\"p\",\"function\":\"f\",\"number\":3,"
    "\"x\":3},"
    "\"triage\":{\"guilty\":{\"flag\":\"-fx\",\"pass\":\"p\",\"function\":\"f\",\"counter\":\"c\",\"number\":3,"
    "\"monotone\":false,\"transformation\":7,\"passes_together\":[\"p\",\"q\"],\"flags\":[\"-fx\"],\"why_not\":\"w\"},"
    "\"fingerprint\":\"fp\",\"compiler_runs\":9,\"x\":4},"
    "\"reduced\":{\"tokens_before\":9,\"tokens\":8,\"bytes_before\":7,\"bytes\":6,\"stopped\":true,\"wall_ms\":5,"
    "\"fail_cmd\":[\"gcc-11\",\"reduced.c\"],\"pass_cmd\":[],\"messages\":\"m\",\"actual\":\"1\",\"expected\":\"0\","
    "\"x\":5}}";

static void assert_saving_changes_nothing(Fixture *fixture, const char *dir) {
    CLEANUP(bug_release) Bug bug = {0}, again = {0};
    CLEANUP(str_release) Str before = {0}, after = {0};
    assert_ok(bug_load(dir, &bug, &fixture->err), fixture->err);
    json_format(bug.json, false, &before);
    bug_set_text(&bug.dir, fixture->scratch.path);
    assert_ok(bug_save(&bug, &fixture->err), fixture->err);
    assert_ok(bug_load(fixture->scratch.path, &again, &fixture->err), fixture->err);
    json_format(again.json, false, &after);
    assert_string_equal(str_text(&after), str_text(&before));
}

static void test_saving_what_was_loaded_changes_nothing(void **state) {
    Fixture *fixture = *state;
    CLEANUP(strlist_release) StrList dirs = {0};
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, BUG_JSON);
    const char *set = getenv("CULPRIT_BUGS") ? getenv("CULPRIT_BUGS") : "../shared/bugs";
    assert_ok(file_write_text(path, everything, &fixture->err), fixture->err);
    assert_saving_changes_nothing(fixture, fixture->scratch.path);
    if (dir_exists(set))
        assert_ok(bug_find_all(set, &dirs, &fixture->err), fixture->err);
    for (size_t i = 0; i < dirs.len; i++)
        assert_saving_changes_nothing(fixture, dirs.items[i]);
}

/* Triage again, with less to say: nothing of the first answer is left. */
static void test_what_is_found_out_replaces_what_was_known(void **state) {
    Fixture *fixture = *state;
    CLEANUP(bug_release) Bug bug = {0}, again = {0};
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, BUG_JSON);
    assert_ok(file_write_text(path, everything, &fixture->err), fixture->err);
    assert_ok(bug_load(fixture->scratch.path, &bug, &fixture->err), fixture->err);
    assert_string_equal(bug_smallest(&bug).fail_cmd.items[1], "reduced.c");
    bug_set_text(&bug.guilty.function, NULL);
    bug_set_text(&bug.reduced.messages, NULL);
    bug.guilty.number = -1;
    bug.guilty.together = false;
    bug_add_passing(&bug, &bug.passing.items[0]); /* is there already */
    assert_ok(bug_save(&bug, &fixture->err) && bug_load(fixture->scratch.path, &again, &fixture->err), fixture->err);
    assert_null(again.guilty.function);
    assert_null(again.reduced.messages);
    assert_int_equal(again.guilty.number, -1);
    assert_false(again.guilty.together);
    assert_int_equal(again.guilty.passes.len, 2);
    assert_int_equal(again.passing.len, 1);
}

static void test_bad_bug_files_are_explained(void **state) {
    static const char *const cases[][2] = {
        {"[]", "no object"},
        {"{}", "kind"},
        {"{\"kind\": \"odd\"}", "no kind of bug"},
        {"{\"kind\": \"crash\"}", "fail_cmd"},
    };
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, "bug.json");
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(bug_release) Bug bug = {0};
        assert_ok(file_write_text(path, cases[i][0], &fixture->err), fixture->err);
        assert_fails(bug_load(fixture->scratch.path, &bug, &fixture->err), fixture->err, cases[i][1]);
    }
}

static void test_a_bug_from_a_file_finds_its_kind(void **state) {
    static const struct {
        const char *mode;
        Verdict kind;
    } cases[] = {{"ice", VERDICT_CRASH}, {"reject", VERDICT_REJECTS_VALID}, {"miscompile", VERDICT_WRONG_CODE}};
    Fixture *fixture = *state;
    CLEANUP(mem_freep) char *path = path_of(fixture->scratch.path, "loose.c");
    assert_ok(file_write_text(path, trigger, &fixture->err), fixture->err);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(bug_release) Bug bug = {0};
        CLEANUP(str_release) Str cc = {0};
        str_printf(&cc, "%s --bad=%s", fixture->badcc, cases[i].mode);
        assert_ok(bug_from_file(fixture->runner, path, str_text(&cc), "-O3", NULL, &bug, &fixture->err), fixture->err);
        assert_string_equal(verdict_name(bug.kind), verdict_name(cases[i].kind));
        CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
        ask(fixture, oracle, (OracleQuestion){.repeat = 1}, OUTCOME_FAILS);
    }
    CLEANUP(bug_release) Bug bug = {0};
    assert_fails(bug_from_file(fixture->runner, path, "gcc", "-O2", NULL, &bug, &fixture->err), fixture->err,
                 "nothing is wrong");
}

/* A sample of the set; all of it takes a minute: build/bench/oracle_all. */
static void test_real_bugs_show(void **state) {
    Fixture *fixture = *state;
    const char *set = getenv("CULPRIT_BUGS") ? getenv("CULPRIT_BUGS") : "../shared/bugs";
    CLEANUP(strlist_release) StrList dirs = {0};
    if (!dir_exists(set) || !bug_find_all(set, &dirs, &fixture->err))
        skip_because("no bug set at %s", set);
    for (size_t i = 0; i < dirs.len; i += 15) {
        CLEANUP(bug_release) Bug bug = {0};
        CLEANUP(str_release) Str compiler = {0};
        assert_ok(bug_load(dirs.items[i], &bug, &fixture->err), fixture->err);
        if (!path_find_program(bug.fail_cmd.items[0], &compiler, NULL) ||
            !path_find_program(bug.pass_cmd.items[0], &compiler, NULL))
            continue;
        CLEANUP(oracle_freep) Oracle *oracle = oracle_new(fixture->runner, &bug, NULL, &fixture->err);
        assert_ok(oracle != NULL, fixture->err);
        print_message("%s\n", bug.id);
        ask(fixture, oracle, (OracleQuestion){0}, OUTCOME_FAILS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_kind_shows_and_passes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bugs_of_a_compilers_middle_show, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_crash_is_something_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_wrong_code_is_no_rejection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_compiler_and_flags_can_be_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unsteady_failures_are_flaky, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_references_are_something_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_running_leaves_the_directory_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_saving_keeps_unknown_members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_saving_what_was_loaded_changes_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_found_out_replaces_what_was_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_bug_files_are_explained, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_bug_from_a_file_finds_its_kind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_real_bugs_show, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
