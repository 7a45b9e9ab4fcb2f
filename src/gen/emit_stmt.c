#include "gen/emit.h"

static void emit_indent(Emitter *m, unsigned indent) {
    for (unsigned i = 0; i < indent; i++)
        str_append_n(m->out, "    ", 4);
}

static void emit_list(Emitter *m, const Stmt *s, unsigned indent) {
    for (; s; s = s->next)
        emit_statement(m, s, indent);
}

/* " { … }" after the head of a statement; the line is not ended. */
static void emit_body(Emitter *m, const Stmt *body, unsigned indent) {
    emit_text(m, " {\n");
    emit_list(m, body, indent + 1);
    emit_indent(m, indent);
    emit_text(m, "}");
}

static void emit_parenthesised(Emitter *m, const char *keyword, const Expr *e) {
    emit_text(m, keyword);
    emit_text(m, " (");
    emit_expr(m, e);
    emit_text(m, ")");
}

static void emit_declaration(Emitter *m, const Stmt *s) {
    emit_text(m, s->symbol->is_static ? "static " : "");
    emit_text(m, s->symbol->is_const ? "const " : "");
    emit_declarator(m, s->symbol->type, s->symbol->name);
    emit_text(m, " = ");
    if (s->cells)
        emit_initialiser(m, s->symbol, s->cells);
    else
        emit_expr(m, s->expr);
    emit_text(m, ";");
}

static void emit_for_head(Emitter *m, const Stmt *s) {
    emit_text(m, "for (");
    if (s->declares) {
        emit_declarator(m, s->symbol->type, s->symbol->name);
        emit_text(m, " = ");
        emit_expr(m, s->expr->b);
    } else
        emit_expr(m, s->expr);
    emit_text(m, "; ");
    emit_expr(m, s->condition);
    emit_text(m, "; ");
    emit_expr(m, s->step);
    emit_text(m, ")");
}

static void emit_label(Emitter *m, const char *before, int64_t label, const char *after) {
    emit_text(m, before);
    emit_number(m, (uint64_t)label);
    emit_text(m, after);
}

/* What stands on the statement's own lines; its blocks are printed by emit_rest. */
static void emit_head(Emitter *m, const Stmt *s) {
    switch (s->kind) {
    case STMT_EXPR:
        emit_expr(m, s->expr);
        emit_text(m, ";");
        break;
    case STMT_DECL: emit_declaration(m, s); break;
    case STMT_IF: emit_parenthesised(m, "if", s->expr); break;
    case STMT_FOR: emit_for_head(m, s); break;
    case STMT_WHILE: emit_parenthesised(m, "while", s->condition); break;
    case STMT_DO: emit_text(m, "do"); break;
    case STMT_SWITCH: emit_parenthesised(m, "switch", s->expr); break;
    case STMT_CASE:
        if (s->is_default)
            emit_text(m, "default:");
        else
            emit_label(m, "case ", s->value, ":");
        break;
    case STMT_BREAK: emit_text(m, "break;"); break;
    case STMT_CONTINUE: emit_text(m, "continue;"); break;
    case STMT_GOTO: emit_label(m, "goto label_", s->value, ";"); break;
    case STMT_LABEL: emit_label(m, "label_", s->value, ":;"); break;
    case STMT_RETURN:
        emit_text(m, s->expr ? "return " : "return");
        if (s->expr)
            emit_expr(m, s->expr);
        emit_text(m, ";");
        break;
    default: break;
    }
}

static void emit_counted_head(Emitter *m, const Stmt *s) {
    size_t start = m->out->len;
    emit_head(m, s);
    if (s->executed)
        m->executed_bytes += m->out->len - start;
}

static void emit_rest(Emitter *m, const Stmt *s, unsigned indent) {
    switch (s->kind) {
    case STMT_IF:
        emit_body(m, s->body, indent);
        if (!s->otherwise)
            break;
        emit_text(m, " else");
        if (s->otherwise->kind == STMT_IF && !s->otherwise->next) {
            emit_text(m, " ");
            emit_counted_head(m, s->otherwise);
            emit_rest(m, s->otherwise, indent);
        } else
            emit_body(m, s->otherwise, indent);
        break;
    case STMT_FOR:
    case STMT_WHILE:
    case STMT_SWITCH: emit_body(m, s->body, indent); break;
    case STMT_DO:
        emit_body(m, s->body, indent);
        emit_parenthesised(m, " while", s->condition);
        emit_text(m, ";");
        break;
    case STMT_BLOCK:
        emit_text(m, "{\n");
        emit_list(m, s->body, indent + 1);
        emit_indent(m, indent);
        emit_text(m, "}");
        break;
    default: break;
    }
}

void emit_statement(Emitter *m, const Stmt *s, unsigned indent) {
    emit_indent(m, s->kind == STMT_CASE ? indent - 1 : indent);
    emit_counted_head(m, s);
    emit_rest(m, s, indent);
    emit_text(m, "\n");
}

void emit_prototype(Emitter *m, const Function *f) {
    static const char *const storage[PLACEMENTS] = {[PLACE_STATIC] = "static ",
                                                    [PLACE_EXTERN] = "",
                                                    [PLACE_DRIVER] = "",
                                                    [PLACE_HEADER] = "static inline ",
                                                    [PLACE_INLINE] = "inline "};
    emit_text(m, storage[f->placement]);
    emit_text(m, f->result ? f->result->name : "void");
    emit_text(m, " ");
    emit_text(m, f->name);
    emit_text(m, "(");
    for (size_t i = 0; i < f->parameters.len; i++) {
        emit_text(m, i ? ", " : "");
        emit_declarator(m, f->parameters.items[i]->type, f->parameters.items[i]->name);
    }
    emit_text(m, f->parameters.len ? ")" : "void)");
}

void emit_function(Emitter *m, const Function *f) {
    emit_prototype(m, f);
    emit_body(m, f->body, 0);
    emit_text(m, "\n\n");
}
