/* The files of a program.
 *
 * init.h declares everything, func.c has the test functions and most others, driver.c the globals with their values,
 * the checksum and main: what the tests compute with is hidden from whoever compiles them. With --single the three
 * follow one another in one file. The functions' text is printed first, because it tells which helpers init.h needs.
 */
#include "base/version.h"
#include "gen/emit.h"

/* Sets of placements, by file. */
#define IN_FUNC (1u << PLACE_STATIC | 1u << PLACE_EXTERN)
#define IN_DRIVER (1u << PLACE_DRIVER)
#define IN_HEADER (1u << PLACE_HEADER | 1u << PLACE_INLINE)

static bool is_reported(const Symbol *s) {
    return s->type->kind != TYPE_POINTER && s->type->kind != TYPE_REAL &&
           (s->role == ROLE_OUTPUT || s->role == ROLE_MIXED);
}

static void emit_heading(Emitter *m) {
    const GenOptions *o = m->options;
    str_printf(m->out, "/* culprit %s gen --seed %llu --lang %s --std %s --size %llu --model %s", CULPRIT_VERSION,
               (unsigned long long)o->seed, o->language == GEN_C ? "c" : "c++", o->standard,
               (unsigned long long)o->size, gen_model_name(o->model));
    emit_text(m, o->single ? " --single" : "");
    emit_text(m, o->policies ? "" : " --no-policies");
    GenOptions usual = gen_defaults(0);
    gen_standard_parse(o->standard, &usual, NULL);
    for (unsigned f = 0; f < GEN_FEATURE_COUNT; f++) {
        bool on = o->features >> f & 1;
        if (on != (usual.features >> f & 1))
            str_printf(m->out, " --%s %s", on ? "enable" : "disable", gen_feature_name(f));
    }
    emit_text(m, " */\n");
}

static void emit_functions(Emitter *m, uint32_t placements) {
    for (size_t i = 0; i < m->program->functions.len; i++)
        if (placements >> m->program->functions.items[i]->placement & 1)
            emit_function(m, m->program->functions.items[i]);
}

/* In C the file with these declarations has the external definitions of the inline functions; C++ needs none. */
static void emit_external_definitions(Emitter *m) {
    if (m->options->language == GEN_CXX)
        return;
    emit_helpers(m, true);
    for (size_t i = 0; i < m->program->functions.len; i++) {
        if (m->program->functions.items[i]->placement != PLACE_INLINE)
            continue;
        emit_text(m, "extern ");
        emit_prototype(m, m->program->functions.items[i]);
        emit_text(m, ";\n");
    }
}

/* --- init.h --- */

static void emit_header(Emitter *m, const Str *inlines) {
    bool cxx = m->options->language == GEN_CXX;
    const IrProgram *p = m->program;
    emit_text(m, cxx ? "#include <array>\n#include <valarray>\n#include <vector>\n\n" : "#include <stdbool.h>\n\n");
    emit_type_definitions(m);
    for (size_t i = 0; i < p->globals.len; i++)
        emit_global(m, p->globals.items[i], false);
    emit_text(m, "\n");
    emit_helpers(m, false);
    for (size_t i = 0; i < p->functions.len; i++) {
        const Function *f = p->functions.items[i];
        if (!(1u << f->placement & (IN_FUNC | IN_DRIVER)) || f->placement == PLACE_STATIC)
            continue;
        emit_prototype(m, f);
        emit_text(m, ";\n");
    }
    for (size_t i = 0; i < p->tests.len; i++) {
        emit_prototype(m, p->tests.items[i]);
        emit_text(m, ";\n");
    }
    emit_text(m, "\n");
    str_append_str(m->out, inlines);
}

/* --- driver.c --- */

/* hash(name[i][j].member); for every integer inside, with a loop for every array. */
static void emit_hash(Emitter *m, const Type *type, const Str *path, unsigned depth, const Symbol *s) {
    for (unsigned i = 0; type->kind != TYPE_STRUCT && type->kind != TYPE_POINTER && i <= depth; i++)
        emit_text(m, "    ");
    CLEANUP(str_release) Str inner = {0};
    switch (type->kind) {
    case TYPE_INT: str_printf(m->out, "hash(%s);\n", path->data); break;
    case TYPE_POINTER: break;
    case TYPE_ARRAY:
        str_printf(m->out, "for (int i_%u = 0; i_%u < %u; i_%u++)%s\n", depth, depth, type->count, depth,
                   type->base->kind == TYPE_STRUCT ? " {" : "");
        str_printf(&inner, "%s[i_%u]", path->data, depth);
        emit_hash(m, type->base, &inner, depth + 1, s);
        if (type->base->kind == TYPE_STRUCT)
            str_printf(m->out, "%*s}\n", (int)(4 * depth + 4), "");
        break;
    default:
        for (uint32_t i = 0; i < type->count; i++) {
            if (type->is_union && i != s->active)
                continue;
            str_clear(&inner);
            str_printf(&inner, "%s.%s", path->data, type->members[i].name);
            emit_hash(m, type->members[i].type, &inner, depth, s);
        }
    }
}

static void emit_checksum(Emitter *m) {
    const IrProgram *p = m->program;
    emit_text(m, "static unsigned long long checksum = 0;\n\n"
                 "static void hash(unsigned long long value) {\n"
                 "    checksum ^= value + 0x9e3779b97f4a7c15ULL + (checksum << 6) + (checksum >> 2);\n"
                 "}\n\n"
                 "int main(void) {\n");
    for (size_t i = 0; i < p->tests.len; i++)
        str_printf(m->out, "    %s();\n", p->tests.items[i]->name);
    for (size_t i = 0; i < p->globals.len; i++) {
        const Symbol *s = p->globals.items[i];
        if (!is_reported(s))
            continue;
        CLEANUP(str_release) Str path = {0};
        str_printf(&path, "%s%s%s", s->owner ? s->owner->name : "", s->owner ? "::" : "", s->name);
        emit_hash(m, s->type, &path, 0, s);
    }
    emit_text(m, "    printf(\"%llu\\n\", checksum);\n");
    for (size_t i = 0; i < p->reals.len; i++)
        str_printf(m->out, "    printf(\"%s %%.9f\\n\", %s);\n", p->reals.items[i]->name, p->reals.items[i]->name);
    emit_text(m, "    return 0;\n}\n");
}

static void emit_driver(Emitter *m) {
    for (size_t i = 0; i < m->program->globals.len; i++)
        emit_global(m, m->program->globals.items[i], true);
    emit_text(m, "\n");
    emit_functions(m, IN_DRIVER);
    emit_checksum(m);
}

/* --- The files --- */

size_t emit_size_of_others(const Emitter *m) {
    CLEANUP(str_release) Str text = {0}, none = {0};
    Emitter scratch = *m;
    scratch.out = &text;
    emit_header(&scratch, &none);
    emit_functions(&scratch, IN_HEADER | IN_FUNC);
    emit_driver(&scratch);
    return text.len;
}

static void add_file(GenProgram *program, Arena *arena, const char *name, const Str *text) {
    GenFile *file = &program->files[program->file_count++];
    *file = (GenFile){name, arena_strndup(arena, str_text(text), text->len), text->len};
    program->statistics.bytes += text->len;
}

void emit_files(Emitter *m, const Str *tests, Arena *arena, GenProgram *program) {
    bool cxx = m->options->language == GEN_CXX, single = m->options->single;
    CLEANUP(str_release) Str inlines = {0}, callees = {0}, driver = {0}, text = {0};
    m->out = &inlines;
    emit_functions(m, IN_HEADER);
    m->out = &callees;
    emit_functions(m, IN_FUNC);
    m->out = &driver;
    emit_driver(m);

    m->out = &text;
    emit_heading(m);
    emit_text(m, single ? "#include <stdio.h>\n" : "#ifndef INIT_H\n#define INIT_H\n\n");
    emit_header(m, &inlines);
    if (!single) {
        emit_text(m, "#endif\n");
        add_file(program, arena, "init.h", &text);
        str_clear(&text);
        emit_heading(m);
        emit_text(m, "#include \"init.h\"\n\n");
    }
    str_append_str(&text, &callees);
    str_append_str(&text, tests);
    emit_external_definitions(m);
    if (!single) {
        add_file(program, arena, cxx ? "func.cpp" : "func.c", &text);
        str_clear(&text);
        emit_heading(m);
        emit_text(m, "#include <stdio.h>\n\n#include \"init.h\"\n\n");
    }
    str_append_str(&text, &driver);
    add_file(program, arena, single ? cxx ? "program.cpp" : "program.c" : cxx ? "driver.cpp" : "driver.c", &text);
}
