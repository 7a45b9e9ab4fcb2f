/* Effect probes: does the reference output still depend on the mutated code? (DiWi, Figure 9: fake passing programs.)
 *
 * A passing mutant is *fake* when the bug is still there and only the output stopped showing it. The cheap check: take
 * the mutated statement out of both programs. If that changes what the original does under the reference compiler, but
 * not what the mutant does, then the mutation cut the output loose from the mutated code, as in Figure 9c, where
 * `b = 0` becomes `b = 1` and b is 1 already. The same with the mutated value perturbed instead of the statement
 * removed.
 *
 *     for (EffectProbe p = 0; p < EFFECT_PROBES; p++)
 *         if (effect_probe(mutator, &mutation, p, &original_probe, &mutant_probe))
 *             fake |= run(original) != run(original_probe) && run(mutant) == run(mutant_probe);
 *
 * where run() is the reference compiler's program: output and exit status. run(original_probe) repeats for mutants of
 * the same place: cache by text. Mutations of declarations have no statement to take out: no probe, never marked.
 */
#ifndef MUTATE_EFFECT_H
#define MUTATE_EFFECT_H

#include "mutate/mutator.h"

typedef enum EffectProbe {
    EFFECT_DROP,    /* the statement becomes ; */
    EFFECT_PERTURB, /* the mutated integer value is xored with 1 */
    EFFECT_PROBES,
} EffectProbe;

/* False if the probe does not apply to this mutation. Both Strs are cleared first. */
bool effect_probe(const Mutator *mutator, const Mutation *mutation, EffectProbe probe, Str *ret_original,
                  Str *ret_mutant);

#endif
