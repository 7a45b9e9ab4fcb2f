/* An exact interpreter that repairs.
 *
 * The paper tracks values along straight-line code, so it meets every operation once and may rewrite it on the spot.
 * Here an operation can run many times, in loops and in functions, and a rewrite changes what its earlier executions
 * computed. Three cases, told apart by the run in which the operation was first executed:
 *
 *   1. never before in this run of the statement: rewrite it by the table and go on, as in the paper;
 *   2. before, in this run of the statement: rewrite it, roll the statement back and run it again;
 *   3. before, in an earlier statement (a function that was called already), or rewritten twice already (rewrites can
 *      chase each other: + becomes - becomes +), or the statement was run again too often: switch the operation to the
 *      form that is safe for all values. It gives what the plain one gave wherever that was defined, so that nothing
 *      executed before changes, and the run goes on.
 *
 * A run that is void goes on until the end of the current expression, with harmless values, and then stops: all its
 * stores are in the undo log.
 */
#include "gen/interp.h"

#include "gen/repair.h"

#define REPAIR_LIMIT 2    /* rewrites of one operation, before it becomes safe */
#define RERUN_LIMIT 6     /* runs of one statement, before its operations become safe at once */
#define STEP_LIMIT 100000 /* operations that one statement may execute */
#define DEPTH_LIMIT 24    /* nested calls */
#define MAX_ARGUMENTS 8

typedef enum Signal { SIGNAL_NEXT, SIGNAL_BREAK, SIGNAL_CONTINUE, SIGNAL_RETURN, SIGNAL_GOTO, SIGNAL_STOP } Signal;

static int64_t eval(Interp *in, Expr *e);
static Signal exec_list(Interp *in, Stmt *s);

static void give_up(Interp *in) { in->abandoned = in->gave_up = true; }

static void reserve(Interp *in, uint32_t cells) {
    if (cells <= in->capacity)
        return;
    uint32_t old = in->capacity;
    in->capacity = MAX_OF(cells + 1024, old * 2);
    in->cells = mem_realloc(in->cells, in->capacity, sizeof(*in->cells));
    in->extents = mem_realloc(in->extents, in->capacity, sizeof(*in->extents));
    memset(in->cells + old, 0, (in->capacity - old) * sizeof(*in->cells));
    memset(in->extents + old, 0, (in->capacity - old) * sizeof(*in->extents));
}

static void store(Interp *in, uint32_t cell, int64_t value) {
    vec_push(&in->undo, (Undo){cell, in->cells[cell]});
    in->cells[cell] = value;
}

/* --- Repairs --- */

/* Decides between the three cases above. True: rewrite. False: use the safe form, which is noted. */
static bool may_rewrite(Interp *in, Expr *e) {
    bool earlier_statement = e->first_run && e->first_run < in->epoch;
    bool earlier_here = e->first_run == in->run;
    if (earlier_statement || e->repairs >= REPAIR_LIMIT || (earlier_here && in->reruns >= RERUN_LIMIT)) {
        e->safe = true;
        e->first_run = in->run;
        in->statistics->safe_forms++;
        return false;
    }
    e->repairs++;
    in->statistics->repairs++;
    if (earlier_here)
        in->abandoned = true;
    return true;
}

/* A run that was rolled back does not count as an execution. */
static void mark_executed(const Interp *in, Expr *e) {
    if (e->first_run == 0 || e->first_run >= in->epoch)
        e->first_run = in->run;
}

/* Rewrites `e` once, and a and b to the values of its new operands; true if *ret_value is final. */
static bool apply_rewrite(Interp *in, Expr *e, Fault fault, int64_t *a, int64_t *b, int64_t *ret_value) {
    const Type *count = e->b->type->promoted;
    Rewrite r = repair_rewrite(e->op, fault, e->operation->ints, *a, *b, count->ints, &in->rng);
    Expr *constant;
    switch (r.kind) {
    case REWRITE_OPERATOR: e->op = (uint8_t)r.op; return false;
    case REWRITE_LEFT:
        e->kind = EXPR_PLUS;
        *ret_value = *a;
        return true;
    case REWRITE_RIGHT:
        e->kind = EXPR_CAST;
        e->a = e->b;
        *ret_value = int_convert(*b, e->type->ints);
        return true;
    case REWRITE_COUNT_PLUS:
    case REWRITE_COUNT_MINUS:
        constant = expr_const(in->arena, count, r.constant);
        e->b = expr_binary(in->arena, in->types, r.kind == REWRITE_COUNT_PLUS ? OP_ADD : OP_SUB, e->b, constant);
        e->b->first_run = in->run;
        *b = r.kind == REWRITE_COUNT_PLUS ? *b + r.constant : (int64_t)((uint64_t)*b - (uint64_t)r.constant);
        return false;
    case REWRITE_BIAS:
        constant = expr_const(in->arena, e->operation, r.constant);
        e->a = expr_binary(in->arena, in->types, OP_ADD, e->a, constant);
        e->a->first_run = in->run;
        *a += r.constant;
        return false;
    }
    return false;
}

/* The value of `e` after its repair; `value` is what the safe form gives. */
static int64_t repair_binary(Interp *in, Expr *e, Fault fault, int64_t a, int64_t b, int64_t value) {
    if (in->abandoned || !may_rewrite(in, e))
        return value;
    for (int i = 0; fault && i <= REPAIR_CHAIN; i++) {
        if (apply_rewrite(in, e, fault, &a, &b, &value))
            break;
        fault = arith_binary(e->op, e->operation->ints, a, b, e->b->type->promoted->ints, &value);
    }
    e->first_run = in->run;
    return value;
}

/* Turns `a op= b` into `a = a op b`, to which the table's other rewrites apply. */
static void unfold_compound(Interp *in, Expr *e) {
    Expr *binary = expr_binary(in->arena, in->types, e->op, expr_copy(in->arena, e->a, true), e->b);
    binary->first_run = e->first_run;
    binary->repairs = e->repairs;
    e->kind = EXPR_ASSIGN;
    e->b = binary;
}

/* --- Expressions --- */

static uint32_t eval_index(Interp *in, Expr *e, uint32_t start) {
    uint64_t index = (uint64_t)eval(in, e->b);
    mark_executed(in, e);
    if (e->safe)
        index %= e->length;
    else if (index >= e->length) {
        if (!in->abandoned) {
            e->safe = true;
            in->statistics->safe_forms++;
        }
        index %= e->length;
    }
    return start + (uint32_t)index * e->type->cells;
}

/* The cell of an object. */
static uint32_t place(Interp *in, Expr *e) {
    switch (e->kind) {
    case EXPR_VAR: return e->symbol->is_global ? e->symbol->cell : in->frame + e->symbol->cell;
    case EXPR_INDEX:
        return eval_index(in, e, e->a->type->kind == TYPE_ARRAY ? place(in, e->a) : (uint32_t)eval(in, e->a));
    case EXPR_MEMBER:
        return (e->a->type->kind == TYPE_POINTER ? (uint32_t)eval(in, e->a) : place(in, e->a)) + e->member->cell;
    case EXPR_DEREF: {
        uint32_t cell = (uint32_t)eval(in, e->a);
        if (in->extents[cell].behind == 0)
            give_up(in);
        return cell;
    }
    default: BUG("kind %d of expression is no object", e->kind);
    }
}

/* In double, whatever the type: the difference is within the tolerance of what such programs print. */
static int64_t eval_real(Interp *in, Expr *e) {
    double a = real_value(eval(in, e->a)), b = real_value(eval(in, e->b));
    switch (e->op) {
    case OP_ADD: return real_bits(a + b);
    case OP_SUB: return real_bits(a - b);
    case OP_MUL: return real_bits(a * b);
    default: return real_bits(a / b);
    }
}

static int64_t eval_binary(Interp *in, Expr *e) {
    if (e->operation->kind == TYPE_REAL)
        return eval_real(in, e);
    const IntType type = e->operation->ints;
    int64_t a = eval(in, e->a), b, value;
    if (op_is_logical(e->op)) {
        if (e->op == OP_LAND ? a == 0 : a != 0)
            return a != 0;
        return eval(in, e->b) != 0;
    }
    a = int_convert(a, type);
    b = eval(in, e->b);
    if (!op_is_shift(e->op))
        b = int_convert(b, type);
    Fault fault = arith_binary(e->op, type, a, b, e->b->type->promoted->ints, &value);
    if (fault && !e->safe)
        return repair_binary(in, e, fault, a, b, value);
    mark_executed(in, e);
    return value;
}

static int64_t eval_negate(Interp *in, Expr *e) {
    int64_t a = int_convert(eval(in, e->a), e->operation->ints), value;
    Fault fault = arith_negate(e->operation->ints, a, &value);
    if (fault && !e->safe && !in->abandoned && may_rewrite(in, e)) {
        e->kind = EXPR_PLUS;
        value = a;
    }
    mark_executed(in, e);
    return value;
}

static int64_t eval_compound(Interp *in, Expr *e) {
    const IntType type = e->operation->ints;
    uint32_t cell = place(in, e->a);
    int64_t a = int_convert(in->cells[cell], type), b = eval(in, e->b), value;
    if (!op_is_shift(e->op))
        b = int_convert(b, type);
    Fault fault = arith_binary(e->op, type, a, b, e->b->type->promoted->ints, &value);
    if (fault && !in->abandoned) {
        bool flip = fault == FAULT_OVERFLOW && (e->op == OP_ADD || e->op == OP_SUB) && e->repairs == 0 && !e->first_run;
        if (!flip) {
            unfold_compound(in, e);
            return eval(in, e);
        }
        e->repairs++;
        in->statistics->repairs++;
        e->op = e->op == OP_ADD ? OP_SUB : OP_ADD;
        arith_binary(e->op, type, a, b, type, &value);
    }
    mark_executed(in, e);
    store(in, cell, int_convert(value, e->a->type->ints));
    return 0; /* no program uses the value */
}

static int64_t eval_call(Interp *in, Expr *e) {
    const Function *f = e->callee;
    int64_t values[MAX_ARGUMENTS] = {0};
    if (in->depth >= DEPTH_LIMIT || in->steps > in->step_limit)
        give_up(in);
    for (size_t i = 0; i < f->parameters.len; i++)
        values[i] =
            f->parameters.items[i]->type->kind == TYPE_STRUCT ? place(in, e->arguments[i]) : eval(in, e->arguments[i]);
    if (in->abandoned)
        return 0;
    uint32_t caller = in->frame, top = in->top;
    reserve(in, top + (uint32_t)f->frame.len);
    if (f->frame.len)
        memcpy(in->extents + top, f->frame.items, f->frame.len * sizeof(Extent));
    for (size_t i = 0; i < f->parameters.len; i++) {
        const Symbol *p = f->parameters.items[i];
        if (p->type->kind == TYPE_STRUCT)
            memmove(in->cells + top + p->cell, in->cells + values[i], p->type->cells * sizeof(*in->cells));
        else
            in->cells[top + p->cell] = p->type->kind == TYPE_INT ? int_convert(values[i], p->type->ints) : values[i];
    }
    in->frame = top;
    in->top = top + (uint32_t)f->frame.len;
    in->depth++;
    in->result = 0;
    exec_list(in, f->body);
    in->depth--;
    in->frame = caller;
    in->top = top;
    return f->result ? int_convert(in->result, f->result->ints) : 0;
}

static int64_t eval_pointer(Interp *in, Expr *e) {
    int64_t a = eval(in, e->a), b = eval(in, e->b);
    if (e->kind == EXPR_POINTER_DIFF)
        return (a - b) / e->a->type->base->cells;
    if (e->kind == EXPR_POINTER_COMPARE) {
        int64_t value;
        arith_binary(e->op, (IntType){64, true, false}, a, b, (IntType){64, true, false}, &value);
        return value;
    }
    Extent extent = in->extents[a];
    if (b < -(int64_t)extent.before || b > extent.behind) {
        give_up(in);
        return a;
    }
    return a + b;
}

/* Vectors, lane by lane; a comparison gives a lane of ones or of zeroes. */
static int64_t eval_lanes(Interp *in, Expr *e) {
    const Type *lane = e->type->base;
    uint32_t to = place(in, e->a), left = place(in, e->b);
    bool scalar = e->c->type->kind == TYPE_INT;
    int64_t count = scalar ? eval(in, e->c) : 0;
    uint32_t right = scalar ? 0 : place(in, e->c);
    in->steps += e->type->count;
    for (uint32_t i = 0; i < e->type->count; i++) {
        int64_t value, b = scalar ? count : in->cells[right + i];
        arith_binary(e->op, lane->ints, in->cells[left + i], b, lane->ints, &value);
        store(in, to + i, int_convert(op_is_comparison(e->op) ? -value : value, lane->ints));
    }
    return 0;
}

static int64_t eval(Interp *in, Expr *e) {
    in->steps++;
    switch (e->kind) {
    case EXPR_CONST: return e->value;
    case EXPR_VAR:
    case EXPR_INDEX:
    case EXPR_MEMBER:
    case EXPR_DEREF: {
        uint32_t cell = place(in, e);
        return e->type->kind == TYPE_ARRAY ? cell : in->cells[cell];
    }
    case EXPR_ADDRESS: return place(in, e->a);
    case EXPR_PLUS:
    case EXPR_CAST: return int_convert(eval(in, e->a), e->type->ints);
    case EXPR_NEG: return eval_negate(in, e);
    case EXPR_NOT: return int_convert(~int_convert(eval(in, e->a), e->type->ints), e->type->ints);
    case EXPR_LNOT: return eval(in, e->a) == 0;
    case EXPR_BINARY: return eval_binary(in, e);
    case EXPR_COND: {
        bool yes = eval(in, e->a) != 0;
        if (e->both)
            eval(in, yes ? e->c : e->b);
        return int_convert(eval(in, yes ? e->b : e->c), e->type->ints);
    }
    case EXPR_COMMA: eval(in, e->a); return eval(in, e->b);
    case EXPR_ASSIGN: {
        int64_t value = eval(in, e->b);
        uint32_t cell = place(in, e->a);
        if (type_is_int(e->type))
            value = int_convert(value, e->type->ints);
        store(in, cell, value);
        return value;
    }
    case EXPR_COMPOUND:
    case EXPR_STEP: return eval_compound(in, e);
    case EXPR_COPY: {
        uint32_t to = place(in, e->a), from = place(in, e->b);
        for (uint32_t i = 0; i < e->type->cells; i++)
            store(in, to + i, in->cells[from + i]);
        return 0;
    }
    case EXPR_CALL: return eval_call(in, e);
    case EXPR_LANES: return eval_lanes(in, e);
    default: return eval_pointer(in, e);
    }
}

/* --- Statements --- */

static Signal exec_loop(Interp *in, Stmt *s) {
    if (s->expr)
        eval(in, s->expr);
    if (s->kind != STMT_DO && s->condition && !eval(in, s->condition))
        return in->abandoned ? SIGNAL_STOP : SIGNAL_NEXT;
    do {
        if (in->steps > in->step_limit)
            give_up(in);
        if (in->abandoned)
            return SIGNAL_STOP;
        in->steps++;
        Signal signal = exec_list(in, s->body);
        if (signal == SIGNAL_BREAK)
            break;
        if (signal != SIGNAL_NEXT && signal != SIGNAL_CONTINUE)
            return signal;
        if (s->step)
            eval(in, s->step);
    } while (!s->condition || eval(in, s->condition));
    return in->abandoned ? SIGNAL_STOP : SIGNAL_NEXT;
}

static Signal exec_switch(Interp *in, Stmt *s) {
    int64_t value = int_convert(eval(in, s->expr), s->expr->type->promoted->ints);
    Stmt *start = NULL;
    for (Stmt *label = s->body; label; label = label->next) {
        if (label->kind != STMT_CASE)
            continue;
        if (label->is_default ? !start : label->value == value)
            start = label;
        if (!label->is_default && label->value == value)
            break;
    }
    Signal signal = start ? exec_list(in, start) : SIGNAL_NEXT;
    return signal == SIGNAL_BREAK ? SIGNAL_NEXT : signal;
}

static void exec_declaration(Interp *in, const Stmt *s) {
    uint32_t cell = in->frame + s->symbol->cell;
    const Type *type = s->symbol->type;
    if (s->symbol->is_static)
        return; /* initialised before the program starts */
    if (s->cells) {
        for (uint32_t i = 0; i < type->cells; i++)
            store(in, cell + i, s->cells[i]);
    } else if (s->expr && type->kind == TYPE_STRUCT) {
        uint32_t from = place(in, s->expr);
        for (uint32_t i = 0; i < type->cells; i++)
            store(in, cell + i, in->cells[from + i]);
    } else if (s->expr) {
        int64_t value = eval(in, s->expr);
        store(in, cell, type_is_int(type) ? int_convert(value, type->ints) : value);
    }
}

static Signal exec_one(Interp *in, Stmt *s) {
    switch (s->kind) {
    case STMT_EXPR: eval(in, s->expr); return SIGNAL_NEXT;
    case STMT_DECL: exec_declaration(in, s); return SIGNAL_NEXT;
    case STMT_IF: return exec_list(in, eval(in, s->expr) ? s->body : s->otherwise);
    case STMT_FOR:
    case STMT_WHILE:
    case STMT_DO: return exec_loop(in, s);
    case STMT_SWITCH: return exec_switch(in, s);
    case STMT_BLOCK: return exec_list(in, s->body);
    case STMT_BREAK: return SIGNAL_BREAK;
    case STMT_CONTINUE: return SIGNAL_CONTINUE;
    case STMT_GOTO: in->label = s->value; return SIGNAL_GOTO;
    case STMT_RETURN:
        if (s->expr)
            in->result = eval(in, s->expr);
        return SIGNAL_RETURN;
    default: return SIGNAL_NEXT;
    }
}

static Signal exec_list(Interp *in, Stmt *s) {
    for (; s; s = s->next) {
        if (in->abandoned)
            return SIGNAL_STOP;
        s->executed = true;
        Signal signal = exec_one(in, s);
        if (in->abandoned)
            return SIGNAL_STOP;
        if (signal == SIGNAL_GOTO) {
            /* Labels stand in the list of their goto, or in one around it, further down. */
            while (s && !(s->kind == STMT_LABEL && s->value == in->label))
                s = s->next;
            if (!s)
                return signal;
        } else if (signal != SIGNAL_NEXT)
            return signal;
    }
    return SIGNAL_NEXT;
}

/* --- Transactions --- */

/* Runs `stmt`, or evaluates `expr`, until a run is complete. */
static bool transact(Interp *in, Stmt *stmt, Expr *expr, int64_t *ret_value) {
    in->epoch = in->run + 1;
    in->step_limit = STEP_LIMIT;
    uint32_t frame = in->frame, top = in->top;
    for (in->reruns = 0;; in->reruns++) {
        in->run++;
        in->abandoned = in->gave_up = false;
        in->steps = 0;
        in->depth = 0;
        vec_clear(&in->undo);
        if (expr)
            *ret_value = eval(in, expr);
        else {
            stmt->executed = true;
            exec_one(in, stmt);
        }
        if (!in->abandoned)
            break;
        for (size_t i = in->undo.len; i-- > 0;)
            in->cells[in->undo.items[i].cell] = in->undo.items[i].value;
        in->frame = frame;
        in->top = top;
        if (in->gave_up)
            return false;
        in->statistics->reruns++;
    }
    in->statistics->steps += in->steps;
    return true;
}

bool interp_statement(Interp *in, Stmt *stmt) { return transact(in, stmt, NULL, NULL); }

bool interp_condition(Interp *in, Expr *expr, bool *ret_value) {
    int64_t value;
    if (!transact(in, NULL, expr, &value))
        return false;
    *ret_value = value != 0;
    return true;
}

void interp_init(Interp *in, IrProgram *program, Arena *arena, const Rng *rng, GenStatistics *statistics) {
    *in = (Interp){.types = &program->types, .arena = arena, .rng = *rng, .statistics = statistics, .run = 0};
    uint32_t count = (uint32_t)program->extents.len;
    reserve(in, count + 1);
    if (count > 0)
        memcpy(in->extents, program->extents.items, count * sizeof(Extent));
    in->top = in->frame = count;
    for (size_t i = 0; i < program->statics.len; i++) {
        const Symbol *s = program->statics.items[i];
        memcpy(in->cells + s->cell, s->cells, s->type->cells * sizeof(*in->cells));
    }
    for (size_t i = 0; i < program->globals.len; i++) {
        const Symbol *s = program->globals.items[i];
        if (s->cells)
            memcpy(in->cells + s->cell, s->cells, s->type->cells * sizeof(*in->cells));
        if (s->address)
            in->cells[s->cell] = eval(in, s->address);
    }
}

void interp_enter(Interp *in) { in->top = in->frame; }

void interp_declare(Interp *in, const Function *function, const Symbol *symbol) {
    in->top = in->frame + (uint32_t)function->frame.len;
    reserve(in, in->top);
    memcpy(in->extents + in->frame + symbol->cell, function->frame.items + symbol->cell,
           symbol->type->cells * sizeof(Extent));
}

void interp_release(Interp *in) {
    free(in->cells);
    free(in->extents);
    vec_release(&in->undo);
}
