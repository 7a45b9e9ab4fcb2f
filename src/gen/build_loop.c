/* Loops, in the forms that loop passes and vectorisers look for: strides, offsets, reductions, conditionals, stencils,
 * nests, invariant and computed bounds, pointers that walk, the bit-counting idiom.
 *
 * Every loop has a bound on its trips that does not depend on its body, and the product of the bounds of nested loops is
 * limited, so that termination and cost are known before the program runs.
 */
#include "gen/build.h"

#define TRIPS_LIMIT 400  /* of all loops around a statement together */
#define TRIPS_TYPICAL 40 /* of a loop that no array bounds */

/* A counter that runs over [low, high) by steps; `high` is exclusive, also when it runs down. */
typedef struct Range {
    unsigned low, high, step;
} Range;

static unsigned range_trips(Range r) { return (r.high - r.low + r.step - 1) / r.step; }

unsigned build_trips_left(const Builder *b) { return (unsigned)(TRIPS_LIMIT / b->trips); }

/* A range below the length, which for arrays leaves room for offsets now and then. */
static Range draw_range(Builder *b, unsigned length) {
    Range r = {0, length, 1 + build_draw(b, DIST_LOOP_STEP)};
    if (build_draw(b, DIST_LOOP_START))
        r.low = build_below(b, MIN_OF(length, 3));
    if (build_draw(b, DIST_LOOP_SHORT) && r.high - r.low > 4)
        r.high -= 1 + build_below(b, 3);
    unsigned most = build_trips_left(b);
    if (range_trips(r) > most)
        r.high = r.low + most * r.step;
    return r;
}

static void append(Stmt ***end, Stmt *s) {
    if (!s)
        return;
    **end = s;
    while (**end)
        *end = &(**end)->next;
}

/* --- Bodies --- */

static Stmt *body_map(Builder *b, Symbol *array) {
    Expr *element = build_descend(b, expr_var(b->arena, array));
    return build_assignment(b, element);
}

static Stmt *body_reduction(Builder *b) {
    static const BinaryOp ops[] = {OP_ADD, OP_XOR, OP_OR, OP_AND, OP_MUL, OP_SUB};
    const TypeTable *types = &b->program.types;
    Expr *sum = build_simple_target(b);
    if (!sum || sum->symbol->role == ROLE_OUTPUT)
        return NULL;
    Expr *value = build_expr(b, 1 + build_below(b, 2));
    if (build_draw(b, DIST_REDUCTION) == REDUCTION_OPERATOR)
        return build_expression_stmt(b,
                                     expr_compound(b->arena, types, ops[build_below(b, ARRAY_LEN(ops))], sum, value));
    Expr *extreme = build_operation(b, build_below(b, 2) ? OP_LT : OP_GT, value, sum);
    extreme = build_conditional_of(b, extreme, build_again(b, value), build_again(b, sum));
    return build_assign(b, build_again(b, sum), extreme);
}

static Stmt *body_conditional(Builder *b, Symbol *array) {
    Stmt *s = stmt_new(b->arena, STMT_IF, build_expr(b, 2));
    build_cost(b, s->expr);
    s->body = body_map(b, array);
    if (build_draw(b, DIST_ELSE) == ELSE_YES)
        s->otherwise = build_below(b, 2) ? body_map(b, array) : body_reduction(b);
    return s;
}

/* array[i] = array[i + c] op array[i + d] op … */
static Stmt *body_stencil(Builder *b, Symbol *array) {
    if (array->role == ROLE_OUTPUT)
        return body_map(b, array);
    Expr *value = build_descend(b, expr_var(b->arena, array));
    for (unsigned i = 0, n = 1 + build_below(b, 3); i < n; i++) {
        BinaryOp op = (BinaryOp)build_below(b, OP_XOR + 1);
        value = build_operation(b, op, value, build_descend(b, expr_var(b->arena, array)));
    }
    return build_assign(b, build_descend(b, expr_var(b->arena, array)), value);
}

/* --- Loops over a counter --- */

Symbol *build_counter(Builder *b, uint32_t length) {
    static const IntKind kinds[] = {INT_INT, INT_UINT, INT_LONG, INT_SHORT, INT_UCHAR, INT_ULLONG};
    Symbol *s = build_local(b, "i_", build_int(b, kinds[build_draw(b, DIST_COUNTER_TYPE)]), ROLE_COUNTER);
    s->length = length;
    return s;
}

/* counter < high, in one of several spellings. If a variable holds the bound, it is used. */
static Expr *upper_condition(Builder *b, Symbol *counter, Range r, unsigned kind, Symbol *bound) {
    Expr *i = expr_var(b->arena, counter);
    if (bound)
        return build_operation(b, OP_LT, i, expr_var(b->arena, bound));
    switch (kind) {
    case BOUND_MASKED: /* computed anew in every iteration */
        return build_operation(b, OP_LT, i, build_bounded(b, r.high + 1));
    case BOUND_REMAINDER: /* leaves early, depending on data */
        return build_operation(b, OP_LAND, build_operation(b, OP_LT, i, build_number(b, r.high)), build_expr(b, 2));
    default: break;
    }
    bool exact = (r.high - r.low) % r.step == 0 && r.high > r.low;
    unsigned form = build_draw(b, DIST_LOOP_CONDITION);
    if (form == CONDITION_UNEQUAL && exact)
        return build_operation(b, OP_NE, i, build_number(b, r.high));
    if (form == CONDITION_LESS_EQUAL)
        return build_operation(b, OP_LE, i, build_number(b, (int64_t)r.high - 1));
    return build_operation(b, OP_LT, i, build_number(b, r.high));
}

static Expr *counter_step(Builder *b, Symbol *counter, BinaryOp op, unsigned by) {
    Expr *e = expr_compound(b->arena, &b->program.types, op, expr_var(b->arena, counter), build_number(b, by));
    if (by == 1) {
        e->kind = EXPR_STEP;
        e->form = (uint8_t)build_draw(b, DIST_STEP_FORM);
    }
    return e;
}

static Stmt *shaped_body(Builder *b, unsigned shape, Symbol *array, Symbol *counter) {
    Stmt *body = NULL, **end = &body;
    Symbol *outer = b->preferred;
    b->preferred = shape == SHAPE_GENERAL ? NULL : counter;
    for (unsigned i = 0, n = shape == SHAPE_GENERAL ? 1 : 1 + build_below(b, 3); i < n; i++) {
        switch (shape) {
        case SHAPE_MAP: append(&end, body_map(b, array)); break;
        case SHAPE_REDUCTION: append(&end, body_reduction(b)); break;
        case SHAPE_CONDITIONAL: append(&end, body_conditional(b, array)); break;
        case SHAPE_STENCIL: append(&end, body_stencil(b, array)); break;
        default: append(&end, build_block(b, 1 + build_draw(b, DIST_BLOCK_LENGTH))); break;
        }
    }
    b->preferred = outer;
    return body;
}

Stmt *build_bound(Builder *b, Expr *value) {
    Stmt *s = stmt_new(b->arena, STMT_DECL, value);
    build_cost(b, s->expr);
    s->symbol = build_local(b, "n_", build_int(b, INT_INT), ROLE_INPUT);
    vec_push(&b->locals, s->symbol);
    return s;
}

/* Through ret_bound, unless NULL, comes a declaration that must stand before the loop. */
static void counter_loop(Builder *b, unsigned kind, Range r, Stmt *loop, Stmt **ret_bound) {
    bool down = kind == LOOP_FOR_DOWN;
    unsigned bound_kind = build_draw(b, DIST_LOOP_BOUND);
    Stmt *bound =
        !down && ret_bound && bound_kind == BOUND_VARIABLE ? build_bound(b, build_bounded(b, r.high + 1)) : NULL;
    if (ret_bound)
        *ret_bound = bound;
    loop->symbol = build_counter(b, r.high + (kind == LOOP_WHILE || kind == LOOP_DO ? r.step : 0));
    if (down && !loop->symbol->type->ints.is_signed)
        loop->symbol->type = build_int(b, INT_INT); /* it must get below zero */
    Expr *i = expr_var(b->arena, loop->symbol);
    loop->expr = expr_assign(b->arena, i, build_number(b, down ? (int64_t)r.high - 1 : r.low));
    loop->condition = down ? build_operation(b, OP_GE, i, build_number(b, r.low))
                           : upper_condition(b, loop->symbol, r, bound_kind, bound ? bound->symbol : NULL);
    loop->step = counter_step(b, loop->symbol, down ? OP_SUB : OP_ADD, r.step);
    build_cost(b, loop->condition);
}

/* Only a for has its counter in itself; the counter of another loop is declared before and moves first, so that a
 * continue cannot skip that. */
static void move_step_into_body(Builder *b, Stmt *loop) {
    Stmt *step = stmt_new(b->arena, STMT_EXPR, loop->step);
    step->next = loop->body;
    loop->body = step;
    loop->step = NULL;
}

/* --- The other loops --- */

/* for (x = …; x != 0; x &= x - 1), or x >>= 1 */
static void bits_loop(Builder *b, Stmt *loop) {
    const TypeTable *types = &b->program.types;
    bool wide = build_trips_left(b) >= 32 && build_below(b, 3) == 0;
    loop->symbol = build_local(b, "i_", build_int(b, INT_UINT), ROLE_COUNTER);
    Expr *x = expr_var(b->arena, loop->symbol);
    loop->expr =
        expr_assign(b->arena, x, wide ? build_root(b) : build_bounded(b, 1u << MIN_OF(build_trips_left(b), 8)));
    loop->condition = build_operation(b, OP_NE, x, build_number(b, 0));
    if (build_below(b, 2))
        loop->step = expr_compound(b->arena, types, OP_SHR, x, build_number(b, 1));
    else
        loop->step = expr_compound(b->arena, types, OP_AND, x, build_operation(b, OP_SUB, x, build_number(b, 1)));
    b->trips *= wide ? 32 : MIN_OF(build_trips_left(b), 8);
}

static Expr *pointer_to(Builder *b, Symbol *array, unsigned element) {
    Expr *sum = expr_new(b->arena, EXPR_POINTER_ADD, types_pointer(b->arena, array->type->base));
    sum->a = expr_var(b->arena, array);
    sum->b = build_number(b, element);
    return sum;
}

/* for (p = array + low; p < array + high; p += step) *p = … */
static void pointer_loop(Builder *b, Stmt *loop, Symbol *array) {
    Range r = draw_range(b, array->type->count);
    r.high = r.low + range_trips(r) * r.step;
    if (r.high > array->type->count)
        r.high -= r.step;
    loop->symbol = build_local(b, "q_", types_pointer(b->arena, array->type->base), ROLE_COUNTER);
    loop->symbol->length = 1;
    Expr *p = expr_var(b->arena, loop->symbol);
    loop->expr = expr_assign(b->arena, p, pointer_to(b, array, r.low));
    loop->condition = expr_new(b->arena, EXPR_POINTER_COMPARE, build_int(b, INT_INT));
    loop->condition->op = build_below(b, 2) ? OP_LT : OP_NE;
    loop->condition->a = p;
    loop->condition->b = pointer_to(b, array, r.high);
    Expr *sum = expr_new(b->arena, EXPR_POINTER_ADD, p->type);
    sum->a = p;
    sum->b = build_number(b, r.step);
    loop->step = expr_assign(b->arena, p, sum);
    b->trips *= MAX_OF(range_trips(r), 1);
}

/* for i: for j: matrix[i][j] = … */
static Stmt *build_nest(Builder *b, Symbol *matrix) {
    Stmt *outer = stmt_new(b->arena, STMT_FOR, NULL), *inner = stmt_new(b->arena, STMT_FOR, NULL);
    uint64_t trips = b->trips;
    ScopeMark mark = build_scope(b);
    Range rows = draw_range(b, matrix->type->count);
    counter_loop(b, LOOP_FOR_UP, rows, outer, NULL);
    b->trips *= MAX_OF(range_trips(rows), 1);
    vec_push(&b->locals, outer->symbol);
    Range columns = draw_range(b, matrix->type->base->count);
    counter_loop(b, build_below(b, 4) ? LOOP_FOR_UP : LOOP_FOR_DOWN, columns, inner, NULL);
    b->trips *= MAX_OF(range_trips(columns), 1);
    vec_push(&b->locals, inner->symbol);
    Expr *row =
        expr_index(b->arena, expr_var(b->arena, matrix), expr_var(b->arena, outer->symbol), matrix->type->count);
    Expr *element = expr_index(b->arena, row, expr_var(b->arena, inner->symbol), matrix->type->base->count);
    b->loop_depth += 2;
    b->preferred = build_below(b, 2) ? inner->symbol : NULL;
    inner->body = build_assignment(b, element);
    b->preferred = NULL;
    b->loop_depth -= 2;
    outer->body = inner;
    outer->declares = inner->declares = true;
    build_scope_end(b, mark);
    b->trips = trips;
    return outer;
}

static Symbol *pick_matrix(Builder *b) {
    for (int tries = 0; tries < 4; tries++) {
        Symbol *s = build_pick(b, SYMBOL_ARRAY, true);
        if (s && s->type->base->kind == TYPE_ARRAY && type_is_int(type_innermost(s->type)))
            return s;
    }
    return NULL;
}

/* --- The entry --- */

/* Fills the loop and returns what is declared before it. */
static Stmt *fill_loop(Builder *b, Stmt *loop, unsigned kind, unsigned shape, Symbol *array) {
    Stmt *before = NULL;
    if (kind == LOOP_BITS)
        bits_loop(b, loop);
    else if (kind == LOOP_POINTER)
        pointer_loop(b, loop, array);
    else {
        unsigned length = array ? array->type->count : 2 + build_below(b, MIN_OF(build_trips_left(b), TRIPS_TYPICAL));
        Range r = draw_range(b, length);
        counter_loop(b, kind, r, loop, &before);
        b->trips *= MAX_OF(range_trips(r), 1);
    }
    vec_push(&b->locals, loop->symbol);
    b->loop_depth++;
    b->may_break = true;
    if (kind == LOOP_POINTER) {
        const Type *target = loop->symbol->type->base;
        loop->body = build_assignment(b, expr_unary(b->arena, EXPR_DEREF, target, expr_var(b->arena, loop->symbol)));
    } else
        loop->body = shaped_body(b, shape, array, loop->symbol);
    b->loop_depth--;
    if (loop->kind == STMT_FOR)
        loop->declares = true;
    else
        move_step_into_body(b, loop);
    return before;
}

Stmt *build_loop(Builder *b) {
    if (build_trips_left(b) < 3)
        return NULL;
    unsigned kind = build_draw(b, DIST_LOOP), shape = build_draw(b, DIST_LOOP_SHAPE);
    Symbol *matrix = shape == SHAPE_NEST ? pick_matrix(b) : NULL;
    bool needs_array = kind == LOOP_POINTER || (shape != SHAPE_GENERAL && kind != LOOP_BITS);
    Symbol *array = needs_array ? build_int_array(b, NULL, true) : NULL;
    if (kind == LOOP_POINTER && (!array || array->role == ROLE_OUTPUT || array->type->count < 3))
        kind = LOOP_FOR_UP;
    if (!array || shape == SHAPE_NEST || kind == LOOP_BITS)
        shape = SHAPE_GENERAL;
    bool live = build_whole(b), may_break = b->may_break;
    if (matrix)
        return build_whole_end(b, build_nest(b, matrix), live);
    uint64_t trips = b->trips;
    ScopeMark mark = build_scope(b);
    Stmt *loop = stmt_new(b->arena, kind == LOOP_WHILE ? STMT_WHILE : kind == LOOP_DO ? STMT_DO : STMT_FOR, NULL);
    Stmt *before = fill_loop(b, loop, kind, shape, array), *whole = loop;
    if (before || loop->kind != STMT_FOR) {
        whole = stmt_new(b->arena, STMT_BLOCK, NULL);
        Stmt **end = &whole->body;
        append(&end, before);
        if (loop->kind != STMT_FOR) {
            Stmt *counter = stmt_new(b->arena, STMT_DECL, loop->expr->b);
            counter->symbol = loop->symbol;
            loop->expr = NULL;
            append(&end, counter);
        }
        append(&end, loop);
    }
    build_scope_end(b, mark);
    b->trips = trips;
    b->may_break = may_break;
    return build_whole_end(b, whole, live);
}
