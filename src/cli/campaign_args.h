/* The options that every campaign has, one table for `hunt` and `seq`.
 *
 * A command embeds CampaignArgs in its arguments, CAMPAIGN_ARGS in its options and CAMPAIGN_ARGS_DEFAULTS in its
 * defaults, as with GenSwitches.
 */
#ifndef CLI_CAMPAIGN_ARGS_H
#define CLI_CAMPAIGN_ARGS_H

#include "campaign/campaign.h"
#include "cli/command.h"

typedef struct CampaignArgs {
    int64_t time_ms;
    uint64_t count, duplicates, repeats;
    bool must_be_new, reduce, triage;
    const char *isolate;
} CampaignArgs;

#define CAMPAIGN_ARGS_DEFAULTS \
    { .duplicates = 5, .repeats = 2 }

#define CAMPAIGN_ARGS(Args, field, count_help, triage_help, isolate_help)                                         \
    OPTION(Args, field.time_ms, "time", 't', OPTION_DURATION, "T", "stop after this time"),                       \
        OPTION(Args, field.count, "count", 'n', OPTION_COUNT, "N", count_help),                                   \
        OPTION(Args, field.must_be_new, "new", 0, OPTION_FLAG, NULL, "refuse a directory that holds a campaign"), \
        OPTION(Args, field.duplicates, "duplicates-per-bug", 0, OPTION_COUNT, "N",                                \
               "directories to keep of one bug (default 5); further hits are only counted"),                      \
        OPTION(Args, field.repeats, "repeat", 0, OPTION_COUNT, "N",                                               \
               "repetitions before a failure counts (default 2); one that does not repeat is flaky"),             \
        OPTION(Args, field.reduce, "reduce", 0, OPTION_FLAG, NULL, "shrink each kept bug, in the background"),    \
        OPTION(Args, field.triage, "triage", 0, OPTION_FLAG, NULL, triage_help),                                  \
        OPTION(Args, field.isolate, "isolate", 0, OPTION_TEXT, "SUBJECT", isolate_help)

/* Sets all options of the campaign but its directory; they borrow from the steps. */
bool campaign_args_apply(const Cli *cli, const CampaignArgs *args, ExplainSteps *ret_steps, CampaignOptions *options,
                         Error *err);

#endif
