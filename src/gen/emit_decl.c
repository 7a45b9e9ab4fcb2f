/* Types, variables and their initial values. */
#include "gen/emit.h"

static void emit_element_type(Emitter *m, const Type *type) {
    emit_text(m,
              type->kind == TYPE_STRUCT && m->options->language == GEN_C ? type->is_union ? "union " : "struct " : "");
    emit_text(m, type->base && type->kind == TYPE_INT ? type->base->name : type->name);
}

/* "int", or "std::vector<int>" */
static void emit_specifier(Emitter *m, const Type *type) {
    while (type->kind == TYPE_POINTER)
        type = type->base;
    if (type->kind == TYPE_ARRAY && type->form == ARRAY_LANES) {
        emit_text(m, type->name);
        return;
    }
    if (type->kind != TYPE_ARRAY || type->form == ARRAY_PLAIN) {
        emit_element_type(m, type_innermost(type));
        return;
    }
    static const char *const templates[ARRAY_FORMS] = {"", "std::valarray<", "std::vector<", "std::array<", ""};
    emit_text(m, templates[type->form]);
    emit_element_type(m, type->base);
    if (type->form == ARRAY_STD) {
        emit_text(m, ", ");
        emit_number(m, type->count);
    }
    emit_text(m, ">");
}

void emit_declarator(Emitter *m, const Type *type, const char *name) {
    emit_specifier(m, type);
    emit_text(m, " ");
    for (const Type *t = type; t->kind == TYPE_POINTER; t = t->base)
        emit_text(m, "*");
    emit_text(m, name);
    for (const Type *t = type; t->kind == TYPE_ARRAY && t->form == ARRAY_PLAIN; t = t->base) {
        emit_text(m, "[");
        emit_number(m, t->count);
        emit_text(m, "]");
    }
}

/* --- Type definitions --- */

static void emit_member(Emitter *m, const Member *member) {
    emit_text(m, "    ");
    emit_text(m, member->is_volatile ? "volatile " : "");
    if (member->type->is_bitfield && member->type->ints.is_signed)
        emit_text(m, member->type->rank == INT_SCHAR ? "" : "signed "); /* plain ones may be unsigned */
    emit_declarator(m, member->type, member->name);
    if (member->type->is_bitfield) {
        emit_text(m, " : ");
        emit_number(m, member->type->ints.bits);
    }
    emit_text(m, ";\n");
}

void emit_type_definitions(Emitter *m) {
    const IrProgram *p = m->program;
    if (p->enumerators.len) {
        emit_text(m, "enum {\n");
        for (size_t i = 0; i < p->enumerators.len; i++) {
            str_printf(m->out, "    %s = ", p->enumerators.items[i].name);
            emit_literal(m, &p->types.ints[INT_INT], p->enumerators.items[i].value);
            emit_text(m, ",\n" + (i + 1 == p->enumerators.len));
        }
        emit_text(m, "};\n\n");
    }
    for (size_t i = 0; i < p->vectors.len; i++)
        str_printf(m->out, "typedef %s %s __attribute__((vector_size(16)));\n", p->vectors.items[i]->base->name,
                   p->vectors.items[i]->name);
    for (size_t i = 0; i < p->structs.len; i++) {
        const Type *type = p->structs.items[i];
        str_printf(m->out, "%s %s {\n", type->is_union ? "union" : "struct", type->name);
        for (uint32_t k = 0; k < type->count; k++)
            emit_member(m, &type->members[k]);
        for (size_t k = 0; k < p->globals.len; k++)
            if (p->globals.items[k]->owner == type) {
                emit_text(m, "    static ");
                emit_declarator(m, p->globals.items[k]->type, p->globals.items[k]->name);
                emit_text(m, ";\n");
            }
        emit_text(m, "};\n\n");
    }
}

/* --- Initial values --- */

typedef enum Style { STYLE_LIST, STYLE_DESIGNATED } Style;

static bool all_zero(const Type *type, const int64_t *cells) {
    for (uint32_t i = 0; i < type->cells; i++)
        if (cells[i])
            return false;
    return true;
}

static void emit_value(Emitter *m, const Type *type, const int64_t *cells, Style style);

/* One element or member; with designators, zeroes are left out. True if something was printed. */
static bool emit_part(Emitter *m, const Type *type, const int64_t *cells, Style style, bool comma, const char *member,
                      uint32_t index) {
    if (style == STYLE_DESIGNATED && all_zero(type, cells))
        return false;
    emit_text(m, comma ? ", " : "");
    if (style == STYLE_DESIGNATED && member) {
        emit_text(m, ".");
        emit_text(m, member);
        emit_text(m, " = ");
    } else if (style == STYLE_DESIGNATED) {
        emit_text(m, "[");
        emit_number(m, index);
        emit_text(m, "] = ");
    }
    emit_value(m, type, cells, style);
    return true;
}

/* The address of the global that has the cell. */
static void emit_pointed(Emitter *m, int64_t cell) {
    const Symbols *globals = &m->program->globals;
    size_t i = 0;
    while (i < globals->len && globals->items[i]->cell != cell)
        i++;
    const Symbol *s = globals->items[i];
    emit_text(m, "&");
    emit_text(m, s->owner ? s->owner->name : "");
    emit_text(m, s->owner ? "::" : "");
    emit_text(m, s->name);
}

static void emit_value(Emitter *m, const Type *type, const int64_t *cells, Style style) {
    if (type->kind == TYPE_POINTER) {
        emit_pointed(m, cells[0]);
        return;
    }
    if (type->kind == TYPE_INT) {
        emit_literal(m, type, cells[0]);
        return;
    }
    bool is_array = type->kind == TYPE_ARRAY, any = false;
    /* C99 knows no empty list, C++ no designators for arrays, nobody any for vectors. */
    if (style == STYLE_DESIGNATED &&
        (all_zero(type, cells) || (is_array && (m->options->language == GEN_CXX || type->form == ARRAY_LANES))))
        style = STYLE_LIST;
    bool twice = is_array && type->form == ARRAY_STD;
    emit_text(m, twice ? "{{" : "{");
    for (uint32_t i = 0; i < type->count; i++) {
        if (is_array)
            any |= emit_part(m, type->base, cells + i * type->base->cells, style, any, NULL, i);
        else
            any |= emit_part(m, type->members[i].type, cells + type->members[i].cell, style, any, type->members[i].name,
                             i);
    }
    emit_text(m, twice ? "}}" : "}");
}

static void emit_union_value(Emitter *m, const Symbol *s, const int64_t *cells) {
    const Member *member = &s->type->members[s->active];
    emit_text(m, "{");
    if (s->initialiser == INIT_DESIGNATED) {
        emit_text(m, ".");
        emit_text(m, member->name);
        emit_text(m, " = ");
    }
    emit_literal(m, member->type, cells[0]);
    emit_text(m, "}");
}

void emit_initialiser(Emitter *m, const Symbol *symbol, const int64_t *cells) {
    if (symbol->type->is_union)
        emit_union_value(m, symbol, cells);
    else
        emit_value(m, symbol->type, cells, symbol->initialiser == INIT_DESIGNATED ? STYLE_DESIGNATED : STYLE_LIST);
}

void emit_global(Emitter *m, const Symbol *s, bool definition) {
    if (s->owner && !definition)
        return; /* its class declares it */
    emit_text(m, definition ? "" : "extern ");
    emit_text(m, s->is_const ? "const " : "");
    emit_text(m, s->is_volatile ? "volatile " : "");
    if (s->owner) {
        emit_element_type(m, s->type);
        str_printf(m->out, " %s::%s", s->owner->name, s->name);
    } else
        emit_declarator(m, s->type, s->name);
    bool sized = s->type->kind == TYPE_ARRAY && (s->type->form == ARRAY_VECTOR || s->type->form == ARRAY_VALARRAY);
    if (definition && s->type->kind == TYPE_REAL)
        str_printf(m->out, " = %.12f", real_value(s->cells[0]));
    else if (definition && s->address) {
        emit_text(m, " = ");
        emit_expr(m, s->address);
    } else if (definition && s->initialiser != INIT_ZERO && s->cells) {
        emit_text(m, " = ");
        emit_initialiser(m, s, s->cells);
    } else if (definition && sized)
        str_printf(m->out, "(%u)", s->type->count);
    emit_text(m, ";\n");
}
