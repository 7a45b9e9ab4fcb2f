/* Hunt: a campaign whose test is one program under every compiler and option set of a matrix. */
#ifndef CAMPAIGN_HUNT_H
#define CAMPAIGN_HUNT_H

#include "campaign/campaign.h"

/* NULL, 0 and empty lists mean: as the campaign has it, else the default. */
typedef struct HuntOptions {
    CampaignOptions campaign;

    const StrList *compilers; /* command lines, --cc */
    const char *set_file, *set_name;
    const StrList *flags;      /* to every compilation */
    const StrList *link_flags; /* to every link */
    const char *emulator;      /* words in front of the program */
    int64_t compile_ms, run_ms;
    uint64_t memory_bytes; /* of each compiler and program */

    const char *generator, *language, *standard;
    uint64_t size;           /* of programs, bytes */
    const StrList *switches; /* of our own generator, words of gen_switch_parse */
} HuntOptions;

HuntOptions hunt_defaults(void);
bool hunt(const HuntOptions *options, Console *console, CampaignSummary *ret_summary, Error *err);

#endif
