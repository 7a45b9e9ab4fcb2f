/* The search loop, shared by all methods; for DiWi it is Algorithm 1 of the paper (the numbers are its lines).
 *
 *     while not terminated                                             3
 *         choose a seed                                         select(S)           4
 *         choose a rule, mutate                                 the policy          5-11
 *         test, cover                                           tester.c            12
 *         passing: accept as a witness?                         the method          12-14
 *         failing: a seed of the next order                     S' <- S' + P'       15-17
 *         learn                                                 the policy          18-20
 *     without a witness: S <- S', once more                     next_order          22-28
 *
 * The paper ends each order after the full time limit. We have one limit for all orders, and split it: while there is
 * no witness, every order gets half of what is left, so that higher orders get their turn. A mutant that was tested
 * before has a known outcome and distance 0: it is not tested again, the policy learns that nothing came of it. When
 * hundreds of proposals in a row give nothing new, the order is used up: without a witness the next one begins, with
 * witnesses the search is over.
 *
 * `jobs` candidates are under test at any time; proposals and lessons stay in this thread.
 */
#include "isolate/search.h"

#include <string.h>

#include "base/clock.h"
#include "proc/interrupt.h"

enum {
    SEEDS_OF_AN_ORDER = 64, /* S' is a uniform sample of this size: each costs a parse when it is used */
    ERRORS_LIMIT = 20,      /* failures of the machine in a row until the search gives up */
};

void candidate_free(Candidate *candidate) {
    if (!candidate)
        return;
    str_release(&candidate->text);
    str_release(&candidate->name);
    strlist_release(&candidate->options);
    strlist_release(&candidate->lean);
    mutation_release(&candidate->mutation);
    bitset_release(&candidate->cover);
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
    bitset_init(&c->cover, c->search->isolation->units->unit_count);
    if (c->kind == CANDIDATE_OPTION) {
        CLEANUP(strlist_release) StrList options = {0};
        strlist_add_all(&options, &c->lean);
        strlist_add_all(&options, &c->options);
        c->ok = tester_options(tester, &options, &c->cover, &c->outcome, &c->err);
    } else if (c->kind == CANDIDATE_PROGRAM && c->search->options->method->source != SOURCE_GENERATOR) {
        c->ok = tester_program(tester, str_text(&c->text), c->text.len, NULL, &c->cover, &c->outcome, &c->err);
        if (c->ok && c->search->options->method->fused)
            bitset_or(&c->cover, &c->search->isolation->linking);
    } else {
        c->ok = tester_mutant(tester, str_text(&c->text), c->text.len, &c->lean, &c->cover, &c->outcome, &c->err);
    }
}

/* --- Results --- */

static char *probe_text(const Str *text, bool applies) { return applies ? mem_strdup(str_text(text)) : NULL; }

/* `seed` NULL: there are no probes. */
static void keep_probes(Search *search, const Seed *seed, const Mutation *mutation) {
    ProbeTexts probes = {.seed_text = seed ? mem_strdup(seed->text) : NULL};
    CLEANUP(str_release) Str original = {0};
    CLEANUP(str_release) Str mutant = {0};
    for (EffectProbe p = 0; seed && p < EFFECT_PROBES; p++) {
        bool applies = effect_probe(seed->mutator, mutation, p, &original, &mutant);
        probes.seed[p] = probe_text(&original, applies);
        probes.mutant[p] = probe_text(&mutant, applies);
    }
    vec_push(&search->probes, probes);
}

static void keep_witness(Search *search, const Candidate *c, const WitnessChange *change) {
    static const WitnessKind kind_of[] = {[CANDIDATE_MUTANT] = WITNESS_MUTANT,
                                          [CANDIDATE_BLEND] = WITNESS_MUTANT,
                                          [CANDIDATE_PROGRAM] = WITNESS_ORDINARY,
                                          [CANDIDATE_OPTION] = WITNESS_OPTION};
    bool mutated = kind_of[c->kind] == WITNESS_MUTANT;
    Witness witness = {
        .text = mem_strdup(c->kind == CANDIDATE_OPTION ? search->isolation->original : str_text(&c->text)),
        .kind = kind_of[c->kind],
        .summary = mem_strdup(str_text(mutated ? &c->mutation.summary : &c->name)),
        .line = c->mutation.line,
        .similarity = change->similarity,
        .order = mutated ? c->order : 0,
    };
    vec_push(&search->isolation->witnesses, witness);
    witness_set_add(&search->isolation->set, &c->cover, change);
    bool seed_is_there = !search->ir && c->kind == CANDIDATE_MUTANT && c->order == search->order;
    keep_probes(search, seed_is_there ? &search->seeds.items[c->seed] : NULL, &c->mutation);
}

static Seed seed_of(const Candidate *c) { return (Seed){.text = mem_strdup(str_text(&c->text)), .len = c->text.len}; }

/* A uniform sample of the failing mutants (reservoir sampling). */
static void keep_failing(Search *search, const Candidate *c) {
    search->failing_seen++;
    if (search->next_seeds.len < SEEDS_OF_AN_ORDER) {
        vec_push(&search->next_seeds, seed_of(c));
        return;
    }
    uint64_t place = rng_below(&search->rng, search->failing_seen);
    if (place < SEEDS_OF_AN_ORDER) {
        free(search->next_seeds.items[place].text);
        search->next_seeds.items[place] = seed_of(c);
    }
}

static void count_failing(Isolation *isolation, const Bitset *run) {
    isolation->failing_runs++;
    for (size_t s = bitset_next(run, 0); s < run->bits; s = bitset_next(run, s + 1))
        isolation->ef[s]++;
}

static void absorb(Search *search, Candidate *c) {
    const Method *method = search->options->method;
    Lesson lesson = {.passed = c->outcome == OUTCOME_PASSES};
    bool first_of_synth = method->blend && c->kind == CANDIDATE_MUTANT; /* it will count once it is blended */
    WitnessSet *set = first_of_synth ? &search->plain : &search->isolation->set;
    search->isolation->statistics.outcomes[c->outcome]++;
    if (c->outcome == OUTCOME_FAILS && method->fused)
        count_failing(search->isolation, &c->cover);
    if (c->kind == CANDIDATE_OPTION && !lean_search_learn(&search->lean, c->outcome))
        return; /* a group is no witness: its members will be */
    if (lesson.passed) {
        lesson.change = witness_set_try(set, &c->cover);
        lesson.accepted = method_accepts(method, &lesson.change);
    }
    if (lesson.accepted && first_of_synth) {
        witness_set_add(set, &c->cover, &lesson.change);
        vec_push(&search->plain_seeds, seed_of(c));
    } else if (lesson.accepted) {
        keep_witness(search, c, &lesson.change);
        search->passing_mutants += c->kind == CANDIDATE_MUTANT;
    }
    if (lesson.accepted && c->kind == CANDIDATE_BLEND && c->seed == search->blending) {
        search->blending++; /* one blended program per witness */
        search->blend_attempts = 0;
    }
    if (c->kind == CANDIDATE_MUTANT) {
        if (c->outcome == OUTCOME_FAILS)
            keep_failing(search, c);
        search_learn(search, &lesson, c);
    }
}

/* --- The loop --- */

static bool out_of_time(const Search *search) {
    int64_t limit = search->options->time_ms;
    return interrupt_count() > 0 || (limit && clock_ms() - search->start_ms >= limit);
}

static const char *reason_to_stop(const Search *search) {
    const IsolateOptions *options = search->options;
    if (out_of_time(search))
        return interrupt_count() > 0 ? "interrupt" : "time";
    if (options->mutants && search->submitted >= options->mutants)
        return "mutants";
    if (options->witnesses && search->isolation->witnesses.len >= options->witnesses)
        return "witnesses";
    return search->idle && pool_under_way(search->pool) == 0 ? "nothing left to try" : NULL;
}

static void show_status(const Search *search) {
    const IsolateStatistics *statistics = &search->isolation->statistics;
    if (console_status_due(search->console))
        console_status(search->console, "%s: %llu programs, %llu fail, %llu pass, %zu witnesses, order %u",
                       search->options->method->name, (unsigned long long)statistics->tested,
                       (unsigned long long)statistics->outcomes[OUTCOME_FAILS],
                       (unsigned long long)statistics->outcomes[OUTCOME_PASSES], search->isolation->witnesses.len,
                       search->order);
}

/* Takes the candidate. False where the machine fails again and again. */
static bool finish(Search *search, Candidate *c, Error *err) {
    search->isolation->statistics.tested++;
    search->errors_in_row = c->ok ? 0 : search->errors_in_row + 1;
    search->option_under_way &= c->kind != CANDIDATE_OPTION;
    search->idle = false;
    if (c->ok)
        absorb(search, c);
    else
        console_debug(search->console, "a program could not be tested: %s", c->err.text);
    bool go_on = search->errors_in_row < ERRORS_LIMIT || error_set(err, "%s", c->err.text);
    candidate_free(c);
    show_status(search);
    return go_on;
}

static void fill_pool(Search *search) {
    while (pool_under_way(search->pool) < search->options->jobs && !reason_to_stop(search)) {
        Candidate *candidate = search_propose(search);
        if (search->idle)
            break;
        if (!candidate)
            continue;
        search->submitted++;
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
    search->order = 1;
    if (options->method->policy)
        search->policy = options->method->policy->create(options->method->structural, &search->rng);
    search->start_ms = clock_ms();
    bool ok = loop(search, err);
    statistics->stopped_by = reason_to_stop(search);
    statistics->wall_ms = clock_ms() - search->start_ms;
    statistics->order = search->order;
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
    if (search->policy)
        search->options->method->policy->destroy(search->policy);
    seeds_release(&search->seeds);
    seeds_release(&search->next_seeds);
    seeds_release(&search->plain_seeds);
    witness_set_release(&search->plain);
    source_free(search->source);
    lean_search_release(&search->lean);
    map_release(&search->seen);
    for (size_t i = 0; i < search->probes.len; i++) {
        free(search->probes.items[i].seed_text);
        for (EffectProbe p = 0; p < EFFECT_PROBES; p++) {
            free(search->probes.items[i].seed[p]);
            free(search->probes.items[i].mutant[p]);
        }
    }
    vec_release(&search->probes);
}
