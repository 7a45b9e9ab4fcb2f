/* Settings: what a campaign works with, from the options, from the store where it is resumed, else by default.
 *
 * Options that decide which program belongs to a test number (generator, language, standard, size, switches, seed) never change
 * in a campaign. The others (compilers, flags, limits) hold from the moment they are given.
 */
#ifndef CAMPAIGN_SETTINGS_H
#define CAMPAIGN_SETTINGS_H

#include "campaign/hunt.h"
#include "compiler/compiler.h"
#include "store/store.h"

typedef struct HuntSettings {
    const char *generator, *standard; /* standard may be NULL */
    Language language;
    uint64_t size, seed;
    StrList switches; /* of our own generator */
    StrList flags, link_flags, emulator;
    int64_t compile_ms, run_ms; /* 0: the default of execute.h */
    uint64_t memory_bytes;
    Matrix matrix;
    Matrix references;       /* what `reference` points into */
    const Config *reference; /* vouches for the bugs of a campaign's only compiler; NULL: nothing does */
    Arena arena;             /* of the strings */
} HuntSettings;

/* Reads, decides, probes the compilers, and stores what was decided. */
bool settings_resolve(const HuntOptions *options, Store *store, Runner *runner, HuntSettings *ret_settings, Error *err);
void settings_release(HuntSettings *settings);

#endif
