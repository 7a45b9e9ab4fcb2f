#include "isolate/isolate.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "isolate/noise.h"
#include "isolate/search.h"

static const double ALPHA = 0.8; /* RecBi's weight of diversity */

/* A mutant that runs so much longer than the failing program is a runaway. */
enum { RUNAWAY_FACTOR = 10, RUNAWAY_MS = 200 };

IsolateOptions isolate_defaults(void) {
    IsolateOptions options = {.formula = FORMULA_OCHIAI, .time_ms = 60000, .jobs = 1, .guards = GUARD_BIT(GUARD_UBSAN)};
    isolate_use_method(&options, method_find("recbi", NULL));
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
static bool default_pool(const Subject *subject, Str *ret_path) {
    static const char *const suites[] = {"gcc/testsuite/gcc.c-torture", "tests/tests2", "clang/test/CodeGen"};
    for (size_t i = 0; subject->source_root && i < ARRAY_LEN(suites); i++) {
        str_clear(ret_path);
        str_append(ret_path, subject->source_root);
        path_join(ret_path, suites[i]);
        if (dir_exists(str_text(ret_path)))
            return true;
    }
    str_clear(ret_path);
    return false;
}

static bool open_pool(Search *search, const Subject *subject, Ingredients **ret_ingredients, Error *err) {
    const Method *method = search->options->method;
    CLEANUP(str_release) Str path = {0};
    const char *pool = search->options->pool;
    if (!pool && default_pool(subject, &path))
        pool = str_text(&path);
    if (method->source != SOURCE_MUTATION) {
        if (method->source == SOURCE_POOL && !pool) {
            if (!path_runtime("pool", &path, err))
                return false;
            pool = str_text(&path);
        }
        search->source = source_new(method->source, pool, &search->rng, err);
        return search->source != NULL;
    }
    if (!method->structural && !method->blend)
        return true;
    *ret_ingredients = ingredients_load(pool, subject->dir, search->console, err);
    search->mutator_config.ingredients = *ret_ingredients;
    return *ret_ingredients != NULL;
}

static bool check_mutable(const Search *search, const Bug *bug, Error *err) {
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

/* Runs the bug's own program: it must fail, and what it covers are the suspects. Options are asked for
 * where the method wants them. */
static bool run_original(TesterConfig *config, const Method *method, Isolation *isolation, StrList *ret_options,
                         Error *err) {
    CLEANUP(runner_freep) Runner *runner = runner_new(err);
    CLEANUP(tester_freep) Tester *tester = runner ? tester_new(config, true, runner, err) : NULL;
    if (!tester)
        return false;
    Bitset failing;
    bitset_init(&failing, isolation->units->unit_count);
    int64_t run_cpu_ms;
    bool ok = tester_original(tester, &failing, &run_cpu_ms, err);
    if (ok && config->bug->kind == VERDICT_CRASH)
        ok = noise_remove_report(tester, config->cover, runner, &failing, err);
    if (ok && method->drop_startup)
        ok = noise_remove_startup(tester, config->cover, &failing, err);
    if (ok) {
        /* Mutation makes many endless loops: waiting for them must not eat the time of the search. */
        config->run_cpu_ms = MAX_OF((int64_t)RUNAWAY_MS, run_cpu_ms * RUNAWAY_FACTOR);
        witness_set_init(&isolation->set, &failing, ALPHA);
        isolation->statistics.failing_statements = bitset_count(&failing);
        isolation->original = mem_strdup(str_text(tester_original_text(tester)));
    }
    bitset_release(&failing);
    return ok && (!method->options || tester_near_options(tester, ret_options, err));
}

/* With the bug's own reference, or with -O0 of the failing compiler where that must serve. */
static bool establish(const Bug *bug, const Method *method, Bug *subject_bug, TesterConfig *config,
                      Isolation *isolation, StrList *ret_options, Error *err) {
    if (!needs_own_reference(bug))
        return run_original(config, method, isolation, ret_options, err);
    reference_at_O0(bug, &subject_bug->pass_cmd);
    if (run_original(config, method, isolation, ret_options, err))
        return true;
    return error_context(err, "with -O0 of the failing compiler as the reference");
}

static bool search_with(const Bug *bug, Search *search, const Subject *subject, Error *err) {
    Ingredients *ingredients = NULL;
    const char *original = search->isolation->original;
    vec_push(&search->seeds, (Seed){.text = mem_strdup(original), .len = strlen(original)});
    bool ok = open_pool(search, subject, &ingredients, err);
    if (search->options->method->blend)
        witness_set_init(&search->plain, &search->isolation->set.failing, ALPHA);
    if (ok && !search->source)
        ok = check_mutable(search, bug, err);
    ok = ok && search_run(search, err);
    search_release(search);
    ingredients_free(ingredients);
    return ok;
}

/* Undefined behaviour matters only in programs that are run. */
static GuardTools *open_guards(const Bug *bug, const IsolateOptions *options, Console *console) {
    if (!bug->run || !options->guards)
        return NULL;
    Error err;
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    GuardTools *guards = runner ? guard_tools_new(runner, LANGUAGE_C, &err) : NULL;
    if (!guards)
        console_warn(console, "passing mutants are not checked for undefined behaviour: %s", err.text);
    return guards;
}

bool isolate(const Bug *bug, Cover *cover, const IsolateOptions *options, Console *console, Isolation *ret_isolation,
             Error *err) {
    const Subject *subject = cover_subject(cover);
    Isolation isolation = {.units = cover_units(cover)};
    Bug subject_bug;
    bool ok = bug_for_subject(bug, subject, &subject_bug, err);
    CLEANUP(guard_tools_freep) GuardTools *guards = ok ? open_guards(bug, options, console) : NULL;
    TesterConfig config = {.bug = &subject_bug, .cover = cover, .guards = guards, .guard_bits = options->guards};
    StrList near = {0};
    ok = ok && establish(bug, options->method, &subject_bug, &config, &isolation, &near, err);
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
            .rng = rng_from_seed(options->seed),
        };
        option_queue_fill(&search.queue, &near, &search.rng);
        ok = search_with(bug, &search, subject, err);
        strlist_release(&sources);
    }
    strlist_release(&near);
    bug_for_subject_release(&subject_bug);
    if (!ok) {
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
    free(isolation->scores);
    vec_release(&isolation->files);
    vec_release(&isolation->others);
    vec_release(&isolation->functions);
    free(isolation->original);
    *isolation = (Isolation){0};
}

/* --- Ranking --- */

/* A fix is made in a source or in what a source is generated from; headers and generated files are listed apart. */
static bool is_ranked_file(const UnitTable *units, uint32_t file) {
    uint32_t kind = units->files[file].kind;
    return kind == UNIT_FILE_SOURCE || kind == UNIT_FILE_DESCRIPTION;
}

/* How many witnesses cover each unit, fakes left out where asked and where anything else is there. */
static uint32_t *count_passing(const Isolation *isolation, FakePolicy fakes, size_t *ret_witnesses) {
    size_t units = isolation->units->unit_count, real = 0;
    uint32_t *ep = mem_zalloc(units + 1, sizeof *ep);
    for (size_t i = 0; i < isolation->witnesses.len; i++)
        real += !isolation->witnesses.items[i].fake;
    bool drop = fakes == FAKES_DROP && real > 0;
    *ret_witnesses = drop ? real : isolation->witnesses.len;
    for (size_t i = 0; i < isolation->witnesses.len; i++) {
        const Bitset *run = &isolation->set.runs.items[i];
        if (drop && isolation->witnesses.items[i].fake)
            continue;
        for (size_t s = bitset_next(run, 0); s < units; s = bitset_next(run, s + 1))
            ep[s]++;
    }
    return ep;
}

/* The file of every unit, or its function. */
static uint32_t *groups_of(const UnitTable *units, bool functions) {
    uint32_t *group_of = mem_zalloc(units->unit_count + 1, sizeof *group_of);
    for (size_t s = 0; s < units->unit_count; s++)
        group_of[s] = functions ? units->units[s].function : units->units[s].file;
    return group_of;
}

/* Traditional spectrum-based localisation: a file is one element, covered by a program that ran anything of it. */
static void score_whole_files(Isolation *isolation, Formula formula) {
    const UnitTable *units = isolation->units;
    uint32_t *ep = mem_zalloc(units->file_count + 1, sizeof *ep);
    size_t witnesses = isolation->set.runs.len;
    for (size_t i = 0; i < witnesses; i++) {
        const Bitset *run = &isolation->set.runs.items[i];
        size_t s = bitset_next(run, 0);
        while (s < units->unit_count) {
            uint32_t file = units->units[s].file;
            ep[file]++;
            s = bitset_next(run, units->files[file].first_unit + units->files[file].unit_count);
        }
    }
    const Bitset *failing = &isolation->set.failing;
    for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1)) {
        double covered = ep[units->units[s].file];
        isolation->scores[s] = formula_score(formula, 1, 0, covered, (double)witnesses - covered);
    }
    free(ep);
}

void isolation_rank(Isolation *isolation, const IsolateOptions *options) {
    const UnitTable *units = isolation->units;
    const Bitset *failing = &isolation->set.failing;
    bool *ranked = mem_zalloc(units->file_count + 1, sizeof *ranked);
    bool *other = mem_zalloc(units->file_count + 1, sizeof *other);
    for (uint32_t f = 0; f < units->file_count; f++)
        other[f] = !(ranked[f] = is_ranked_file(units, f));
    free(isolation->scores);
    isolation->scores = mem_zalloc(units->unit_count + 1, sizeof *isolation->scores);
    vec_clear(&isolation->files);
    vec_clear(&isolation->others);
    vec_clear(&isolation->functions);
    if (options->method->file_level) {
        score_whole_files(isolation, options->formula);
    } else {
        size_t witnesses;
        uint32_t *ep = count_passing(isolation, options->fakes, &witnesses);
        rank_statements(options->formula, failing, ep, witnesses, isolation->scores);
        free(ep);
    }
    uint32_t *file_of = groups_of(units, false), *function_of = groups_of(units, true);
    Aggregation how = options->aggregation;
    rank_groups(isolation->scores, failing, file_of, units->file_count, ranked, how, &isolation->files);
    rank_groups(isolation->scores, failing, file_of, units->file_count, other, how, &isolation->others);
    rank_groups(isolation->scores, failing, function_of, units->function_count, NULL, how, &isolation->functions);
    free(file_of);
    free(function_of);
    free(ranked);
    free(other);
}
