/* The gcov reader against gcov itself, on programs compiled by each installed version of GCC; and against damaged files. */
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "cover/gcov_graph.h"
#include "proc/run.h"
#include "proc/scratch.h"
#include "unit.h"

/* --- Programs: what makes flow hard to solve --- */

static const char c_program[] = "#include <setjmp.h>\n"
                                "#include <stdio.h>\n"
                                "#include <stdlib.h>\n"
                                "static jmp_buf home;\n"
                                "static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
                                "static int pick(int n) {\n"
                                "    switch (n % 5) {\n"
                                "    case 0: return 1;\n"
                                "    case 1: n++; /* falls through */\n"
                                "    case 2: n += 2; break;\n"
                                "    case 7: return -1;\n"
                                "    default: for (;;) if (n-- < 3) break;\n"
                                "    }\n"
                                "    return n;\n"
                                "}\n"
                                "static void never(void) { puts(\"never\"); }\n"
                                "static void leave(int deep) { if (deep == 0) longjmp(home, 1); leave(deep - 1); }\n"
                                "int main(int argc, char **argv) {\n"
                                "    int sum = fib(12);\n"
                                "    for (int i = 0; i < 40; i++) { if (i == 33) continue; sum += pick(i); }\n"
                                "    if (setjmp(home) == 0)\n"
                                "        leave(4);\n"
                                "    if (argc > 5) never();\n"
                                "retry:\n"
                                "    if (sum++ < 200) goto retry;\n"
                                "    do { sum -= 7; } while (sum > 0);\n"
                                "    if (argc > 1) exit(3);\n"
                                "    return argv[0] == 0;\n"
                                "}\n";

static const char cxx_program[] = "#include <vector>\n"
                                  "template <class T> T larger(T a, T b) {\n"
                                  "    if (a < b)\n"
                                  "        return b;\n"
                                  "    return a;\n"
                                  "}\n"
                                  "struct Base { virtual ~Base() {} virtual int f() { return 1; } };\n"
                                  "struct Other : Base { int f() override { return 2; } };\n"
                                  "static int thrower(int n) { if (n > 2) throw n; return n; }\n"
                                  "int main(int argc, char **) {\n"
                                  "    std::vector<int> v;\n"
                                  "    for (int i = 0; i < 5; i++) v.push_back(i);\n"
                                  "    int s = larger(1, 2) + (int)larger(2.0, 1.0);\n"
                                  "    try { for (int x : v) s += thrower(x); } catch (int n) { s -= n; }\n"
                                  "    Base *b = argc > 0 ? new Other : new Base;\n"
                                  "    s += b->f(); delete b;\n"
                                  "    return s == 0;\n"
                                  "}\n";

typedef struct Fixture {
    Scratch scratch;
    Runner *runner;
    ProcResult result;
    Error err;
} Fixture;

static int setup(void **state) {
    Fixture *fixture = mem_zalloc(1, sizeof(*fixture));
    assert_ok(scratch_new(&fixture->scratch, &fixture->err), fixture->err);
    assert_ok((fixture->runner = runner_new(&fixture->err)) != NULL, fixture->err);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    Fixture *fixture = *state;
    runner_free(fixture->runner);
    proc_result_release(&fixture->result);
    scratch_release(&fixture->scratch);
    free(fixture);
    return 0;
}

/* Runs a command line in the scratch directory. */
static ProcResult *run(Fixture *fixture, const char *command) {
    CLEANUP(strlist_release) StrList argv = {0};
    assert_ok(strlist_split_shell(&argv, command, &fixture->err), fixture->err);
    ProcRequest request = {.argv = (const char *const *)argv.items,
                           .dir = fixture->scratch.path,
                           .limits = {.wall_ms = 60000, .output_bytes = 64 << 20}};
    assert_ok(runner_run(fixture->runner, &request, &fixture->result, &fixture->err), fixture->err);
    return &fixture->result;
}

static char *in_scratch(const Fixture *fixture, const char *name) { return path_of(fixture->scratch.path, name); }

/* Compiles t.c or t.cc and runs it with one argument: t.gcno and t.gcda appear. */
static void compile_and_run_text(Fixture *fixture, const char *compiler, bool cxx, const char *options,
                                 const char *text) {
    CLEANUP(mem_freep) char *source = in_scratch(fixture, cxx ? "t.cc" : "t.c");
    CLEANUP(str_release) Str command = {0};
    assert_ok(file_write_text(source, text, &fixture->err), fixture->err);
    str_printf(&command, "%s -w --coverage %s -c %s -o t.o", compiler, options, source);
    if (!proc_ok(run(fixture, str_text(&command))))
        fail_msg("%s", str_text(&fixture->result.err));
    str_clear(&command);
    str_printf(&command, "%s --coverage t.o -o t", compiler);
    assert_true(proc_ok(run(fixture, str_text(&command))));
    run(fixture, "./t argument");
    assert_int_equal(fixture->result.signal, 0);
}

static void compile_and_run(Fixture *fixture, const char *compiler, bool cxx, const char *options) {
    compile_and_run_text(fixture, compiler, cxx, options, cxx ? cxx_program : c_program);
}

/* The sources are all below the scratch directory; where `generated`, a build wrote them there. */
static void decode_of(Fixture *fixture, bool generated, UnitTable *units, Bitset *ran) {
    CLEANUP(mem_freep) char *notes_path = in_scratch(fixture, "t.gcno");
    CLEANUP(mem_freep) char *counts_path = in_scratch(fixture, "t.gcda");
    CLEANUP(mem_freep) char *units_path = in_scratch(fixture, "units");
    CLEANUP(mem_freep) char *graphs_path = in_scratch(fixture, "graphs");
    CLEANUP(strlist_release) StrList notes = {0};
    CLEANUP(gcov_table_release) GcovTable table = {0};
    CLEANUP(str_release) Str counts = {0};
    CLEANUP(gcov_solver_release) GcovSolver solver = {0};
    strlist_add(&notes, notes_path);
    const char *source_root = generated ? "/source" : fixture->scratch.path;
    const char *build_root = generated ? fixture->scratch.path : NULL;
    assert_ok(gcov_table_make(&notes, source_root, build_root, units_path, graphs_path, NULL, &fixture->err),
              fixture->err);
    assert_ok(unit_table_load(units_path, units, &fixture->err), fixture->err);
    assert_ok(gcov_table_load(graphs_path, units->unit_count, &table, &fixture->err), fixture->err);
    assert_ok(file_read(counts_path, &counts, &fixture->err), fixture->err);
    bitset_init(ran, units->unit_count);
    gcov_solver_init(&solver, &table);
    assert_ok(gcov_decode(&table, 0, counts.data, counts.len, &solver, ran, &fixture->err), fixture->err);
}

static void decode(Fixture *fixture, UnitTable *units, Bitset *ran) { decode_of(fixture, false, units, ran); }

/* --- The same lines, the same hits --- */

/* Counts, per line of the test program, as gcov prints them; -1 where gcov has no such line. */
static void gcov_counts(Fixture *fixture, const char *gcov, const char *source, int64_t *counts, size_t lines) {
    CLEANUP(str_release) Str command = {0};
    CLEANUP(json_freep) Json *json = NULL;
    str_printf(&command, "%s --json-format --stdout t.gcda", gcov);
    assert_true(proc_ok(run(fixture, str_text(&command))));
    const Str *out = &fixture->result.out;
    assert_ok(json_parse(str_text(out), out->len, &json, &fixture->err), fixture->err);
    for (size_t i = 0; i < lines; i++)
        counts[i] = -1;
    const Json *files = json_get(json, "files");
    for (size_t i = 0; i < json_len(files); i++) {
        const Json *list = json_get(json_item(files, i), "lines");
        if (!str_ends(json_get_text(json_item(files, i), "file", ""), source))
            continue;
        for (size_t j = 0; j < json_len(list); j++) {
            size_t line = (size_t)json_get_int(json_item(list, j), "line_number", 0);
            int64_t count = json_get_int(json_item(list, j), "count", 0);
            assert_true(line < lines);
            counts[line] = counts[line] < 0 ? count : counts[line] + count;
        }
    }
}

static void compare(Fixture *fixture, const char *gcov, const char *source, const char *what) {
    enum { LINES = 64 };
    int64_t counts[LINES];
    UnitTable units;
    CLEANUP(bitset_release) Bitset ran = {0};
    decode(fixture, &units, &ran);
    gcov_counts(fixture, gcov, source, counts, LINES);
    size_t file = unit_table_find_file(&units, source);
    assert_true(file < units.file_count);
    for (uint32_t line = 1; line < LINES; line++) {
        size_t unit = unit_table_find(&units, file, line);
        if ((counts[line] >= 0) != (unit < units.unit_count))
            fail_msg("%s: only one of us has line %u", what, line);
        if (counts[line] >= 0 && (counts[line] > 0) != bitset_get(&ran, unit))
            fail_msg("%s: line %u: gcov counts %lld, we say %s", what, line, (long long)counts[line],
                     bitset_get(&ran, unit) ? "ran" : "did not run");
    }
    unit_table_release(&units);
}

static void test_same_as_gcov(void **state) {
    static const struct {
        const char *compiler, *gcov, *options;
        bool cxx;
    } cases[] = {
        {"gcc-11", "gcov-11", "-O0", false},
        {"gcc-11", "gcov-11", "-O2", false},
        {"g++-11", "gcov-11", "-O0", true},
        {"gcc-12", "gcov-12", "-O0", false},
        {"gcc-12", "gcov-12", "-O2", false},
        {"g++-12", "gcov-12", "-O1", true},
        {"gcc-13", "gcov-13", "-O0", false},
        {"gcc-14", "gcov-14", "-O0", false},
        {"gcc-10", "gcov-10", "-O0", false},
        /* clang writes the formats of older versions on request: those of GCC 9 and 10. */
        {"clang-14", "gcov-11", "-O0 -Xclang -coverage-version=A94*", false},
        {"clang-14", "gcov-11", "-O1 -Xclang -coverage-version=B04*", false},
    };
    Fixture *fixture = *state;
    size_t compared = 0;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str path = {0};
        if (!path_find_program(cases[i].compiler, &path, NULL))
            continue;
        char what[64];
        snprintf(what, sizeof(what), "%s %s", cases[i].compiler, cases[i].options);
        compile_and_run(fixture, cases[i].compiler, cases[i].cxx, cases[i].options);
        compare(fixture, cases[i].gcov, cases[i].cxx ? "t.cc" : "t.c", what);
        assert_ok(scratch_empty(&fixture->scratch, &fixture->err), fixture->err);
        compared++;
    }
    if (compared == 0)
        skip_because("no version of GCC with gcov is installed");
}

/* --- What GCC 13 and 14 changed --- */

/* Puts a record of `tag` behind each record of `after`, and another version into the head. */
static void make_newer(const Str *old, const char *version, uint32_t after, uint32_t tag, Str *ret_new) {
    static const uint32_t data[4] = {1, 0, 2, 0};
    size_t head = 16; /* magic, version, stamp, checksum; then, in notes, text and a flag */
    if (memcmp(old->data, "oncg", 4) == 0) {
        uint32_t len;
        memcpy(&len, old->data + 16, 4);
        head += 4 + len + 4;
    }
    str_append_n(ret_new, old->data, head);
    memcpy(ret_new->data + 4, version, 4);
    for (size_t at = head; at + 8 <= old->len;) {
        uint32_t record[2];
        memcpy(record, old->data + at, 8);
        size_t len = 8 + ((int32_t)record[1] < 0 ? 0 : record[1]);
        str_append_n(ret_new, old->data + at, len);
        at += len;
        if (record[0] == after) {
            str_append_n(ret_new, (const char *)(const uint32_t[]){tag, sizeof(data)}, 8);
            str_append_n(ret_new, (const char *)data, sizeof(data));
        }
    }
    str_append_n(ret_new, "\0\0\0\0", 4);
}

static void rewrite(Fixture *fixture, const char *name, const char *version, uint32_t after, uint32_t tag) {
    CLEANUP(mem_freep) char *path = in_scratch(fixture, name);
    CLEANUP(str_release) Str old = {0};
    CLEANUP(str_release) Str new = {0};
    assert_ok(file_read(path, &old, &fixture->err), fixture->err);
    make_newer(&old, version, after, tag, &new);
    assert_true(new.len > old.len);
    assert_ok(file_write(path, new.data, new.len, &fixture->err), fixture->err);
}

/* GCC 14 describes conditions in the notes (tag 0x01470000) and counts them (counter 8); all else is as in GCC 12. */
static void test_newer_formats(void **state) {
    Fixture *fixture = *state;
    UnitTable units, newer_units;
    CLEANUP(bitset_release) Bitset ran = {0};
    CLEANUP(bitset_release) Bitset newer = {0};
    CLEANUP(str_release) Str path = {0};
    if (!path_find_program("gcc-12", &path, NULL))
        skip_because("gcc-12 is not installed");
    compile_and_run(fixture, "gcc-12", false, "-O0");
    decode(fixture, &units, &ran);
    for (size_t i = 0; i < 2; i++) {
        const char *version = (const char *[]){"*33B", "*24B"}[i];
        rewrite(fixture, "t.gcno", version, GCOV_TAG_ARCS, 0x01470000);
        rewrite(fixture, "t.gcda", version, GCOV_TAG_ARC_COUNTS, 0x01b10000);
        decode(fixture, &newer_units, &newer);
        assert_int_equal(newer_units.unit_count, units.unit_count);
        assert_true(bitset_equal(&newer, &ran));
        unit_table_release(&newer_units);
        bitset_release(&newer);
    }
    unit_table_release(&units);
}

/* --- Damage --- */

static void damage(Rng *rng, const Str *good, Str *ret_bad) {
    str_clear(ret_bad);
    str_append_str(ret_bad, good);
    if (rng_chance(rng, 30))
        str_truncate(ret_bad, rng_below(rng, good->len));
    for (size_t n = rng_below(rng, 6); ret_bad->len > 16 && n > 0; n--) {
        /* Words, as lengths and indices are; past the head most of the time, so that more than the magic is tried. */
        size_t at = (rng_chance(rng, 90) ? 12 : 0) + 4 * rng_below(rng, (ret_bad->len - 12) / 4);
        uint32_t word = rng_chance(rng, 50) ? (uint32_t)rng_next(rng) : (uint32_t)rng_range(rng, -3, 300);
        if (at + 4 <= ret_bad->len)
            memcpy(ret_bad->data + at, &word, 4);
    }
}

static void test_damaged_notes(void **state) {
    Fixture *fixture = *state;
    Rng rng = rng_from_seed(10);
    CLEANUP(str_release) Str good = {0};
    CLEANUP(str_release) Str bad = {0};
    CLEANUP(mem_freep) char *path = in_scratch(fixture, "t.gcno");
    CLEANUP(mem_freep) char *units_path = in_scratch(fixture, "units");
    CLEANUP(mem_freep) char *graphs_path = in_scratch(fixture, "graphs");
    CLEANUP(strlist_release) StrList notes = {0};
    compile_and_run(fixture, "gcc", false, "-O0");
    assert_ok(file_read(path, &good, &fixture->err), fixture->err);
    strlist_add(&notes, path);
    size_t refused = 0;
    for (size_t round = 0; round < 600; round++) {
        damage(&rng, &good, &bad);
        assert_ok(file_write(path, str_text(&bad), bad.len, &fixture->err), fixture->err);
        refused += !gcov_table_make(&notes, NULL, NULL, units_path, graphs_path, NULL, &fixture->err);
    }
    assert_in_range(refused, 100, 600);
}

static void test_damaged_counts(void **state) {
    Fixture *fixture = *state;
    Rng rng = rng_from_seed(11);
    CLEANUP(str_release) Str good = {0};
    CLEANUP(str_release) Str bad = {0};
    CLEANUP(mem_freep) char *path = in_scratch(fixture, "t.gcda");
    CLEANUP(mem_freep) char *graphs_path = in_scratch(fixture, "graphs");
    CLEANUP(gcov_table_release) GcovTable table = {0};
    CLEANUP(gcov_solver_release) GcovSolver solver = {0};
    CLEANUP(bitset_release) Bitset ran = {0};
    UnitTable units;
    compile_and_run(fixture, "gcc", false, "-O0");
    decode(fixture, &units, &ran);
    assert_ok(gcov_table_load(graphs_path, units.unit_count, &table, &fixture->err), fixture->err);
    gcov_solver_init(&solver, &table);
    assert_ok(file_read(path, &good, &fixture->err), fixture->err);
    size_t refused = 0;
    for (size_t round = 0; round < 3000; round++) {
        damage(&rng, &good, &bad);
        /* A copy of the exact size, so that reading past it is seen. */
        CLEANUP(mem_freep) char *exact = mem_dup(str_text(&bad), bad.len + !bad.len);
        refused += !gcov_decode(&table, 0, exact, bad.len, &solver, &ran, &fixture->err);
    }
    assert_in_range(refused, 500, 3000);
    unit_table_release(&units);
}

/* Tables on disk may be damaged as well. */
static void test_damaged_graphs(void **state) {
    Fixture *fixture = *state;
    Rng rng = rng_from_seed(12);
    CLEANUP(str_release) Str good = {0};
    CLEANUP(str_release) Str counts = {0};
    CLEANUP(mem_freep) char *path = in_scratch(fixture, "graphs");
    CLEANUP(mem_freep) char *counts_path = in_scratch(fixture, "t.gcda");
    CLEANUP(bitset_release) Bitset ran = {0};
    UnitTable units;
    compile_and_run(fixture, "gcc", false, "-O0");
    decode(fixture, &units, &ran);
    assert_ok(file_read(path, &good, &fixture->err), fixture->err);
    assert_ok(file_read(counts_path, &counts, &fixture->err), fixture->err);
    for (size_t round = 0; round < 400; round++) {
        CLEANUP(str_release) Str bad = {0};
        CLEANUP(gcov_table_release) GcovTable table = {0};
        damage(&rng, &good, &bad);
        assert_ok(file_write(path, str_text(&bad), bad.len, &fixture->err), fixture->err);
        if (!gcov_table_load(path, units.unit_count, &table, &fixture->err) || table.file_count == 0)
            continue;
        CLEANUP(gcov_solver_release) GcovSolver solver = {0};
        gcov_solver_init(&solver, &table);
        gcov_decode(&table, 0, counts.data, counts.len, &solver, &ran, &fixture->err);
    }
    unit_table_release(&units);
}

static const struct {
    const char *bytes;
    size_t len;
    const char *message;
} head_cases[] = {
    {"", 0, "no gcov file"},
    {"gcno", 4, "the other byte order"},
    {"ELF!", 4, "no gcov file"},
    {"oncg*22B", 8, "truncated"},
    {"oncg*18A\0\0\0\0", 12, "GCC 9 to 14"},
    {"oncg*07B\0\0\0\0", 12, "GCC 9 to 14"},
    {"oncg\0\0\0\0\0\0\0\0", 12, "GCC 9 to 14"},
};

static void test_heads(void **state) {
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(head_cases); i++) {
        Error err = {0};
        GcovNotes notes;
        assert_fails(gcov_notes_read(head_cases[i].bytes, head_cases[i].len, "x.gcno", &notes, &err), err,
                     head_cases[i].message);
    }
}

/* Statements behind a comment that names a description are that description's. */
static void test_origins(void **state) {
    Fixture *fixture = *state;
    static const char text[] = "static int rule(int n) {\n"
                               "/* #line 7 \"/source/rules.pd\" */\n"
                               "    if (n > 3)\n"
                               "/* #line 9 \"/source/rules.pd\" */\n"
                               "        n--;\n"
                               "    return n;\n"
                               "}\n"
                               "int main(void) { return rule(2) - 2; }\n";
    compile_and_run_text(fixture, "gcc", false, "", text);
    CLEANUP(unit_table_release) UnitTable units = {0};
    CLEANUP(bitset_release) Bitset ran = {0};
    decode_of(fixture, true, &units, &ran);
    size_t rules = unit_table_find_file(&units, "rules.pd"), rest = unit_table_find_file(&units, "build/t.c");
    assert_int_equal(units.files[rules].unit_count, 2);
    assert_int_equal(units.files[rest].unit_count, 2);
    assert_true(bitset_get(&ran, unit_table_find(&units, rules, 7)));
    assert_true(bitset_get(&ran, unit_table_find(&units, rest, 8)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_as_gcov, setup, teardown),
        cmocka_unit_test_setup_teardown(test_newer_formats, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_notes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_graphs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_origins, setup, teardown),
        cmocka_unit_test(test_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
