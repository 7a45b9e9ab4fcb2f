/* What a campaign keeps of a test's results.
 *
 * For each result in this order: write the directories of its bugs, queue the work on them, record it. A kill in between
 * leaves a directory without a record: the test then runs again and writes the same directory again. All of it returns
 * false where the campaign cannot go on: the store or a directory cannot be written.
 */
#ifndef CAMPAIGN_KEEP_H
#define CAMPAIGN_KEEP_H

#include "campaign/campaign.h"

typedef struct KeptFinding {
    StoreHit hit;        /* but for the directory */
    const char *name;    /* of the directory, where one is kept */
    const char *message; /* to the user, at the first sight of the bug */
    bool is_warning;     /* the message: not about a compiler */
    bool is_bug;         /* false: flaky, listed and not counted */
} KeptFinding;

/* Writes bugs_dir/name for the finding with that number. */
typedef bool KeepWrite(Campaign *campaign, CampaignTest *test, size_t finding, const char *bugs_dir, const char *name,
                       Error *err);

/* `row` but for its hits and time. */
bool keep_findings(Campaign *campaign, CampaignTest *test, const KeptFinding *findings, size_t count, KeepWrite *write,
                   StoreTest *row, Error *err);

/* A seed without a program is the generator's failure: listed among the bugs, and held against no compiler. */
bool keep_refusal(Campaign *campaign, CampaignTest *test, const char *generator, const char *why, StoreTest *row,
                  Error *err);

#endif
