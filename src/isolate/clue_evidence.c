/* What a clue is worth. A clue is never proof: statements that none speaks about keep a share of their suspicion.
 *
 *     named      triage's first file is the guilty one for two bugs in five, one of the others for one in seven
 *     damage     the compiler's own checks fail right behind a pass of these files
 *     stack      the files of functions on the stack of a crash, the inner ones more. What is on it for every program says
 *                nothing: a function counts by the share of ordinary programs that do not execute it. A crash that a check
 *                of the compiler found has the check on its stack, not its cause: then the stack is not used.
 *     history    n earlier fixes make a file as likely as (1 + n)^HISTORY does
 *     unchanged  an older version has the function too, and not the bug
 *     front end  it reads the program in the same way at every level of optimisation; where a lower one hides the bug, what it
 *                executes for rare syntax, and no ordinary program does, is hardly the cause
 *
 * The constants of names, stacks and history were chosen on GCC 11 bugs whose reports have even numbers, that of the front end on
 * these and the even ones of GCC 12, among a few values each; neighbouring ones give the same results but for one bug. No bug of
 * that set has damage that checks find, or an older version to compare with: these two constants are guesses.
 */
#include "isolate/clue_evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NAMED_FIRST = 1, NAMED_LATER = 0.6, NAMED_NOT = 0.3;
static const double DAMAGE_FIRST = 1, DAMAGE_LATER = 0.6, DAMAGE_NOT = 0.3;
static const double STACK_NOT = 0.5, STACK_DECAY = 0.8;
static const double HISTORY = 0.3;
static const double UNCHANGED = 0.1;
static const double FRONT_END = 0.3;

/* Factors of files and functions; a statement takes the larger of both, or `otherwise` if both are 0. */
typedef struct Factors {
    double *of_file, *of_function;
    double otherwise;
    bool any;
} Factors;

static void raise(Factors *factors, double *factor, double value) {
    *factor = MAX_OF(*factor, value);
    factors->any = true;
}

/* --- The kinds --- */

static void weigh_files(const Isolation *isolation, ClueKind kind, double first, double later, double not,
                        Factors *factors) {
    const UnitTable *units = isolation->units;
    factors->otherwise = not ;
    for (size_t i = 0; i < isolation->clues.len; i++) {
        const Clue *clue = &isolation->clues.items[i];
        size_t file = clue->kind == kind ? unit_table_find_file(units, clue->file) : units->file_count;
        if (file < units->file_count)
            raise(factors, &factors->of_file[file], clue->number == 1 ? first : later);
    }
}

/* The share of ordinary programs that do not execute a function: of its statements, the one that runs most often tells. */
static double *specificity(const Isolation *isolation, const Spectrum *spectrum) {
    const UnitTable *units = isolation->units;
    const Bitset *suspects = &spectrum->suspects;
    double runs = (double)spectrum->passing_runs[WITNESS_ORDINARY];
    double *share = mem_zalloc(units->function_count + 1, sizeof *share);
    for (size_t f = 0; f < units->function_count; f++)
        share[f] = 1;
    for (size_t s = bitset_next(suspects, 0); runs > 0 && s < suspects->bits; s = bitset_next(suspects, s + 1)) {
        double *of = &share[units->units[s].function];
        *of = MIN_OF(*of, 1 - spectrum->passed[WITNESS_ORDINARY][s] / (runs + 1));
    }
    return share;
}

/* A check that runs behind others' work: what it finds broken was broken before. */
static bool is_check(const char *function) {
    static const char *const checks[] = {"verify_",     "checking_verify", "gimple_verify",     "rtl_verify",
                                         "_fatal_insn", "llvm::verify",    "llvm::VerifierPass"};
    for (size_t i = 0; i < ARRAY_LEN(checks); i++)
        if (str_starts(function, checks[i]))
            return true;
    return false;
}

static bool found_by_a_check(const Clues *clues) {
    enum { INNERMOST = 4 };
    for (size_t i = 0; i < clues->len; i++) {
        const Clue *clue = &clues->items[i];
        if (clue->kind == CLUE_DAMAGE ||
            (clue->kind == CLUE_STACK && clue->number <= INNERMOST && is_check(clue->function)))
            return true;
    }
    return false;
}

static void weigh_stack(const Isolation *isolation, const Spectrum *spectrum, Factors *factors) {
    const UnitTable *units = isolation->units;
    const Clues *clues = &isolation->clues;
    factors->otherwise = STACK_NOT;
    if (!clues_have(clues, CLUE_STACK) || found_by_a_check(clues))
        return;
    bool *covered = mem_zalloc(units->function_count + 1, sizeof *covered);
    const Bitset *suspects = &spectrum->suspects;
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1))
        covered[units->units[s].function] = true;
    double *specific = specificity(isolation, spectrum);
    double passed = 0; /* specific frames further in, which make the next one less likely */
    for (size_t i = 0; i < clues->len; i++) {
        double here = 0;
        for (uint32_t f = 0; clues->items[i].kind == CLUE_STACK && f < units->function_count; f++) {
            if (!covered[f] || !unit_function_is(units, f, clues->items[i].function))
                continue;
            double value = STACK_NOT + (1 - STACK_NOT) * specific[f] * pow(STACK_DECAY, passed);
            raise(factors, &factors->of_file[units->functions[f].file], value);
            here = MAX_OF(here, specific[f]);
        }
        passed += here;
    }
    free(specific);
    free(covered);
}

static void weigh_history(const Isolation *isolation, Factors *factors) {
    const UnitTable *units = isolation->units;
    double most = 0;
    for (size_t i = 0; i < isolation->clues.len; i++)
        if (isolation->clues.items[i].kind == CLUE_HISTORY)
            most = MAX_OF(most, (double)isolation->clues.items[i].number);
    factors->otherwise = pow(1 / (1 + most), HISTORY);
    for (size_t i = 0; i < isolation->clues.len; i++) {
        const Clue *clue = &isolation->clues.items[i];
        size_t file = clue->kind == CLUE_HISTORY ? unit_table_find_file(units, clue->file) : units->file_count;
        if (file < units->file_count)
            raise(factors, &factors->of_file[file], pow((1 + (double)clue->number) / (1 + most), HISTORY));
    }
}

static void weigh_unchanged(const Isolation *isolation, Factors *factors) {
    const UnitTable *units = isolation->units;
    Map unchanged = {0}; /* "file\nfunction" */
    CLEANUP(str_release) Str key = {0};
    for (size_t i = 0; i < isolation->clues.len; i++) {
        const Clue *clue = &isolation->clues.items[i];
        if (clue->kind != CLUE_UNCHANGED)
            continue;
        str_clear(&key);
        str_printf(&key, "%s\n%s", clue->file, clue->function);
        map_insert_str(&unchanged, str_text(&key), NULL);
    }
    factors->otherwise = 1;
    for (uint32_t f = 0; unchanged.len && f < units->function_count; f++) {
        str_clear(&key);
        str_printf(&key, "%s\n%s", unit_file_name(units, units->functions[f].file), unit_function_name(units, f));
        if (map_find_str(&unchanged, str_text(&key)))
            raise(factors, &factors->of_function[f], UNCHANGED);
    }
    map_release(&unchanged);
}

static void weigh_front_end(const Isolation *isolation, Factors *factors) {
    const UnitTable *units = isolation->units;
    factors->otherwise = 1;
    for (size_t i = 0; i < isolation->clues.len; i++)
        for (size_t f = 0; isolation->clues.items[i].kind == CLUE_FRONT_END && f < units->file_count; f++)
            if (str_starts(unit_file_name(units, (uint32_t)f), isolation->clues.items[i].file))
                raise(factors, &factors->of_file[f], FRONT_END);
}

/* --- All of them --- */

double *clue_evidence(const Isolation *isolation, const Spectrum *spectrum, ClueKind kind) {
    const UnitTable *units = isolation->units;
    const Bitset *suspects = &spectrum->suspects;
    Factors factors = {.of_file = mem_zalloc(units->file_count + 1, sizeof(double)),
                       .of_function = mem_zalloc(units->function_count + 1, sizeof(double))};
    switch (kind) {
    case CLUE_NAMED: weigh_files(isolation, kind, NAMED_FIRST, NAMED_LATER, NAMED_NOT, &factors); break;
    case CLUE_DAMAGE: weigh_files(isolation, kind, DAMAGE_FIRST, DAMAGE_LATER, DAMAGE_NOT, &factors); break;
    case CLUE_STACK: weigh_stack(isolation, spectrum, &factors); break;
    case CLUE_HISTORY: weigh_history(isolation, &factors); break;
    case CLUE_UNCHANGED: weigh_unchanged(isolation, &factors); break;
    case CLUE_FRONT_END: weigh_front_end(isolation, &factors); break;
    case CLUE_KINDS: break;
    }
    double *evidence = factors.any ? mem_zalloc(suspects->bits + 1, sizeof *evidence) : NULL;
    for (size_t s = bitset_next(suspects, 0); evidence && s < suspects->bits; s = bitset_next(suspects, s + 1)) {
        const Unit *unit = &units->units[s];
        double factor = MAX_OF(factors.of_file[unit->file], factors.of_function[unit->function]);
        evidence[s] = factor > 0 ? factor : factors.otherwise;
    }
    free(factors.of_file);
    free(factors.of_function);
    return evidence;
}
