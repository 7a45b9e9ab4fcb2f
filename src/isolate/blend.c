/* Witnesses of DiWi blended with statements and blocks of other programs (DiWi, section 5.6.4; mutate/statements.c). Only the
 * blended programs count as witnesses of the isolation; DiWi's own make a set by themselves.
 *
 * The paper blends after DiWi's hour is over, each witness again and again until a blended program is a witness. Here one limit
 * serves both: mutants and blends are proposed by turns while a witness is unblended, and the witnesses take turns, so that
 * one that nothing can be blended with does not keep the others waiting. */
#include <stdlib.h>

#include "isolate/mutants.h"
#include "isolate/score.h"
#include "isolate/strategy.h"

typedef struct Blend {
    Mutants mutants;
    WitnessSet plain;     /* DiWi's own witnesses */
    SeedList plain_seeds; /* their texts */
    Vec(bool) blended;    /* whether each has its blended program */
    size_t unblended;     /* how many have not */
    size_t next;          /* whose turn it is */
    bool mutants_turn;
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
    vec_release(&blend->blended);
    free(blend);
}

static Candidate *propose_blend(Blend *blend, Search *search) {
    while (blend->blended.items[blend->next % blend->blended.len])
        blend->next++;
    Candidate *c = candidate_new(search, CANDIDATE_BLEND);
    c->seed = blend->next++ % blend->blended.len;
    Mutator *mutator = seed_mutator(&blend->plain_seeds.items[c->seed], &blend->mutants.config);
    if (mutator && mutator_blend(mutator, &search->rng, &c->text, &c->mutation) &&
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
    blend->mutants_turn = !blend->mutants_turn;
    Candidate *candidate =
        blend->unblended && !blend->mutants_turn ? propose_blend(blend, search) : mutants_mutate(mutants, search);
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
        vec_push(&blend->blended, false);
        blend->unblended++;
    } else if (lesson.accepted && !blend->blended.items[c->seed]) { /* one blended program per witness */
        search_keep(search, c, &lesson.change, NULL)->counted = true;
        spectrum_add_passing(&search->isolation->spectrum, WITNESS_MUTANT, &c->cover);
        blend->blended.items[c->seed] = true;
        blend->unblended--;
    }
    if (plain)
        mutants_learn(&blend->mutants, search, &lesson, c);
}

const Strategy strategy_blend = {open_blend, close_blend, propose, absorb, score_by_witnesses};
