/* Why is this file suspected? In words: its clues, then what runs without the bug leave out of it.
 *
 * How much of a file a run leaves out is counted by suspicion: the share of the scores of its statements that do not run.
 */
#include <stdlib.h>
#include <string.h>

#include "isolate/isolate.h"

enum { OPTIONS_TOLD = 3, FRAMES_TOLD = 3 };
static const double WORTH_TELLING = 0.25; /* of what is suspicious in the file */

/* The share of what is suspicious in the file that the run leaves out; 0 if nothing in it is. */
static double left_out(const Isolation *isolation, const UnitFile *file, const Bitset *run) {
    const Bitset *failing = &isolation->set.failing;
    double all = 0, missing = 0;
    for (size_t s = bitset_next(failing, file->first_unit); s < file->first_unit + file->unit_count;
         s = bitset_next(failing, s + 1)) {
        all += isolation->scores[s];
        missing += bitset_get(run, s) ? 0 : isolation->scores[s];
    }
    return all > 0 ? missing / all : 0;
}

/* --- Clues --- */

static void tell_files(const Isolation *isolation, const char *name, StrList *clauses) {
    for (size_t i = 0; i < isolation->clues.len; i++) {
        const Clue *clue = &isolation->clues.items[i];
        if (clue->file && !clue->function && clue->why && str_equal(clue->file, name))
            strlist_add(clauses, clue->why);
    }
}

static void tell_stack(const Isolation *isolation, uint32_t file, StrList *clauses) {
    const UnitTable *units = isolation->units;
    CLEANUP(strlist_release) StrList frames = {0};
    for (size_t i = 0; i < isolation->clues.len && frames.len < FRAMES_TOLD; i++) {
        const Clue *clue = &isolation->clues.items[i];
        bool here = false;
        for (uint32_t f = 0; clue->kind == CLUE_STACK && f < units->function_count && !here; f++)
            here = units->functions[f].file == file && unit_function_is(units, f, clue->function);
        if (here)
            strlist_addf(&frames, "%s (frame %u)", clue->function, clue->number);
    }
    CLEANUP(mem_freep) char *names = strlist_join(&frames, ", ");
    if (frames.len)
        strlist_addf(clauses, "the stack of the crash passes through %s", names);
}

static void tell_unchanged(const Isolation *isolation, uint32_t file, StrList *clauses) {
    const UnitTable *units = isolation->units;
    const Bitset *failing = &isolation->set.failing;
    size_t unchanged = 0, functions = 0;
    uint32_t last = UINT32_MAX;
    if (!clues_have(&isolation->clues, CLUE_UNCHANGED))
        return;
    for (size_t i = 0; i < isolation->clues.len; i++)
        unchanged += isolation->clues.items[i].kind == CLUE_UNCHANGED &&
                     str_equal(isolation->clues.items[i].file, unit_file_name(units, file));
    const UnitFile *range = &units->files[file];
    bool *seen = mem_zalloc(units->function_count + 1, sizeof *seen);
    for (size_t s = bitset_next(failing, range->first_unit); s < range->first_unit + range->unit_count;
         s = bitset_next(failing, s + 1)) {
        last = units->units[s].function;
        functions += !seen[last];
        seen[last] = true;
    }
    free(seen);
    if (unchanged < functions)
        strlist_addf(clauses, "%zu of its %zu functions that ran are not as in the older version without the bug",
                     functions - unchanged, functions);
}

/* --- Runs --- */

typedef struct Telling {
    size_t witness;
    double share;
} Telling;

static int by_share(const void *a, const void *b) {
    double x = ((const Telling *)a)->share, y = ((const Telling *)b)->share;
    return (x < y) - (x > y);
}

static void tell_options(const Isolation *isolation, const UnitFile *file, StrList *clauses) {
    Vec(Telling) telling = {0};
    for (size_t i = 0; i < isolation->witnesses.len; i++) {
        WitnessKind kind = isolation->witnesses.items[i].kind;
        if (kind != WITNESS_OPTION && kind != WITNESS_STEP)
            continue;
        double share = left_out(isolation, file, &isolation->set.runs.items[i]);
        if (share >= WORTH_TELLING)
            vec_push(&telling, ((Telling){i, share}));
    }
    vec_sort(&telling, by_share);
    for (size_t i = 0; i < telling.len && i < OPTIONS_TOLD; i++) {
        const Witness *witness = &isolation->witnesses.items[telling.items[i].witness];
        strlist_addf(clauses, "with %s the bug is gone, and %.0f%% of what is suspicious here does not run",
                     witness->summary, 100 * telling.items[i].share);
    }
    vec_release(&telling);
}

static void tell_mutants(const Isolation *isolation, const UnitFile *file, StrList *clauses) {
    size_t mutants = 0, telling = 0;
    for (size_t i = 0; i < isolation->witnesses.len; i++) {
        if (isolation->witnesses.items[i].kind != WITNESS_MUTANT)
            continue;
        mutants++;
        telling += left_out(isolation, file, &isolation->set.runs.items[i]) >= WORTH_TELLING;
    }
    if (telling)
        strlist_addf(clauses, "%zu of %zu mutants without the bug leave a quarter or more of it out", telling, mutants);
}

static void tell_failing(const Isolation *isolation, const UnitFile *file, StrList *clauses) {
    const Bitset *failing = &isolation->set.failing;
    const Spectrum *spectrum = &isolation->spectrum;
    size_t needed = 0, statements = 0;
    for (size_t s = bitset_next(failing, file->first_unit); s < file->first_unit + file->unit_count;
         s = bitset_next(failing, s + 1)) {
        statements++;
        needed += spectrum->failed[s] == spectrum->failing_runs;
    }
    if (spectrum->failing_runs > 1)
        strlist_addf(clauses, "all %zu runs that show the bug execute %zu of its %zu statements",
                     spectrum->failing_runs, needed, statements);
}

void isolation_reasons(const Isolation *isolation, uint32_t file, StrList *ret_clauses) {
    const UnitFile *range = &isolation->units->files[file];
    tell_files(isolation, unit_file_name(isolation->units, file), ret_clauses);
    tell_stack(isolation, file, ret_clauses);
    tell_unchanged(isolation, file, ret_clauses);
    if (isolation->set.runs.len == isolation->witnesses.len) { /* not in recordings, which keep no single runs */
        tell_options(isolation, range, ret_clauses);
        tell_mutants(isolation, range, ret_clauses);
    }
    tell_failing(isolation, range, ret_clauses);
}
