#include "cli/campaign_args.h"

bool campaign_args_apply(const Cli *cli, const CampaignArgs *args, ExplainSteps *ret_steps, CampaignOptions *options,
                         Error *err) {
    if (!steps_choose(args->triage, args->reduce, args->isolate, cli->console, ret_steps, err))
        return false;
    options->must_be_new = args->must_be_new;
    options->has_seed = cli->has_seed;
    options->seed = cli->seed;
    options->time_ms = args->time_ms;
    options->count = args->count;
    options->workers = cli->jobs;
    options->duplicates_per_bug = args->duplicates;
    options->repeats = (unsigned)args->repeats;
    options->steps = ret_steps->items;
    options->step_count = ret_steps->len;
    return true;
}
