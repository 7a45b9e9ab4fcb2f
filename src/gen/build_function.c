/* The functions that others call: pure ones, which may stand anywhere in an expression, and ones with effects, called
 * by a statement of their own. Callees are made before their callers; recursion counts its first parameter down. They take
 * about a quarter of the program's bytes. */
#include "gen/build.h"

#define RECURSION_LIMIT 6
#define FUNCTION_STATEMENTS 12

static void add_parameter(Builder *b, Symbol *s) {
    vec_push(&b->function->parameters, s);
    vec_push(&b->locals, s);
}

static void draw_parameter(Builder *b) {
    unsigned kind = build_draw(b, DIST_PARAMETER);
    const Type *aggregate = NULL;
    if ((kind == PARAMETER_STRUCT || kind == PARAMETER_STRUCT_POINTER) && b->program.structs.len)
        aggregate = b->program.structs.items[build_below(b, (unsigned)b->program.structs.len)];
    if (aggregate && !aggregate->is_union) {
        /* Two arguments that read one volatile object are not sequenced: such structs are not passed by value. */
        bool by_value = kind == PARAMETER_STRUCT && !aggregate->has_volatile;
        const Type *type = by_value ? aggregate : types_pointer(b->arena, aggregate);
        add_parameter(b, build_local(b, "x_", type, ROLE_LOCAL));
        return;
    }
    const Type *type = build_int_type(b);
    Symbol *like = kind == PARAMETER_POINTER ? build_pick(b, build_pointed_class(b), false) : NULL;
    if (like && like->role == ROLE_MIXED && type_is_int(type_innermost(like->type))) {
        bool array = like->type->kind == TYPE_ARRAY && type_is_int(like->type->base);
        Symbol *s = build_local(b, "x_", types_pointer(b->arena, type_innermost(like->type)), ROLE_LOCAL);
        s->length = array ? 1 + build_below(b, like->type->count) : 1;
        add_parameter(b, s);
        return;
    }
    add_parameter(b, build_local(b, "x_", type, ROLE_LOCAL));
}

/* f(depth - 1, …), in which pointers and structs are handed on. */
static Expr *recursive_call(Builder *b) {
    Function *f = b->function;
    Expr *e = expr_new(b->arena, EXPR_CALL, f->result);
    e->callee = f;
    e->arguments = arena_array(b->arena, Expr *, f->parameters.len);
    for (size_t i = 0; i < f->parameters.len; i++) {
        Expr *own = expr_var(b->arena, f->parameters.items[i]);
        e->arguments[i] = type_is_int(own->type) && i ? build_expr(b, 1) : own;
    }
    e->arguments[0] = build_operation(b, OP_SUB, e->arguments[0], build_number(b, 1));
    b->calls++;
    return e;
}

/* if (depth <= 0) return e; l = f(depth - 1, …); */
static Stmt *build_recursion(Builder *b) {
    Expr *depth = expr_var(b->arena, b->function->parameters.items[0]);
    Expr *zero = build_number(b, 0);
    Stmt *guard = stmt_new(b->arena, STMT_IF, build_operation(b, OP_LE, depth, zero));
    guard->body = stmt_new(b->arena, STMT_RETURN, build_expr(b, 2));
    Stmt *call = stmt_new(b->arena, STMT_DECL, recursive_call(b));
    call->symbol = build_local(b, "l_", b->function->result, ROLE_LOCAL);
    vec_push(&b->locals, call->symbol);
    guard->next = call;
    return guard;
}

static void build_body(Builder *b) {
    Function *f = b->function;
    Stmt *first = f->is_recursive ? build_recursion(b) : NULL;
    Stmt **end = &first;
    while (*end)
        end = &(*end)->next;
    *end = NULL;
    for (unsigned i = 0, n = 1 + build_draw(b, DIST_BODY_LENGTH); i < n; i++) {
        *end = build_statement(b);
        end = *end ? &(*end)->next : end;
    }
    if (f->result) {
        *end = stmt_new(b->arena, STMT_RETURN, build_root(b));
        build_cost(b, (*end)->expr);
    }
    f->body = first;
}

static void build_one(Builder *b) {
    Function *f = build_function(b, "fn_");
    f->placement = (Placement)build_draw(b, DIST_PLACEMENT);
    f->is_pure = build_draw(b, DIST_PURITY) == PURITY_PURE;
    f->is_recursive = build_draw(b, DIST_RECURSION);
    f->result = f->is_pure || f->is_recursive || !build_draw(b, DIST_VOID) ? build_int_type(b) : NULL;
    if (f->is_recursive) {
        Symbol *depth = build_local(b, "x_", build_int(b, INT_INT), ROLE_COUNTER);
        depth->length = RECURSION_LIMIT;
        add_parameter(b, depth);
    }
    for (unsigned i = 0, n = build_draw(b, DIST_PARAMETERS); i < n; i++)
        draw_parameter(b);
    b->budget = FUNCTION_STATEMENTS;
    build_body(b);
    f->cost = (b->cost + 4) * (f->is_recursive ? RECURSION_LIMIT : 1);
    vec_push(&b->program.functions, f);
}

void build_functions(Builder *b) {
    if (!build_has(b, GEN_CALLS))
        return;
    unsigned count = 1 + (unsigned)MIN_OF(b->options->size / 4000, 60);
    b->room = (int64_t)(b->options->size / 4);
    for (unsigned i = 0; i < count && b->room > 0; i++)
        build_one(b);
}
