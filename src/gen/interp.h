/* The interpreter: runs the program's one execution exactly and repairs the first undefined operation it meets.
 *
 * Statements are run one at a time, in the order of the program. Each run of a statement is a transaction: if it
 * cannot be completed (too many steps, a pointer out of its array) nothing has happened and the caller drops it.
 */
#ifndef GEN_INTERP_H
#define GEN_INTERP_H

#include "base/rng.h"
#include "gen/ir.h"

typedef struct Undo {
    uint32_t cell;
    int64_t value;
} Undo;

typedef struct Interp {
    const TypeTable *types;
    Arena *arena; /* for nodes that repairs add */
    Rng rng;      /* for the constants of repairs */
    GenStatistics *statistics;
    int64_t *cells; /* globals first, then the stack of frames */
    Extent *extents;
    uint32_t capacity;
    uint32_t frame, top; /* the running function's frame, the first free cell */
    uint32_t run, epoch; /* number of this run; of the first run of this statement */
    uint32_t reruns;     /* of this statement */
    unsigned depth;      /* of calls */
    bool abandoned;      /* this run is void: a repair changed what it had executed before, or it gave up */
    bool gave_up;
    uint64_t steps, step_limit; /* of this run */
    int64_t result;             /* of the function that returned */
    int64_t label;              /* that a goto looks for */
    Vec(Undo) undo;             /* what this run overwrote */
} Interp;

void interp_init(Interp *in, IrProgram *program, Arena *arena, const Rng *rng, GenStatistics *statistics);
void interp_release(Interp *in);

/* Enters a function without parameters; its frame grows as the builder declares locals. */
void interp_enter(Interp *in);
void interp_declare(Interp *in, const Function *function, const Symbol *symbol);

/* Runs one statement of the entered function; false if it must be dropped. */
bool interp_statement(Interp *in, Stmt *stmt);
/* Evaluates a condition that stands in straight-line code; false if it must be dropped. */
bool interp_condition(Interp *in, Expr *expr, bool *ret_value);

#endif
