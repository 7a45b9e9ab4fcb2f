#include "isolate/method.h"

#include "isolate/strategy.h"

const Method methods[] = {
    {.name = "fusion",
     .summary = "mutants, options switched off, ordinary programs and failing runs, all at once",
     .strategy = &strategy_fusion,
     .policy = &policy_random_operator,
     .distinct = true,
     .stable = 100,
     .takes_clues = true,
     .structural = true,
     .additions = true,
     .aggregation = AGGREGATE_LENGTH},
    {.name = "diwi",
     .summary = "local mutation, rules by Metropolis-Hastings (Chen et al. 2019)",
     .strategy = &strategy_mutants,
     .policy = &policy_metropolis,
     .acceptance = ACCEPT_DISTINCT},
    {.name = "diwi-rand",
     .summary = "DiWi without guidance",
     .strategy = &strategy_mutants,
     .policy = &policy_random_rule},
    {.name = "recbi",
     .summary = "local and structural mutation, operators by actor-critic learning (Chen et al. 2020)",
     .strategy = &strategy_mutants,
     .policy = &policy_actor_critic,
     .structural = true,
     .acceptance = ACCEPT_IMPROVES},
    {.name = "recbi-mh",
     .summary = "RecBi's mutations, operators by Metropolis-Hastings",
     .strategy = &strategy_mutants,
     .policy = &policy_metropolis_operator,
     .structural = true,
     .acceptance = ACCEPT_DISTINCT},
    {.name = "recbi-rand",
     .summary = "RecBi's mutations without guidance",
     .strategy = &strategy_mutants,
     .policy = &policy_random_operator,
     .structural = true},
    {.name = "recbi-filter",
     .summary = "random operators, witnesses that lower the set's quality dropped",
     .strategy = &strategy_mutants,
     .policy = &policy_random_operator,
     .structural = true,
     .acceptance = ACCEPT_NO_WORSE},
    {.name = "dev",
     .summary = "witnesses are the passing tests of the compiler's developers",
     .strategy = &strategy_pool,
     .whole_suite = true},
    {.name = "rand", .summary = "witnesses are random programs", .strategy = &strategy_random},
    {.name = "sbfl",
     .summary = "the same tests, spectrum of whole files",
     .strategy = &strategy_files,
     .whole_suite = true},
    {.name = "synth",
     .summary = "DiWi's witnesses blended with statements of the pool",
     .strategy = &strategy_blend,
     .policy = &policy_metropolis,
     .acceptance = ACCEPT_DISTINCT},
    {.name = "locseq",
     .summary = "bug-free pass sequences by a constrained genetic algorithm (Zhou et al. 2022)",
     .strategy = &strategy_locseq},
    {.name = "locseq-r", .summary = "LocSeq with random sequences", .strategy = &strategy_locseq_r},
    {.name = "locseq-wc", .summary = "LocSeq without its constraint", .strategy = &strategy_locseq_wc},
    {.name = "locseq-rwc", .summary = "LocSeq with neither", .strategy = &strategy_locseq_rwc},
    {.name = NULL},
};

const Method *method_find(const char *name, Error *err) {
    for (const Method *method = methods; method->name; method++)
        if (str_equal(method->name, name))
            return method;
    Str names = {0};
    for (const Method *method = methods; method->name; method++)
        str_printf(&names, "%s%s", names.len ? ", " : "", method->name);
    error_set(err, "there is no method \"%s\"; choose one of %s", name, str_text(&names));
    str_release(&names);
    return NULL;
}

size_t method_rule_count(const Method *method) {
    if (method->additions)
        return mutation_rule_count;
    return method->structural ? mutation_recbi_rule_count : mutation_diwi_rule_count;
}

bool method_accepts(const Method *method, const WitnessChange *change) {
    switch (method->acceptance) {
    case ACCEPT_ALL: return true;
    case ACCEPT_DISTINCT: return change->least_distance > 0;
    case ACCEPT_IMPROVES: /* with alpha = 1 a single witness has no quality, and there would never be two */
        return change->delta_quality > 0 || change->first;
    case ACCEPT_NO_WORSE: return change->delta_quality >= 0;
    }
    BUG("no such acceptance");
}
