/* What the papers' methods leave open or have as parameters (RecBi's Figure 9), the same in isolate and bench. */
#ifndef CLI_RECBI_OPTIONS_H
#define CLI_RECBI_OPTIONS_H

#include "cli/command.h"
#include "isolate/isolate.h"

typedef struct RecbiArgs {
    const char *alpha;
    uint64_t horizon;
    bool copies;
} RecbiArgs;

#define RECBI_OPTIONS(Args, field)                                                                                  \
    OPTION(Args, field.alpha, "alpha", 0, OPTION_TEXT, "A",                                                         \
           "recbi: weight of diversity against similarity, 0 to 1 (default 0.8)"),                                  \
        OPTION(Args, field.horizon, "horizon", 0, OPTION_COUNT, "U", "recbi: future steps that count (default 5)"), \
        OPTION(Args, field.copies, "copies", 0, OPTION_FLAG, NULL,                                                  \
               "test mutants again that were tested before, as the papers may have done")

/* What is given replaces what the options have. */
bool recbi_options(const RecbiArgs *args, IsolateOptions *options, Error *err);

#endif
