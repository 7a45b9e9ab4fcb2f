/* Expressions: side-effect free trees, built top-down, under the paper's policies (section 3.3).
 *
 * Operator contexts and constant leaves are drawn for a whole expression and, with some luck, again for a subtree, so
 * that dense clusters of related operators arise, on which reassociation and peephole optimisations work. Subexpressions
 * go into a buffer from which later expressions in scope take copies.
 */
#include "gen/build.h"

#define OPERATOR(op) (1u << (op))
#define ADDITIVE (OPERATOR(OP_ADD) | OPERATOR(OP_SUB))
#define BITWISE (OPERATOR(OP_AND) | OPERATOR(OP_OR) | OPERATOR(OP_XOR))
#define LOGICAL (OPERATOR(OP_LAND) | OPERATOR(OP_LOR))
#define MULTIPLICATIVE (OPERATOR(OP_MUL) | OPERATOR(OP_DIV))
#define SHIFTS (OPERATOR(OP_SHL) | OPERATOR(OP_SHR))

typedef struct Context {
    uint32_t binary; /* set of BinaryOp */
    uint32_t unary;  /* set of UNARY_… */
} Context;

static const Context contexts[CONTEXTS] = {
    [CONTEXT_NONE] = {OPERATOR(OP_COUNT) - 1, 15},
    [CONTEXT_ADDITIVE] = {ADDITIVE, 1u << UNARY_MINUS},
    [CONTEXT_BITWISE] = {BITWISE, 1u << UNARY_NOT},
    [CONTEXT_LOGICAL] = {LOGICAL, 1u << UNARY_LNOT},
    [CONTEXT_MULTIPLICATIVE] = {MULTIPLICATIVE, 0},
    [CONTEXT_BIT_SHIFT] = {BITWISE | SHIFTS, 1u << UNARY_NOT},
    [CONTEXT_ARITHMETIC] = {ADDITIVE | MULTIPLICATIVE, 1u << UNARY_MINUS},
};

#define CALL_COST_LIMIT 4000 /* operations that a call may execute, times the trips of the loops around it */
#define COMMON_LIMIT 32      /* subexpressions remembered per block */
#define COMMON_NODES 40      /* of one of them: they contain one another, and would grow without bounds */

/* Draws until the choice is one of the set; a distribution that lost them all to shuffling gives the set's first. */
static unsigned draw_from(Builder *b, DistId id, uint32_t set) {
    for (int tries = 0; tries < 12; tries++) {
        unsigned choice = build_draw(b, id);
        if (set >> choice & 1)
            return choice;
    }
    return (unsigned)__builtin_ctz(set);
}

static Expr *build_leaf(Builder *b, const Type *near) {
    bool constant = b->leaves == LEAVES_ALL    ? true
                    : b->leaves == LEAVES_HALF ? build_below(b, 2) == 0
                                               : build_draw(b, DIST_VARIABLE) == LEAF_IS_CONSTANT;
    Expr *leaf = constant ? NULL : build_variable_leaf(b);
    return leaf ? leaf : build_constant(b, near);
}

static Expr *build_unary(Builder *b, unsigned depth) {
    static const ExprKind kinds[] = {
        [UNARY_PLUS] = EXPR_PLUS, [UNARY_MINUS] = EXPR_NEG, [UNARY_NOT] = EXPR_NOT, [UNARY_LNOT] = EXPR_LNOT};
    uint32_t set = contexts[b->context].unary;
    if (!set)
        return build_expr(b, depth);
    ExprKind kind = kinds[draw_from(b, DIST_UNARY, set)];
    Expr *a = build_expr(b, depth);
    return expr_unary(b->arena, kind, kind == EXPR_LNOT ? build_int(b, INT_INT) : a->type->promoted, a);
}

/* A count for shifting `type`: most of what is drawn freely ends up in the rewrite table. */
static Expr *build_shift_count(Builder *b, const Type *type, unsigned depth) {
    unsigned width = type->promoted->ints.bits;
    switch (build_draw(b, DIST_SHIFT_COUNT)) {
    case COUNT_SMALL: return build_number(b, build_below(b, width));
    case COUNT_MASKED: return build_bounded(b, width);
    default: return build_expr(b, depth);
    }
}

static Expr *build_binary(Builder *b, unsigned depth) {
    BinaryOp op = (BinaryOp)draw_from(b, DIST_BINARY, contexts[b->context].binary);
    Expr *a = build_expr(b, depth);
    Expr *right = op_is_shift(op) ? build_shift_count(b, a->type, depth)
                  : depth         ? build_expr(b, depth)
                                  : build_leaf(b, a->type);
    return build_operation(b, op, a, right);
}

/* Bit-fields have a type of their own, on whose fate in ?: compilers differ: they are promoted first. */
static Expr *without_bitfield(Builder *b, Expr *e) {
    return e->type->is_bitfield ? expr_unary(b->arena, EXPR_PLUS, e->type->promoted, e) : e;
}

/* Does clang, if both operands are so, compute both before it looks at the condition? Until version 15 its sanitizer
 * then reports what is not executed, as in `x ? 1 : -1 << 2`. */
static bool is_computed_early(const Expr *e) {
    return expr_is_constant(e) || (e->kind == EXPR_VAR && !e->symbol->is_global);
}

Expr *build_conditional_of(Builder *b, Expr *condition, Expr *yes, Expr *no) {
    Expr *e = expr_new(b->arena, EXPR_COND, NULL);
    e->a = condition;
    e->b = without_bitfield(b, yes);
    e->c = without_bitfield(b, no);
    e->both = is_computed_early(e->b) && is_computed_early(e->c);
    e->type = types_common(&b->program.types, e->b->type, e->c->type);
    return e;
}

Expr *build_bounded(Builder *b, unsigned limit) {
    const TypeTable *types = &b->program.types;
    b->nested++;
    Expr *e = build_expr(b, b->nested > NESTED_LIMIT ? 0 : 1);
    b->nested--;
    if ((limit & (limit - 1)) == 0 && build_draw(b, DIST_BOUNDED) == BOUNDED_MASK)
        return build_operation(b, OP_AND, e, build_number(b, limit - 1));
    const Type *target = types_unsigned(types, e->type->promoted);
    Expr *cast = expr_unary(b->arena, EXPR_CAST, target, e);
    return build_operation(b, OP_MOD, cast, expr_const(b->arena, build_int(b, INT_UINT), limit));
}

/* --- Calls --- */

/* Static functions are known in func.c alone, and those of the header come before all others. An inline function with
 * external linkage may not use what has internal linkage. */
static bool visible_from(Placement callee, Placement caller) {
    if (callee == PLACE_HEADER)
        return caller != PLACE_INLINE;
    return callee != PLACE_STATIC || caller == PLACE_STATIC || caller == PLACE_EXTERN;
}

static Expr *build_argument(Builder *b, const Symbol *parameter) {
    const Type *type = parameter->type;
    if (type->kind == TYPE_POINTER)
        return build_address(b, type->base, parameter->length, b->locals.len);
    if (type->kind == TYPE_STRUCT) {
        Symbol *s = build_pick(b, SYMBOL_STRUCT, false);
        return s && s->type == type ? expr_var(b->arena, s) : NULL;
    }
    if (parameter->role == ROLE_COUNTER) /* depth of a recursion */
        return expr_const(b->arena, type, build_below(b, parameter->length));
    return build_expr(b, 1);
}

Expr *build_call(Builder *b, bool pure) {
    unsigned count = (unsigned)b->program.functions.len;
    Function *f = NULL;
    for (int tries = 0; count && b->nested < NESTED_LIMIT && !f && tries < 4; tries++) {
        Function *candidate = b->program.functions.items[build_below(b, count)];
        if ((candidate->is_pure || !pure) && candidate->cost * b->trips <= CALL_COST_LIMIT &&
            visible_from(candidate->placement, b->function->placement) &&
            (tries > 1 || !b->live || !candidate->is_called)) /* first those that never ran */
            f = candidate;
    }
    if (!f || (pure && !f->result))
        return NULL;
    Expr *e = expr_new(b->arena, EXPR_CALL, f->result);
    e->callee = f;
    e->arguments = arena_array(b->arena, Expr *, f->parameters.len);
    Symbol *preferred = b->preferred;
    b->preferred = NULL;
    b->nested++;
    bool complete = true;
    for (size_t i = 0; complete && i < f->parameters.len; i++)
        complete = (e->arguments[i] = build_argument(b, f->parameters.items[i])) != NULL;
    b->nested--;
    b->preferred = preferred;
    if (!complete)
        return NULL;
    f->is_called |= b->live;
    b->calls++;
    b->cost += f->cost * b->trips;
    return e;
}

/* --- Pointers in expressions: comparisons and differences inside one object --- */

static Expr *offset_pointer(Builder *b, Symbol *s) {
    Expr *pointer = expr_var(b->arena, s);
    if (s->length < 2)
        return pointer;
    Expr *sum = expr_new(b->arena, EXPR_POINTER_ADD, s->type);
    sum->a = pointer;
    sum->b = build_number(b, build_below(b, s->length));
    return sum;
}

static Expr *build_pointer_expr(Builder *b) {
    Symbol *s = build_pick(b, SYMBOL_POINTER, false);
    if (!s)
        return NULL;
    bool difference = build_draw(b, DIST_POINTER_NODE) == POINTERS_SUBTRACT;
    Expr *e = expr_new(b->arena, difference ? EXPR_POINTER_DIFF : EXPR_POINTER_COMPARE, build_int(b, INT_INT));
    e->op = (uint8_t)(OP_LT + build_below(b, OP_NE - OP_LT + 1));
    e->a = offset_pointer(b, s);
    e->b = offset_pointer(b, s);
    return e;
}

/* --- The recursion --- */

static Expr *build_node(Builder *b, unsigned depth) {
    if (b->policies && b->context == CONTEXT_NONE && build_draw(b, DIST_IDIOM_USE) == IDIOM_YES)
        return build_idiom_expr(b);
    unsigned kind = build_draw(b, DIST_NODE);
    Expr *e = NULL;
    switch (kind) {
    case NODE_UNARY: return build_unary(b, depth - 1);
    case NODE_BINARY: return build_binary(b, depth - 1);
    case NODE_COND: {
        Expr *condition = build_expr(b, depth - 1), *yes = build_expr(b, depth - 1);
        return build_conditional_of(b, condition, yes, build_expr(b, depth - 1));
    }
    case NODE_CAST: {
        const Type *type = build_int_type(b);
        return expr_unary(b->arena, EXPR_CAST, type, build_expr(b, depth - 1));
    }
    case NODE_CALL: e = build_call(b, true); break;
    case NODE_POINTER: e = build_pointer_expr(b); break;
    default: return build_leaf(b, NULL);
    }
    return e ? e : build_binary(b, depth - 1);
}

Expr *build_expr(Builder *b, unsigned depth) {
    b->room -= NODE_BYTES;
    if (depth == 0 || b->room < 0)
        return build_leaf(b, NULL);
    if (b->policies && b->common.len && build_draw(b, DIST_COMMON_USE) != COMMON_NO)
        return build_again(b, b->common.items[build_below(b, (unsigned)b->common.len)]);
    unsigned context = b->context, leaves = b->leaves, calls = b->calls;
    if (b->policies && build_draw(b, DIST_SUBTREE_POLICY)) {
        b->context = build_draw(b, DIST_CONTEXT);
        b->leaves = build_draw(b, DIST_CONSTANT_LEAVES);
    }
    Expr *e = build_node(b, depth);
    b->context = context;
    b->leaves = leaves;
    if (b->policies && b->calls == calls && e->kind >= EXPR_CAST && depth > 1 && expr_nodes(e) <= COMMON_NODES) {
        /* The buffer is full at some point: a new entry then replaces one of the same block. */
        if (b->common.len < b->block_common + COMMON_LIMIT)
            vec_push(&b->common, e);
        else
            b->common.items[b->block_common + build_below(b, COMMON_LIMIT)] = e;
    }
    return e;
}

Expr *build_root(Builder *b) {
    b->context = b->policies ? build_draw(b, DIST_CONTEXT) : CONTEXT_NONE;
    b->leaves = b->policies ? build_draw(b, DIST_CONSTANT_LEAVES) : LEAVES_MIXED;
    Expr *e = build_binary(b, 1 + build_draw(b, DIST_DEPTH));
    b->context = CONTEXT_NONE;
    b->leaves = LEAVES_MIXED;
    return e;
}
