/* The idioms of straight-line code (see build_idiom.c): blocks of a few statements, each executed as a whole. */
#include "gen/build.h"

typedef struct Block {
    Stmt *first, **end;
} Block;

static void add(Block *block, Stmt *s) {
    *block->end = s;
    block->end = &s->next;
}

static void add_assignment(Builder *b, Block *block, Expr *target, Expr *value) {
    add(block, build_assign(b, target, value));
}

static Stmt *if_stmt(Builder *b, Expr *condition, Stmt *body) {
    Stmt *s = stmt_new(b->arena, STMT_IF, condition);
    build_cost(b, condition);
    s->body = body;
    return s;
}

/* if (c) x = e; …  if (c) y = f;   the second branch is known after the first: jump threading, dominators. */
static bool idiom_threads(Builder *b, Block *block, Expr *x, Expr *y) {
    Expr *condition = build_draw(b, DIST_THREAD_CONDITION) ? build_idiom_expr(b) : build_expr(b, 2);
    add(block, if_stmt(b, condition, build_assign(b, x, build_root(b))));
    if (build_draw(b, DIST_THREAD_BETWEEN))
        add_assignment(b, block, build_again(b, y), build_root(b));
    add(block, if_stmt(b, build_again(b, condition), build_assign(b, y, build_root(b))));
    return true;
}

/* x = e1; x = e2 op x; y = x: dead stores, loads of what was stored, chains for reassociation. */
static bool idiom_overwrites(Builder *b, Block *block, Expr *x, Expr *y) {
    if (x->symbol->role == ROLE_OUTPUT)
        return false;
    add_assignment(b, block, x, build_root(b));
    for (unsigned i = 0, n = 1 + build_below(b, 4); i < n; i++) {
        unsigned form = build_draw(b, DIST_OVERWRITE);
        Expr *value = form == OVERWRITE_FRESH ? build_expr(b, 1) : build_idiom_operand(b);
        if (form != OVERWRITE_FRESH)
            value = build_operation(b, form == OVERWRITE_SUM ? OP_ADD : OP_XOR, build_again(b, x), value);
        add_assignment(b, block, build_again(b, x), value);
    }
    add_assignment(b, block, y, build_again(b, x));
    return true;
}

/* if (c) x = e; y = e: partially redundant. With else: the same on both ways. */
static bool idiom_redundant(Builder *b, Block *block, Expr *x, Expr *y) {
    Expr *value = build_root(b);
    Stmt *s = if_stmt(b, build_expr(b, 2), build_assign(b, x, value));
    if (build_draw(b, DIST_REDUNDANT_ELSE))
        s->otherwise = build_assign(b, build_again(b, y), build_again(b, value));
    add(block, s);
    add_assignment(b, block, y, build_again(b, value));
    return true;
}

/* switch (v) { case 0: x = 7; break; case 1: x = 14; break; … }: a table, or a linear function. */
static Stmt *table_switch(Builder *b, Expr *v, unsigned cases, Expr *x) {
    Stmt *s = stmt_new(b->arena, STMT_SWITCH, v), **end = &s->body;
    int64_t value = (int64_t)build_below(b, 200) - 100, step = build_below(b, 9);
    bool linear = build_draw(b, DIST_TABLE_LINEAR);
    build_cost(b, v);
    for (unsigned i = 0; i < cases; i++) {
        Stmt *label = stmt_new(b->arena, STMT_CASE, NULL), *leave = stmt_new(b->arena, STMT_BREAK, NULL);
        label->value = i;
        label->is_default = i + 1 == cases && build_draw(b, DIST_TABLE_DEFAULT);
        value = linear ? value + step : (int64_t)build_below(b, 200) - 100;
        label->next = build_assign(b, build_again(b, x), build_number(b, value));
        label->next->next = leave;
        *end = label;
        end = &leave->next;
    }
    return s;
}

/* if (v == 3) x = …; else if (v == 5) x = …; or the switch that gives constants. */
static bool idiom_cases(Builder *b, Block *block, Expr *x, Expr *y) {
    (void)y;
    unsigned cases = 3 + build_below(b, 6);
    Expr *v = build_bounded(b, cases + build_below(b, 3));
    if (build_has(b, GEN_SWITCH) && build_draw(b, DIST_CASES_SWITCH)) {
        add(block, table_switch(b, v, cases, x));
        return true;
    }
    Stmt *first = NULL, **end = &first;
    for (unsigned i = 0; i < cases && (i == 0 || b->room > 0); i++) {
        Expr *value = build_draw(b, DIST_CASE_CONSTANT) ? build_constant(b, x->type) : build_expr(b, 1);
        Expr *hit = build_operation(b, OP_EQ, build_again(b, v), build_number(b, build_below(b, cases + 3)));
        *end = if_stmt(b, hit, build_assign(b, build_again(b, x), value));
        end = &(*end)->otherwise;
    }
    add(block, first);
    return true;
}

/* if (x > 7) if (x > 3) …: the inner condition follows from the outer, or contradicts it. */
static bool idiom_ranges(Builder *b, Block *block, Expr *x, Expr *y) {
    Expr *v = build_idiom_operand(b);
    int64_t limit = build_below(b, 100);
    BinaryOp outer = build_draw(b, DIST_RANGES_OUTER) ? OP_LT : OP_GT;
    BinaryOp inner = build_draw(b, DIST_RANGES_INNER) ? OP_NE : OP_GT;
    Stmt *nested =
        if_stmt(b, build_operation(b, inner, build_again(b, v), build_number(b, limit + build_below(b, 9) - 4)),
                build_assign(b, x, build_operation(b, OP_AND, build_again(b, v), build_number(b, 127))));
    if (build_draw(b, DIST_RANGES_ELSE))
        nested->otherwise = build_assign(b, y, build_expr(b, 1));
    add(block, if_stmt(b, build_operation(b, outer, v, build_number(b, limit)), nested));
    return true;
}

/* t[k] = s[k] op u[k]; t[k + 1] = s[k + 1] op u[k + 1]; …: stores that can be merged or vectorised. */
static bool idiom_neighbours(Builder *b, Block *block, Expr *x, Expr *y) {
    static const BinaryOp ops[] = {OP_ADD, OP_SUB, OP_XOR, OP_AND, OP_OR, OP_MUL};
    (void)x, (void)y;
    Symbol *to = build_int_array(b, NULL, true);
    Symbol *left = to ? build_int_array(b, to->type->base, false) : NULL;
    Symbol *right = to ? build_int_array(b, to->type->base, false) : NULL;
    if (!left || !right || to->type->count < 4)
        return false;
    unsigned most = MIN_OF(to->type->count, MIN_OF(left->type->count, right->type->count));
    unsigned wanted = 2u << build_below(b, 3), count = MIN_OF(most, wanted), start = build_below(b, most - count + 1);
    BinaryOp op = ops[build_below(b, ARRAY_LEN(ops))];
    unsigned kind = build_draw(b, DIST_NEIGHBOURS);
    Expr *same = build_constant(b, to->type->base);
    for (unsigned i = start; i < start + count; i++) {
        Expr *value = build_element(b, left, build_number(b, i));
        if (kind == NEIGHBOURS_CONSTANTS)
            value = build_constant(b, to->type->base);
        else if (kind != NEIGHBOURS_COPIED)
            value = build_operation(b, op, value,
                                    kind == NEIGHBOURS_WITH_CONSTANT ? build_again(b, same)
                                                                     : build_element(b, right, build_number(b, i)));
        add_assignment(b, block, build_element(b, to, build_number(b, i)), value);
    }
    return true;
}

/* x = t[0] op t[1] op t[2] op …: a horizontal reduction. */
static bool idiom_horizontal(Builder *b, Block *block, Expr *x, Expr *y) {
    static const BinaryOp ops[] = {OP_ADD, OP_XOR, OP_OR, OP_AND, OP_MUL};
    (void)y;
    Symbol *from = build_int_array(b, NULL, false);
    if (!from || from->type->count < 4)
        return false;
    BinaryOp op = ops[build_below(b, ARRAY_LEN(ops))];
    unsigned wanted = 4u << build_below(b, 3), count = MIN_OF(from->type->count, wanted);
    bool shifted = build_draw(b, DIST_HORIZONTAL_SHIFT);
    Expr *sum = NULL;
    for (unsigned i = 0; i < count; i++) {
        Expr *element = build_element(b, from, build_number(b, i));
        if (shifted) /* as when bytes make a word: the merging of loads */
            element = build_operation(b, OP_SHL, expr_unary(b->arena, EXPR_CAST, build_int(b, INT_ULLONG), element),
                                      build_number(b, 8 * (i % 8)));
        sum = sum ? build_operation(b, shifted ? OP_OR : op, sum, element) : element;
    }
    add_assignment(b, block, x, sum);
    return true;
}

/* x = f(1, 2); y = f(1, 2): calls with constants, to propagate, to clone for and to inline. */
static bool idiom_calls(Builder *b, Block *block, Expr *x, Expr *y) {
    unsigned leaves = b->leaves;
    b->leaves = LEAVES_ALL;
    Expr *call = build_call(b, b->function->is_pure);
    b->leaves = leaves;
    if (!call)
        return false;
    Expr *second = build_again(b, call);
    b->cost += call->callee->cost * b->trips;
    add(block, build_expression_stmt(b, call->type ? expr_assign(b->arena, x, call) : call));
    add(block, build_expression_stmt(b, call->type ? expr_assign(b->arena, y, second) : second));
    return true;
}

/* { T t = e; … } with a use of t that depends on a condition (it sinks there), a value that is known (it propagates), or
 * one of two values (a phi node, which may become arithmetic, a minimum or a maximum). */
static bool idiom_temporary(Builder *b, Block *block, Expr *x, Expr *y) {
    unsigned form = build_draw(b, DIST_TEMPORARY);
    const Type *type = build_int_type(b);
    Stmt *s = stmt_new(b->arena, STMT_DECL, form == TEMPORARY_KNOWN ? build_constant(b, type) : build_root(b)), *branch;
    s->symbol = build_local(b, "l_", type, ROLE_LOCAL);
    build_cost(b, s->expr);
    add(block, s);
    Expr *t = expr_var(b->arena, s->symbol),
         *second = form == TEMPORARY_EXTREME ? build_constant(b, type) : build_root(b);
    BinaryOp op = (BinaryOp)build_below(b, OP_SHL);
    switch (form) {
    case TEMPORARY_SINKS:
        branch = if_stmt(b, second, build_assign(b, x, build_operation(b, op, t, build_expr(b, 1))));
        branch->otherwise = build_draw(b, DIST_TEMPORARY_ELSE) ? build_assign(b, y, build_again(b, t)) : NULL;
        add(block, branch);
        return true;
    case TEMPORARY_KNOWN: break;
    case TEMPORARY_JOINED: add(block, if_stmt(b, build_expr(b, 2), build_assign(b, build_again(b, t), second))); break;
    default:
        branch = build_assign(b, build_again(b, t), build_again(b, second));
        add(block,
            if_stmt(b, build_operation(b, build_below(b, 2) ? OP_LT : OP_GT, build_again(b, t), second), branch));
    }
    add_assignment(b, block, x, build_operation(b, op, t, build_root(b)));
    add_assignment(b, block, y, build_operation(b, OP_XOR, build_again(b, t), build_idiom_operand(b)));
    return true;
}

/* { struct S t = {…}; t.m = e; x = t.m op t.n; }: an aggregate that scalars can replace. */
static bool idiom_aggregate(Builder *b, Block *block, Expr *x, Expr *y) {
    const Types *structs = &b->program.structs;
    const Type *type = structs->len ? structs->items[build_below(b, (unsigned)structs->len)] : NULL;
    if (!type || type->is_union)
        return false;
    Stmt *s = stmt_new(b->arena, STMT_DECL, NULL);
    s->symbol = build_local(b, "ls_", type, ROLE_LOCAL);
    s->cells = build_cells(b, type);
    b->cost += type->cells * b->trips;
    add(block, s);
    for (unsigned i = 0, n = 1 + build_below(b, 3); i < n; i++) {
        Expr *member = build_descend(b, expr_var(b->arena, s->symbol));
        add_assignment(b, block, member, build_expr(b, 2));
    }
    add_assignment(b, block, x, build_descend(b, expr_var(b->arena, s->symbol)));
    Expr *member = build_descend(b, expr_var(b->arena, s->symbol));
    add_assignment(b, block, y, build_operation(b, OP_ADD, member, build_descend(b, expr_var(b->arena, s->symbol))));
    return true;
}

static Stmt *build_block_idiom(Builder *b, unsigned idiom) {
    static bool (*const idioms[])(Builder *, Block *, Expr *, Expr *) = {
        [IDIOM_THREADS] = idiom_threads,       [IDIOM_OVERWRITES] = idiom_overwrites,
        [IDIOM_REDUNDANT] = idiom_redundant,   [IDIOM_CASES] = idiom_cases,
        [IDIOM_RANGES] = idiom_ranges,         [IDIOM_NEIGHBOURS] = idiom_neighbours,
        [IDIOM_HORIZONTAL] = idiom_horizontal, [IDIOM_CALLS] = idiom_calls,
        [IDIOM_TEMPORARY] = idiom_temporary,   [IDIOM_AGGREGATE] = idiom_aggregate,

    };
    Expr *x = build_simple_target(b), *y = build_simple_target(b);
    if (!x || !y)
        return NULL;
    bool live = build_whole(b);
    Stmt *s = stmt_new(b->arena, STMT_BLOCK, NULL);
    Block block = {.end = &s->body};
    if (idioms[idiom](b, &block, x, y))
        return build_whole_end(b, s, live);
    b->live = live;
    return NULL;
}

Stmt *build_idiom_stmt(Builder *b) {
    unsigned idiom = build_draw(b, DIST_STATEMENT_IDIOM);
    if (idiom == IDIOM_LOOP)
        return build_has(b, GEN_LOOPS) ? build_idiom_loop(b) : NULL;
    return build_block_idiom(b, idiom);
}
