/* DiWi's choice of mutation rules (Chen et al., FSE 2019, sections 4.2.2 and 5.2, Algorithm 1 lines 5 to 10 and 18 to 20).
 *
 *     Score(MR)     = (1/m  sum over i = 1..m of Dist(P, P_i)) * Rate_s
 *     Rate_s        = times MR gave an accepted witness / times MR was selected
 *     Pa(MRb | MRa) = (1 - p)^(kb - ka)       k: position in the list sorted by descending Score; 1 where kb <= ka
 *
 * The distance in Score is that of MR's latest accepted witness; for the very first witness it is 1. A proposal that is
 * rejected is followed by another, as in the repeat loop of Algorithm 1. Equal scores have equal positions, as in the
 * authors' tool: k is 1 + the number of rules with a higher Score, so that rules are drawn uniformly while nothing is known
 * of them.
 *
 * p satisfies the paper's three conditions for n rules: (1) 0.95 <= sum over k = 1..n of (1-p)^(k-1) p <= 1,
 * (2) p >= 1/n, (3) (1-p)^(n-1) p < epsilon, "a quite small deviation (e.g. 0.001)". The paper's 0.023 for 132 rules
 * gives 0.00109 in (3), so epsilon is 0.001 to one digit: we ask for less than 0.0015, and take the smallest multiple of
 * 0.001 that satisfies all three.
 */
#include "isolate/rulebook.h"

#include <math.h>
#include <stdlib.h>

typedef struct RuleRecord {
    uint64_t selected, accepted;
    double distance; /* of its latest accepted witness */
} RuleRecord;

struct RuleBook {
    size_t rule_count;
    double p;
    size_t current;
    RuleRecord *records;
};

double rulebook_p(size_t rule_count) {
    double n = (double)rule_count;
    for (int thousandths = 1; thousandths < 1000; thousandths++) {
        double p = thousandths / 1000.0, rest = pow(1 - p, n);
        if (1 - rest >= 0.95 && p >= 1 / n && rest / (1 - p) * p < 0.0015)
            return p;
    }
    return 0.999; /* one or two rules: no p below 1 satisfies (1) or (3), and there is hardly anything to choose */
}

double rulebook_acceptance(double p, size_t ka, size_t kb) { return kb <= ka ? 1 : pow(1 - p, (double)(kb - ka)); }

RuleBook *rulebook_new(size_t rule_count, Rng *rng) {
    BUG_ON(rule_count == 0);
    RuleBook *book = mem_zalloc(1, sizeof *book);
    book->rule_count = rule_count;
    book->p = rulebook_p(rule_count);
    book->records = mem_zalloc(rule_count, sizeof *book->records);
    book->current = rng_below(rng, rule_count);
    return book;
}

void rulebook_free(RuleBook *book) {
    if (!book)
        return;
    free(book->records);
    free(book);
}

double rulebook_score(const RuleBook *book, size_t rule) {
    const RuleRecord *record = &book->records[rule];
    return record->selected ? record->distance * (double)record->accepted / (double)record->selected : 0;
}

size_t rulebook_position(const RuleBook *book, size_t rule) {
    double score = rulebook_score(book, rule);
    size_t position = 1;
    for (size_t other = 0; other < book->rule_count; other++)
        position += rulebook_score(book, other) > score;
    return position;
}

size_t rulebook_next(RuleBook *book, const bool *usable, Rng *rng) {
    size_t ka = rulebook_position(book, book->current), next;
    do {
        do
            next = rng_below(rng, book->rule_count);
        while (!usable[next]);
    } while (rng_real(rng) >= rulebook_acceptance(book->p, ka, rulebook_position(book, next)));
    book->current = next;
    return next;
}

void rulebook_update(RuleBook *book, size_t rule, bool accepted, double mean_distance) {
    RuleRecord *record = &book->records[rule];
    record->selected++;
    if (accepted) {
        record->accepted++;
        record->distance = mean_distance;
    }
}
