/* Hunt: a campaign that looks for compiler bugs until time, count or the user ends it.
 *
 * Everything it learns is in the campaign's directory: campaign.db (store.h) and bugs/<id>/ (bugdir.h). A directory with
 * a campaign is resumed with its own settings; options that are given replace them, except those that decide which
 * program belongs to a seed.
 *
 * Further work on a bug (reduction, triage, isolation) is a list of steps, taken for every bug directory that is kept in the
 * background on the campaign's workers (explain/queue.h). What time, an interrupt or a kill left undone is done when the
 * campaign is resumed.
 */
#ifndef CAMPAIGN_HUNT_H
#define CAMPAIGN_HUNT_H

#include "explain/steps.h"

/* NULL, 0 and empty lists mean: as the campaign has it, else the default. */
typedef struct HuntOptions {
    const char *dir;
    bool must_be_new;

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
    bool has_seed;
    uint64_t seed; /* of a new campaign; drawn by the caller where the user gave none */

    int64_t time_ms;
    uint64_t count;
    size_t workers;
    uint64_t duplicates_per_bug;
    unsigned repeats;

    const ExplainStep *steps;
    size_t step_count;
} HuntOptions;

typedef struct HuntSummary {
    bool resumed, interrupted;
    uint64_t tests, new_bugs, hits; /* of this run; flaky results are no bugs */
    uint64_t all_tests, all_bugs;   /* of the campaign */
    uint64_t refused;               /* seeds that the generator made no program of */
    uint64_t cut;                   /* tests that ran when time was up; they run again when the campaign is resumed */
    int64_t wall_ms;
    int64_t generate_us, compile_us, run_us; /* CPU time of this run */
    int64_t repeat_us;                       /* CPU time of the repetitions that verify failures */
    int64_t own_us;                          /* CPU time of culprit itself */
} HuntSummary;

HuntOptions hunt_defaults(void);
bool hunt(const HuntOptions *options, Console *console, HuntSummary *ret_summary, Error *err);

#endif
