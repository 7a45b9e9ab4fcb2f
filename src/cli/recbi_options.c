#include "cli/recbi_options.h"

#include <stdlib.h>

bool recbi_options(const RecbiArgs *args, IsolateOptions *options, Error *err) {
    enum { FARTHEST = 1000 }; /* the networks learn as many steps late */
    if (args->alpha) {
        char *end;
        double alpha = strtod(args->alpha, &end);
        if (end == args->alpha || *end || !(alpha >= 0 && alpha <= 1))
            return error_set(err, "--alpha: '%s' is no number between 0 and 1", args->alpha);
        options->alpha = alpha;
    }
    if (args->horizon > FARTHEST)
        return error_set(err, "--horizon: at most %d steps", FARTHEST);
    if (args->horizon)
        options->horizon = args->horizon;
    options->copies = args->copies;
    return true;
}
