/* Campaigns: generators, findings, scripts, and kill -9 at random moments. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "campaign/finding.h"
#include "campaign/generator.h"
#include "campaign/hunt.h"
#include "judge/failure.h"
#include "judge/repro.h"
#include "store/store.h"
#include "unit.h"

static char dir[64];

static int new_dir(void **state) {
    (void)state;
    strcpy(dir, "/tmp/culprit-campaign-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    return dir_remove(dir, NULL) ? 0 : -1;
}

/* --- Generators --- */

static bool make_with(const char *name, const char *switches, uint64_t seed, Generated *generated) {
    Error err = {0};
    CLEANUP(strlist_release) StrList words = {0};
    if (*switches)
        strlist_split(&words, switches, ' ');
    GeneratorOptions options = {.name = name, .size = 3000, .switches = &words, .model = {2, 4, 8, 8, 8, true, true}};
    CLEANUP(generator_freep) Generator *generator = NULL;
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    assert_non_null(runner);
    assert_ok(generator_new(&options, &generator, &err), err);
    assert_ok(dir_remove(dir, &err) && dir_make(dir, &err), err);
    assert_ok(generator_make(generator, runner, seed, dir, generated, &err), err);
    return !generated->refused;
}

static bool make(const char *name, uint64_t seed, Generated *generated) { return make_with(name, "", seed, generated); }

/* Whether the first comment of the program, which has the options it was made with, says so. */
static bool comment_has(const Generated *generated, const char *option) {
    const char *text = generated->program.files.items[0].text;
    const char *found = strstr(text, option);
    return found && found < strchr(text, '\n');
}

static void our_own_generator_has_the_switches_of_gen(void **state) {
    (void)state;
    CLEANUP(generated_release) Generated single = {0}, plain = {0}, real = {0};
    assert_true(make_with("own", "single -loops", 5, &single));
    assert_int_equal(single.program.files.len, 1);
    assert_true(comment_has(&single, "--disable loops"));
    assert_true(make_with("own", "no-policies", 5, &plain));
    assert_true(comment_has(&plain, "--no-policies"));
    assert_true(make_with("own", "+floats", 5, &real));
    assert_true(comment_has(&real, "--enable floats") && real.tolerance > 0);
}

/* YARPGen, section 4.3: without policies for some fraction of the runs. */
static void some_programs_are_made_without_policies(void **state) {
    (void)state;
    size_t plain = 0, always = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        CLEANUP(generated_release) Generated mixed = {0}, again = {0}, policies = {0};
        assert_true(make("own", seed, &mixed) && make("own", seed, &again));
        assert_true(make_with("own", "policies", seed, &policies));
        assert_int_equal(comment_has(&mixed, "--no-policies"), comment_has(&again, "--no-policies"));
        plain += comment_has(&mixed, "--no-policies");
        always += comment_has(&policies, "--no-policies");
    }
    assert_in_range(plain, 1,
                    20); /* 6 expected; 0 has a probability of 0.002 for seeds at random, and these are fixed */
    assert_int_equal(always, 0);
}

static void switches_are_for_our_own_generator(void **state) {
    (void)state;
    Error err = {0};
    CLEANUP(strlist_release) StrList words = {0};
    CLEANUP(generator_freep) Generator *generator = NULL;
    strlist_add(&words, "single");
    GeneratorOptions options = {.name = "echo", .switches = &words};
    assert_fails(generator_new(&options, &generator, &err), err, "culprit's own");
}

static void our_own_generator_repeats_itself(void **state) {
    (void)state;
    CLEANUP(generated_release) Generated first = {0}, again = {0};
    assert_true(make("own", 5, &first));
    assert_true(make("own", 5, &again));
    assert_true(first.has_expected && first.expected.len > 0);
    assert_int_equal(program_bytes(&first.program), program_bytes(&again.program));
    assert_string_equal(first.program.files.items[0].text, again.program.files.items[0].text);
}

static void commands_get_seed_and_language(void **state) {
    (void)state;
    CLEANUP(generated_release) Generated generated = {0};
    assert_true(make("echo \"/* $CULPRIT_SEED $CULPRIT_LANGUAGE */\" >a.c; echo 7 >expected", 42, &generated));
    assert_int_equal(generated.program.files.len, 1);
    assert_string_equal(generated.program.files.items[0].text, "/* 42 c */\n");
    assert_true(generated.has_expected);
    assert_string_equal(str_text(&generated.expected), "7\n");
}

static void commands_that_fail_refuse(void **state) {
    (void)state;
    static const struct {
        const char *command, *why;
    } cases[] = {
        {"echo no luck >&2; exit 3", "no luck"},
        {"true", "no source file"},
        {"echo >notes.txt", "no source file"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(generated_release) Generated generated = {0};
        assert_false(make(cases[i].command, 1, &generated));
        if (!strstr(str_text(&generated.why), cases[i].why))
            fail_msg("'%s' does not contain '%s'", str_text(&generated.why), cases[i].why);
    }
}

/* --- Findings --- */

static Compiler compilers[] = {{.family = FAMILY_GCC}, {.family = FAMILY_GCC}, {.family = FAMILY_TCC}};
static Config configs[] = {
    {.compiler = &compilers[0], .name = "gcc-11 -O0"},
    {.compiler = &compilers[0], .name = "gcc-11 -O2"},
    {.compiler = &compilers[1], .name = "gcc-12 -O2"},
    {.compiler = &compilers[2], .name = "tcc"},
};

static void name_compilers(void) {
    static const char *const names[] = {"gcc-11", "gcc-12", "tcc"};
    for (size_t i = 0; i < ARRAY_LEN(names) && compilers[i].command.len == 0; i++)
        strlist_add(&compilers[i].command, names[i]);
    if (configs[1].flags.len == 0)
        strlist_add(&configs[1].flags, "-O2"), strlist_add(&configs[2].flags, "-O2");
}

typedef struct FindingCase {
    Verdict verdicts[4];
    const char *messages[4];
    const char *keys; /* of the findings, joined by '|' */
    size_t passing;   /* of the first */
} FindingCase;

static const FindingCase finding_cases[] = {
    {{0}, {0}, "", 0},
    {{VERDICT_OK, VERDICT_WRONG_CODE, VERDICT_OK, VERDICT_OK}, {0}, "gcc wrong-code: gcc-11 -O2", 0},
    {{VERDICT_OK, VERDICT_WRONG_CODE, VERDICT_WRONG_CODE, VERDICT_OK},
     {0},
     "gcc wrong-code: gcc-11 -O2, gcc-12 -O2",
     0},
    {{VERDICT_OK, VERDICT_WRONG_CODE, VERDICT_OK, VERDICT_RUN_CRASH},
     {0},
     "gcc wrong-code: gcc-11 -O2|tcc run-crash: tcc",
     0},
    {{VERDICT_REJECTS_VALID, VERDICT_REJECTS_VALID, VERDICT_OK, VERDICT_OK},
     {"a.c:3:4: error: 'x1' undeclared\n", "b.c:9:9: error: 'y22' undeclared\n"},
     "gcc rejects-valid: error: ? undeclared",
     2},
    {{VERDICT_REJECTS_VALID, VERDICT_REJECTS_VALID, VERDICT_OK, VERDICT_OK},
     {"c1-1.o: in function `f':\na.c:(.text+0xfdc): relocation truncated to fit: R_32 against `a' in /tmp/x.4 in "
      "c1-2.o\n",
      "c1r0-1.o: relocation truncated to fit: R_32 against `b' in /tmp/x.y in c1r0-2.o\nerror: ld returned 1\n"},
     "gcc rejects-valid: relocation truncated to fit",
     2},
    {{VERDICT_WRONG_CODE, VERDICT_WRONG_CODE, VERDICT_WRONG_CODE, VERDICT_WRONG_CODE},
     {0},
     "gcc wrong-code: gcc-11 -O0, gcc-11 -O2, gcc-12 -O2|tcc wrong-code: tcc",
     FINDING_NONE},
};

static void check_findings(const FindingCase *c) {
    Execution executions[4] = {0};
    CLEANUP(arena_release) Arena arena = {0};
    Findings findings = {0};
    for (size_t i = 0; i < 4; i++) {
        executions[i] = (Execution){.config = &configs[i], .verdict = c->verdicts[i]};
        str_append(&executions[i].compile.err, c->messages[i] ? c->messages[i] : "");
    }
    findings_collect(executions, 4, &arena, &findings);
    CLEANUP(str_release) Str keys = {0};
    for (size_t i = 0; i < findings.len; i++)
        str_printf(&keys, "%s%s", i ? "|" : "", findings.items[i].key);
    assert_string_equal(str_text(&keys), c->keys);
    if (findings.len)
        assert_int_equal(findings.items[0].passing, c->passing);
    findings_release(&findings);
    for (size_t i = 0; i < 4; i++)
        str_release(&executions[i].compile.err);
}

static void failures_of_one_cause_are_one_finding(void **state) {
    (void)state;
    name_compilers();
    for (size_t i = 0; i < ARRAY_LEN(finding_cases); i++)
        check_findings(&finding_cases[i]);
}

/* --- Scripts --- */

static void scripts_are_valid_for_every_kind(void **state) {
    (void)state;
    CLEANUP(strlist_release) StrList fail = {0}, pass = {0}, words = {0};
    Error err = {0};
    assert_ok(strlist_split_shell(&fail, "'my gcc' -O2 '-DX=\"a b\"' test/a.c -o a.out", &err), err);
    strlist_add(&words, "it's `here`");
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    for (unsigned i = 0; i < 2 * VERDICT_COUNT; i++) {
        Script script = {.id = "bug",
                         .verdict = (Verdict)(i / 2),
                         .program = i % 2 ? "test" : NULL,
                         .is_folder = true,
                         .name = "a.c",
                         .fail_cmd = &fail,
                         .pass_cmd = i % 2 ? &pass : &fail,
                         .words = &words,
                         .compile_ms = 5000,
                         .run_ms = 5000,
                         .memory_bytes = 1 << 30,
                         .tolerance = i % 2 ? 0 : 0.01,
                         .difference = i % 2 ? 0 : DIFFERS_IN_OUTPUT,
                         .has_expected = true};
        CLEANUP(str_release) Str text = {0};
        CLEANUP(proc_result_release) ProcResult result = {0};
        script_render(&script, &text);
        ProcRequest request = {
            .argv = (const char *const[]){"sh", "-n", NULL}, .input = text.data, .input_len = text.len};
        assert_ok(runner_run(runner, &request, &result, &err), err);
        assert_string_equal(str_text(&result.err), "");
        assert_int_equal(result.exit_code, 0);
    }
}

/* --- Campaigns of tiny programs --- */

static const char tiny_generator[] = "echo '/* HERE */ int main(void) { return 0; }' >a.c; : >expected";

static bool hunt_tiny(const char *compiler, uint64_t count, const ExplainStep *step, Error *err) {
    CLEANUP(strlist_release) StrList compilers_given = {0};
    strlist_add(&compilers_given, compiler);
    HuntOptions options = hunt_defaults();
    options.campaign.dir = dir;
    options.compilers = &compilers_given;
    options.generator = tiny_generator;
    options.campaign.count = count;
    options.campaign.workers = 2;
    options.campaign.seed = 100;
    options.campaign.steps = step;
    options.campaign.step_count = step ? 1 : 0;
    CampaignSummary summary;
    return hunt(&options, NULL, &summary, err);
}

/* A compiler that dies of every generated program, and of nothing else. */
static char *make_bad_compiler(void) {
    Error err = {0};
    char *path = path_of(dir, "bad-cc");
    assert_ok(file_write_text(path,
                              "#!/bin/sh\n"
                              "for f; do case $f in *.c) grep -q HERE $f && kill -SEGV $$ ;; esac; done\n"
                              "exec tcc \"$@\"\n",
                              &err),
              err);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static bool leave_mark(ExplainJob *job, void *context, Error *err) {
    (void)context;
    CLEANUP(mem_freep) char *path = path_of(job->bug.dir, "mark");
    return file_write_text(path, "", err);
}

static bool bug_has(const char *bug, const char *name) {
    CLEANUP(str_release) Str path = {0};
    str_printf(&path, "%s/bugs/%s/%s", dir, bug, name);
    return file_exists(str_text(&path));
}

static void slow_steps_left_undone_are_taken_later(void **state) {
    (void)state;
    Error err = {0};
    CLEANUP(mem_freep) char *compiler = make_bad_compiler();
    const ExplainStep step = {.name = "mark", .run = leave_mark};
    assert_ok(hunt_tiny(compiler, 1, &step, &err), err);
    assert_true(bug_has("bad-cc-crash-100", "mark"));
    assert_false(bug_has("bad-cc-crash-100", ".undone"));
    CLEANUP(str_release) Str undone = {0};
    str_printf(&undone, "rm %s/bugs/*/mark; touch %s/bugs/bad-cc-crash-100/.undone", dir, dir); /* as if killed */
    assert_int_equal(system(str_text(&undone)), 0);
    assert_ok(hunt_tiny(compiler, 1, &step, &err), err);
    assert_true(bug_has("bad-cc-crash-100", "mark"));
    assert_false(bug_has("bad-cc-crash-100", ".undone"));
    assert_true(bug_has("bad-cc-crash-101", "mark"));
}

/* --- kill -9 --- */

static uint64_t recorded(void) {
    CLEANUP(store_closep) Store *store = NULL;
    StoreTotals totals = {0};
    if (store_exists(dir) && store_open(dir, STORE_READ, &store, NULL))
        store_totals(store, &totals, NULL);
    return totals.tests;
}

/* Kills one that has recorded a few more results, a moment later; 0 more: at any moment of its start. */
static void kill_a_hunt(Rng *rng) {
    uint64_t enough = recorded() + rng_below(rng, 6);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(hunt_tiny("tcc", 1000000, NULL, NULL) ? 0 : 1);
    for (int i = 0; i < 2000 && recorded() < enough; i++)
        usleep(10000);
    usleep((useconds_t)rng_below(rng, 100000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status)); /* it did not fail by itself */
}

static void every_seed_is_recorded_once_after_kill_9(void **state) {
    (void)state;
    Rng rng = rng_from_seed(3);
    Error err = {0};
    for (int i = 0; i < 15; i++)
        kill_a_hunt(&rng);
    assert_ok(hunt_tiny("tcc", 20, NULL, &err), err);
    Store *store = NULL;
    StoreTotals totals = {0};
    assert_ok(store_open(dir, STORE_WORK, &store, &err), err);
    assert_ok(store_totals(store, &totals, &err), err);
    assert_true(totals.tests > 20);
    for (uint64_t i = 0; i < totals.tests; i++) { /* none is skipped: so many numbers, from 0 on, each a key */
        bool has = false;
        assert_ok(store_has_test(store, i, &has, &err), err);
        if (!has)
            fail_msg("test %llu of %llu is missing", (unsigned long long)i, (unsigned long long)totals.tests);
    }
    store_close(store);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, new_dir, remove_dir)
    const struct CMUnitTest tests[] = {
        CASE(our_own_generator_repeats_itself),        CASE(our_own_generator_has_the_switches_of_gen),
        CASE(some_programs_are_made_without_policies), CASE(switches_are_for_our_own_generator),
        CASE(commands_get_seed_and_language),          CASE(commands_that_fail_refuse),
        CASE(failures_of_one_cause_are_one_finding),   CASE(scripts_are_valid_for_every_kind),
        CASE(slow_steps_left_undone_are_taken_later),  CASE(every_seed_is_recorded_once_after_kill_9),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
