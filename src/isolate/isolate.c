#include "isolate/isolate.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "isolate/noise.h"
#include "isolate/strategy.h"
#include "isolate/unchanged.h"
#include "proc/interrupt.h"

/* A mutant that runs so much longer than the failing program, and this time on top, is a runaway. */
enum { RUNAWAY_FACTOR = 3, RUNAWAY_MS = 200 };

IsolateOptions isolate_defaults(void) {
    IsolateOptions options = {.formula = FORMULA_OCHIAI,
                              .time_ms = 60000,
                              .jobs = 1,
                              .guards = GUARD_BIT(GUARD_UBSAN),
                              .alpha = 0.8, /* as RecBi's authors set both */
                              .horizon = 5};
    isolate_use_method(&options, method_find("fusion", NULL));
    return options;
}

void isolate_use_method(IsolateOptions *options, const Method *method) {
    options->method = method;
    options->aggregation = method->aggregation;
}

/* --- The bug as the subject sees it --- */

bool bug_of_subject(const Bug *bug, const Subject *subject, Bug *ret_bug, Error *err) {
    *ret_bug = *bug;
    ret_bug->fail_cmd = (StrList){0};
    ret_bug->pass_cmd = (StrList){0};
    ret_bug->signature = NULL; /* learnt from the subject itself */
    if (bug->fail_cmd.len == 0)
        return error_set(err, "%s has no failing command", bug->id);
    if (!subject_command(subject, (const char *const *)bug->fail_cmd.items, &ret_bug->fail_cmd, err))
        return false;
    strlist_add_all(&ret_bug->pass_cmd, &bug->pass_cmd);
    return true;
}

void bug_of_subject_release(Bug *bug) {
    strlist_release(&bug->fail_cmd);
    strlist_release(&bug->pass_cmd);
}

/* The failing command at -O0: the reference of bugs whose own reference is another compiler, or is not given. */
static void reference_at_O0(const Bug *bug, StrList *ret_command) {
    strlist_clear(ret_command);
    for (size_t i = 0; i < bug->fail_cmd.len; i++)
        if (!str_starts(bug->fail_cmd.items[i], "-O"))
            strlist_add(ret_command, bug->fail_cmd.items[i]);
    strlist_insert(ret_command, 1, "-O0");
}

/* --- Setting up --- */

/* Where witnesses and ingredients come from if the user does not say: the test suite in the subject's sources. The whole of it
 * if its tests are the witnesses; for ingredients, and for a few ordinary programs, a part that is quickly read. */
static bool default_pool(const Subject *subject, bool ir, bool whole, Str *ret_path) {
    enum { SUITES = 3 };
    static const char *const parts[SUITES] = {"gcc/testsuite/gcc.c-torture", "tests/tests2", "clang/test/CodeGen"};
    static const char *const wholes[SUITES] = {"gcc/testsuite", "tests", "clang/test"};
    static const char *const ir_suites[] = {"llvm/test/Transforms"};
    const char *const *suites = ir ? ir_suites : whole ? wholes : parts;
    for (size_t i = 0; subject->source_root && i < (ir ? ARRAY_LEN(ir_suites) : (size_t)SUITES); i++) {
        str_clear(ret_path);
        str_append(ret_path, subject->source_root);
        path_join(ret_path, suites[i]);
        if (dir_exists(str_text(ret_path)))
            return true;
    }
    str_clear(ret_path);
    return false;
}

/* Runs the bug's own program: it must fail, and what it covers are the suspects. */
static Tester *run_original(TesterConfig *config, Runner *runner, double alpha, Isolation *isolation, Error *err) {
    Tester *tester = tester_new(config, true, runner, err);
    if (!tester)
        return NULL;
    Bitset failing;
    bitset_init(&failing, isolation->units->unit_count);
    int64_t run_cpu_ms;
    CLEANUP(strlist_release) StrList stack = {0};
    bool ok = tester_original(tester, &failing, &run_cpu_ms, &stack, &isolation->unfit, err);
    if (ok && config->bug->kind == VERDICT_CRASH)
        ok = noise_remove_report(tester, bug_language(config->bug), config->cover, runner, &failing, err);
    if (ok) {
        /* Mutation makes many endless loops: waiting for them must not eat the time of the search. */
        config->run_cpu_ms = RUNAWAY_MS + run_cpu_ms * RUNAWAY_FACTOR;
        witness_set_init(&isolation->set, &failing, alpha);
        spectrum_init(&isolation->spectrum, &failing);
        isolation->statistics.failing_statements = bitset_count(&failing);
        isolation->original = mem_strdup(str_text(tester_original_text(tester)));
        for (size_t i = 0; i < stack.len; i++)
            clues_add(&isolation->clues, CLUE_STACK, (uint32_t)i + 1, NULL, stack.items[i], NULL);
    } else {
        tester_free(tester);
        tester = NULL;
    }
    bitset_release(&failing);
    return tester;
}

/* If the bug's reference is another compiler, -O0 of the failing one is tried first: the two agree about everything that
 * the language leaves open, in mutants too. */
static Tester *establish(const Search *search, Bug *subject_bug, Runner *runner, Error *err) {
    const Bug *bug = search->bug;
    TesterConfig *config = search->tester_config;
    Isolation *isolation = search->isolation;
    double alpha = search->options->alpha;
    bool own_reference = bug->pass_cmd.len == 0 ||
                         (bug->kind != VERDICT_CRASH && !str_equal(bug->pass_cmd.items[0], bug->fail_cmd.items[0]));
    if (!own_reference)
        return run_original(config, runner, alpha, isolation, err);
    reference_at_O0(bug, &subject_bug->pass_cmd);
    Tester *tester = run_original(config, runner, alpha, isolation, err);
    if (tester)
        return tester;
    if (bug->pass_cmd.len == 0) {
        error_context(err, "with -O0 of the failing compiler as the reference");
        return NULL;
    }
    strlist_clear(&subject_bug->pass_cmd);
    strlist_add_all(&subject_bug->pass_cmd, &bug->pass_cmd);
    return run_original(config, runner, alpha, isolation, err);
}

/* 1. The bug shows; 2. the method prepares; 3. the search. */
static bool investigate(Search *search, Bug *subject_bug, Error *err) {
    const Strategy *strategy = search->options->method->strategy;
    CLEANUP(str_release) Str pool = {0};
    bool ok;
    {
        CLEANUP(runner_freep) Runner *runner = runner_new(err);
        CLEANUP(tester_freep)
        Tester *tester = runner ? establish(search, subject_bug, runner, err) : NULL;
        if (!tester)
            return false;
        search->pool_dir = search->options->pool;
        if (!search->pool_dir && default_pool(search->subject, search->ir, search->options->method->whole_suite, &pool))
            search->pool_dir = str_text(&pool);
        ok = strategy->open(search, tester, err); /* which may narrow the suspects */
        if (ok && search->options->good_source && search->subject->source_root)
            ok = unchanged_functions(search->isolation->units, &search->isolation->spectrum.suspects,
                                     search->subject->source_root, search->options->good_source,
                                     &search->isolation->clues, err);
        search->isolation->spectrum.keeps_runs = search->options->record;
        search->isolation->spectrum.distinct = search->options->method->distinct;
    }
    ok = ok && search_run(search, err);
    search_release(search);
    strategy->close(search);
    return ok;
}

/* Undefined behaviour matters only in programs that are run. */
static GuardTools *open_guards(const Bug *bug, const IsolateOptions *options, Console *console) {
    if (!bug->run || !options->guards || bug_language(bug) == LANGUAGE_LLVM_IR)
        return NULL;
    Error err;
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    GuardTools *guards = runner ? guard_tools_new(runner, LANGUAGE_C, &err) : NULL;
    if (!guards)
        console_warn(console, "passing mutants are not checked for undefined behaviour: %s", err.text);
    return guards;
}

bool isolate(const Bug *bug, Cover *cover, const IsolateOptions *options, Console *console, Isolation *ret_isolation,
             bool *ret_unfit, Error *err) {
    const Subject *subject = cover_subject(cover);
    Isolation isolation = {.units = cover_units(cover), .statistics = {.order = 1}};
    Bug subject_bug;
    if (options->clues)
        clues_add_all(&isolation.clues, options->clues);
    bool ok = bug_of_subject(bug, subject, &subject_bug, err);
    isolation.unfit = !ok;
    CLEANUP(guard_tools_freep) GuardTools *guards = ok ? open_guards(bug, options, console) : NULL;
    TesterConfig config = {.bug = &subject_bug, .cover = cover, .guards = guards, .guard_bits = options->guards};
    Search search = {.bug = bug,
                     .subject = subject,
                     .options = options,
                     .tester_config = &config,
                     .console = console,
                     .isolation = &isolation,
                     .ir = bug_language(bug) == LANGUAGE_LLVM_IR,
                     .rng = rng_from_seed(options->seed)};
    ok = ok && investigate(&search, &subject_bug, err);
    bug_of_subject_release(&subject_bug);
    if (ok && interrupt_count() > 0 && isolation.statistics.tested == 0)
        ok = error_set(err, "interrupted before anything was tested");
    if (!ok) {
        if (ret_unfit)
            *ret_unfit = isolation.unfit;
        isolation_release(&isolation);
        return false;
    }
    isolation.statistics.similarity = witness_set_similarity(&isolation.set);
    isolation.statistics.diversity = witness_set_diversity(&isolation.set);
    isolation.statistics.least_distance = witness_set_least_distance(&isolation.set);
    isolation_rank(&isolation, options);
    *ret_isolation = isolation;
    return true;
}

void isolation_release(Isolation *isolation) {
    witness_set_release(&isolation->set);
    for (size_t i = 0; i < isolation->witnesses.len; i++) {
        free(isolation->witnesses.items[i].text);
        free(isolation->witnesses.items[i].summary);
    }
    vec_release(&isolation->witnesses);
    for (size_t i = 0; i < isolation->history.len; i++)
        vec_release(&isolation->history.items[i].files);
    vec_release(&isolation->history);
    spectrum_release(&isolation->spectrum);
    clues_release(&isolation->clues);
    free(isolation->lean);
    isolation_clear_ranking(isolation);
    free(isolation->original);
    *isolation = (Isolation){0};
}
