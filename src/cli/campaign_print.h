/* What hunt and seq print at their end. */
#ifndef CLI_CAMPAIGN_PRINT_H
#define CLI_CAMPAIGN_PRINT_H

#include "campaign/campaign.h"
#include "cli/command.h"

ExitStatus campaign_print(Cli *cli, const CampaignSummary *summary, const char *dir);

#endif
