/* The steps of the paper's loop (YARPGen, section 3.4): generate; compile with every configuration; run; compare. Then
 * ours: verify what looks like a bug by repeating it, and conclude what is evidence against whom.
 */
#include "campaign/test.h"

#include <sys/statvfs.h>

#include "base/file.h"
#include "judge/vote.h"

/* Below this much free space in the scratch directory, a failing compiler is not to blame. A program of a few hundred
 * KB needs about a MiB per configuration. */
#define ROOM_NEEDED ((uint64_t)8 << 20)

Test *test_new(const TestPlan *plan) {
    Test *test = mem_zalloc(1, sizeof *test);
    test->plan = plan;
    return test;
}

void test_free(Test *test) {
    for (size_t i = 0; i < test->executions.len; i++)
        execution_release(&test->executions.items[i]);
    vec_release(&test->executions);
    findings_release(&test->findings);
    generated_release(&test->generated);
    free(test);
}

int64_t test_compile_us(const Test *test) {
    int64_t sum = 0;
    for (size_t i = 0; i < test->executions.len; i++)
        sum += test->executions.items[i].compile_us;
    return sum;
}

int64_t test_run_us(const Test *test) {
    int64_t sum = 0;
    for (size_t i = 0; i < test->executions.len; i++)
        sum += test->executions.items[i].run_us;
    return sum;
}

static bool check_room(const char *dir, Error *err) {
    struct statvfs disk;
    if (statvfs(dir, &disk) != 0)
        return error_errno(err, "cannot look at the scratch directory %s", dir);
    if ((uint64_t)disk.f_bavail * disk.f_frsize >= ROOM_NEEDED)
        return true;
    return error_set(err,
                     "the disk of the scratch directory %s is full: free some space, or set CULPRIT_SCRATCH to a "
                     "directory with more",
                     dir);
}

/* Heuristic "two hangs are enough": a program that two different compilers leave running for ever has an endless
 * loop of its own. Only generators that promise nothing make those, and each further configuration would cost a
 * whole time-out. */
static bool is_endless(const Test *test) {
    const Compiler *first = NULL;
    if (generator_is_trusted(test->plan->generator))
        return false;
    for (size_t i = 0; i < test->executions.len; i++) {
        const Execution *execution = &test->executions.items[i];
        if (execution->verdict == VERDICT_OK)
            return false;
        if (execution->verdict != VERDICT_RUN_HANG)
            continue;
        if (first && first != execution->config->compiler)
            return true;
        first = execution->config->compiler;
    }
    return false;
}

/* The very commands that bug.json stores, in a directory laid out like the bug's: sources in test/, the program
 * beside. */
static bool run_one(Test *test, Runner *runner, const char *dir, const Config *config, Execution *execution) {
    const TestPlan *plan = test->plan;
    CLEANUP(strlist_release) StrList command = {0}, run = {0};
    const ExecuteStep steps[] = {{STEP_COMPILE, &command, plan->build.makes}, {STEP_RUN, &run, NULL}};
    program_build_command(&test->generated.program, config, &plan->build, &command);
    bool ok = emulator_command(&plan->emulator, config->compiler, plan->build.makes, &run, &test->base.err) &&
              execute(runner, dir, steps, ARRAY_LEN(steps), &plan->execute, execution, &test->base.err);
    execution->config = config;
    test->base.cancelled =
        !ok && (execution->compile.limit == PROC_LIMIT_CANCELLED || execution->run.limit == PROC_LIMIT_CANCELLED);
    test->base.failed = !ok && !test->base.cancelled;
    return ok;
}

/* Compiles and runs the program with every configuration. */
static bool run_matrix(Test *test, Runner *runner, const char *dir) {
    const Matrix *matrix = test->plan->matrix;
    for (size_t i = 0; i < matrix->configs.len && !is_endless(test); i++) {
        vec_push(&test->executions, (Execution){0});
        if (!run_one(test, runner, dir, &matrix->configs.items[i], &vec_last(&test->executions)))
            return false;
    }
    return true;
}

/* Heuristic "slow for most": a program that half of the configurations cannot finish in time has an endless or very
 * long loop of its own, which the others optimise away. */
static void dismiss_slow_program(Test *test) {
    size_t ran = 0, hung = 0;
    for (size_t i = 0; i < test->executions.len; i++) {
        ran += test->executions.items[i].ran;
        hung += test->executions.items[i].verdict == VERDICT_RUN_HANG;
    }
    for (size_t i = 0; i < test->executions.len && 2 * hung >= ran; i++)
        if (test->executions.items[i].verdict == VERDICT_RUN_HANG)
            test->executions.items[i].verdict = VERDICT_OK;
}

static Expectation expectation_of(const Test *test) {
    const Generated *generated = &test->generated;
    return (Expectation){str_text(&generated->expected), generated->expected.len, 0, generated->tolerance};
}

static void compare(Test *test) {
    Expectation expectation = expectation_of(test);
    vote(test->executions.items, test->executions.len, test->generated.has_expected ? &expectation : NULL,
         test->generated.tolerance);
    if (!generator_is_trusted(test->plan->generator))
        dismiss_slow_program(test);
}

/* Kinds that blame a compiler only if the program is right. */
static bool depends_on_program(Verdict verdict) {
    return verdict == VERDICT_REJECTS_VALID || verdict == VERDICT_WRONG_CODE || verdict == VERDICT_RUN_CRASH ||
           verdict == VERDICT_RUN_HANG || verdict == VERDICT_SANITIZER;
}

/* Families that contradict what the generator says about the program. */
static size_t families_doubting(const Test *test) {
    CLEANUP(strlist_release) StrList families = {0};
    for (size_t i = 0; i < test->executions.len; i++) {
        const Execution *execution = &test->executions.items[i];
        const char *family = config_family(execution->config);
        if (depends_on_program(execution->verdict) && !strlist_contains(&families, family))
            strlist_add(&families, family);
    }
    return families.len;
}

/* An execution that did what it should, or NULL. */
static const Execution *right_one(const Test *test) {
    for (size_t i = 0; i < test->executions.len; i++) {
        const Execution *execution = &test->executions.items[i];
        if (execution->verdict == VERDICT_OK && execution->ran && execution->run.limit == PROC_LIMIT_NONE)
            return execution;
    }
    return NULL;
}

/* Unrelated compilers, and none that does as it should: the program is more suspect than they are. */
static bool is_programs_fault(const Test *test) { return !right_one(test) && families_doubting(test) > 1; }

/* Whether a repetition is wrong as well. It need not be wrong in the same way: bad code that reads stale memory answers
 * differently each time. */
static bool is_wrong_again(const Test *test, const Execution *first, const Execution *again) {
    const Execution *right = right_one(test);
    Expectation expectation = expectation_of(test);
    if (!again->ran || (again->verdict != VERDICT_OK && again->verdict != VERDICT_RUN_CRASH))
        return false;
    if (test->generated.has_expected)
        return expectation_difference(&again->run, &expectation) != 0;
    double tolerance = test->generated.tolerance;
    return right ? run_difference(&again->run, &right->run, tolerance) != 0
                 : !run_difference(&again->run, &first->run, tolerance);
}

/* Whether a repetition shows what the first execution showed. */
static bool shows_again(Test *test, const Execution *first, const Execution *again) {
    if (first->verdict == VERDICT_WRONG_CODE || first->verdict == VERDICT_RUN_CRASH)
        return is_wrong_again(test, first, again);
    Failure known = failure_of(first->verdict, &first->compile, &test->base.arena);
    Failure seen = failure_of(again->verdict, &again->compile, &test->base.arena);
    return failure_same(&known, &seen);
}

/* Repeats every suspicious result; one that does not repeat is flaky: the machine's fault, or a compiler that is not
 * deterministic, and worth knowing either way. */
static bool verify(Test *test, Runner *runner, const char *dir) {
    bool needless = is_programs_fault(test);
    for (size_t i = 0; i < test->executions.len && !needless; i++) {
        Execution *first = &test->executions.items[i];
        if (first->verdict != VERDICT_OK && !check_room(dir, &test->base.err)) {
            test->base.failed = true;
            return false;
        }
        for (unsigned n = 0; n < test->plan->repeats && first->verdict != VERDICT_OK && first->verdict != VERDICT_FLAKY;
             n++) {
            CLEANUP(execution_release) Execution again = {0};
            if (!run_one(test, runner, dir, first->config, &again))
                return false;
            test->repeat_us += again.compile_us + again.run_us;
            if (!shows_again(test, first, &again))
                first->verdict = VERDICT_FLAKY;
        }
    }
    return true;
}

/* One finding against the generator, with everybody's failures. */
static void blame_generator(Test *test) {
    Finding *first = &test->findings.items[0];
    for (size_t i = 1; i < test->findings.len; i++) {
        Finding *other = &test->findings.items[i];
        for (size_t k = 0; k < other->failing.len; k++)
            vec_push(&first->failing, other->failing.items[k]);
        vec_release(&other->failing);
    }
    test->findings.len = 1;
    first->family = "generator";
    first->signature = "";
    first->key = arena_printf(&test->base.arena, "generator %s", verdict_kind(first->verdict));
}

/* A wrong program is dismissed where its generator promises nothing, and held against the generator where it does. */
static void conclude(Test *test) {
    bool trusted = generator_is_trusted(test->plan->generator) || test->generated.has_expected;
    findings_collect(test->executions.items, test->executions.len, &test->base.arena, &test->findings);
    if (trusted && is_programs_fault(test)) {
        blame_generator(test);
        return;
    }
    for (size_t i = 0; i < test->findings.len && !trusted;) {
        Finding *finding = &test->findings.items[i];
        if (finding->passing != FINDING_NONE || !depends_on_program(finding->verdict)) {
            i++;
        } else {
            vec_release(&finding->failing);
            vec_remove(&test->findings, i);
        }
    }
}

void test_run(Test *test, Runner *runner, Scratch *scratch) {
    test->base.started = true;
    test->base.cancelled = false;
    CLEANUP(mem_freep) char *sources = path_of(scratch->path, test->plan->build.folder);
    if (!scratch_empty(scratch, &test->base.err) || !dir_make(sources, &test->base.err) ||
        !generator_make(test->plan->generator, runner, test->base.seed, sources, &test->generated, &test->base.err)) {
        test->base.failed = true;
        return;
    }
    test->base.cancelled = test->generated.cancelled;
    if (test->base.cancelled || test->generated.refused)
        return;
    if (!run_matrix(test, runner, scratch->path))
        return;
    compare(test);
    if (verify(test, runner, scratch->path))
        conclude(test);
}
