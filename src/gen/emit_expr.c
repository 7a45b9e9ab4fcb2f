#include "gen/emit.h"

#include <string.h>

/* Precedence, highest binds most. */
enum {
    PREC_COMMA = 1,
    PREC_ASSIGN,
    PREC_COND,
    PREC_BINARY,
    PREC_SHIFT = 11,
    PREC_SUM = 12,
    PREC_UNARY = 14,
    PREC_POSTFIX
};

typedef struct Operator {
    const char *text;
    uint8_t precedence;
} Operator;

static const Operator operators[OP_COUNT] = {
    [OP_ADD] = {"+", PREC_SUM},
    [OP_SUB] = {"-", PREC_SUM},
    [OP_MUL] = {"*", 13},
    [OP_DIV] = {"/", 13},
    [OP_MOD] = {"%", 13},
    [OP_AND] = {"&", 8},
    [OP_OR] = {"|", 6},
    [OP_XOR] = {"^", 7},
    [OP_SHL] = {"<<", PREC_SHIFT},
    [OP_SHR] = {">>", PREC_SHIFT},
    [OP_LT] = {"<", 10},
    [OP_GT] = {">", 10},
    [OP_LE] = {"<=", 10},
    [OP_GE] = {">=", 10},
    [OP_EQ] = {"==", 9},
    [OP_NE] = {"!=", 9},
    [OP_LAND] = {"&&", 5},
    [OP_LOR] = {"||", PREC_BINARY},
};

static void emit_at(Emitter *m, const Expr *e, int least);

void emit_text(Emitter *m, const char *text) { str_append_n(m->out, text, strlen(text)); }

void emit_number(Emitter *m, uint64_t value) {
    char digits[20], *start = digits + sizeof(digits);
    do
        *--start = (char)('0' + value % 10);
    while (value /= 10);
    str_append_n(m->out, start, (size_t)(digits + sizeof(digits) - start));
}

/* --- Constants --- */

void emit_literal(Emitter *m, const Type *type, int64_t value) {
    static const char *const suffixes[INT_KINDS] = {"", "", "", "", "", "", "U", "L", "UL", "LL", "ULL"};
    const char *suffix = suffixes[type->rank];
    if (type->ints.is_bool) {
        emit_text(m, value ? "true" : "false");
        return;
    }
    if (!type->ints.is_signed || value >= 0) {
        emit_number(m, (uint64_t)value);
        emit_text(m, suffix);
        return;
    }
    /* -MAX - 1, because the digits of MIN alone are too large for the type. */
    bool lowest = type->rank >= INT_INT && value == int_min(type->base->ints);
    emit_text(m, lowest ? "(-" : "-");
    emit_number(m, 0 - (uint64_t)value - lowest);
    emit_text(m, suffix);
    if (lowest) {
        emit_text(m, " - 1");
        emit_text(m, suffix);
        emit_text(m, ")");
    }
}

static bool needs_cast(const Expr *e) {
    return type_is_int(e->type) && e->type->rank < INT_INT && !e->type->ints.is_bool;
}

static void emit_cast(Emitter *m, const Type *type) {
    emit_text(m, "(");
    emit_text(m, type->base->name);
    emit_text(m, ")");
}

static void emit_constant(Emitter *m, const Expr *e) {
    if (e->type->kind == TYPE_REAL) {
        str_printf(m->out, "%.12f", real_value(e->value));
        return;
    }
    if (e->name) {
        emit_text(m, e->name);
        return;
    }
    if (needs_cast(e)) {
        emit_cast(m, e->type);
        if (e->value < 0)
            emit_text(m, "(");
    }
    emit_literal(m, e->type, e->value);
    if (needs_cast(e) && e->value < 0)
        emit_text(m, ")");
}

/* --- Safe forms --- */

static const char *const helper_names[INT_KINDS] = {
    [INT_INT] = "int",     [INT_UINT] = "uint",   [INT_LONG] = "long",
    [INT_ULONG] = "ulong", [INT_LLONG] = "llong", [INT_ULLONG] = "ullong"};

static void emit_safe_division(Emitter *m, const Expr *e) {
    IntKind rank = e->operation->rank;
    m->helpers |= 1u << (rank * 2 + (e->op == OP_MOD));
    emit_text(m, e->op == OP_MOD ? "safe_mod_" : "safe_div_");
    emit_text(m, helper_names[rank]);
    emit_text(m, "(");
    emit_at(m, e->a, PREC_ASSIGN);
    emit_text(m, ", ");
    emit_at(m, e->b, PREC_ASSIGN);
    emit_text(m, ")");
}

/* Inline functions with external linkage may not call static ones. */
static bool has_inline(const IrProgram *program) {
    for (size_t i = 0; i < program->functions.len; i++)
        if (program->functions.items[i]->placement == PLACE_INLINE)
            return true;
    return false;
}

void emit_helpers(Emitter *m, bool external) {
    bool linkage = has_inline(m->program);
    for (unsigned i = 0; i < INT_KINDS * 2; i++) {
        if (!(m->helpers >> i & 1) || (external && !linkage))
            continue;
        const Type *type = &m->program->types.ints[i / 2];
        const char *t = type->name, *n = helper_names[i / 2];
        emit_text(m, external ? "extern " : linkage ? "" : "static ");
        str_printf(m->out, "inline %s safe_%s_%s(%s a, %s b)%s", t, i & 1 ? "mod" : "div", n, t, t,
                   external ? ";\n" : " {\n    return b == 0");
        if (external)
            continue;
        if (type->ints.is_signed) {
            emit_text(m, " || (b == -1 && a == ");
            emit_literal(m, type, int_min(type->ints));
            emit_text(m, ")");
        }
        str_printf(m->out, " ? a : a %s b;\n}\n", i & 1 ? "%" : "/");
    }
}

/* (T)((UT)a op (UT)b); the count of a shift is masked instead of converted. */
static void emit_safe(Emitter *m, const Expr *e) {
    const Type *type = e->operation;
    const char *unsigned_name = types_unsigned(&m->program->types, type)->name;
    if (e->kind == EXPR_BINARY && (e->op == OP_DIV || e->op == OP_MOD)) {
        emit_safe_division(m, e);
        return;
    }
    emit_cast(m, type);
    emit_text(m, e->kind == EXPR_NEG ? "(-(" : "((");
    emit_text(m, unsigned_name);
    emit_text(m, ")");
    emit_at(m, e->a, PREC_UNARY);
    if (e->kind == EXPR_BINARY) {
        emit_text(m, " ");
        emit_text(m, operators[e->op].text);
        emit_text(m, " (");
        if (op_is_shift(e->op)) {
            emit_at(m, e->b, 9);
            emit_text(m, " & ");
            emit_number(m, type->ints.bits - 1u);
        } else {
            emit_text(m, unsigned_name);
            emit_text(m, ")");
            emit_at(m, e->b, PREC_UNARY);
        }
        if (op_is_shift(e->op))
            emit_text(m, ")");
    }
    emit_text(m, ")");
}

/* --- The others --- */

static void emit_index(Emitter *m, const Expr *e) {
    bool at = e->form == SUBSCRIPT_AT;
    /* A constant out of range is harmless where it never runs, but not every linker can express the address. */
    bool far =
        !e->first_run && expr_is_constant(e->b) && !(e->b->kind == EXPR_CONST && (uint64_t)e->b->value < e->length);
    emit_at(m, e->a, PREC_POSTFIX);
    emit_text(m, at ? ".at(" : "[");
    if (e->safe || far) {
        emit_text(m, "(unsigned long long)");
        emit_at(m, e->b, PREC_UNARY);
        emit_text(m, " % ");
        emit_number(m, e->length);
    } else
        emit_at(m, e->b, PREC_ASSIGN);
    emit_text(m, at ? ")" : "]");
}

static void emit_infix(Emitter *m, const Expr *a, const char *op, const Expr *b, int left, int right) {
    emit_at(m, a, left);
    emit_text(m, " ");
    emit_text(m, op);
    emit_text(m, " ");
    emit_at(m, b, right);
}

static void emit_assign(Emitter *m, const Expr *e) {
    const Expr *value = e->b;
    bool moves = value->kind == EXPR_POINTER_ADD && value->a->kind == EXPR_VAR && e->a->kind == EXPR_VAR &&
                 value->a->symbol == e->a->symbol;
    if (moves)
        emit_infix(m, e->a, "+=", value->b, PREC_UNARY, PREC_ASSIGN);
    else
        emit_infix(m, e->a, "=", value, PREC_UNARY, PREC_ASSIGN);
}

static void emit_step(Emitter *m, const Expr *e) {
    const char *op = e->op == OP_ADD ? "++" : "--";
    emit_text(m, e->form ? "" : op);
    emit_at(m, e->a, e->form ? PREC_POSTFIX : PREC_UNARY);
    emit_text(m, e->form ? op : "");
}

/* a = (V)(b op c): a comparison gives lanes of another type. */
static void emit_lanes(Emitter *m, const Expr *e) {
    emit_at(m, e->a, PREC_UNARY);
    str_printf(m->out, " = (%s)(", e->type->name);
    emit_infix(m, e->b, operators[e->op].text, e->c, PREC_POSTFIX, PREC_POSTFIX);
    emit_text(m, ")");
}

static void emit_call(Emitter *m, const Expr *e) {
    emit_text(m, e->callee->name);
    emit_text(m, "(");
    for (size_t i = 0; i < e->callee->parameters.len; i++) {
        emit_text(m, i ? ", " : "");
        emit_at(m, e->arguments[i], PREC_ASSIGN);
    }
    emit_text(m, ")");
}

static void emit_prefix(Emitter *m, const char *op, const Expr *e, int least) {
    emit_text(m, op);
    emit_at(m, e, least);
}

static int precedence(const Expr *e) {
    switch (e->kind) {
    case EXPR_CONST: return e->name ? PREC_POSTFIX : needs_cast(e) || e->value < 0 ? PREC_UNARY : PREC_POSTFIX;
    case EXPR_VAR:
    case EXPR_INDEX:
    case EXPR_MEMBER:
    case EXPR_CALL: return PREC_POSTFIX;
    case EXPR_BINARY: return e->safe ? PREC_UNARY : operators[e->op].precedence;
    case EXPR_POINTER_COMPARE: return operators[e->op].precedence;
    case EXPR_POINTER_ADD: return PREC_SUM;
    case EXPR_COND: return PREC_COND;
    case EXPR_COMMA: return PREC_COMMA;
    case EXPR_ASSIGN:
    case EXPR_COMPOUND:
    case EXPR_LANES:
    case EXPR_COPY: return PREC_ASSIGN;
    default: return PREC_UNARY;
    }
}

static void emit_bare(Emitter *m, const Expr *e) {
    int level = precedence(e);
    char compound[4];
    switch (e->kind) {
    case EXPR_CONST: emit_constant(m, e); break;
    case EXPR_VAR:
        if (e->symbol->owner) {
            emit_text(m, e->symbol->owner->name);
            emit_text(m, "::");
        }
        emit_text(m, e->symbol->name);
        break;
    case EXPR_INDEX: emit_index(m, e); break;
    case EXPR_MEMBER:
        emit_at(m, e->a, PREC_POSTFIX);
        emit_text(m, e->a->type->kind == TYPE_POINTER ? "->" : ".");
        emit_text(m, e->member->name);
        break;
    case EXPR_DEREF: emit_prefix(m, "*", e->a, PREC_UNARY); break;
    case EXPR_ADDRESS: emit_prefix(m, "&", e->a, PREC_POSTFIX); break;
    case EXPR_CAST:
        emit_cast(m, e->type);
        emit_at(m, e->a, PREC_UNARY);
        break;
    case EXPR_NEG:
        if (e->safe)
            emit_safe(m, e);
        else
            emit_prefix(m, "-", e->a, PREC_POSTFIX);
        break;
    case EXPR_PLUS: emit_prefix(m, "+", e->a, PREC_POSTFIX); break;
    case EXPR_NOT: emit_prefix(m, "~", e->a, PREC_POSTFIX); break;
    case EXPR_LNOT: emit_prefix(m, "!", e->a, PREC_POSTFIX); break;
    case EXPR_BINARY:
        if (e->safe)
            emit_safe(m, e);
        else
            emit_infix(m, e->a, operators[e->op].text, e->b, level, level + 1);
        break;
    case EXPR_COND:
        emit_infix(m, e->a, "?", e->b, PREC_COND + 1, PREC_COND + 1);
        emit_text(m, " : ");
        emit_at(m, e->c, PREC_COND);
        break;
    case EXPR_COMMA:
        emit_at(m, e->a, PREC_ASSIGN);
        emit_text(m, ", ");
        emit_at(m, e->b, PREC_ASSIGN);
        break;
    case EXPR_ASSIGN: emit_assign(m, e); break;
    case EXPR_COPY: emit_infix(m, e->a, "=", e->b, PREC_UNARY, PREC_ASSIGN); break;
    case EXPR_COMPOUND:
        strcpy(compound, operators[e->op].text);
        emit_infix(m, e->a, strcat(compound, "="), e->b, PREC_UNARY, PREC_ASSIGN);
        break;
    case EXPR_STEP: emit_step(m, e); break;
    case EXPR_CALL: emit_call(m, e); break;
    case EXPR_LANES: emit_lanes(m, e); break;
    case EXPR_POINTER_ADD: {
        /* Containers do not turn into pointers by themselves. */
        bool container = e->a->type->kind == TYPE_ARRAY && e->a->type->form != ARRAY_PLAIN;
        emit_text(m, container ? "&" : "");
        emit_at(m, e->a, container ? PREC_POSTFIX : PREC_SUM);
        emit_text(m, container ? "[0] + " : " + ");
        emit_at(m, e->b, PREC_SUM + 1);
        break;
    }
    case EXPR_POINTER_DIFF:
        emit_text(m, "(int)(");
        emit_infix(m, e->a, "-", e->b, PREC_SUM, PREC_SUM + 1);
        emit_text(m, ")");
        break;
    case EXPR_POINTER_COMPARE: emit_infix(m, e->a, operators[e->op].text, e->b, level, level + 1); break;
    }
}

/* In parentheses if the expression binds less than `least`. */
static void emit_at(Emitter *m, const Expr *e, int least) {
    int level = precedence(e);
    bool parentheses = level < least;
    if (!parentheses && level < PREC_UNARY && least > PREC_ASSIGN)
        parentheses = dist_draw(m->dists, DIST_PARENTHESES, &m->rng) == PARENTHESES_EXTRA;
    if (parentheses)
        emit_text(m, "(");
    emit_bare(m, e);
    if (parentheses)
        emit_text(m, ")");
}

void emit_expr(Emitter *m, const Expr *e) { emit_at(m, e, PREC_COMMA); }
