/* RuleBook: how well each mutation rule has done so far, and DiWi's Metropolis-Hastings choice of the next one. */
#ifndef ISOLATE_RULEBOOK_H
#define ISOLATE_RULEBOOK_H

#include "base/rng.h"

typedef struct RuleBook RuleBook;

RuleBook *rulebook_new(size_t rule_count, Rng *rng); /* draws the first current rule */
void rulebook_free(RuleBook *book);
DEFINE_FREEP(RuleBook, rulebook_free)

/* The next rule by Metropolis-Hastings, among those with usable[rule]; at least one must be. It becomes current. */
size_t rulebook_next(RuleBook *book, const bool *usable, Rng *rng);
/* The rule was used; `accepted` with the mean distance of its witness to the earlier ones. */
void rulebook_update(RuleBook *book, size_t rule, bool accepted, double mean_distance);

size_t rulebook_position(const RuleBook *book, size_t rule); /* from 1, best first; equal scores share one */
double rulebook_score(const RuleBook *book, size_t rule);

/* The success probability p for a number of rules, and the acceptance of position kb after ka. */
double rulebook_p(size_t rule_count);
double rulebook_acceptance(double p, size_t ka, size_t kb);

#endif
