/* Witnesses by mutation; for DiWi this is Algorithm 1 of the paper (the numbers are its lines):
 *
 *     while not terminated                                             3
 *         choose a seed                                         select(S)           4
 *         choose a rule, mutate                                 the policy          5-11
 *         test, cover                                           search.c            12
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
 */
#include "isolate/mutants.h"

#include <stdlib.h>

#include "isolate/score.h"
#include "isolate/strategy.h"
#include "mutate/llvm_ir.h"

enum {
    FRUITLESS_LIMIT = 400,  /* proposals without anything new until an order counts as used up */
    SEEDS_OF_AN_ORDER = 64, /* S' is a uniform sample of this size: each costs a parse when it is used */
};

/* --- Seeds --- */

void seeds_release(SeedList *seeds) {
    for (size_t i = 0; i < seeds->len; i++) {
        free(seeds->items[i].text);
        mutator_free(seeds->items[i].mutator);
    }
    vec_release(seeds);
}

Seed seed_of(const Candidate *c) { return (Seed){.text = mem_strdup(str_text(&c->text)), .len = c->text.len}; }

Mutator *seed_mutator(Seed *seed, const MutatorConfig *config) {
    if (!seed->mutator && !seed->unusable) {
        seed->mutator = mutator_new(seed->text, seed->len, config, NULL);
        seed->unusable = !seed->mutator;
    }
    return seed->mutator;
}

const Seed *mutants_seed(const Mutants *mutants, const Search *search, const Candidate *c) {
    return !search->ir && c->order == search->isolation->statistics.order ? &mutants->seeds.items[c->seed] : NULL;
}

bool mutants_note(Mutants *mutants, const Str *text) {
    Hash hash = hash_bytes(str_text(text), text->len);
    bool is_new;
    map_insert(&mutants->seen, &hash, sizeof hash, &is_new);
    return is_new;
}

/* --- Opening --- */

bool mutants_open(Mutants *mutants, Search *search, bool ingredients, Error *err) {
    const Method *method = search->options->method;
    const char *original = search->isolation->original;
    bug_sources(search->bug, &mutants->sources);
    mutants->config = (MutatorConfig){.file_name = mutants->sources.len ? mutants->sources.items[0] : NULL,
                                      .flags = bug_source_command(search->bug),
                                      .rule_count = method_rule_count(method),
                                      .mutate_guards = !search->bug->run};
    vec_push(&mutants->seeds, (Seed){.text = mem_strdup(original), .len = strlen(original)});
    if (ingredients && !search->ir) {
        mutants->ingredients = ingredients_load(search->pool_dir, search->subject->dir, search->console, err);
        mutants->config.ingredients = mutants->ingredients;
        if (!mutants->ingredients)
            return false;
    }
    const PolicyOptions policy = {.rule_count = mutants->config.rule_count, .horizon = search->options->horizon};
    mutants->policy = method->policy->create(&policy, &search->rng);
    return true;
}

bool mutants_check(const Mutants *mutants, const Search *search, Error *err) {
    if (search->ir)
        return true;
    const char *id = search->bug->id;
    const Seed *seed = &mutants->seeds.items[0];
    CLEANUP(mutator_freep) Mutator *mutator = mutator_new(seed->text, seed->len, &mutants->config, err);
    if (!mutator)
        return error_context(err, "%s cannot be mutated; use --method dev or rand, which need not parse it", id);
    for (size_t rule = 0; rule < mutation_rule_count; rule++)
        if (mutator_holes(mutator, rule))
            return true;
    return error_set(err,
                     "%s has nothing that could be mutated (%zu parse errors); use --method dev or rand, or give a "
                     "program that parses",
                     id, mutator_parse_errors(mutator));
}

void mutants_close(Mutants *mutants, const Search *search) {
    if (mutants->policy)
        search->options->method->policy->destroy(mutants->policy);
    seeds_release(&mutants->seeds);
    seeds_release(&mutants->next_seeds);
    map_release(&mutants->seen);
    ingredients_free(mutants->ingredients);
    strlist_release(&mutants->sources);
}

/* --- Proposing --- */

static void learn(Mutants *mutants, const Search *search, const Lesson *lesson, const Candidate *c) {
    if (!search->ir)
        search->options->method->policy->learn(mutants->policy, lesson, c->token);
}

Candidate *mutants_mutate(Mutants *mutants, Search *search) {
    Candidate *c = candidate_new(search, CANDIDATE_MUTANT);
    c->seed = rng_below(&search->rng, mutants->seeds.len);
    Seed *seed = &mutants->seeds.items[c->seed];
    bool mutated;
    if (search->ir)
        mutated = ir_mutate(seed->text, seed->len, search->bug->run, &search->rng, &c->text, &c->mutation);
    else {
        Mutator *mutator = seed_mutator(seed, &mutants->config);
        mutated = mutator && search->options->method->policy->mutate(mutants->policy, mutator, &search->rng, &c->text,
                                                                     &c->mutation, &c->token);
    }
    if (mutated && (search->options->copies || mutants_note(mutants, &c->text)))
        return c;
    if (mutated) {
        search->isolation->statistics.repeated++;
        learn(mutants, search, &(Lesson){0}, c);
    }
    candidate_free(c);
    return NULL;
}

static bool order_is_over(const Mutants *mutants, const Search *search) {
    double share = 1; /* of the limits that is left after `order` halvings */
    for (unsigned n = 0; n < search->isolation->statistics.order; n++)
        share /= 2;
    return mutants->fruitless >= FRUITLESS_LIMIT || search_progress(search) > 1 - share;
}

/* S <- S': failing mutants become seeds, as long as no witness was found. */
static void next_order(Mutants *mutants, Search *search) {
    mutants->fruitless = 0;
    if (mutants->next_seeds.len == 0)
        return;
    seeds_release(&mutants->seeds);
    mutants->seeds = mutants->next_seeds;
    mutants->next_seeds = (SeedList){0};
    mutants->failing_seen = 0;
    search->isolation->statistics.order++;
}

bool mutants_go_on(Mutants *mutants, Search *search) {
    if (mutants->over)
        return false;
    if (mutants->accepted == 0 && order_is_over(mutants, search) &&
        (mutants->next_seeds.len || mutants->fruitless < FRUITLESS_LIMIT))
        next_order(mutants, search);
    mutants->over = mutants->fruitless >= FRUITLESS_LIMIT;
    return !mutants->over;
}

Candidate *mutants_propose(Mutants *mutants, Search *search) {
    if (!mutants_go_on(mutants, search))
        return NULL;
    Candidate *candidate = mutants_mutate(mutants, search);
    mutants->fruitless = candidate ? 0 : mutants->fruitless + 1;
    return candidate;
}

void mutants_learn(Mutants *mutants, Search *search, const Lesson *lesson, const Candidate *c) {
    mutants->accepted += lesson->accepted;
    if (c->outcome == OUTCOME_FAILS) { /* a uniform sample of them (reservoir sampling) */
        mutants->failing_seen++;
        uint64_t place = mutants->next_seeds.len;
        if (place < SEEDS_OF_AN_ORDER)
            vec_push(&mutants->next_seeds, seed_of(c));
        else if ((place = rng_below(&search->rng, mutants->failing_seen)) < SEEDS_OF_AN_ORDER) {
            free(mutants->next_seeds.items[place].text);
            mutants->next_seeds.items[place] = seed_of(c);
        }
    }
    learn(mutants, search, lesson, c);
}

/* --- The strategy --- */

static bool open_mutants(Search *search, Tester *tester, Error *err) {
    (void)tester;
    Mutants *mutants = search->state = mem_zalloc(1, sizeof *mutants);
    if (!mutants_open(mutants, search, search->options->method->structural, err))
        return false;
    search->isolation->unfit = !mutants_check(mutants, search, err);
    return !search->isolation->unfit;
}

static void close_mutants(Search *search) {
    if (search->state)
        mutants_close(search->state, search);
    free(search->state);
}

static Candidate *propose(Search *search) {
    Mutants *mutants = search->state;
    Candidate *candidate = mutants_propose(mutants, search);
    search->idle = mutants->over;
    return candidate;
}

static void absorb(Search *search, Candidate *c) {
    Mutants *mutants = search->state;
    Lesson lesson = search_judge(search, &search->isolation->set, c);
    if (lesson.accepted) {
        search_keep(search, c, &lesson.change, mutants_seed(mutants, search, c))->counted = true;
        spectrum_add_passing(&search->isolation->spectrum, WITNESS_MUTANT, &c->cover);
    }
    mutants_learn(mutants, search, &lesson, c);
}

const Strategy strategy_mutants = {open_mutants, close_mutants, propose, absorb, score_by_witnesses};
