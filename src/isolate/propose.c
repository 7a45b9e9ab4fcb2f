/* Proposals: what the search tests next.
 *
 * A method has one kind of candidate: mutants, blends (synth), or programs of a source. The fused method takes its three
 * kinds by turns while they last: options, ordinary programs, mutants. Options are tried one group at a time, because each
 * answer changes the configuration that the next one is tried in; mutants are tested in the leanest one known.
 */
#include <string.h>

#include "base/clock.h"
#include "isolate/search.h"

enum {
    FRUITLESS_LIMIT = 400, /* proposals without anything new until an order counts as used up */
    BLEND_ATTEMPTS = 10,   /* per witness of DiWi */
    ORDINARY_MOST = 30,    /* ordinary programs for the fused method; twice as many changed nothing */
};

static Candidate *candidate_new(Search *search, CandidateKind kind) {
    Candidate *candidate = mem_zalloc(1, sizeof *candidate);
    candidate->search = search;
    candidate->kind = kind;
    candidate->order = search->order;
    return candidate;
}

void seeds_release(SeedList *seeds) {
    for (size_t i = 0; i < seeds->len; i++) {
        free(seeds->items[i].text);
        mutator_free(seeds->items[i].mutator);
    }
    vec_release(seeds);
}

static Mutator *seed_mutator(Search *search, Seed *seed) {
    if (!seed->mutator && !seed->unusable) {
        seed->mutator = mutator_new(seed->text, seed->len, &search->mutator_config, NULL);
        seed->unusable = !seed->mutator;
    }
    return seed->mutator;
}

/* Whether the text is new; notes it. */
static bool note_text(Search *search, const Str *text) {
    Hash hash = hash_bytes(str_text(text), text->len);
    bool is_new;
    map_insert(&search->seen, &hash, sizeof hash, &is_new);
    return is_new;
}

static bool mutate(Search *search, Seed *seed, Candidate *c) {
    if (search->ir)
        return ir_mutate(seed->text, seed->len, search->tester_config->bug->run, &search->rng, &c->text, &c->mutation);
    Mutator *mutator = seed_mutator(search, seed);
    return mutator && search->options->method->policy->mutate(search->policy, mutator, &search->rng, &c->text,
                                                              &c->mutation, &c->token);
}

void search_learn(Search *search, const Lesson *lesson, const Candidate *c) {
    if (!search->ir)
        search->options->method->policy->learn(search->policy, lesson, c->token);
}

static Candidate *propose_mutant(Search *search) {
    Candidate *c = candidate_new(search, CANDIDATE_MUTANT);
    c->seed = rng_below(&search->rng, search->seeds.len);
    if (mutate(search, &search->seeds.items[c->seed], c)) {
        strlist_add_all(&c->lean, &search->lean.lean);
        if (note_text(search, &c->text))
            return c;
        search->isolation->statistics.repeated++;
        search_learn(search, &(Lesson){0}, c);
    }
    candidate_free(c);
    return NULL;
}

/* DiWi, section 5.6.4: code of other programs, with variables renamed to compatible ones, inserted into a witness. */
static Candidate *propose_blend(Search *search) {
    static const MutationOperator inserts[] = {MUTATION_INSERT_CALL, MUTATION_INSERT_IF, MUTATION_INSERT_WHILE};
    Candidate *c = candidate_new(search, CANDIDATE_BLEND);
    c->seed = search->blending;
    Mutator *mutator = seed_mutator(search, &search->plain_seeds.items[c->seed]);
    MutationOperator insert = inserts[rng_below(&search->rng, ARRAY_LEN(inserts))];
    if (++search->blend_attempts >= BLEND_ATTEMPTS) {
        search->blending++;
        search->blend_attempts = 0;
    }
    if (mutator && mutator_apply_operator(mutator, insert, &search->rng, &c->text, &c->mutation) &&
        note_text(search, &c->text))
        return c;
    candidate_free(c);
    return NULL;
}

static Candidate *propose_program(Search *search) {
    Candidate *c = candidate_new(search, CANDIDATE_PROGRAM);
    bool wanted = !search->options->method->fused || search->ordinary++ < ORDINARY_MOST;
    if (wanted && source_next(search->source, &c->text, &c->name))
        return c;
    search->no_programs = true;
    candidate_free(c);
    return NULL;
}

static Candidate *propose_option(Search *search) {
    Candidate *c = candidate_new(search, CANDIDATE_OPTION);
    lean_search_next(&search->lean, &c->options);
    CLEANUP(mem_freep) char *name = strlist_join(&c->options, " ");
    str_append(&c->name, name);
    strlist_add_all(&c->lean, &search->lean.lean);
    search->option_under_way = true;
    return c;
}

/* How much of the given limits is used up: 0 at the start, 1 at the end. */
static double progress(const Search *search) {
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

static bool order_is_over(const Search *search) {
    double share = 1; /* of the limits that is left after `order` halvings */
    for (unsigned n = 0; n < search->order; n++)
        share /= 2;
    return search->fruitless >= FRUITLESS_LIMIT || progress(search) > 1 - share;
}

/* S <- S': failing mutants become seeds, as long as no witness was found. */
static void next_order(Search *search) {
    search->fruitless = 0;
    if (search->next_seeds.len == 0)
        return;
    seeds_release(&search->seeds);
    search->seeds = search->next_seeds;
    search->next_seeds = (SeedList){0};
    search->failing_seen = 0;
    search->order++;
}

static bool has_witness(const Search *search) { return search->passing_mutants > 0 || search->plain_seeds.len > 0; }

/* A mutant or a blend of the current order, or of the next one where this one is over; sets `no_mutants` at the end. */
static Candidate *propose_mutation(Search *search) {
    if (!has_witness(search) && order_is_over(search) &&
        (search->next_seeds.len || search->fruitless < FRUITLESS_LIMIT))
        next_order(search);
    if (search->fruitless >= FRUITLESS_LIMIT) {
        search->no_mutants = true;
        return NULL;
    }
    bool blend = search->options->method->blend && search->blending < search->plain_seeds.len;
    Candidate *candidate = blend ? propose_blend(search) : propose_mutant(search);
    search->fruitless = candidate ? 0 : search->fruitless + 1;
    return candidate;
}

Candidate *search_propose(Search *search) {
    enum { OPTION, PROGRAM, MUTANT, TURNS };
    for (unsigned kind = 0; kind < TURNS; kind++) {
        uint64_t turn = search->turn++ % TURNS;
        if (turn == OPTION && !search->option_under_way && !lean_search_over(&search->lean))
            return propose_option(search);
        if (turn == PROGRAM && !search->no_programs)
            return propose_program(search);
        if (turn == MUTANT && !search->no_mutants)
            return propose_mutation(search);
    }
    search->idle = true;
    return NULL;
}
