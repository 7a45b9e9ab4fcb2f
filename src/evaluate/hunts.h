/* Campaigns side by side: which finds more distinct bugs, for the same CPU time and in the same time, and which bugs only one
 * side found.
 *
 * A side is a list of repeats of one campaign with different seeds. A bug is a cluster of triage, by its fingerprint, or where
 * triage has not looked its key. Campaigns are compared at what all of them spent: counts at the end of runs of unequal length
 * would compare lengths. The tests are those of CTOS: Mann-Whitney U and Vargha-Delaney A12 over the repeats.
 */
#ifndef EVALUATE_HUNTS_H
#define EVALUATE_HUNTS_H

#include "base/json.h"
#include "base/vec.h"
#include "evaluate/statistics.h"

typedef struct HuntFind {
    char *bug;    /* fingerprint or key */
    double hours; /* of the campaign when it was first seen */
    double cpu_hours;
} HuntFind;

typedef struct HuntRepeat {
    char *dir;
    uint64_t tests;
    double hours, cpu_hours; /* of the whole campaign */
    Vec(HuntFind) finds;     /* in the order of time */
} HuntRepeat;

enum { HUNT_SIDES = 2 };

typedef struct HuntsResult {
    Vec(HuntRepeat) sides[HUNT_SIDES];
    double hours, cpu_hours;        /* that all campaigns reached */
    StrList only[HUNT_SIDES], both; /* distinct bugs, in the order they were found */
    RankTest by_cpu, by_time;       /* distinct bugs at the common CPU time, at the common time */
    double a12_by_cpu, a12_by_time; /* of the first side */
} HuntsResult;

bool bench_hunts(const StrList *first, const StrList *second, HuntsResult *ret_result, Error *err);
void hunts_result_release(HuntsResult *result);
/* Distinct bugs that a campaign had found by then. */
size_t hunt_finds_at(const HuntRepeat *repeat, double hours, double cpu_hours);
void hunts_result_table(const HuntsResult *result, size_t width, bool color, Str *ret_text);
Json *hunts_result_json(const HuntsResult *result);

#endif
