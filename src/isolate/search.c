/* The search loop, shared by all methods:
 *
 *     until a limit
 *         propose a candidate               the strategy
 *         test it, cover it                 tester.c, on a worker
 *         absorb the result                 the strategy
 *
 * `jobs` candidates are under test at any time; proposals and lessons stay in this thread.
 */
#include "isolate/search.h"

#include <string.h>

#include "base/clock.h"
#include "isolate/sequences.h"
#include "isolate/strategy.h"
#include "proc/interrupt.h"

/* Heuristic "enough is known": a ranking whose first ten files have not moved for a hundred programs will hardly move for the
 * next hundred. Looked at every so many programs: a ranking takes milliseconds. */
enum { STABLE_FILES = 10, STABLE_STEP = 20 };

enum { ERRORS_LIMIT = 20 }; /* failures of the machine in a row until the search gives up */

Candidate *candidate_new(Search *search, CandidateKind kind) {
    Candidate *candidate = mem_zalloc(1, sizeof *candidate);
    candidate->search = search;
    candidate->kind = kind;
    candidate->order = search->isolation->statistics.order;
    return candidate;
}

void candidate_free(Candidate *candidate) {
    if (!candidate)
        return;
    str_release(&candidate->text);
    str_release(&candidate->name);
    strlist_release(&candidate->options);
    strlist_release(&candidate->lean);
    mutation_release(&candidate->mutation);
    bitset_release(&candidate->cover);
    for (size_t i = 0; i < candidate->runs.len; i++)
        bitset_release(&candidate->runs.items[i].cover);
    vec_release(&candidate->runs);
    free(candidate);
}

Tester *search_tester(Search *search, Runner *runner, size_t worker, Error *err) {
    if (!search->testers[worker])
        search->testers[worker] = tester_new(search->tester_config, false, runner, err);
    return search->testers[worker];
}

/* On a worker's thread. */
static void test_candidate(Runner *runner, size_t worker, void *job) {
    Candidate *c = job;
    Tester *tester = search_tester(c->search, runner, worker, &c->err);
    if (!tester)
        return;
    if (c->kind == CANDIDATE_SEQUENCES) {
        c->ok = sequences_test(c->sequences, tester, runner, c, &c->err);
        return;
    }
    bitset_init(&c->cover, c->search->isolation->units->unit_count);
    if (c->kind == CANDIDATE_OPTION || c->kind == CANDIDATE_STEP) {
        CLEANUP(strlist_release) StrList options = {0};
        strlist_add_all(&options, &c->lean);
        strlist_add_all(&options, &c->options);
        c->ok = tester_options(tester, &options, &c->cover, &c->outcome, &c->err);
    } else if (c->kind == CANDIDATE_PROGRAM) {
        c->ok = tester_program(tester, str_text(&c->text), c->text.len, NULL, &c->cover, &c->outcome, &c->err);
    } else if (c->kind == CANDIDATE_TEST) {
        c->ok = tester_suite_test(tester, str_text(&c->name), str_text(&c->text), c->text.len, &c->cover, &c->outcome,
                                  &c->err);
    } else {
        c->ok = tester_mutant(tester, str_text(&c->text), c->text.len, &c->lean, &c->cover, &c->outcome, &c->err);
    }
}

/* --- What strategies share --- */

Lesson search_judge(const Search *search, const WitnessSet *set, const Candidate *c) {
    Lesson lesson = {.passed = c->outcome == OUTCOME_PASSES};
    if (lesson.passed) {
        lesson.change = witness_set_try(set, &c->cover);
        lesson.accepted = method_accepts(search->options->method, &lesson.change);
    }
    return lesson;
}

static void keep_probes(Search *search, const Seed *seed, const Mutation *mutation) {
    ProbeTexts probes = {.seed_text = seed ? mem_strdup(seed->text) : NULL};
    CLEANUP(str_release) Str original = {0}, mutant = {0};
    for (EffectProbe p = 0; seed && p < EFFECT_PROBES; p++) {
        if (!effect_probe(seed->mutator, mutation, p, &original, &mutant))
            continue;
        probes.seed[p] = mem_strdup(str_text(&original));
        probes.mutant[p] = mem_strdup(str_text(&mutant));
    }
    vec_push(&search->probes, probes);
}

Witness *search_keep(Search *search, const Candidate *c, const WitnessChange *change, const Seed *seed) {
    static const WitnessKind kind_of[CANDIDATE_KINDS] = {
        [CANDIDATE_MUTANT] = WITNESS_MUTANT,    [CANDIDATE_BLEND] = WITNESS_MUTANT,
        [CANDIDATE_PROGRAM] = WITNESS_ORDINARY, [CANDIDATE_TEST] = WITNESS_ORDINARY,
        [CANDIDATE_RANDOM] = WITNESS_ORDINARY,  [CANDIDATE_OPTION] = WITNESS_OPTION};
    WitnessKind kind = c->one_step ? WITNESS_STEP : kind_of[c->kind];
    bool mutated = kind == WITNESS_MUTANT;
    Witness witness = {
        .text = mem_strdup(c->text.len ? str_text(&c->text) : search->isolation->original),
        .kind = kind,
        .summary = mem_strdup(str_text(mutated ? &c->mutation.summary : &c->name)),
        .line = c->mutation.line,
        .rule = c->kind == CANDIDATE_MUTANT && !search->ir ? &mutation_rules[c->mutation.rule] : NULL,
        .similarity = change->similarity,
        .order = mutated ? c->order : 0,
    };
    vec_push(&search->isolation->witnesses, witness);
    witness_set_add(&search->isolation->set, &c->cover, change);
    keep_probes(search, seed, &c->mutation);
    return &vec_last(&search->isolation->witnesses);
}

void search_keep_sequence(Search *search, const SequenceRun *run) {
    Isolation *isolation = search->isolation;
    Witness witness = {.kind = WITNESS_SEQUENCE,
                       .summary = mem_strdup(run->passes),
                       .similarity = 1 - coverage_distance(&run->cover, &isolation->set.failing),
                       .counted = true};
    vec_push(&isolation->witnesses, witness);
    witness_set_count(&isolation->set, witness.similarity);
    spectrum_add_passing(&isolation->spectrum, WITNESS_SEQUENCE, &run->cover);
    vec_push(&search->probes, (ProbeTexts){0});
}

double search_progress(const Search *search) {
    const IsolateOptions *options = search->options;
    double time = 0, mutants = 0, witnesses = 0;
    if (options->time_ms)
        time = (double)(clock_ms() - search->start_ms) / (double)options->time_ms;
    if (options->mutants)
        mutants = (double)search->submitted / (double)options->mutants;
    if (options->witnesses)
        witnesses = (double)search->isolation->witnesses.len / (double)options->witnesses;
    return MAX_OF(MAX_OF(time, mutants), witnesses);
}

/* --- The loop --- */

static bool out_of_time(const Search *search) {
    int64_t limit = search->options->time_ms;
    return interrupt_count() > 0 || (limit && clock_ms() - search->start_ms >= limit);
}

/* Programs without a move that end the search; 0: none. A method that would end by itself goes on to the limits that the user
 * gave instead. */
static uint64_t stable_programs(const IsolateOptions *options) {
    bool limited = options->mutants || options->witnesses;
    return options->stable ? options->stable : limited ? 0 : options->method->stable;
}

static void look_at_ranking(Search *search) {
    uint64_t tested = search->isolation->statistics.tested;
    if (!stable_programs(search->options) || tested < search->looked_at + STABLE_STEP ||
        !search->isolation->witnesses.len)
        return;
    search->looked_at = tested;
    isolation_rank(search->isolation, search->options);
    const RankedList *files = &search->isolation->files;
    uint32_t first[STABLE_FILES] = {0};
    for (size_t i = 0; i < STABLE_FILES && i < files->len; i++)
        first[i] = files->items[i].group + 1;
    if (memcmp(first, search->first_files, sizeof first) == 0)
        return;
    memcpy(search->first_files, first, sizeof first);
    search->moved_at = tested;
}

static bool is_stable(const Search *search) {
    uint64_t programs = stable_programs(search->options);
    return programs && search->moved_at && search->isolation->statistics.tested >= search->moved_at + programs;
}

static const char *reason_to_stop(const Search *search) {
    const IsolateOptions *options = search->options;
    if (out_of_time(search))
        return interrupt_count() > 0 ? "interrupt" : "time";
    if (options->mutants && search->submitted >= options->mutants)
        return "mutants";
    if (options->witnesses && search->isolation->witnesses.len >= options->witnesses)
        return "witnesses";
    if (is_stable(search))
        return "a ranking that moves no more";
    return search->idle && pool_under_way(search->pool) == 0 ? ISOLATE_EXHAUSTED : NULL;
}

static void show_status(const Search *search) {
    const IsolateStatistics *statistics = &search->isolation->statistics;
    if (console_status_due(search->console))
        console_status(search->console, "%s: %llu programs, %llu fail, %llu pass, %zu witnesses, order %u",
                       search->options->method->name, (unsigned long long)statistics->tested,
                       (unsigned long long)statistics->outcomes[OUTCOME_FAILS],
                       (unsigned long long)statistics->outcomes[OUTCOME_PASSES], search->isolation->witnesses.len,
                       statistics->order);
}

/* Takes the candidate. False when the machine fails again and again. */
static bool finish(Search *search, Candidate *c, Error *err) {
    IsolateStatistics *statistics = &search->isolation->statistics;
    statistics->tested += MAX_OF(c->runs.len, (size_t)1);
    search->errors_in_row = c->ok ? 0 : search->errors_in_row + 1;
    search->under_way[c->kind]--;
    search->idle = false;
    if (c->ok) {
        for (size_t i = 0; i < c->runs.len; i++)
            statistics->outcomes[c->runs.items[i].outcome]++;
        if (c->kind != CANDIDATE_SEQUENCES)
            statistics->outcomes[c->outcome]++;
        search->isolation->spectrum.tested = (uint32_t)statistics->tested;
        search->options->method->strategy->absorb(search, c);
        look_at_ranking(search);
        isolation_remember(search->isolation, search->options);
    } else
        console_debug(search->console, "a program could not be tested: %s", c->err.text);
    bool go_on = search->errors_in_row < ERRORS_LIMIT || error_set(err, "%s", c->err.text);
    candidate_free(c);
    show_status(search);
    return go_on;
}

static void fill_pool(Search *search) {
    while (pool_under_way(search->pool) < search->options->jobs && !reason_to_stop(search)) {
        Candidate *candidate = search->options->method->strategy->propose(search);
        if (search->idle)
            break;
        if (!candidate)
            continue;
        search->submitted += MAX_OF(candidate->runs.len, (size_t)1);
        search->under_way[candidate->kind]++;
        pool_submit(search->pool, test_candidate, candidate);
    }
}

/* Waits for the next result, but not past the time limit; interrupts are looked for in between. */
static Candidate *next_result(Search *search) {
    Candidate *candidate = NULL;
    while (!candidate && pool_under_way(search->pool) > 0 && !out_of_time(search))
        candidate = pool_wait(search->pool, 100);
    return candidate;
}

static bool loop(Search *search, Error *err) {
    bool ok = true;
    Candidate *candidate;
    do {
        fill_pool(search);
        candidate = next_result(search);
        if (candidate)
            ok = finish(search, candidate, err);
    } while (ok && (candidate || !reason_to_stop(search)));
    pool_cancel(search->pool);
    while ((candidate = pool_next(search->pool)))
        candidate_free(candidate);
    return ok;
}

bool search_run(Search *search, Error *err) {
    const IsolateOptions *options = search->options;
    IsolateStatistics *statistics = &search->isolation->statistics;
    search->pool = pool_new(options->jobs, POOL_IN_ORDER, err);
    if (!search->pool)
        return false;
    search->testers = mem_zalloc(options->jobs, sizeof(Tester *));
    search->start_ms = clock_ms();
    bool ok = loop(search, err);
    statistics->stopped_by = reason_to_stop(search);
    statistics->wall_ms = clock_ms() - search->start_ms;
    if (ok && search->tester_config->bug->run)
        search_mark_fakes(search);
    console_status_end(search->console);
    return ok;
}

void search_release(Search *search) {
    /* Testers use the runners of the pool's threads. */
    for (size_t i = 0; search->testers && i < search->options->jobs; i++)
        tester_free(search->testers[i]);
    free(search->testers);
    pool_free(search->pool);
    for (size_t i = 0; i < search->probes.len; i++) {
        free(search->probes.items[i].seed_text);
        for (EffectProbe p = 0; p < EFFECT_PROBES; p++) {
            free(search->probes.items[i].seed[p]);
            free(search->probes.items[i].mutant[p]);
        }
    }
    vec_release(&search->probes);
}
