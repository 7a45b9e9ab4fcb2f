/* Mutator: one program text, parsed once, and its mutants.
 *
 *     CLEANUP(mutator_freep) Mutator *mutator = mutator_new(text, len, &config, err);
 *     if (mutator_holes(mutator, rule) > 0 && mutator_apply(mutator, rule, &rng, &mutant, &mutation)) …
 *
 * Mutants are source edits on the text, never reprints. The oracle (printf family, abort, __builtin_abort,
 * __builtin_trap, exit, return of main) and what is inside of macros is never mutated. A mutant of a mutant is made by
 * a new Mutator for the mutant's text. Equal texts, rules and random streams give equal mutants. One thread at a time;
 * the ingredients may be shared.
 */
#ifndef MUTATE_MUTATOR_H
#define MUTATE_MUTATOR_H

#include "base/rng.h"
#include "base/strlist.h"
#include "mutate/ingredients.h"
#include "mutate/rule_table.h"
#include "clang/edit.h"

typedef struct MutatorConfig {
    const char *file_name;          /* "fail.c": the suffix tells the language; NULL: C */
    const StrList *flags;           /* the compiler's command line; what parsing needs is picked from it; may be NULL */
    const Ingredients *ingredients; /* NULL: no structural rules but goto */
    size_t rule_count;              /* the first so many rules of the table; 0: all */
    /* Conditions that guard nothing but the oracle, as in `if (x != 42) abort ();`, may be mutated: right if the
     * program's output is no oracle, that is for crashes of the compiler. */
    bool mutate_guards;
} MutatorConfig;

/* What was done, for the user's diff, statistics and the effect probes. Zeroed is empty; reused by mutator_apply. */
typedef struct Mutation {
    size_t rule;
    EditList edits;
    uint32_t line;       /* of the mutated place in the original */
    uint32_t begin, end; /* the mutated place in the original, bytes: the hole, or the statement that was wrapped */
    Str summary;         /* "line 7: < becomes <=" */
} Mutation;

void mutation_release(Mutation *mutation);

typedef struct Mutator Mutator;

/* The text is copied. Fails if it cannot be parsed at all; texts with errors give the holes that can be told. */
Mutator *mutator_new(const char *text, size_t len, const MutatorConfig *config, Error *err);
void mutator_free(Mutator *mutator);
DEFINE_FREEP(Mutator, mutator_free)

size_t mutator_parse_errors(const Mutator *mutator);
/* At how many places the rule applies; 0 masks it, and so do rules beyond rule_count. */
size_t mutator_holes(const Mutator *mutator, size_t rule);
/* Whether any rule of the operator applies. */
bool mutator_operator_applies(const Mutator *mutator, MutationOperator operator);

/* Draws one place of the rule uniformly and mutates it. Writes the mutant (the Str is cleared first) and the record
 * (may be NULL). False if the rule applies nowhere, or the drawn place has no valid replacement after all. */
bool mutator_apply(Mutator *mutator, size_t rule, Rng *rng, Str *ret_text, Mutation *ret_mutation);
/* The same with an operator: the rule is drawn uniformly from those of the operator that apply (RecBi's action). */
bool mutator_apply_operator(Mutator *mutator, MutationOperator operator, Rng * rng, Str *ret_text,
                            Mutation *ret_mutation);
/* Not by a rule: a statement or block of the ingredients is inserted somewhere, with what it depends on (DiWi's blending). */
bool mutator_blend(Mutator *mutator, Rng *rng, Str *ret_text, Mutation *ret_mutation);

#endif
