/* Convergence: how rankings move as evidence comes in, from recordings of bugs with known answers. More evidence must not
 * make a ranking worse.
 */
#ifndef EVALUATE_CONVERGE_H
#define EVALUATE_CONVERGE_H

#include "evaluate/metrics.h"
#include "isolate/recording.h"

enum { CONVERGE_SIZES = 8 };
extern const uint64_t converge_sizes[CONVERGE_SIZES]; /* programs: 10, 20, 40, …, 1280 */

typedef struct Convergence {
    Metrics files[CONVERGE_SIZES], functions[CONVERGE_SIZES];
    size_t whole[CONVERGE_SIZES]; /* recordings that have so many programs; the others count with all they have */
} Convergence;

/* False if the recording has no answer. */
bool convergence_add(Convergence *convergence, const Recording *recording, const IsolateOptions *options);
Json *convergence_json(const Convergence *convergence);
void convergence_table(const Convergence *convergence, size_t width, bool color, Str *ret_text);

#endif
