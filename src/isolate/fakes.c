/* Fake passes (DiWi, Figure 9): witnesses that still have the bug, but whose output stopped showing it.
 *
 * The probes of mutate/effect.h are run with the reference compiler: a witness is marked if a probe changes what its
 * seed does but not what the witness does. Behaviours are cached by text, as the seed's own probes repeat for every
 * witness mutated at the same place. The time for it is bounded; what was not probed stays unmarked.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "isolate/search.h"
#include "proc/interrupt.h"

enum { LEAST_TIME_MS = 2000, SHARE_OF_TIME = 5 /* one fifth of the search */ };

typedef struct Behaviour {
    Search *search;
    const char *text;
    Hash hash;
    bool known;
} Behaviour;

static void find_behaviour(Runner *runner, size_t worker, void *job) {
    Behaviour *behaviour = job;
    Tester *tester = search_tester(behaviour->search, runner, worker, NULL);
    behaviour->known =
        tester && tester_behaviour(tester, behaviour->text, strlen(behaviour->text), &behaviour->hash, NULL);
}

static void need_probes(Map *table, const Witness *witness, const ProbeTexts *probes) {
    for (EffectProbe p = 0; p < EFFECT_PROBES; p++) {
        if (!probes->seed[p])
            continue;
        map_insert_str(table, probes->seed_text, NULL);
        map_insert_str(table, witness->text, NULL);
        map_insert_str(table, probes->seed[p], NULL);
        map_insert_str(table, probes->mutant[p], NULL);
    }
}

static void run_all(Search *search, Map *table) {
    /* A search that is bounded by a number of mutants must not depend on the clock. */
    int64_t share = search->isolation->statistics.wall_ms / SHARE_OF_TIME;
    int64_t deadline = search->options->time_ms ? clock_ms() + MAX_OF(share, (int64_t)LEAST_TIME_MS) : INT64_MAX;
    for (size_t i = 0; i < table->len && clock_ms() < deadline && interrupt_count() == 0; i++) {
        Behaviour *behaviour = mem_zalloc(1, sizeof *behaviour);
        behaviour->search = search;
        behaviour->text = table->entries[i].key;
        table->entries[i].pointer = behaviour;
        pool_submit(search->pool, find_behaviour, behaviour);
        while (pool_poll(search->pool))
            ;
    }
    while (pool_under_way(search->pool) > 0) { /* programs may run for seconds: look for interrupts in between */
        if (interrupt_count() > 0)
            pool_cancel(search->pool);
        pool_wait(search->pool, 100);
    }
}

static const Behaviour *behaviour_of(const Map *table, const char *text) {
    const MapEntry *entry = map_find_str(table, text);
    const Behaviour *behaviour = entry ? entry->pointer : NULL;
    return behaviour && behaviour->known ? behaviour : NULL;
}

static bool is_fake(const Map *table, const Witness *witness, const ProbeTexts *probes) {
    for (EffectProbe p = 0; p < EFFECT_PROBES; p++) {
        if (!probes->seed[p])
            continue;
        const Behaviour *seed = behaviour_of(table, probes->seed_text), *mutant = behaviour_of(table, witness->text);
        const Behaviour *seed_probe = behaviour_of(table, probes->seed[p]);
        const Behaviour *mutant_probe = behaviour_of(table, probes->mutant[p]);
        if (seed && mutant && seed_probe && mutant_probe && !hash_equal(seed->hash, seed_probe->hash) &&
            hash_equal(mutant->hash, mutant_probe->hash))
            return true;
    }
    return false;
}

void search_mark_fakes(Search *search) {
    Map table = {0};
    Isolation *isolation = search->isolation;
    for (size_t i = 0; i < isolation->witnesses.len; i++)
        need_probes(&table, &isolation->witnesses.items[i], &search->probes.items[i]);
    run_all(search, &table);
    for (size_t i = 0; i < isolation->witnesses.len; i++) {
        Witness *witness = &isolation->witnesses.items[i];
        witness->fake = is_fake(&table, witness, &search->probes.items[i]);
        isolation->statistics.fakes += witness->fake;
    }
    for (size_t i = 0; i < table.len; i++)
        free(table.entries[i].pointer);
    map_release(&table);
}
