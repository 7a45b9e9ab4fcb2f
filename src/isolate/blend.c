/* Witnesses of DiWi blended with code of other programs (DiWi, section 5.6.4: its variables renamed to compatible ones). Only
 * the blended programs count as witnesses of the isolation; DiWi's own make a set by themselves. */
#include <stdlib.h>

#include "isolate/mutants.h"
#include "isolate/score.h"
#include "isolate/strategy.h"

enum { BLEND_ATTEMPTS = 10 }; /* per witness of DiWi */

typedef struct Blend {
    Mutants mutants;
    WitnessSet plain;     /* DiWi's own witnesses */
    SeedList plain_seeds; /* their texts */
    size_t blending;      /* which of them is being blended */
    size_t attempts;
} Blend;

static bool open_blend(Search *search, Tester *tester, Error *err) {
    (void)tester;
    Blend *blend = search->state = mem_zalloc(1, sizeof *blend);
    const WitnessSet *set = &search->isolation->set;
    witness_set_init(&blend->plain, &set->failing, set->alpha);
    if (!mutants_open(&blend->mutants, search, true, err))
        return false;
    search->isolation->unfit = !mutants_check(&blend->mutants, search, err);
    return !search->isolation->unfit;
}

static void close_blend(Search *search) {
    Blend *blend = search->state;
    if (!blend)
        return;
    mutants_close(&blend->mutants, search);
    witness_set_release(&blend->plain);
    seeds_release(&blend->plain_seeds);
    free(blend);
}

static void next_witness(Blend *blend) {
    blend->blending++;
    blend->attempts = 0;
}

static Candidate *propose_blend(Blend *blend, Search *search) {
    static const MutationOperator inserts[] = {MUTATION_INSERT_CALL, MUTATION_INSERT_IF, MUTATION_INSERT_WHILE};
    Candidate *c = candidate_new(search, CANDIDATE_BLEND);
    c->seed = blend->blending;
    Mutator *mutator = seed_mutator(&blend->plain_seeds.items[c->seed], &blend->mutants.config);
    MutationOperator insert = inserts[rng_below(&search->rng, ARRAY_LEN(inserts))];
    if (++blend->attempts >= BLEND_ATTEMPTS)
        next_witness(blend);
    if (mutator && mutator_apply_operator(mutator, insert, &search->rng, &c->text, &c->mutation) &&
        mutants_note(&blend->mutants, &c->text))
        return c;
    candidate_free(c);
    return NULL;
}

static Candidate *propose(Search *search) {
    Blend *blend = search->state;
    Mutants *mutants = &blend->mutants;
    search->idle = !mutants_go_on(mutants, search);
    if (search->idle)
        return NULL;
    bool unblended = blend->blending < blend->plain_seeds.len;
    Candidate *candidate = unblended ? propose_blend(blend, search) : mutants_mutate(mutants, search);
    mutants->fruitless = candidate ? 0 : mutants->fruitless + 1;
    return candidate;
}

static void absorb(Search *search, Candidate *c) {
    Blend *blend = search->state;
    bool plain = c->kind == CANDIDATE_MUTANT;
    Lesson lesson = search_judge(search, plain ? &blend->plain : &search->isolation->set, c);
    if (lesson.accepted && plain) {
        witness_set_add(&blend->plain, &c->cover, &lesson.change);
        vec_push(&blend->plain_seeds, seed_of(c));
    } else if (lesson.accepted) {
        search_keep(search, c, &lesson.change, NULL)->counted = true;
        spectrum_add_passing(&search->isolation->spectrum, WITNESS_MUTANT, &c->cover);
        if (c->seed == blend->blending)
            next_witness(blend); /* one blended program per witness */
    }
    if (plain)
        mutants_learn(&blend->mutants, search, &lesson, c);
}

const Strategy strategy_blend = {open_blend, close_blend, propose, absorb, score_by_witnesses};
