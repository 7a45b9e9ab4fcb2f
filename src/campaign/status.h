/* The status line of a running campaign. */
#ifndef CAMPAIGN_STATUS_H
#define CAMPAIGN_STATUS_H

#include "base/console.h"
#include "base/map.h"
#include "base/str.h"
#include "campaign/campaign.h"

typedef struct CampaignStatus {
    int64_t start_ms;
    int64_t left_ms;      /* until --time is up; negative: no such limit */
    uint64_t left_count;  /* tests until --count; UINT64_MAX: no such limit */
    const Map *kinds;     /* bugs of the campaign by kind */
    size_t steps_waiting; /* background work on bugs */
    bool stopping;
    const char *doing; /* what keeps tests waiting, or NULL */
} CampaignStatus;

void status_show(Console *console, const CampaignStatus *status, const CampaignSummary *summary, int64_t now_ms);
void status_append_kinds(Str *str, const Map *kinds); /* "3 crash, 1 wrong-code" */

#endif
