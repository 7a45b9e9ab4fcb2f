#include "isolate/isolate.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "isolate/noise.h"
#include "isolate/search.h"
#include "proc/interrupt.h"

static const double ALPHA = 0.8; /* RecBi's weight of diversity */

/* A mutant that runs so much longer than the failing program, and this time on top, is a runaway. */
enum { RUNAWAY_FACTOR = 3, RUNAWAY_MS = 200 };

IsolateOptions isolate_defaults(void) {
    IsolateOptions options = {.formula = FORMULA_OCHIAI, .time_ms = 60000, .jobs = 1, .guards = GUARD_BIT(GUARD_UBSAN)};
    isolate_use_method(&options, method_find("fusion", NULL));
    return options;
}

void isolate_use_method(IsolateOptions *options, const Method *method) {
    options->method = method;
    options->aggregation = method->aggregation;
}

/* --- The bug as the subject sees it --- */

/* The bug with fail_cmd turned into the subject's; everything else is borrowed from the original. */
static bool bug_for_subject(const Bug *bug, const Subject *subject, Bug *ret_bug, Error *err) {
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

static void bug_for_subject_release(Bug *bug) {
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

static bool needs_own_reference(const Bug *bug) {
    return bug->pass_cmd.len == 0 ||
           (bug->kind != VERDICT_CRASH && !str_equal(bug->pass_cmd.items[0], bug->fail_cmd.items[0]));
}

/* --- Setting up --- */

/* Where witnesses and ingredients come from if the user does not say: the test suite in the subject's sources. */
static bool default_pool(const Subject *subject, bool ir, Str *ret_path) {
    static const char *const c_suites[] = {"gcc/testsuite/gcc.c-torture", "tests/tests2", "clang/test/CodeGen"};
    static const char *const ir_suites[] = {"llvm/test/Transforms"};
    size_t count = ir ? ARRAY_LEN(ir_suites) : ARRAY_LEN(c_suites);
    for (size_t i = 0; subject->source_root && i < count; i++) {
        str_clear(ret_path);
        str_append(ret_path, subject->source_root);
        path_join(ret_path, ir ? ir_suites[i] : c_suites[i]);
        if (dir_exists(str_text(ret_path)))
            return true;
    }
    str_clear(ret_path);
    return false;
}

/* What the method takes from the pool: whole programs, ingredients of mutants, or both. Without a test suite, the ordinary
 * programs of the fused method are random ones; there are none of LLVM IR. */
static bool open_pool(Search *search, const Subject *subject, Ingredients **ret_ingredients, Error *err) {
    const Method *method = search->options->method;
    CLEANUP(str_release) Str path = {0};
    const char *pool = search->options->pool;
    if (!pool && default_pool(subject, search->ir, &path))
        pool = str_text(&path);
    if (!search->ir && (method->structural || method->blend)) {
        *ret_ingredients = ingredients_load(pool, subject->dir, search->console, err);
        search->mutator_config.ingredients = *ret_ingredients;
        if (!*ret_ingredients)
            return false;
    }
    search->no_mutants = method->source != SOURCE_MUTATION;
    search->no_programs = method->source == SOURCE_MUTATION && !method->fused;
    if (search->ir && !pool && method->source != SOURCE_MUTATION)
        return error_set(err, "there are no programs of LLVM IR to compare with: give LLVM's tests with --pool");
    search->no_programs |= search->ir && !pool;
    if (search->no_programs)
        return true;
    bool generate = method->source == SOURCE_GENERATOR || (method->fused && !pool);
    if (!generate && !pool) {
        if (!path_runtime("pool", &path, err))
            return false;
        pool = str_text(&path);
    }
    search->source =
        source_new(generate ? SOURCE_GENERATOR : SOURCE_POOL, pool, search->ir ? ".ll" : ".c", &search->rng, err);
    return search->source != NULL;
}

static bool check_mutable(const Search *search, const Bug *bug, Error *err) {
    if (search->ir)
        return true;
    CLEANUP(mutator_freep)
    Mutator *mutator =
        mutator_new(search->seeds.items[0].text, search->seeds.items[0].len, &search->mutator_config, err);
    if (!mutator)
        return error_context(err, "%s cannot be mutated; use --method dev or rand, which need not parse it", bug->id);
    for (size_t rule = 0; rule < mutation_rule_count; rule++)
        if (mutator_holes(mutator, rule))
            return true;
    return error_set(err,
                     "%s has nothing that could be mutated (%zu parse errors); use --method dev or rand, or give a "
                     "program that parses",
                     bug->id, mutator_parse_errors(mutator));
}

/* Runs the bug's own program: it must fail, and what it covers are the suspects. The fused method asks for the options near
 * the failing ones too. */
static bool run_original(TesterConfig *config, const Method *method, Isolation *isolation, LeanSearch *ret_lean,
                         Error *err) {
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    CLEANUP(tester_freep) Tester *tester = runner ? tester_new(config, true, runner, err) : NULL;
    if (!tester)
        return false;
    Bitset failing;
    bitset_init(&failing, isolation->units->unit_count);
    int64_t run_cpu_ms;
    bool ok = tester_original(tester, &failing, &run_cpu_ms, &isolation->unfit, err);
    if (ok && config->bug->kind == VERDICT_CRASH)
        ok = noise_remove_report(tester, bug_language(config->bug), config->cover, runner, &failing, err);
    if (ok) {
        /* Mutation makes many endless loops: waiting for them must not eat the time of the search. */
        config->run_cpu_ms = RUNAWAY_MS + run_cpu_ms * RUNAWAY_FACTOR;
        witness_set_init(&isolation->set, &failing, ALPHA);
        isolation->statistics.failing_statements = bitset_count(&failing);
        isolation->original = mem_strdup(str_text(tester_original_text(tester)));
        isolation->ef = mem_zalloc(failing.bits + 1, sizeof *isolation->ef);
        isolation->failing_runs = 1;
        for (size_t s = bitset_next(&failing, 0); s < failing.bits; s = bitset_next(&failing, s + 1))
            isolation->ef[s] = 1;
    }
    bitset_release(&failing);
    if (ok && method->fused) {
        SwitchQuery query = tester_query(tester);
        bitset_init(&isolation->linking, isolation->units->unit_count);
        ok = (!config->bug->run || tester_linking(tester, &isolation->linking, err)) &&
             lean_search_ask(ret_lean, &query, err);
    }
    return ok;
}

/* Where the bug's reference is another compiler, -O0 of the failing one is tried first: the two agree about everything that
 * the language leaves open, in mutants too. */
static bool establish(const Bug *bug, const Method *method, Bug *subject_bug, TesterConfig *config,
                      Isolation *isolation, LeanSearch *ret_lean, Error *err) {
    if (!needs_own_reference(bug))
        return run_original(config, method, isolation, ret_lean, err);
    reference_at_O0(bug, &subject_bug->pass_cmd);
    if (run_original(config, method, isolation, ret_lean, err))
        return true;
    if (bug->pass_cmd.len == 0)
        return error_context(err, "with -O0 of the failing compiler as the reference");
    strlist_clear(&subject_bug->pass_cmd);
    strlist_add_all(&subject_bug->pass_cmd, &bug->pass_cmd);
    return run_original(config, method, isolation, ret_lean, err);
}

static bool search_with(const Bug *bug, Search *search, const Subject *subject, Error *err) {
    Ingredients *ingredients = NULL;
    const char *original = search->isolation->original;
    vec_push(&search->seeds, (Seed){.text = mem_strdup(original), .len = strlen(original)});
    bool ok = open_pool(search, subject, &ingredients, err);
    if (search->options->method->blend)
        witness_set_init(&search->plain, &search->isolation->set.failing, ALPHA);
    if (ok && !search->no_mutants && !check_mutable(search, bug, err)) {
        ok = search->options->method->fused; /* the other kinds of evidence must do */
        search->isolation->unfit = !ok;
        search->no_mutants = true;
    }
    ok = ok && search_run(search, err);
    if (search->lean.lean.len)
        search->isolation->lean = strlist_join(&search->lean.lean, " ");
    search_release(search);
    ingredients_free(ingredients);
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
    Isolation isolation = {.units = cover_units(cover)};
    Bug subject_bug;
    bool ok = bug_for_subject(bug, subject, &subject_bug, err);
    isolation.unfit = !ok;
    CLEANUP(guard_tools_freep) GuardTools *guards = ok ? open_guards(bug, options, console) : NULL;
    TesterConfig config = {.bug = &subject_bug,
                           .cover = cover,
                           .guards = guards,
                           .guard_bits = options->guards,
                           .cover_failing = options->method->fused};
    LeanSearch lean = {0};
    ok = ok && establish(bug, options->method, &subject_bug, &config, &isolation, &lean, err);
    if (ok) {
        StrList sources = {0};
        bug_sources(bug, &sources);
        Search search = {
            .options = options,
            .tester_config = &config,
            .mutator_config = {.file_name = sources.len ? sources.items[0] : NULL,
                               .flags = &bug->fail_cmd,
                               .mutate_guards = !bug->run},
            .console = console,
            .isolation = &isolation,
            .ir = bug_language(bug) == LANGUAGE_LLVM_IR,
            .rng = rng_from_seed(options->seed),
        };
        if (options->method->fused) {
            search.lean = lean;
            lean = (LeanSearch){0};            /* moved */
            if (search.lean.switches.len == 0) /* the compiler does not tell, but triage may have found some */
                lean_search_extend(&search.lean, &bug->fail_cmd, bug->passing.items, bug->passing.len);
            lean_search_start(&search.lean, &bug->fail_cmd, &search.rng);
        }
        ok = search_with(bug, &search, subject, err);
        strlist_release(&sources);
    }
    lean_search_release(&lean);
    bug_for_subject_release(&subject_bug);
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
    free(isolation->ef);
    bitset_release(&isolation->linking);
    free(isolation->lean);
    isolation_clear_ranking(isolation);
    free(isolation->original);
    *isolation = (Isolation){0};
}
