#include "gen/ir.h"

void ir_release(IrProgram *program) {
    for (size_t i = 0; i < program->functions.len; i++) {
        vec_release(&program->functions.items[i]->frame);
        vec_release(&program->functions.items[i]->parameters);
    }
    for (size_t i = 0; i < program->tests.len; i++)
        vec_release(&program->tests.items[i]->frame);
    vec_release(&program->structs);
    vec_release(&program->vectors);
    vec_release(&program->globals);
    vec_release(&program->statics);
    vec_release(&program->reals);
    vec_release(&program->functions);
    vec_release(&program->tests);
    vec_release(&program->enumerators);
    vec_release(&program->extents);
}

uint32_t extents_add(Extents *extents, const Type *type) {
    uint32_t start = (uint32_t)extents->len;
    if (type->kind == TYPE_STRUCT) {
        if (type->is_union) {
            for (uint32_t i = 0; i < type->cells; i++)
                vec_push(extents, (Extent){0, 1});
            return start;
        }
        for (uint32_t i = 0; i < type->count; i++)
            extents_add(extents, type->members[i].type);
        return start;
    }
    if (type->kind != TYPE_ARRAY) {
        vec_push(extents, (Extent){0, 1});
        return start;
    }
    bool flat = type->base->cells == 1;
    for (uint32_t i = 0; i < type->count; i++) {
        if (flat)
            vec_push(extents, (Extent){(uint16_t)i, (uint16_t)(type->count - i)});
        else
            extents_add(extents, type->base);
    }
    vec_push(extents, (Extent){(uint16_t)(flat ? type->count : 0), 0});
    return start;
}

Expr *expr_new(Arena *arena, ExprKind kind, const Type *type) {
    Expr *e = arena_new(arena, Expr);
    e->kind = (uint8_t)kind;
    e->type = type;
    return e;
}

Expr *expr_const(Arena *arena, const Type *type, int64_t value) {
    Expr *e = expr_new(arena, EXPR_CONST, type);
    e->value = int_convert(value, type->ints);
    return e;
}

Expr *expr_var(Arena *arena, Symbol *symbol) {
    Expr *e = expr_new(arena, EXPR_VAR, symbol->type);
    e->symbol = symbol;
    e->is_volatile = symbol->is_volatile;
    return e;
}

Expr *expr_unary(Arena *arena, ExprKind kind, const Type *type, Expr *a) {
    Expr *e = expr_new(arena, kind, type);
    e->operation = type;
    e->a = a;
    e->is_volatile = a->is_volatile;
    return e;
}

/* A new node over two operands. */
static Expr *over(Arena *arena, ExprKind kind, const Type *type, Expr *a, Expr *b) {
    Expr *e = expr_new(arena, kind, type);
    e->a = a;
    e->b = b;
    e->is_volatile = a->is_volatile || b->is_volatile;
    return e;
}

Expr *expr_binary(Arena *arena, const TypeTable *types, BinaryOp op, Expr *a, Expr *b) {
    Expr *e = over(arena, EXPR_BINARY, NULL, a, b);
    e->op = (uint8_t)op;
    e->operation = op_is_shift(op) ? a->type->promoted : types_common(types, a->type, b->type);
    e->type = op >= OP_LT ? &types->ints[INT_INT] : e->operation;
    return e;
}

Expr *expr_assign(Arena *arena, Expr *place, Expr *value) {
    return over(arena, EXPR_ASSIGN, place->type, place, value);
}

Expr *expr_compound(Arena *arena, const TypeTable *types, BinaryOp op, Expr *place, Expr *value) {
    Expr *e = over(arena, EXPR_COMPOUND, place->type, place, value);
    e->op = (uint8_t)op;
    e->operation = op_is_shift(op) ? place->type->promoted : types_common(types, place->type, value->type);
    return e;
}

Expr *expr_index(Arena *arena, Expr *array, Expr *index, uint64_t length) {
    Expr *e = over(arena, EXPR_INDEX, array->type->base, array, index);
    e->length = length;
    return e;
}

Expr *expr_member(Arena *arena, Expr *object, const Member *member) {
    Expr *e = expr_unary(arena, EXPR_MEMBER, member->type, object);
    e->member = member;
    return e;
}

/* How many of a, b and c are operands. */
static int operands(const Expr *e) {
    switch (e->kind) {
    case EXPR_CONST:
    case EXPR_VAR:
    case EXPR_CALL: return 0;
    case EXPR_MEMBER:
    case EXPR_DEREF:
    case EXPR_ADDRESS:
    case EXPR_CAST:
    case EXPR_NEG:
    case EXPR_PLUS:
    case EXPR_NOT:
    case EXPR_LNOT: return 1;
    case EXPR_COND:
    case EXPR_LANES: return 3;
    default: return 2;
    }
}

Expr *expr_copy(Arena *arena, const Expr *expr, bool executed) {
    Expr *e = arena_new(arena, Expr);
    *e = *expr;
    if (!executed)
        e->first_run = e->repairs = 0;
    int count = operands(e);
    if (count > 0)
        e->a = expr_copy(arena, expr->a, executed);
    if (count > 1)
        e->b = expr_copy(arena, expr->b, executed);
    if (count > 2)
        e->c = expr_copy(arena, expr->c, executed);
    if (e->kind == EXPR_CALL) {
        size_t n = e->callee->parameters.len;
        e->arguments = arena_array(arena, Expr *, n);
        for (size_t i = 0; i < n; i++)
            e->arguments[i] = expr_copy(arena, expr->arguments[i], executed);
    }
    return e;
}

size_t expr_nodes(const Expr *e) {
    int count = operands(e);
    size_t nodes = 1;
    nodes += count > 0 ? expr_nodes(e->a) : 0;
    nodes += count > 1 ? expr_nodes(e->b) : 0;
    nodes += count > 2 ? expr_nodes(e->c) : 0;
    for (size_t i = 0; e->kind == EXPR_CALL && i < e->callee->parameters.len; i++)
        nodes += expr_nodes(e->arguments[i]);
    return nodes;
}

bool expr_is_constant(const Expr *e) {
    switch (e->kind) {
    case EXPR_CONST: return true;
    case EXPR_CAST:
    case EXPR_NEG:
    case EXPR_PLUS:
    case EXPR_NOT:
    case EXPR_LNOT: return expr_is_constant(e->a);
    case EXPR_BINARY: return expr_is_constant(e->a) && expr_is_constant(e->b);
    case EXPR_COND: return expr_is_constant(e->b) && expr_is_constant(e->c);
    default: return false;
    }
}

Stmt *stmt_new(Arena *arena, StmtKind kind, Expr *expr) {
    Stmt *s = arena_new(arena, Stmt);
    s->kind = (uint8_t)kind;
    s->expr = expr;
    return s;
}
