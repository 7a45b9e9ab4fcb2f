/* LocSeq, section III-C. a is the bug-free sequence, b the failing one:
 *
 *     Sim'(a, b)  = Sim_s(a, b) / (1 - Sim_f(a, b))                                          (3)
 *     Sim_s(a, b) = |Cov'_a and Cov_b| / |Cov'_a or Cov_b|                                   (4)
 *     Sim_f(a, b) = |Cov_fa and Cov_fb| / |Cov_fa or Cov_fb|                                 (5)
 *
 * Cov'_a are the statements that a covers in files that both cover; Cov_b are all of b's.
 *
 * Where a and b cover the same files, (3) has no value, and the paper sets Sim' = Sim_s: at most 1, while a single file of
 * hundreds that differs makes Sim' hundreds. The best individuals would be the first to die out. Theirs was rare, ours is
 * not, since parsing and start-up are not covered here. FITNESS_CONTINUOUS gives such a run what it would have if a covered
 * one file more than b's n: then Sim_f = n / (n + 1), so that Sim' = Sim_s * (n + 1).
 */
#include "isolate/fitness.h"

static const char *const names[FITNESS_KINDS] = {"continuous", "paper"};

const char *fitness_name(FitnessKind kind) { return names[kind]; }

bool fitness_parse(const char *name, FitnessKind *ret_kind, Error *err) {
    for (FitnessKind kind = 0; kind < FITNESS_KINDS; kind++)
        if (str_equal(names[kind], name)) {
            *ret_kind = kind;
            return true;
        }
    return error_set(err, "there is no fitness \"%s\"; choose one of " FITNESS_CHOICES, name);
}

static bool covers_file(const UnitFile *file, const Bitset *run) {
    return bitset_next(run, file->first_unit) < file->first_unit + file->unit_count;
}

void fitness_init(FitnessBase *base, const UnitTable *units, const Bitset *failing, FitnessKind kind) {
    *base = (FitnessBase){.units = units, .kind = kind};
    bitset_init_copy(&base->failing, failing);
    bitset_init(&base->files, units->file_count);
    bitset_init(&base->in_files, units->unit_count);
    for (size_t f = 0; f < units->file_count; f++) {
        const UnitFile *file = &units->files[f];
        if (!covers_file(file, failing))
            continue;
        bitset_set(&base->files, f);
        base->file_count++;
        for (size_t s = file->first_unit; s < file->first_unit + file->unit_count; s++)
            bitset_set(&base->in_files, s);
    }
}

void fitness_release(FitnessBase *base) {
    bitset_release(&base->failing);
    bitset_release(&base->files);
    bitset_release(&base->in_files);
    *base = (FitnessBase){0};
}

double fitness_of(const FitnessBase *base, const Bitset *run) {
    size_t both_files = 0, either_files = 0;
    for (size_t f = 0; f < base->units->file_count; f++) {
        bool of_a = covers_file(&base->units->files[f], run), of_b = bitset_get(&base->files, f);
        both_files += of_a && of_b;
        either_files += of_a || of_b;
    }
    /* Cov'_a is what a covers in b's files, since a covers every file that it covers a statement of. */
    size_t both = bitset_count_and(run, &base->failing);
    size_t either = bitset_count_and(run, &base->in_files) + bitset_count(&base->failing) - both;
    double sim_s = either ? (double)both / (double)either : 0;
    if (both_files < either_files)
        return sim_s / (1 - (double)both_files / (double)either_files);
    return base->kind == FITNESS_PAPER ? sim_s : sim_s * (double)(base->file_count + 1);
}
