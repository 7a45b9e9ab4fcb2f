/* How much the execution of a bug-free sequence resembles that of the failing one: LocSeq's formulae (3) to (5). */
#ifndef ISOLATE_FITNESS_H
#define ISOLATE_FITNESS_H

#include "base/bitset.h"
#include "base/error.h"
#include "binary/unit_table.h"

typedef enum FitnessKind {
    FITNESS_CONTINUOUS, /* a run that covers the failing one's files counts like one that covers one file more */
    FITNESS_PAPER,      /* such a run counts Sim_s, which is less than almost any other */
    FITNESS_KINDS
} FitnessKind;

#define FITNESS_CHOICES "continuous|paper"

const char *fitness_name(FitnessKind kind);
bool fitness_parse(const char *name, FitnessKind *ret_kind, Error *err);

/* What does not change from run to run; zeroed is released. */
typedef struct FitnessBase {
    const UnitTable *units;
    Bitset failing;    /* Cov_b */
    Bitset files;      /* Cov_fb */
    Bitset in_files;   /* every statement of these files */
    size_t file_count; /* |Cov_fb| */
    FitnessKind kind;
} FitnessBase;

void fitness_init(FitnessBase *base, const UnitTable *units, const Bitset *failing, FitnessKind kind);
void fitness_release(FitnessBase *base);
/* Sim'(a, b) of a bug-free run; that of another one is 0, which is the caller's business. */
double fitness_of(const FitnessBase *base, const Bitset *run);

#endif
