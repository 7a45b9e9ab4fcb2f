/* The idioms of loops (see build_idiom.c): what vectorisers, loop distribution, interchange, unswitching, splitting,
 * predictive commoning, store motion and the replacement of final values look for. The loops count up by one and their
 * arrays have one type of elements if there are enough of those. */
#include "gen/build.h"

/* for (i = low; i < high; i++) over the arrays. The sources are never outputs; if there is none of the target's type,
 * any other serves, and the loop converts. */
typedef struct ArrayLoop {
    Symbol *counter, *to, *left, *right;
    Stmt **end; /* of the body */
} ArrayLoop;

/* array[i + offset] */
static Expr *at(Builder *b, const ArrayLoop *l, Symbol *array, int64_t offset) {
    Expr *i = expr_var(b->arena, l->counter);
    return build_element(
        b, array, offset ? build_operation(b, offset > 0 ? OP_ADD : OP_SUB, i, build_number(b, llabs(offset))) : i);
}

static void add(ArrayLoop *l, Stmt *s) {
    *l->end = s;
    l->end = &s->next;
}

static BinaryOp some_op(Builder *b) {
    static const BinaryOp ops[] = {OP_ADD, OP_SUB, OP_ADD, OP_MUL, OP_AND, OP_OR, OP_XOR};
    return ops[build_below(b, ARRAY_LEN(ops))];
}

/* What does not change in the loop, or so it seems: a constant, a variable, or something to hoist out. */
static Expr *invariant(Builder *b, const Type *near) {
    unsigned form = build_draw(b, DIST_INVARIANT);
    Symbol *s = form == INVARIANT_CONSTANT ? NULL : build_pick(b, SYMBOL_INT, false);
    Symbol *second = s && form == INVARIANT_OPERATION ? build_pick(b, SYMBOL_INT, false) : NULL;
    if (second)
        return build_operation(b, some_op(b), expr_var(b->arena, s), expr_var(b->arena, second));
    return s ? expr_var(b->arena, s) : build_constant(b, near);
}

/* A variable that the loop writes and reads. */
static Expr *accumulator(Builder *b) {
    Expr *sum = build_simple_target(b);
    return sum && sum->symbol->role != ROLE_OUTPUT ? sum : NULL;
}

static Expr *compared(Builder *b, Expr *e) {
    BinaryOp op = (BinaryOp)(OP_LT + build_below(b, OP_NE - OP_LT + 1));
    return build_operation(b, op, e, invariant(b, e->type));
}

/* --- Bodies that write an array --- */

static Expr *mapped(Builder *b, ArrayLoop *l) {
    Expr *left = at(b, l, l->left, 0), *right = at(b, l, l->right, 0), *counter;
    unsigned form = build_draw(b, DIST_MAP);
    BinaryOp op = some_op(b), second = some_op(b);
    Expr *fixed = invariant(b, l->to->type->base);
    switch (form) {
    case MAP_COPY: return left; /* a copy */
    case MAP_FILL: return fixed;
    case MAP_WITH_INVARIANT: return build_operation(b, op, left, fixed);
    case MAP_SHIFT: return build_operation(b, op == OP_SUB ? OP_SHR : OP_SHL, left, build_number(b, build_below(b, 8)));
    case MAP_CONDITIONAL: return build_conditional_of(b, compared(b, left), build_again(b, left), right);
    case MAP_INDUCTION: /* an induction variable of its own */
        counter = expr_var(b->arena, l->counter);
        return build_operation(b, op, build_operation(b, OP_MUL, counter, build_number(b, 1 + build_below(b, 9))),
                               fixed);
    case MAP_THREE: return build_operation(b, op, build_operation(b, second, left, right), fixed);
    default: return build_operation(b, op, left, right);
    }
}

static bool loop_map(Builder *b, ArrayLoop *l) {
    add(l, build_assign(b, at(b, l, l->to, 0), mapped(b, l)));
    return true;
}

/* Two stores that loop distribution can part. */
static bool loop_two_maps(Builder *b, ArrayLoop *l) {
    Symbol *second = build_int_array(b, l->to->type->base, true);
    if (!second || second->type->count < l->to->type->count)
        return loop_map(b, l);
    add(l, build_assign(b, at(b, l, l->to, 0), mapped(b, l)));
    add(l, build_assign(b, at(b, l, second, 0), mapped(b, l)));
    return true;
}

static bool loop_conditional(Builder *b, ArrayLoop *l) {
    Stmt *s = stmt_new(b->arena, STMT_IF, compared(b, at(b, l, l->left, 0)));
    build_cost(b, s->expr);
    s->body = build_assign(b, at(b, l, l->to, 0), mapped(b, l));
    if (build_draw(b, DIST_CONDITIONAL_ELSE))
        s->otherwise = build_assign(b, at(b, l, l->to, 0), mapped(b, l));
    add(l, s);
    return true;
}

/* The condition does not change (unswitching), or changes once (splitting). */
static bool loop_unswitch(Builder *b, ArrayLoop *l) {
    bool split = build_draw(b, DIST_SPLIT);
    Expr *condition = split ? build_operation(b, OP_LT, expr_var(b->arena, l->counter),
                                              build_number(b, 1 + build_below(b, l->to->type->count)))
                            : compared(b, invariant(b, NULL));
    Stmt *s = stmt_new(b->arena, STMT_IF, condition);
    build_cost(b, condition);
    s->body = build_assign(b, at(b, l, l->to, 0), mapped(b, l));
    s->otherwise = build_assign(b, at(b, l, l->to, 0), mapped(b, l));
    add(l, s);
    return true;
}

/* to[i] = to[i - 1] op left[i], or to[i] = left[i - 1] op left[i] op left[i + 1]: the counter starts at 1 and ends early. */
static bool loop_recurrence(Builder *b, ArrayLoop *l) {
    bool carried = build_draw(b, DIST_CARRIED) && l->to->role != ROLE_OUTPUT;
    Symbol *from = carried ? l->to : l->left;
    Expr *value = build_operation(b, some_op(b), at(b, l, from, -1), at(b, l, carried ? l->left : from, 0));
    if (!carried && build_draw(b, DIST_STENCIL_WIDE))
        value = build_operation(b, some_op(b), value, at(b, l, from, 1));
    add(l, build_assign(b, at(b, l, l->to, 0), value));
    return true;
}

/* --- Bodies that compute a value --- */

static bool loop_reduction(Builder *b, ArrayLoop *l) {
    static const BinaryOp ops[] = {OP_ADD, OP_ADD, OP_XOR, OP_OR, OP_AND, OP_MUL, OP_SUB};
    Expr *sum = accumulator(b), *value = at(b, l, l->left, 0), *extreme;
    if (!sum)
        return false;
    switch (build_draw(b, DIST_REDUCTION_FORM)) {
    case REDUCTION_PRODUCT: value = build_operation(b, OP_MUL, value, at(b, l, l->right, 0)); break;
    case REDUCTION_COUNT: value = compared(b, value); break;
    case REDUCTION_CHOICE:
        extreme = build_conditional_of(b, build_operation(b, build_below(b, 2) ? OP_LT : OP_GT, value, sum),
                                       build_again(b, value), build_again(b, sum));
        add(l, build_assign(b, build_again(b, sum), extreme));
        return true;
    case REDUCTION_CONDITIONAL:
        value = build_conditional_of(b, compared(b, value), at(b, l, l->right, 0), build_number(b, 0));
        break;
    default: break;
    }
    BinaryOp op = ops[build_below(b, ARRAY_LEN(ops))];
    add(l, build_expression_stmt(b, expr_compound(b->arena, &b->program.types, op, sum, value)));
    return true;
}

/* x += c: the final value is known without the loop. */
static bool loop_final_value(Builder *b, ArrayLoop *l) {
    Expr *sum = accumulator(b);
    if (!sum)
        return false;
    Expr *step = build_draw(b, DIST_FINAL_STEP) == FINAL_BY_CONSTANT ? build_number(b, 1 + build_below(b, 100))
                                                                     : expr_var(b->arena, l->counter);
    add(l, build_expression_stmt(b, expr_compound(b->arena, &b->program.types, OP_ADD, sum, step)));
    if (build_draw(b, DIST_FINAL_STORE))
        add(l, build_assign(b, at(b, l, l->to, 0), build_again(b, sum)));
    return true;
}

/* if (left[i] == c) { x = i; break; } */
static bool loop_search(Builder *b, ArrayLoop *l) {
    Expr *found = build_simple_target(b);
    if (!found)
        return false;
    Stmt *s = stmt_new(b->arena, STMT_IF, compared(b, at(b, l, l->left, 0)));
    build_cost(b, s->expr);
    s->body = build_assign(b, found, expr_var(b->arena, l->counter));
    s->body->next = stmt_new(b->arena, STMT_BREAK, NULL);
    add(l, s);
    return true;
}

/* --- The loop --- */

/* Up to `high`, or to what a variable says, which is not more: then nobody can unroll the loop completely. */
static Stmt *counted(Builder *b, unsigned low, unsigned high, Symbol *bound) {
    const TypeTable *types = &b->program.types;
    Stmt *loop = stmt_new(b->arena, STMT_FOR, NULL);
    loop->symbol = build_counter(b, high);
    Expr *i = expr_var(b->arena, loop->symbol);
    loop->declares = true;
    loop->expr = expr_assign(b->arena, i, build_number(b, low));
    loop->condition = build_operation(b, OP_LT, i, bound ? expr_var(b->arena, bound) : build_number(b, high));
    loop->step = expr_compound(b->arena, types, OP_ADD, i, build_number(b, 1));
    loop->step->kind = EXPR_STEP;
    vec_push(&b->locals, loop->symbol);
    b->trips *= high - low;
    return loop;
}

static bool fill(Builder *b, ArrayLoop *l, unsigned idiom) {
    switch (idiom) {
    case IDIOM_LOOP_TWO_MAPS: return loop_two_maps(b, l);
    case IDIOM_LOOP_CONDITIONAL: return loop_conditional(b, l);
    case IDIOM_LOOP_UNSWITCH: return loop_unswitch(b, l);
    case IDIOM_LOOP_RECURRENCE: return loop_recurrence(b, l);
    case IDIOM_LOOP_REDUCTION: return loop_reduction(b, l);
    case IDIOM_LOOP_FINAL_VALUE: return loop_final_value(b, l);
    case IDIOM_LOOP_SEARCH: return loop_search(b, l);
    default: return loop_map(b, l);
    }
}

/* int n = …; the loop's last trips are those that vectors leave over. */
static Stmt *declare_bound(Builder *b, unsigned high) {
    Expr *less = build_bounded(b, MIN_OF(high, 8));
    return build_bound(b, build_operation(b, OP_SUB, build_number(b, high), less));
}

Stmt *build_idiom_loop(Builder *b) {
    ArrayLoop l = {0};
    unsigned idiom = build_draw(b, DIST_LOOP_IDIOM), most = build_trips_left(b);
    l.to = build_int_array(b, NULL, true);
    l.left = l.to ? build_int_array(b, l.to->type->base, false) : NULL;
    l.right = l.to ? build_int_array(b, l.to->type->base, false) : NULL;
    if (!l.left || !l.right)
        return NULL;
    unsigned length = MIN_OF(l.to->type->count, MIN_OF(l.left->type->count, l.right->type->count));
    unsigned low = idiom == IDIOM_LOOP_RECURRENCE, high = MIN_OF(length - low, most);
    if (high < low + 2)
        return NULL;
    bool live = build_whole(b);
    uint64_t trips = b->trips;
    ScopeMark mark = build_scope(b);
    Stmt *bound = build_draw(b, DIST_LOOP_BOUND) == BOUND_CONSTANT ? NULL : declare_bound(b, high);
    /* Inside another loop that repeats it, now and then: invariants of two levels, store motion. */
    bool repeated = most / (high - low) > 3 && build_draw(b, DIST_REPEATED);
    Stmt *outer = repeated ? counted(b, 0, 2 + build_below(b, 2), NULL) : NULL;
    Stmt *loop = counted(b, low, high, bound ? bound->symbol : NULL);
    l.counter = loop->symbol;
    l.end = &loop->body;
    bool filled = fill(b, &l, idiom);
    build_cost(b, loop->condition);
    build_scope_end(b, mark);
    b->trips = trips;
    b->live = live;
    Stmt *whole = outer ? outer : loop;
    if (outer)
        outer->body = loop;
    if (bound) {
        bound->next = whole;
        whole = stmt_new(b->arena, STMT_BLOCK, NULL);
        whole->body = bound;
    }
    return filled ? build_finish(b, whole) : NULL;
}
