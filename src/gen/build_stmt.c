/* Statements. Side effects stand only where their order is defined: a full expression has one assignment or one call with
 * effects, and further ones only behind a comma, && or ?:. */
#include "gen/build.h"

#define DEPTH_LIMIT 4

ScopeMark build_scope(Builder *b) {
    ScopeMark mark = {b->locals.len, b->common.len, b->block_common};
    b->block_common = b->common.len;
    b->depth++;
    return mark;
}

void build_scope_end(Builder *b, ScopeMark mark) {
    b->locals.len = mark.locals;
    b->common.len = mark.common;
    b->block_common = mark.block_common;
    b->depth--;
}

void build_cost(Builder *b, const Expr *expr) { b->cost += expr_nodes(expr) * b->trips; }

Stmt *build_finish(Builder *b, Stmt *stmt) {
    b->statistics->statements++;
    return b->live && !interp_statement(&b->interp, stmt) ? NULL : stmt;
}

Stmt *build_expression_stmt(Builder *b, Expr *expr) {
    build_cost(b, expr);
    return build_finish(b, stmt_new(b->arena, STMT_EXPR, expr));
}

Stmt *build_assign(Builder *b, Expr *target, Expr *value) {
    return build_expression_stmt(b, expr_assign(b->arena, target, value));
}

Stmt *build_block(Builder *b, unsigned statements) {
    ScopeMark mark = build_scope(b);
    Stmt *first = NULL, **end = &first;
    for (unsigned i = 0; i < statements && (i == 0 || (b->budget > 0 && b->room > 0)); i++) {
        Stmt *s = build_statement(b);
        if (!s)
            continue;
        *end = s;
        end = &s->next;
    }
    build_scope_end(b, mark);
    return first;
}

/* --- Assignments --- */

/* Is it a part of an output, which is not to be read? */
static bool in_output(const Expr *object) {
    while (object->kind == EXPR_INDEX || object->kind == EXPR_MEMBER)
        object = object->a;
    return object->kind == EXPR_VAR && object->symbol->role == ROLE_OUTPUT;
}

static Expr *assignment(Builder *b, Expr *target, Expr *value) {
    const TypeTable *types = &b->program.types;
    unsigned form = in_output(target) ? ASSIGN_PLAIN : build_draw(b, DIST_ASSIGNMENT);
    if (form == ASSIGN_PLAIN)
        return expr_assign(b->arena, target, value);
    if (form == ASSIGN_COMPOUND)
        return expr_compound(b->arena, types, (BinaryOp)(build_draw(b, DIST_BINARY) % (OP_SHR + 1)), target, value);
    if (target->type->ints.is_bool) /* C++ has no ++ for bool */
        return expr_assign(b->arena, target, value);
    Expr *one = build_number(b, 1);
    Expr *step = expr_compound(b->arena, types, build_below(b, 2) ? OP_ADD : OP_SUB, target, one);
    step->kind = EXPR_STEP;
    step->form = (uint8_t)build_draw(b, DIST_STEP_FORM);
    return step;
}

Stmt *build_assignment(Builder *b, Expr *target) {
    return target ? build_expression_stmt(b, assignment(b, target, build_root(b))) : NULL;
}

/* x = (y = e1, e2);   c && (x = e, 1);   c ? (x = e1) : (y = e2); */
static Stmt *build_comma_stmt(Builder *b) {
    Expr *x = build_simple_target(b), *y = build_simple_target(b);
    if (!x || !y || x->symbol == y->symbol)
        return NULL;
    Expr *first = expr_assign(b->arena, x, build_root(b)), *e;
    BinaryOp op;
    switch (build_draw(b, DIST_COMMA_FORM)) {
    case COMMA_VALUE:
        e = expr_new(b->arena, EXPR_COMMA, NULL);
        e->a = first;
        e->b = build_expr(b, 2);
        e->b = build_operation(b, OP_ADD, e->b, build_constant(b, NULL));
        e->type = e->b->type;
        return build_assign(b, y, e);
    case COMMA_LOGICAL:
        e = expr_new(b->arena, EXPR_COMMA, build_int(b, INT_INT));
        e->a = first;
        e->b = expr_const(b->arena, e->type, 1);
        op = build_below(b, 2) ? OP_LAND : OP_LOR;
        return build_expression_stmt(b, build_operation(b, op, build_root(b), e));
    default:
        e = expr_new(b->arena, EXPR_COND, build_int(b, INT_LLONG)); /* no program uses the value */
        e->a = build_root(b);
        e->b = first;
        e->c = expr_assign(b->arena, y, build_root(b));
        return build_expression_stmt(b, e);
    }
}

/* s.m = e, or x = s.m, where m is volatile. */
static Stmt *build_volatile_member_stmt(Builder *b) {
    bool write = build_draw(b, DIST_VOLATILE_WRITE);
    Symbol *s = build_pick(b, SYMBOL_STRUCT, write);
    const Type *type = !s ? NULL : s->type->kind == TYPE_POINTER ? s->type->base : s->type;
    for (uint32_t i = 0; type && i < type->count; i++) {
        if (!type->members[i].is_volatile)
            continue;
        Expr *member = expr_member(b->arena, expr_var(b->arena, s), &type->members[i]);
        Expr *target = write ? member : build_simple_target(b);
        return target ? build_assign(b, target, write ? build_root(b) : member) : NULL;
    }
    return NULL;
}

/* Accessing a volatile object is a side effect: at most one in an expression. */
static Stmt *build_volatile_stmt(Builder *b) {
    if (b->function->is_pure)
        return NULL;
    if (!b->volatiles.len || build_draw(b, DIST_VOLATILE_MEMBER))
        return build_volatile_member_stmt(b);
    Expr *object = expr_var(b->arena, b->volatiles.items[build_below(b, (unsigned)b->volatiles.len)]);
    Role role = object->symbol->role;
    object = build_descend(b, object);
    if (build_draw(b, DIST_VOLATILE_WRITE) && role != ROLE_INPUT)
        return build_assign(b, object, build_root(b));
    Expr *target = build_target(b);
    if (!target || role == ROLE_OUTPUT)
        return NULL;
    Expr *value = build_below(b, 2) ? object : build_operation(b, OP_XOR, object, build_expr(b, 2));
    return build_assign(b, target, value);
}

static Stmt *build_call_stmt(Builder *b) {
    Expr *call = build_call(b, b->function->is_pure);
    if (!call)
        return NULL;
    Expr *target = call->type && build_draw(b, DIST_RESULT_USE) ? build_simple_target(b) : NULL;
    return build_expression_stmt(b, target ? expr_assign(b->arena, target, call) : call);
}

static Expr *whole_struct(Builder *b, Symbol *s) {
    Expr *e = expr_var(b->arena, s);
    return s->type->kind == TYPE_POINTER ? expr_unary(b->arena, EXPR_DEREF, s->type->base, e) : e;
}

static Stmt *build_copy_stmt(Builder *b) {
    Symbol *to = build_pick(b, SYMBOL_STRUCT, true);
    for (int tries = 0; to && tries < 4; tries++) {
        Symbol *from = build_pick(b, SYMBOL_STRUCT, false);
        Expr *e = expr_new(b->arena, EXPR_COPY, NULL);
        e->a = whole_struct(b, to);
        e->b = from ? whole_struct(b, from) : NULL;
        e->type = e->a->type;
        if (from && from != to && e->b->type == e->type && to->active == from->active)
            return build_expression_stmt(b, e);
    }
    return NULL;
}

/* Which locals outlive the pointer: those declared before it. */
static size_t locals_before(const Builder *b, const Symbol *s) {
    size_t i = 0;
    while (i < b->locals.len && b->locals.items[i] != s)
        i++;
    return s->is_global ? 0 : i;
}

/* s.p = &g, where the struct may outlive every local. */
static Stmt *build_pointer_member_stmt(Builder *b) {
    Symbol *s = build_pick(b, SYMBOL_STRUCT, true);
    const Type *type = !s ? NULL : s->type->kind == TYPE_POINTER ? s->type->base : s->type;
    for (uint32_t i = 0; type && i < type->count; i++) {
        const Member *m = &type->members[i];
        Expr *address = m->type->kind == TYPE_POINTER ? build_address(b, m->type->base, 1, 0) : NULL;
        if (address)
            return build_assign(b, expr_member(b->arena, expr_var(b->arena, s), m), address);
    }
    return NULL;
}

static Stmt *build_pointer_stmt(Builder *b) {
    if (build_draw(b, DIST_POINTER_STORE) == STORE_MEMBER)
        return build_pointer_member_stmt(b);
    Symbol *s = build_pick(b, SYMBOL_POINTER, true);
    if (!s || s->type->kind != TYPE_POINTER)
        return NULL;
    Expr *address = build_address(b, s->type->base, s->length, locals_before(b, s));
    return address ? build_assign(b, expr_var(b->arena, s), address) : NULL;
}

/* --- Declarations --- */

static Stmt *declare_pointer(Builder *b) {
    Symbol *like = build_pick(b, build_pointed_class(b), true);
    if (!like || like->role == ROLE_OUTPUT || type_innermost(like->type)->kind != TYPE_INT)
        return NULL;
    bool array = like->type->kind == TYPE_ARRAY && like->type->base->kind == TYPE_INT;
    uint32_t length = array ? 1 + build_below(b, like->type->count) : 1;
    const Type *target = type_innermost(like->type);
    Expr *address = build_address(b, target, length, b->locals.len);
    if (!address)
        return NULL;
    Stmt *s = stmt_new(b->arena, STMT_DECL, address);
    s->symbol = build_local(b, "p_", types_pointer(b->arena, target), ROLE_LOCAL);
    s->symbol->length = length;
    return s;
}

static Stmt *declare_int(Builder *b) {
    Stmt *s = stmt_new(b->arena, STMT_DECL, build_root(b));
    s->symbol = build_local(b, "l_", build_int_type(b), ROLE_LOCAL);
    if (build_draw(b, DIST_LOCAL_CONST)) {
        s->symbol->is_const = true;
        s->symbol->role = ROLE_INPUT;
    }
    build_cost(b, s->expr);
    return s;
}

static Stmt *declare_aggregate(Builder *b, const Type *type) {
    if (type->is_union)
        return NULL;
    Stmt *s = stmt_new(b->arena, STMT_DECL, NULL);
    s->symbol = build_local(b, type->kind == TYPE_ARRAY ? "la_" : "ls_", type, ROLE_LOCAL);
    s->cells = build_cells(b, type);
    b->cost += type->cells * b->trips;
    return s;
}

/* A local that keeps its value. Every file that includes init.h has its own of those there, and a pure function must not
 * change: both have constants. */
static Stmt *declare_static(Builder *b, const Type *type) {
    const Function *f = b->function;
    Stmt *s = stmt_new(b->arena, STMT_DECL, NULL);
    Symbol *symbol = arena_new(b->arena, Symbol);
    *symbol = (Symbol){.name = build_name(b, "t_"), .type = type, .is_global = true, .is_static = true};
    symbol->is_const = f->is_pure || f->placement == PLACE_HEADER || f->placement == PLACE_INLINE;
    symbol->role = symbol->is_const ? ROLE_INPUT : ROLE_LOCAL;
    symbol->cell = extents_add(&b->program.extents, type);
    symbol->cells = s->cells = build_cells(b, type);
    vec_push(&b->program.statics, symbol);
    s->symbol = symbol;
    return s;
}

static Stmt *build_declaration(Builder *b) {
    unsigned kind = build_draw(b, DIST_DECLARATION);
    const Type *aggregate = NULL;
    Stmt *s = NULL;
    if (kind == DECLARE_POINTER)
        s = declare_pointer(b);
    if (kind == DECLARE_ARRAY)
        aggregate = build_small_array(b, 15);
    if (kind == DECLARE_STRUCT && b->program.structs.len)
        aggregate = b->program.structs.items[build_below(b, (unsigned)b->program.structs.len)];
    if (!b->entered && !s && build_draw(b, DIST_STORAGE) == STORAGE_STATIC) /* test functions run but once */
        s = declare_static(b, aggregate && !aggregate->is_union ? aggregate : build_int_type(b));
    else if (aggregate)
        s = declare_aggregate(b, aggregate);
    s = build_finish(b, s ? s : declare_int(b));
    if (s)
        vec_push(&b->locals, s->symbol);
    return s;
}

/* --- Branches --- */

/* A branch that is known to be dead is kept short: compilers must read it, but it tests little else. */
static Stmt *build_branch(Builder *b, bool taken) {
    bool live = b->live;
    b->live = live && taken;
    Stmt *body = build_block(b, live && !taken ? 1 : 1 + build_draw(b, DIST_BLOCK_LENGTH));
    b->live = live;
    return body;
}

static Stmt *build_if(Builder *b) {
    Stmt *s = stmt_new(b->arena, STMT_IF, build_root(b));
    build_cost(b, s->expr);
    b->statistics->statements++;
    bool value = true;
    if (b->live && !interp_condition(&b->interp, s->expr, &value))
        return NULL;
    s->executed = b->live;
    s->body = build_branch(b, value);
    if (build_draw(b, DIST_ELSE) == ELSE_YES || (b->live && !value))
        s->otherwise = build_branch(b, !value);
    return s;
}

bool build_whole(Builder *b) {
    bool live = b->live;
    b->live = false;
    return live;
}

Stmt *build_whole_end(Builder *b, Stmt *s, bool live) {
    b->live = live;
    return build_finish(b, s);
}

static Stmt *build_switch(Builder *b) {
    unsigned cases = 2 + build_draw(b, DIST_CASES);
    bool live = build_whole(b), may_break = b->may_break;
    Stmt *s = stmt_new(b->arena, STMT_SWITCH, build_bounded(b, cases + build_below(b, 3)));
    build_cost(b, s->expr);
    b->may_break = false;
    Stmt **end = &s->body;
    unsigned with_default = build_below(b, cases + 2);
    for (unsigned i = 0; i < cases; i++) {
        Stmt *label = stmt_new(b->arena, STMT_CASE, NULL);
        label->value = i;
        label->is_default = i == with_default;
        Stmt *block = stmt_new(b->arena, STMT_BLOCK, NULL);
        block->body = build_block(b, 1 + build_below(b, 2));
        *end = label;
        label->next = block;
        end = &block->next;
        if (i + 1 == cases || build_draw(b, DIST_CASE_END) == CASE_BREAK) {
            *end = stmt_new(b->arena, STMT_BREAK, NULL);
            end = &(*end)->next;
        }
    }
    b->may_break = may_break;
    return build_whole_end(b, s, live);
}

/* { if (c) goto L; { … } L: ; }   The block keeps the jump from crossing a declaration. */
static Stmt *build_goto(Builder *b) {
    bool live = build_whole(b);
    Stmt *s = stmt_new(b->arena, STMT_BLOCK, NULL);
    Stmt *branch = stmt_new(b->arena, STMT_IF, build_root(b));
    build_cost(b, branch->expr);
    branch->body = stmt_new(b->arena, STMT_GOTO, NULL);
    branch->body->value = ++b->labels;
    Stmt *skipped = stmt_new(b->arena, STMT_BLOCK, NULL);
    Stmt *label = stmt_new(b->arena, STMT_LABEL, NULL);
    label->value = branch->body->value;
    skipped->body = build_block(b, 1 + build_draw(b, DIST_BLOCK_LENGTH));
    s->body = branch;
    branch->next = skipped;
    skipped->next = label;
    return build_whole_end(b, s, live);
}

Stmt *build_statement(Builder *b) {
    b->budget--;
    if (b->loop_depth && b->may_break) {
        unsigned jump = build_draw(b, DIST_JUMP);
        if (jump != JUMP_NONE) {
            Stmt *s = stmt_new(b->arena, STMT_IF, build_root(b));
            build_cost(b, s->expr);
            s->body = stmt_new(b->arena, jump == JUMP_BREAK ? STMT_BREAK : STMT_CONTINUE, NULL);
            return build_finish(b, s);
        }
    }
    bool may_nest = b->depth < DEPTH_LIMIT && b->budget > 0 && b->room > 0;
    if (b->policies && may_nest && build_draw(b, DIST_STATEMENT_IDIOM_USE) == IDIOM_YES) {
        Stmt *idiom = build_idiom_stmt(b);
        if (idiom)
            return idiom;
    }
    unsigned kind = build_draw(b, DIST_STATEMENT);
    bool nested = kind == KIND_IF || kind == KIND_LOOP || kind == KIND_SWITCH || kind == KIND_GOTO;
    if (nested && !may_nest)
        kind = KIND_ASSIGNMENT;
    Stmt *s = NULL;
    switch (kind) {
    case KIND_DECLARATION: return build_declaration(b);
    case KIND_IF: return build_if(b);
    case KIND_LOOP: s = build_loop(b); break;
    case KIND_SWITCH: return build_switch(b);
    case KIND_GOTO: return build_goto(b);
    case KIND_CALL: s = build_call_stmt(b); break;
    case KIND_COPY: s = build_copy_stmt(b); break;
    case KIND_POINTER: s = build_pointer_stmt(b); break;
    case KIND_COMMA: s = build_comma_stmt(b); break;
    case KIND_VOLATILE: s = build_volatile_stmt(b); break;
    case KIND_VECTOR: s = build_vector_stmt(b); break;
    case KIND_REAL: s = build_real_stmt(b); break;
    default: break;
    }
    return s ? s : build_assignment(b, build_target(b));
}
