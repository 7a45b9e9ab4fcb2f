/* Unit tables against a naive model, and on disk; spectra; names of functions. */
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "binary/demangle.h"
#include "binary/origins.h"
#include "binary/unit_table.h"
#include "proc/scratch.h"
#include "unit.h"

typedef struct Fixture {
    Scratch scratch;
    char *path;
    Error err;
} Fixture;

static int setup(void **state) {
    Fixture *fixture = mem_zalloc(1, sizeof(*fixture));
    assert_ok(scratch_new(&fixture->scratch, &fixture->err), fixture->err);
    fixture->path = path_of(fixture->scratch.path, "table");
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    Fixture *fixture = *state;
    scratch_release(&fixture->scratch);
    free(fixture->path);
    free(fixture);
    return 0;
}

/* --- Building --- */

static const struct {
    const char *path, *comp_dir, *name;
} path_cases[] = {
    {"/src/gcc/a.c", NULL, "gcc/a.c"},
    {"../../src/gcc/a.c", "/obj/gcc", "gcc/a.c"},
    {"./a.c", "/src/lib", "lib/a.c"},
    {"insn-emit.c", "/obj/gcc", "build/gcc/insn-emit.c"},
    {"/usr/include/stdio.h", "/obj", "/usr/include/stdio.h"},
    {"/srcfoo/a.c", NULL, "/srcfoo/a.c"},
    {"/src//gcc/./config/../b.md", NULL, "gcc/b.md"},
};

static void test_paths(void **state) {
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(path_cases); i++) {
        UnitBuilder builder = {.source_root = "/src", .build_root = "/obj"};
        unit_builder_file(&builder, path_cases[i].path, path_cases[i].comp_dir);
        assert_string_equal(builder.files.entries[0].key, path_cases[i].name);
        unit_builder_release(&builder);
    }
}

static const struct {
    const char *path;
    UnitFileKind kind;
} kind_cases[] = {
    {"gcc/fold-const.c", UNIT_FILE_SOURCE},
    {"lib/Transforms/Scalar/GVN.cpp", UNIT_FILE_SOURCE},
    {"gcc/tree.h", UNIT_FILE_HEADER},
    {"gcc/match.pd", UNIT_FILE_DESCRIPTION},
    {"gcc/config/i386/i386.md", UNIT_FILE_DESCRIPTION},
    {"build/gcc/insn-recog.c", UNIT_FILE_GENERATED},
    {"/usr/include/c++/12/vector", UNIT_FILE_HEADER},
    {"", UNIT_FILE_UNKNOWN},
};

static void test_kinds(void **state) {
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(kind_cases); i++)
        if (unit_file_kind_of(kind_cases[i].path) != kind_cases[i].kind)
            fail_msg("%s is %s", kind_cases[i].path, unit_file_kind_name(unit_file_kind_of(kind_cases[i].path)));
}

/* A random table; the naive model is the list of what was added. */
typedef struct Added {
    uint32_t file, line, draft;
} Added;

enum { ADDED = 3000, FILES = 17 };

static void build_random(Rng *rng, Added *added, UnitTable *table, uint32_t **ids) {
    UnitBuilder builder = {0};
    for (size_t i = 0; i < ADDED; i++) {
        char name[32], function[32];
        added[i].file = (uint32_t)rng_below(rng, FILES);
        added[i].line = 1 + (uint32_t)rng_below(rng, 400);
        snprintf(name, sizeof(name), "/dir/file%u.c", added[i].file);
        snprintf(function, sizeof(function), "f%u", added[i].line / 20);
        added[i].draft =
            unit_builder_add(&builder, unit_builder_file(&builder, name, NULL), added[i].line, function, 100);
    }
    unit_builder_finish(&builder, table, ids);
}

static void assert_unit(const UnitTable *table, size_t id, const Added *added) {
    char name[32], function[32];
    snprintf(name, sizeof(name), "/dir/file%u.c", added->file);
    snprintf(function, sizeof(function), "f%u", added->line / 20);
    assert_string_equal(unit_file_name(table, table->units[id].file), name);
    assert_string_equal(unit_function_name(table, table->units[id].function), function);
    assert_int_equal(table->units[id].line, added->line);
    assert_int_equal(unit_table_find(table, unit_table_find_file(table, name), added->line), id);
}

static void test_random_tables(void **state) {
    Fixture *fixture = *state;
    Rng rng = rng_from_seed(7);
    Added added[ADDED];
    UnitTable table, loaded;
    uint32_t *ids;
    build_random(&rng, added, &table, &ids);
    assert_ok(unit_table_save(&table, fixture->path, &fixture->err), fixture->err);
    assert_ok(unit_table_load(fixture->path, &loaded, &fixture->err), fixture->err);
    for (size_t i = 0; i < ADDED; i++) {
        assert_unit(&table, ids[added[i].draft], &added[i]);
        assert_unit(&loaded, ids[added[i].draft], &added[i]);
    }
    for (size_t i = 1; i < table.unit_count; i++)
        assert_true(table.units[i - 1].file < table.units[i].file || table.units[i - 1].line < table.units[i].line);
    assert_int_equal(unit_table_find_file(&table, "/dir/none.c"), table.file_count);
    assert_int_equal(unit_table_find(&table, 0, 100000), table.unit_count);
    unit_table_release(&table);
    unit_table_release(&loaded);
    free(ids);
}

/* Functions of unknown place are units of their own. */
static void test_functions_without_lines(void **state) {
    (void)state;
    UnitBuilder builder = {0};
    uint32_t file = unit_builder_file(&builder, "", NULL);
    uint32_t a = unit_builder_add(&builder, file, 0, "a", 30), b = unit_builder_add(&builder, file, 0, "b", 40);
    assert_int_not_equal(a, b);
    assert_int_equal(a, unit_builder_add(&builder, file, 0, "a", 50));
    UnitTable table;
    unit_builder_finish(&builder, &table, NULL);
    assert_int_equal(table.unit_count, 2);
    assert_int_equal(table.function_count, 2);
    assert_int_equal(table.files[0].kind, UNIT_FILE_UNKNOWN);
    unit_table_release(&table);
}

/* A damaged table is refused or, where the damage changed no index, harmless: every index must still be valid. */
static void test_damaged_tables(void **state) {
    Fixture *fixture = *state;
    Rng rng = rng_from_seed(8);
    Added added[ADDED];
    UnitTable table, loaded;
    build_random(&rng, added, &table, NULL);
    assert_ok(unit_table_save(&table, fixture->path, &fixture->err), fixture->err);
    unit_table_release(&table);
    CLEANUP(str_release) Str good = {0};
    assert_ok(file_read(fixture->path, &good, &fixture->err), fixture->err);
    for (size_t round = 0; round < 300; round++) {
        CLEANUP(mem_freep) char *bad = mem_dup(good.data, good.len);
        size_t len = round % 3 ? good.len : rng_below(&rng, good.len);
        for (size_t i = 0; len > 0 && i < 1 + rng_below(&rng, 4); i++)
            bad[rng_below(&rng, len)] = (char)rng_next(&rng);
        assert_ok(file_write(fixture->path, bad, len, &fixture->err), fixture->err);
        if (!unit_table_load(fixture->path, &loaded, &fixture->err))
            continue;
        for (size_t i = 0; i < loaded.unit_count; i++)
            assert_true(strlen(unit_file_name(&loaded, loaded.units[i].file)) < loaded.strings_len &&
                        strlen(unit_function_name(&loaded, loaded.units[i].function)) < loaded.strings_len);
        unit_table_release(&loaded);
    }
}

/* --- Names --- */

static const struct {
    const char *symbol, *name;
} name_cases[] = {
    {"main", "main"},
    {"scan.part.0", "scan"},
    {"_ZL13scan_functionv", "scan_function"},
    {"_ZL13scan_functionv.constprop.0", "scan_function"},
    {"_ZN4llvm3GVN3runERNS_8FunctionE", "llvm::GVN::run"},
    {"_ZN3vecIiE4pushEi", "vec<int>::push"},
    {"_ZN12_GLOBAL__N_14pass7executeEP8function", "(anonymous namespace)::pass::execute"},
    {"_Z3maxIiET_S0_S0_", "max"},
    {"_ZN1AclEi", "A::operator()"},
    {"_ZN1AltERKS_", "A::operator<"},
    {"_ZNK1AcvbEv", "A::operator bool"},
    {"_Znot_mangled", "_Znot_mangled"},
    {"", ""},
};

static void test_names(void **state) {
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(name_cases); i++) {
        CLEANUP(str_release) Str name = {0};
        demangle_function(name_cases[i].symbol, &name);
        assert_string_equal(str_text(&name), name_cases[i].name);
    }
}

/* GCC's genmatch says in comments where each function of gimple-match.c comes from; a brace at the start of a line ends it. */
static void test_origins_in_comments(void **unused) {
    (void)unused;
    UnitBuilder builder = {.source_root = "/gcc/source"};
    Origins origins = {0};
    origins_parse("static bool f (void)\n"
                  "{\n"
                  "/* #line 105 \"/gcc/source/gcc/match.pd\" */\n"
                  "  if (a)\n"
                  "    {\n"
                  "  /* #line 108 \"/gcc/source/gcc/match.pd\" */\n"
                  "      b ();\n"
                  "}\n"
                  "/* #line is no place */\n"
                  "/* #line \n"
                  "int g;\n",
                  &builder, &origins);
    static const uint32_t want[] = {0, 0, 0, 105, 105, 105, 108, 0, 0, 0}; /* by line, from 1; 0: its own place */
    for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
        uint32_t file = 77, line = i + 1;
        origins_apply(&origins, &file, &line);
        assert_int_equal(line, want[i] ? want[i] : i + 1);
        assert_string_equal(file == 77 ? "" : builder.files.entries[file].key, want[i] ? "gcc/match.pd" : "");
    }
    vec_release(&origins);
    unit_builder_release(&builder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test_setup_teardown(test_random_tables, setup, teardown),
        cmocka_unit_test(test_functions_without_lines),
        cmocka_unit_test_setup_teardown(test_damaged_tables, setup, teardown),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_origins_in_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
