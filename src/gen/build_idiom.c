/* Idioms: a generation policy of ours beside those of the paper's section 3.3.
 *
 * Optimisers look for combinations of operators that independent draws rarely make: a rotation needs two shifts of one
 * value whose counts add up to its width. So now and then a subtree, or a statement, takes the form that a transformation
 * looks for, with operands drawn as everywhere. What the forms are made of is in every program, also without policies;
 * they only make the combination likely, as the operator contexts and the buffers of constants and subexpressions do.
 * Repairs may break a form; that gives the near misses, which optimisers must tell apart.
 *
 * Here are those of expressions and straight-line code, in build_idiom_loop.c those of loops.
 */
#include "gen/build.h"

/* What an idiom uses more than once: short. */
static Expr *operand(Builder *b) {
    Expr *leaf = build_below(b, 4) ? build_variable_leaf(b) : NULL;
    return leaf ? leaf : build_expr(b, 1);
}

/* The operand converted to an unsigned type in which nothing is promoted. */
static Expr *unsigned_operand(Builder *b) {
    static const IntKind kinds[] = {INT_UINT, INT_UINT, INT_ULONG, INT_ULLONG};
    const Type *type = build_int(b, kinds[build_below(b, ARRAY_LEN(kinds))]);
    return expr_unary(b->arena, EXPR_CAST, type, operand(b));
}

/* --- Expressions --- */

/* x < y ? x : y */
static Expr *idiom_extreme(Builder *b) {
    Expr *x = operand(b), *y = build_below(b, 2) ? operand(b) : build_constant(b, x->type);
    Expr *less = build_operation(b, (BinaryOp)(OP_LT + build_below(b, OP_GE - OP_LT + 1)), x, y);
    return build_conditional_of(b, less, build_again(b, x), build_again(b, y));
}

/* x < 0 ? -x : x */
static Expr *idiom_absolute(Builder *b) {
    Expr *x = operand(b);
    Expr *negated = expr_unary(b->arena, EXPR_NEG, x->type->promoted, build_again(b, x));
    return build_conditional_of(b, build_operation(b, build_below(b, 2) ? OP_LT : OP_GT, x, build_number(b, 0)),
                                negated, build_again(b, x));
}

/* x < low ? low : x > high ? high : x */
static Expr *idiom_clamp(Builder *b) {
    Expr *x = operand(b);
    int64_t low = (int64_t)build_below(b, 256) - 128, high = low + 1 + build_below(b, 255);
    Expr *inner = build_conditional_of(b, build_operation(b, OP_GT, build_again(b, x), build_number(b, high)),
                                       build_number(b, high), build_again(b, x));
    return build_conditional_of(b, build_operation(b, OP_LT, x, build_number(b, low)), build_number(b, low), inner);
}

/* x << c | x >> (width - c) */
static Expr *idiom_rotation(Builder *b) {
    static const BinaryOp joins[] = {OP_OR, OP_OR, OP_XOR, OP_ADD};
    Expr *x = unsigned_operand(b);
    unsigned width = x->type->ints.bits, count = 1 + build_below(b, width - 1);
    return build_operation(b, joins[build_below(b, ARRAY_LEN(joins))],
                           build_operation(b, OP_SHL, x, build_number(b, count)),
                           build_operation(b, OP_SHR, build_again(b, x), build_number(b, width - count)));
}

/* The bytes of x in another order: swapped, or put together as they were. */
static Expr *idiom_bytes(Builder *b) {
    Expr *x = unsigned_operand(b), *sum = NULL;
    unsigned count = build_below(b, 3) ? x->type->ints.bits / 8u : 2;
    bool swap = build_below(b, 3);
    for (unsigned i = 0; i < count; i++) {
        Expr *byte = build_operation(b, OP_AND, build_operation(b, OP_SHR, build_again(b, x), build_number(b, 8 * i)),
                                     build_number(b, 255));
        byte = build_operation(b, OP_SHL, byte, build_number(b, 8 * (swap ? count - 1 - i : i)));
        sum = sum ? build_operation(b, OP_OR, sum, byte) : byte;
    }
    return sum;
}

/* (x op c1) op' (y op c2), where x and y are mostly the same: what reassociation and factoring collect. */
static Expr *idiom_pairs(Builder *b) {
    static const BinaryOp pairs[][2] = {{OP_OR, OP_XOR},  {OP_AND, OP_XOR}, {OP_AND, OP_OR},  {OP_OR, OP_AND},
                                        {OP_XOR, OP_AND}, {OP_MUL, OP_ADD}, {OP_MUL, OP_SUB}, {OP_ADD, OP_SUB},
                                        {OP_ADD, OP_MUL}, {OP_SUB, OP_ADD}, {OP_SHL, OP_ADD}, {OP_SHL, OP_OR},
                                        {OP_SHR, OP_XOR}, {OP_EQ, OP_LOR},  {OP_NE, OP_LAND}};
    const BinaryOp *pair = pairs[build_below(b, ARRAY_LEN(pairs))];
    Expr *x = operand(b), *y = build_below(b, 4) ? build_again(b, x) : operand(b), *c1, *c2;
    if (op_is_shift(pair[0])) {
        c1 = build_number(b, build_below(b, 16));
        c2 = build_number(b, build_below(b, 16));
    } else if (build_below(b, 3)) {
        c1 = build_constant(b, x->type);
        c2 = build_below(b, 2) ? expr_unary(b->arena, EXPR_NOT, c1->type->promoted, build_again(b, c1))
                               : build_constant(b, x->type);
    } else {
        c1 = operand(b);
        c2 = build_below(b, 2) ? build_again(b, c1) : operand(b);
    }
    return build_operation(b, pair[1], build_operation(b, pair[0], x, c1), build_operation(b, pair[0], y, c2));
}

/* x / c and x % c by one constant, often a power of two. */
static Expr *idiom_division(Builder *b) {
    Expr *x = operand(b);
    int64_t by = build_below(b, 2) ? 1ll << (1 + build_below(b, 12)) : 3 + build_below(b, 1000);
    Expr *quotient = build_operation(b, OP_DIV, x, build_number(b, by));
    switch (build_below(b, 4)) {
    case 0: return quotient;
    case 1: return build_operation(b, OP_MOD, x, build_number(b, by));
    case 2: return build_operation(b, OP_MUL, quotient, build_number(b, by));
    default:
        return build_operation(b, OP_XOR, quotient, build_operation(b, OP_MOD, build_again(b, x), build_number(b, by)));
    }
}

/* low <= x && x < high, or x == c1 || x == c2 || x == c3 */
static Expr *idiom_range(Builder *b) {
    Expr *x = operand(b);
    int64_t low = (int64_t)build_below(b, 64) - 16;
    if (build_below(b, 2)) {
        bool inside = build_below(b, 2);
        Expr *from = build_operation(b, inside ? OP_GE : OP_LT, x, build_number(b, low));
        Expr *to = build_operation(b, inside ? OP_LT : OP_GE, build_again(b, x),
                                   build_number(b, low + 1 + build_below(b, 64)));
        return build_operation(b, inside ? OP_LAND : OP_LOR, from, to);
    }
    Expr *any = build_operation(b, OP_EQ, x, build_number(b, low));
    for (unsigned i = 0, n = 1 + build_below(b, 3); i < n; i++)
        any = build_operation(
            b, OP_LOR, any,
            build_operation(b, OP_EQ, build_again(b, x), build_number(b, low + 1 + build_below(b, 12))));
    return any;
}

/* Narrowing and widening: (int)(signed char)x, x << c >> c, (long long)x * y */
static Expr *idiom_extension(Builder *b) {
    static const IntKind narrow[] = {INT_SCHAR, INT_UCHAR, INT_SHORT, INT_USHORT, INT_INT, INT_UINT};
    Expr *x = operand(b);
    switch (build_below(b, 3)) {
    case 0: {
        const Type *type = build_int(b, narrow[build_below(b, ARRAY_LEN(narrow))]);
        return build_operation(b, OP_ADD, expr_unary(b->arena, EXPR_CAST, type, x), operand(b));
    }
    case 1: {
        Expr *bits = unsigned_operand(b), *count = build_number(b, 1 + build_below(b, bits->type->ints.bits - 1u));
        return build_operation(b, OP_SHR, build_operation(b, OP_SHL, bits, count), build_again(b, count));
    }
    default:
        x = expr_unary(b->arena, EXPR_CAST, build_int(b, build_below(b, 2) ? INT_LLONG : INT_ULLONG), x);
        return build_operation(b, OP_MUL, x, operand(b));
    }
}

/* Identities of two's complement: ~(x - 1), -~x, x - (x & c), x & -x, x & (x - 1), (x ^ y) ^ x */
static Expr *idiom_identity(Builder *b) {
    Expr *x = operand(b), *same = build_again(b, x);
    const Type *type = x->type->promoted;
    switch (build_below(b, 7)) {
    case 0: return expr_unary(b->arena, EXPR_NOT, type, build_operation(b, OP_SUB, x, build_number(b, 1)));
    case 1: return expr_unary(b->arena, EXPR_NEG, type, expr_unary(b->arena, EXPR_NOT, type, x));
    case 2: return build_operation(b, OP_SUB, x, build_operation(b, OP_AND, same, build_constant(b, x->type)));
    case 3: return build_operation(b, OP_AND, x, expr_unary(b->arena, EXPR_NEG, type, same));
    case 4: return build_operation(b, OP_AND, x, build_operation(b, OP_SUB, same, build_number(b, 1)));
    case 5: return build_operation(b, OP_XOR, build_operation(b, OP_XOR, x, operand(b)), same);
    default: return build_operation(b, OP_SUB, build_operation(b, OP_ADD, x, operand(b)), same);
    }
}

/* c ? k : k + 1 and the like, which become arithmetic on the truth value. */
static Expr *idiom_truth(Builder *b) {
    BinaryOp op = (BinaryOp)(OP_LT + build_below(b, OP_NE - OP_LT + 1));
    Expr *left = operand(b), *truth = build_operation(b, op, left, operand(b));
    int64_t k = (int64_t)build_below(b, 9) - 4;
    switch (build_below(b, 4)) {
    case 0: return build_conditional_of(b, truth, build_number(b, k), build_number(b, k + 1));
    case 1: return build_conditional_of(b, truth, build_number(b, 0), operand(b));
    case 2: return build_operation(b, OP_XOR, truth, build_number(b, 1));
    default: return build_operation(b, OP_MUL, truth, operand(b));
    }
}

Expr *build_idiom_expr(Builder *b) {
    static Expr *(*const idioms[])(Builder *) = {
        [IDIOM_EXTREME] = idiom_extreme,   [IDIOM_ABSOLUTE] = idiom_absolute, [IDIOM_CLAMP] = idiom_clamp,
        [IDIOM_ROTATION] = idiom_rotation, [IDIOM_BYTES] = idiom_bytes,       [IDIOM_PAIRS] = idiom_pairs,
        [IDIOM_DIVISION] = idiom_division, [IDIOM_RANGE] = idiom_range,       [IDIOM_EXTENSION] = idiom_extension,
        [IDIOM_IDENTITY] = idiom_identity, [IDIOM_TRUTH] = idiom_truth,
    };
    return idioms[build_draw(b, DIST_IDIOM)](b);
}

/* --- Straight-line code: blocks of a few statements, each executed as a whole --- */

typedef struct Block {
    Stmt *first, **end;
} Block;

static void add(Block *block, Stmt *s) {
    *block->end = s;
    block->end = &s->next;
}

static void add_assignment(Builder *b, Block *block, Expr *target, Expr *value) {
    add(block, build_expression_stmt(b, expr_assign(b->arena, target, value)));
}

static Stmt *assign_stmt(Builder *b, Expr *target, Expr *value) {
    return build_expression_stmt(b, expr_assign(b->arena, target, value));
}

static Stmt *if_stmt(Builder *b, Expr *condition, Stmt *body) {
    Stmt *s = stmt_new(b->arena, STMT_IF, condition);
    build_cost(b, condition);
    s->body = body;
    return s;
}

static bool is_readable(const Expr *target) { return target->symbol->role != ROLE_OUTPUT; }

/* if (c) x = e; …  if (c) y = f;   the second branch is known after the first: jump threading, dominators. */
static bool idiom_threads(Builder *b, Block *block, Expr *x, Expr *y) {
    Expr *condition = build_below(b, 2) ? idiom_range(b) : build_expr(b, 2);
    add(block, if_stmt(b, condition, assign_stmt(b, x, build_expr(b, 2))));
    if (build_below(b, 2))
        add_assignment(b, block, build_again(b, y), build_expr(b, 2));
    add(block, if_stmt(b, build_again(b, condition), assign_stmt(b, y, build_expr(b, 2))));
    return true;
}

/* x = e1; x = e2 op x; y = x: dead stores, loads of what was stored, chains for reassociation. */
static bool idiom_overwrites(Builder *b, Block *block, Expr *x, Expr *y) {
    if (!is_readable(x))
        return false;
    add_assignment(b, block, x, build_expr(b, 2));
    for (unsigned i = 0, n = 1 + build_below(b, 4); i < n; i++) {
        unsigned form = build_below(b, 5);
        Expr *value = form ? operand(b) : build_expr(b, 1);
        if (form)
            value = build_operation(b, form < 3 ? OP_ADD : OP_XOR, build_again(b, x), value);
        add_assignment(b, block, build_again(b, x), value);
    }
    add_assignment(b, block, y, build_again(b, x));
    return true;
}

/* if (c) x = e; y = e: partially redundant. With else: the same on both ways. */
static bool idiom_redundant(Builder *b, Block *block, Expr *x, Expr *y) {
    Expr *value = build_expr(b, 2);
    Stmt *s = if_stmt(b, build_expr(b, 2), assign_stmt(b, x, value));
    if (build_below(b, 2))
        s->otherwise = assign_stmt(b, build_again(b, y), build_again(b, value));
    add(block, s);
    add_assignment(b, block, y, build_again(b, value));
    return true;
}

/* switch (v) { case 0: x = 7; break; case 1: x = 14; break; … }: a table, or a linear function. */
static Stmt *table_switch(Builder *b, Expr *v, unsigned cases, Expr *x) {
    Stmt *s = stmt_new(b->arena, STMT_SWITCH, v), **end = &s->body;
    int64_t value = (int64_t)build_below(b, 200) - 100, step = build_below(b, 9);
    bool linear = build_below(b, 2);
    build_cost(b, v);
    for (unsigned i = 0; i < cases; i++) {
        Stmt *label = stmt_new(b->arena, STMT_CASE, NULL), *leave = stmt_new(b->arena, STMT_BREAK, NULL);
        label->value = i;
        label->is_default = i + 1 == cases && build_below(b, 2);
        value = linear ? value + step : (int64_t)build_below(b, 200) - 100;
        label->next = assign_stmt(b, build_again(b, x), build_number(b, value));
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
    if (build_has(b, GEN_SWITCH) && build_below(b, 2)) {
        add(block, table_switch(b, v, cases, x));
        return true;
    }
    Stmt *first = NULL, **end = &first;
    for (unsigned i = 0; i < cases; i++) {
        Expr *value = build_below(b, 2) ? build_constant(b, x->type) : build_expr(b, 1);
        Expr *hit = build_operation(b, OP_EQ, build_again(b, v), build_number(b, build_below(b, cases + 3)));
        *end = if_stmt(b, hit, assign_stmt(b, build_again(b, x), value));
        end = &(*end)->otherwise;
    }
    add(block, first);
    return true;
}

/* if (x > 7) if (x > 3) …: the inner condition follows from the outer, or contradicts it. */
static bool idiom_ranges(Builder *b, Block *block, Expr *x, Expr *y) {
    Expr *v = operand(b);
    int64_t limit = build_below(b, 100);
    BinaryOp outer = build_below(b, 2) ? OP_GT : OP_LT, inner = build_below(b, 2) ? OP_GT : OP_NE;
    Stmt *nested =
        if_stmt(b, build_operation(b, inner, build_again(b, v), build_number(b, limit + build_below(b, 9) - 4)),
                assign_stmt(b, x, build_operation(b, OP_AND, build_again(b, v), build_number(b, 127))));
    if (build_below(b, 2))
        nested->otherwise = assign_stmt(b, y, build_expr(b, 1));
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
    unsigned count = MIN_OF(most, 2u << build_below(b, 3)), start = build_below(b, most - count + 1);
    BinaryOp op = ops[build_below(b, ARRAY_LEN(ops))];
    unsigned kind = build_below(b, 4);
    Expr *same = build_constant(b, to->type->base);
    for (unsigned i = start; i < start + count; i++) {
        Expr *value = build_element(b, left, build_number(b, i));
        if (kind == 0)
            value = build_constant(b, to->type->base);
        else if (kind > 1)
            value = build_operation(b, op, value,
                                    kind == 2 ? build_again(b, same) : build_element(b, right, build_number(b, i)));
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
    unsigned count = MIN_OF(from->type->count, 4u << build_below(b, 3));
    bool shifted = build_below(b, 3) == 0;
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

/* { T t = e; if (c) x = t op f; else y = t; }: what only one way needs, sinks there. */
static bool idiom_temporary(Builder *b, Block *block, Expr *x, Expr *y) {
    Stmt *s = stmt_new(b->arena, STMT_DECL, build_expr(b, 3));
    s->symbol = build_local(b, "l_", build_int_type(b), ROLE_LOCAL);
    build_cost(b, s->expr);
    add(block, s);
    Expr *t = expr_var(b->arena, s->symbol);
    Expr *condition = build_expr(b, 2);
    Stmt *branch = if_stmt(b, condition, assign_stmt(b, x, build_operation(b, OP_XOR, t, build_expr(b, 1))));
    if (build_below(b, 2))
        branch->otherwise = assign_stmt(b, y, build_again(b, t));
    add(block, branch);
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
