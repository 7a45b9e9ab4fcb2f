/* One program from one seed: types, globals, functions, then test functions, statement by statement, until the size is
 * reached. Statements of test functions run once, so they are final as soon as they ran and are printed at once; the
 * functions that they call can still be repaired by a later call and are printed last. */
#include "gen/gen.h"

#include "gen/build.h"
#include "gen/emit.h"

#define TEST_BYTES 6000      /* about how long a test function gets */
#define LEAST_BYTES 300      /* of the test functions, in the smallest program */
#define STATEMENT_BYTES 4000 /* about how long one statement of it may get */
#define TOLERANCE 0.01       /* of floating-point values; float has 6e-8, times what short chains amplify */
#define NESTED_STATEMENTS 16 /* about how many statements one with a body gets */

/* Adds the values of an object, in the order in which the driver hashes them. */
static uint64_t hash_object(uint64_t hash, const Type *type, const int64_t *cells, const Symbol *s) {
    switch (type->kind) {
    case TYPE_INT: return hash ^ ((uint64_t)cells[0] + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2));
    case TYPE_ARRAY:
        for (uint32_t i = 0; i < type->count; i++)
            hash = hash_object(hash, type->base, cells + i * type->base->cells, s);
        return hash;
    case TYPE_STRUCT:
        for (uint32_t i = 0; i < type->count; i++)
            if (!type->is_union || i == s->active)
                hash = hash_object(hash, type->members[i].type, cells + type->members[i].cell, s);
        return hash;
    default: return hash;
    }
}

static const char *expected_output(const Builder *b, Arena *arena) {
    CLEANUP(str_release) Str text = {0};
    uint64_t checksum = 0;
    for (size_t i = 0; i < b->program.globals.len; i++) {
        const Symbol *s = b->program.globals.items[i];
        if (s->role == ROLE_OUTPUT || s->role == ROLE_MIXED)
            checksum = hash_object(checksum, s->type, b->interp.cells + s->cell, s);
    }
    str_printf(&text, "%llu\n", (unsigned long long)checksum);
    for (size_t i = 0; i < b->program.reals.len; i++) {
        const Symbol *s = b->program.reals.items[i];
        str_printf(&text, "%s %.9f\n", s->name, real_value(b->interp.cells[s->cell]));
    }
    return arena_strndup(arena, text.data, text.len);
}

/* `wanted`: how long the text of all tests shall be. */
static void build_test(Builder *b, Emitter *m, size_t wanted) {
    Function *f = build_function(b, "test_");
    f->placement = PLACE_EXTERN;
    vec_push(&b->program.tests, f);
    interp_enter(&b->interp);
    b->entered = b->live = true;
    emit_prototype(m, f);
    emit_text(m, " {\n");
    for (size_t end = MIN_OF(m->out->len + TEST_BYTES, wanted); m->out->len < end;) {
        b->budget = NESTED_STATEMENTS;
        b->room = (int64_t)MIN_OF(wanted - m->out->len, STATEMENT_BYTES);
        Stmt *s = build_statement(b);
        if (s)
            emit_statement(m, s, 1);
    }
    emit_text(m, "}\n\n");
}

bool gen_program(const GenOptions *options, Arena *arena, GenProgram *ret_program, Error *err) {
    GenOptions valid = *options;
    if (!gen_standard_parse(valid.standard ? valid.standard : valid.language == GEN_C ? "c99" : "c++11", &valid, err))
        return false;
    if (valid.language != options->language)
        return error_set(err, "the standard %s is not one of %s", valid.standard,
                         options->language == GEN_C ? "C" : "C++");
    if (valid.size > GEN_SIZE_LIMIT)
        return error_set(err, "a program of %llu bytes is too long: the limit is %u MiB",
                         (unsigned long long)valid.size, GEN_SIZE_LIMIT >> 20);
    GenProgram program = {.language = valid.language, .standard = valid.standard, .model = valid.model};
    CLEANUP(arena_release) Arena work = {0};
    CLEANUP(build_release) Builder b;
    build_init(&b, &valid, &work, &program.statistics);
    build_types(&b);
    build_globals(&b);
    build_functions(&b);
    Rng repairs = rng_split_named(&b.rng, "repairs");
    interp_init(&b.interp, &b.program, &work, &repairs, &program.statistics);

    CLEANUP(str_release) Str tests = {0};
    Emitter m = {.out = &tests, .options = &valid, .program = &b.program, .dists = &b.dists};
    m.rng = rng_split_named(&b.rng, "parentheses");
    size_t others = emit_size_of_others(&m);
    size_t wanted = MAX_OF(valid.size > others ? valid.size - others : 0, MAX_OF(valid.size / 4, LEAST_BYTES));
    while (tests.len < wanted)
        build_test(&b, &m, wanted);
    emit_files(&m, &tests, arena, &program);
    program.statistics.executed_bytes = m.executed_bytes;
    program.expected = expected_output(&b, arena);
    program.tolerance = b.program.reals.len ? TOLERANCE : 0;
    *ret_program = program;
    return true;
}
