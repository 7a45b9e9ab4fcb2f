#include "evaluate/isolation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/version.h"
#include "compiler/identify.h"
#include "evaluate/answer.h"
#include "explain/explain.h"
#include "proc/interrupt.h"

/* --- One run --- */

static Json *measured_row(Isolation *isolation, const Bug *bug, const IsolateOptions *options) {
    const IsolateStatistics *s = &isolation->statistics;
    Json *row = json_new_object();
    const Answer answer = {&bug->files, &bug->functions, false};
    IsolateOptions other = *options;
    other.aggregation = options->aggregation == AGGREGATE_MEAN ? AGGREGATE_GEOMETRIC : AGGREGATE_MEAN;
    isolation_rank(isolation, &other);
    journal_put_rank(row, "other_aggregation", answer_rank_files(isolation, &answer));
    other = *options;
    other.fakes = FAKES_DROP;
    isolation_rank(isolation, &other);
    journal_put_rank(row, "without_fakes", answer_rank_files(isolation, &answer));
    isolation_rank(isolation, options);
    journal_put_rank(row, "files", answer_rank_files(isolation, &answer));
    BugRank functions;
    if (answer_rank_functions(isolation, &answer, &functions))
        journal_put_rank(row, "functions", functions);
    json_put_real(row, "seconds", (double)s->wall_ms / 1000);
    json_put_real(row, "similarity", s->similarity);
    json_put_real(row, "diversity", s->diversity);
    json_put_real(row, "least_distance", s->least_distance);
    json_put_int(row, "tested", (int64_t)s->tested);
    json_put_int(row, "witnesses", (int64_t)isolation->witnesses.len);
    json_put_int(row, "fakes", (int64_t)s->fakes);
    json_put_int(row, "undefined", (int64_t)s->outcomes[OUTCOME_UNDEFINED]);
    json_put_int(row, "fails", (int64_t)s->outcomes[OUTCOME_FAILS]);
    json_put_int(row, "invalid", (int64_t)s->outcomes[OUTCOME_OTHER]);
    json_put_int(row, "covered_files", (int64_t)isolation->files.len);
    json_put_int(row, "order", s->order);
    json_put_text(row, "stopped_by", s->stopped_by);
    return row;
}

static Json *run_one(const Bug *bug, Cover *cover, const IsolateOptions *options, Console *console) {
    Isolation isolation;
    bool unfit = false;
    Error err;
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    if (!runner || !explain_isolate(runner, bug, cover, options, console, &isolation, &unfit, &err)) {
        Json *row = json_new_object();
        json_put_text(row, unfit ? "skipped" : "failed", err.text);
        return row;
    }
    Json *row = isolation.files.len ? measured_row(&isolation, bug, options) : json_new_object();
    if (isolation.files.len == 0)
        json_put_text(row, "skipped", "its ranking has no files: the subject knows no source files of what ran");
    isolation_release(&isolation);
    return row;
}

/* --- All runs --- */

/* What is run and summed up. */
typedef struct Plan {
    BenchTerms terms;
    const char *family;
    const Bug *bugs; /* NULL: only the journal is there */
    StrList ids;     /* of the bugs */
    Vec(uint64_t) seeds;
} Plan;

static void plan_release(Plan *plan) {
    strlist_release(&plan->ids);
    vec_release(&plan->seeds);
}

/* The options of `culprit bench` that a run depends on, apart from its method, seed and subject. */
static void describe_options(const IsolateOptions *options, Str *ret_text) {
    const IsolateOptions usual = isolate_defaults();
    str_printf(ret_text, "--time %gs", (double)options->time_ms / 1000);
    if (options->mutants)
        str_printf(ret_text, " --mutants %llu", (unsigned long long)options->mutants);
    if (options->stable)
        str_printf(ret_text, " --stable %llu", (unsigned long long)options->stable);
    if (options->formula != usual.formula)
        str_printf(ret_text, " --formula %s", formula_name(options->formula));
    if (options->alpha != usual.alpha)
        str_printf(ret_text, " --alpha %g", options->alpha);
    if (options->horizon != usual.horizon)
        str_printf(ret_text, " --horizon %zu", options->horizon);
    if (options->copies)
        str_append(ret_text, " --copies");
    if (options->pool)
        str_printf(ret_text, " --pool %s", options->pool);
    str_printf(ret_text, " -j%zu", options->jobs);
}

/* What a reader judges a figure by that was measured in a limited time. */
static void put_circumstances(Json *row, const char *note) {
    CLEANUP(str_release) Str time = {0};
    double load;
    clock_append_utc(&time, clock_wall_s());
    str_truncate(&time, strlen("2026-11-18"));
    json_put_text(row, "version", CULPRIT_VERSION);
    json_put_text(row, "day", str_text(&time));
    if (getloadavg(&load, 1) == 1)
        json_put_real(row, "load", load);
    json_put_int(row, "cores", sysconf(_SC_NPROCESSORS_ONLN));
    if (note)
        json_put_text(row, "note", note);
}

static const char *reason_without_answer(const Bug *bug) {
    const Answer answer = {&bug->files, &bug->functions, false};
    if (answer_has_files(&answer))
        return NULL;
    return bug->files.len ? "its fix changed headers only" : "its answer is not known";
}

static bool run_seed(const Bug *bug, Cover *cover, const BenchOptions *options, const Plan *plan, const Method *method,
                     uint64_t seed, Journal *journal, Console *console, Error *err) {
    BenchRun run;
    if (journal_find(journal, plan->terms, bug->id, method->name, seed, &run))
        return true;
    IsolateOptions isolate_options = options->isolate;
    isolate_use_method(&isolate_options, method);
    isolate_options.seed = seed;
    Json *row = run_one(bug, cover, &isolate_options, console);
    if (interrupt_count() > 0) { /* its time was cut short */
        json_free(row);
        return true;
    }
    json_put_text(row, "bug", bug->id);
    json_put_text(row, "method", method->name);
    json_put_int(row, "seed", (int64_t)seed);
    json_put_text(row, "subject", plan->terms.subject);
    json_put_text(row, "options", plan->terms.options);
    json_put_text(row, "family", plan->family);
    put_circumstances(row, options->note);
    if (!journal_add_take(journal, options->journal, row, err))
        return false;
    journal_find(journal, plan->terms, bug->id, method->name, seed, &run);
    if (run.measured)
        console_info(console, "%s %s: rank %g, %lld programs, %lld witnesses", bug->id, method->name, run.files.first,
                     (long long)run.tested, (long long)run.witnesses);
    else
        console_info(console, "%s %s: %s", bug->id, method->name, run.failed ? run.failed : run.skipped);
    return true;
}

static bool run_all(const Plan *plan, Cover *cover, const BenchOptions *options, const BenchResult *result,
                    Journal *journal, Console *console, Error *err) {
    bool ok = true;
    for (size_t k = 0; ok && k < plan->seeds.len; k++)
        for (size_t b = 0; ok && b < plan->ids.len; b++)
            for (size_t m = 0; ok && !reason_without_answer(&plan->bugs[b]) && m < result->methods.len; m++)
                ok =
                    interrupt_count() || run_seed(&plan->bugs[b], cover, options, plan, result->methods.items[m].method,
                                                  plan->seeds.items[k], journal, console, err);
    return ok;
}

/* --- Summing up --- */

typedef struct Medians {
    Vec(BugRank) files, other_aggregation, without_fakes, functions;
} Medians;

/* The median of a bug's runs goes into the metrics and is returned; NaN if there is none. */
static double add_median(Metrics *metrics, const BugRank *seeds, size_t count) {
    if (count == 0)
        return NAN;
    BugRank merged = metrics_median(seeds, count);
    metrics_add(metrics, &merged);
    return merged.first;
}

static void add_mean(double *mean, double value, size_t count) { *mean += (value - *mean) / (double)count; }

static void sum_run(MethodResult *result, Medians *medians, const BenchRun *run, size_t repeat) {
    vec_push(&medians->files, run->files);
    vec_push(&medians->other_aggregation, run->other_aggregation);
    vec_push(&medians->without_fakes, run->without_fakes);
    if (run->has_functions)
        vec_push(&medians->functions, run->functions);
    while (result->seeds.len <= repeat)
        vec_push(&result->seeds, (Metrics){0});
    metrics_add(&result->seeds.items[repeat], &run->files);
    result->runs++;
    result->runs_without_witness += run->witnesses == 0;
    result->runs_exhausted += run->exhausted;
    add_mean(&result->mutants_per_minute, run->mutants_per_minute, result->runs);
    add_mean(&result->witnesses_per_minute, run->witnesses_per_minute, result->runs);
    add_mean(&result->similarity, run->similarity, result->runs);
    add_mean(&result->diversity, run->diversity, result->runs);
    add_mean(&result->least_distance, run->least_distance, result->runs);
    vec_push(&result->similarities, run->similarity);
    vec_push(&result->diversities, run->diversity);
}

/* How many methods have been through the round of this bug and seed. */
static size_t round_runs(const BenchResult *bench, const Plan *plan, const Journal *journal, const char *bug,
                         uint64_t seed) {
    size_t runs = 0;
    BenchRun run;
    for (size_t m = 0; m < bench->methods.len; m++)
        runs +=
            journal_find(journal, plan->terms, bug, bench->methods.items[m].method->name, seed, &run) && !run.failed;
    return runs;
}

/* Whether a run of the bug by this method is there and measured; else why not, NULL if it is merely missing. */
static bool sum_bug(BenchResult *bench, size_t method, const Plan *plan, const char *bug, const Journal *journal,
                    const char **ret_reason) {
    MethodResult *result = &bench->methods.items[method];
    Medians medians = {0};
    *ret_reason = NULL;
    for (size_t k = 0; k < plan->seeds.len; k++) {
        BenchRun run;
        uint64_t seed = plan->seeds.items[k];
        if (!journal_find(journal, plan->terms, bug, result->method->name, seed, &run))
            continue;
        result->runs_failed += run.failed != NULL;
        if (run.skipped)
            *ret_reason = run.skipped;
        if (run.measured && round_runs(bench, plan, journal, bug, seed) == bench->methods.len)
            sum_run(result, &medians, &run, k);
    }
    bool measured = medians.files.len > 0;
    double file = add_median(&result->files, medians.files.items, medians.files.len);
    double function = add_median(&result->functions, medians.functions.items, medians.functions.len);
    vec_push(&bench->files.items[method].ranks, file);
    vec_push(&bench->functions.items[method].ranks, function);
    add_median(&result->other_aggregation, medians.other_aggregation.items, medians.other_aggregation.len);
    add_median(&result->without_fakes, medians.without_fakes.items, medians.without_fakes.len);
    vec_release(&medians.files);
    vec_release(&medians.other_aggregation);
    vec_release(&medians.without_fakes);
    vec_release(&medians.functions);
    return measured;
}

/* Baselines are asked about the bugs that a method was measured on, so that all are compared on the same. */
static void add_baseline(BenchResult *result, size_t baseline, bool known, const BugRank *rank) {
    if (known)
        metrics_add(&result->baselines[baseline].files, rank);
    vec_push(&result->files.items[result->methods.len + baseline].ranks, known ? rank->first : NAN);
}

/* `pass_files` and `files` are for the baselines, which need the bugs. */
static void sum_up(const Plan *plan, const Journal *journal, const PassFiles *pass_files, size_t files,
                   BenchResult *result) {
    for (size_t b = 0; b < plan->ids.len; b++) {
        const char *id = plan->ids.items[b], *reason = plan->bugs ? reason_without_answer(&plan->bugs[b]) : NULL, *why;
        bool measured = false, has_answer = reason == NULL;
        for (size_t m = 0; !reason && m < result->methods.len; m++) {
            measured |= sum_bug(result, m, plan, id, journal, &why);
            if (!measured && why && m + 1 == result->methods.len)
                reason = why;
        }
        for (size_t k = 0; has_answer && k < plan->seeds.len; k++) {
            size_t runs = round_runs(result, plan, journal, id, plan->seeds.items[k]);
            result->incomplete += runs > 0 && runs < result->methods.len;
        }
        BugRank rank = {0};
        bool asked = plan->bugs && measured && prior_rank(plan->bugs, plan->ids.len, b, files, &rank);
        if (has_answer) { /* one entry for each, as the methods have */
            strlist_add(&result->ids, id);
            add_baseline(result, BASELINE_PRIOR, asked, &rank);
            asked = plan->bugs && measured && pass_rank(&plan->bugs[b], pass_files, files, &rank);
            add_baseline(result, BASELINE_PASS, asked, &rank);
        }
        result->bugs += measured;
        if (!measured && reason)
            vec_push(&result->skipped, (SkippedBug){mem_strdup(id), mem_strdup(reason)});
    }
}

/* "8 runs of culprit 0.1.0 (1a2b3c4), 2026-11-18 to 2026-11-20, load 2.0 to 2.4" */
static void describe_source(const Plan *plan, const BenchResult *result, const Journal *journal, Str *ret_text) {
    CLEANUP(strlist_release) StrList versions = {0}, notes = {0}, days = {0};
    double low = INFINITY, high = 0;
    size_t runs = 0;
    for (size_t i = 0; i < journal->rows.len; i++) {
        BenchRun run = journal_run(journal, i);
        bool wanted = false;
        for (size_t m = 0; m < result->methods.len; m++)
            wanted |= str_equal(run.method, result->methods.items[m].method->name);
        if (!run.measured || !wanted || !terms_equal(run.terms, plan->terms))
            continue;
        runs++;
        strlist_add_once(&versions, run.version);
        strlist_add_once(&days, run.day);
        if (*run.note)
            strlist_add_once(&notes, run.note);
        low = MIN_OF(low, run.load);
        high = MAX_OF(high, run.load);
    }
    if (runs == 0)
        return;
    strlist_sort(&days);
    str_printf(ret_text, "%zu runs of culprit", runs);
    for (size_t i = 0; i < versions.len; i++)
        str_printf(ret_text, "%s %s", i ? "," : "", versions.items[i]);
    for (size_t i = 0; i < notes.len; i++)
        str_printf(ret_text, "%s%s%s", i ? ", " : " (", notes.items[i], i + 1 == notes.len ? ")" : "");
    str_printf(ret_text, ", %s", days.items[0]);
    if (days.len > 1)
        str_printf(ret_text, " to %s", days.items[days.len - 1]);
    str_printf(ret_text, ", load %.1f to %.1f", low, high);
}

/* Every two methods, and every method with every baseline. */
static void compare_all(const Contenders *contenders, BenchResult *result, bool functions) {
    for (size_t a = 0; a < result->methods.len; a++)
        for (size_t b = a + 1; b < contenders->len; b++) {
            Comparison c = compare(&contenders->items[a], &contenders->items[b]);
            if (c.pairs == 0)
                continue;
            if (functions)
                vec_push(&result->function_comparisons, c);
            else
                vec_push(&result->comparisons, c);
        }
}

/* --- All of it --- */

static size_t count_ranked_files(const UnitTable *units) {
    size_t count = 0;
    for (size_t f = 0; f < units->file_count; f++)
        count += answer_is_ranked(unit_file_name(units, (uint32_t)f));
    return count;
}

static bool start(const StrList *wanted, BenchResult *result, Error *err) {
    static const char *const baselines[BASELINES] = {
        [BASELINE_PRIOR] = "static prior", [BASELINE_PASS] = "pass's file"};
    for (size_t i = 0; i < wanted->len; i++) {
        const Method *method = method_find(wanted->items[i], err);
        if (!method)
            return false;
        vec_push(&result->methods, (MethodResult){.method = method});
        vec_push(&result->files, (Contender){.name = method->name});
        vec_push(&result->functions, (Contender){.name = method->name});
    }
    for (size_t i = 0; i < BASELINES; i++) {
        result->baselines[i].name = baselines[i];
        vec_push(&result->files, (Contender){.name = baselines[i]});
    }
    return true;
}

static void finish(const Plan *plan, const Journal *journal, const PassFiles *pass_files, size_t files,
                   BenchResult *result) {
    str_printf(&result->terms, "--subject %s %s", plan->terms.subject, plan->terms.options);
    describe_source(plan, result, journal, &result->source);
    sum_up(plan, journal, pass_files, files, result);
    compare_all(&result->files, result, false);
    compare_all(&result->functions, result, true);
    journal_csv(journal, &result->csv);
}

/* Whose figures a subject is compared with. */
static CompilerFamily family_of(const Subject *subject) {
    const char *tool = subject->cc.len ? subject->cc.items[0] : subject->opt.len ? subject->opt.items[0] : "llc";
    CompilerFamily family = compiler_family_of_name(tool);
    bool llvm = family == FAMILY_CLANG || family == FAMILY_OPT || family == FAMILY_LLC;
    return llvm ? FAMILY_CLANG : family == FAMILY_GCC ? FAMILY_GCC : FAMILY_OTHER;
}

bool bench_isolation(const StrList *bug_dirs, Cover *cover, const BenchOptions *options, Console *console,
                     BenchResult *ret_result, Error *err) {
    const Subject *subject = cover_subject(cover);
    BenchResult result = {.family = family_of(subject)};
    CLEANUP(journal_release) Journal journal = {0};
    CLEANUP(pass_files_release) PassFiles pass_files = {0};
    CLEANUP(str_release) Str described = {0};
    describe_options(&options->isolate, &described);
    Bug *bugs = mem_zalloc(bug_dirs->len + 1, sizeof *bugs);
    CLEANUP(plan_release)
    Plan plan = {
        .terms = {subject->name, str_text(&described)}, .family = compiler_family_name(result.family), .bugs = bugs};
    size_t files = count_ranked_files(cover_units(cover)), loaded = 0;
    bool ok = files > 0 ||
              error_set(err,
                        "the subject %s knows no source files, so that there is nothing to rank: give its sources "
                        "with --source DIR",
                        subject->name);
    ok = ok && journal_read(options->journal, &journal, err) && start(options->methods, &result, err);
    if (ok && !pass_files_load(&pass_files, subject->source_root, NULL)) /* no GCC: LLVM's passes are known without */
        pass_files_load(&pass_files, NULL, NULL);
    for (; ok && loaded < bug_dirs->len; loaded += ok) {
        ok = bug_load(bug_dirs->items[loaded], &bugs[loaded], err);
        if (ok)
            strlist_add(&plan.ids, bugs[loaded].id);
    }
    for (size_t k = 0; k < options->repeat; k++)
        vec_push(&plan.seeds, options->isolate.seed + k);
    ok = ok && run_all(&plan, cover, options, &result, &journal, console, err);
    if (ok) {
        finish(&plan, &journal, &pass_files, files, &result);
        result.interrupted = interrupt_count() > 0;
    }
    for (size_t b = 0; b < loaded; b++)
        bug_release(&bugs[b]);
    free(bugs);
    if (ok)
        *ret_result = result;
    else
        bench_result_release(&result);
    return ok;
}

/* --- From a journal --- */

static CompilerFamily family_named(const char *name) {
    static const CompilerFamily families[] = {FAMILY_GCC, FAMILY_CLANG};
    for (size_t i = 0; i < ARRAY_LEN(families); i++)
        if (str_equal(name, compiler_family_name(families[i])))
            return families[i];
    return FAMILY_OTHER;
}

/* Those that have been through less than half as many rounds as another are named and left out: compared on the rounds that
 * all have been through, hardly any would remain. */
static void choose_methods(const Journal *journal, BenchTerms terms, StrList *ret_methods, Str *ret_left_out) {
    Map counts = {0};
    uint64_t most = 0;
    for (size_t i = 0; i < journal->rows.len; i++) {
        BenchRun run = journal_run(journal, i);
        if (!terms_equal(run.terms, terms))
            continue;
        uint64_t count = ++map_insert_str(&counts, run.method, NULL)->value;
        most = MAX_OF(most, count);
    }
    for (size_t i = 0; i < counts.len; i++) {
        const MapEntry *entry = &counts.entries[i];
        if (entry->value * 2 >= most)
            strlist_add(ret_methods, entry->key);
        else
            str_printf(ret_left_out, "%s%s (%llu)", ret_left_out->len ? ", " : "", entry->key,
                       (unsigned long long)entry->value);
    }
    map_release(&counts);
}

static bool sum_terms(const Journal *journal, BenchTerms terms, const StrList *wanted, BenchResult *result,
                      Error *err) {
    CLEANUP(plan_release) Plan plan = {.terms = terms};
    CLEANUP(strlist_release) StrList found = {0}, chosen = {0};
    const PassFiles none = {0};
    if (wanted->len)
        strlist_add_all(&chosen, wanted);
    else
        choose_methods(journal, terms, &chosen, &result->left_out);
    for (size_t i = 0; i < journal->rows.len; i++) {
        BenchRun run = journal_run(journal, i);
        if (!terms_equal(run.terms, terms) || !strlist_contains(&chosen, run.method))
            continue;
        result->family = family_named(run.family);
        strlist_add_once(&plan.ids, run.bug);
        strlist_add_once(&found, run.method);
        bool known = false;
        for (size_t k = 0; k < plan.seeds.len; k++)
            known |= plan.seeds.items[k] == run.seed;
        if (!known)
            vec_push(&plan.seeds, run.seed);
    }
    if (!start(&found, result, err))
        return false;
    finish(&plan, journal, &none, 0, result);
    return true;
}

bool bench_journal(const char *path, const StrList *wanted, BenchResults *ret_results, Error *err) {
    CLEANUP(journal_release) Journal journal = {0};
    BenchResults results = {0};
    bool ok = journal_read(path, &journal, err) &&
              (journal.rows.len > 0 || error_set(err, "there is no run in the journal %s", path));
    Vec(BenchTerms) done = {0};
    for (size_t i = 0; ok && i < journal.rows.len; i++) {
        BenchTerms terms = journal_run(&journal, i).terms;
        bool known = false;
        for (size_t t = 0; t < done.len; t++)
            known |= terms_equal(done.items[t], terms);
        if (known)
            continue;
        vec_push(&done, terms);
        BenchResult result = {0};
        ok = sum_terms(&journal, terms, wanted, &result, err);
        if (ok && result.methods.len)
            vec_push(&results, result);
        else
            bench_result_release(&result);
    }
    vec_release(&done);
    ok = ok && (results.len > 0 || error_set(err, "the journal %s has no run of these methods", path));
    if (ok)
        *ret_results = results;
    else
        bench_results_release(&results);
    return ok;
}

void bench_results_release(BenchResults *results) {
    for (size_t i = 0; i < results->len; i++)
        bench_result_release(&results->items[i]);
    vec_release(results);
}

void bench_result_release(BenchResult *result) {
    for (size_t i = 0; i < result->skipped.len; i++) {
        free(result->skipped.items[i].id);
        free(result->skipped.items[i].reason);
    }
    for (size_t i = 0; i < result->methods.len; i++) {
        vec_release(&result->methods.items[i].seeds);
        vec_release(&result->methods.items[i].similarities);
        vec_release(&result->methods.items[i].diversities);
    }
    strlist_release(&result->ids);
    contenders_release(&result->files);
    contenders_release(&result->functions);
    vec_release(&result->comparisons);
    vec_release(&result->function_comparisons);
    vec_release(&result->skipped);
    vec_release(&result->methods);
    str_release(&result->csv);
    str_release(&result->terms);
    str_release(&result->source);
    str_release(&result->left_out);
}
