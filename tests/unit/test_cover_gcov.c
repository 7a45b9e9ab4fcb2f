/* The gcov reader against gcov itself, on programs compiled by each installed version of GCC; and against damaged files. */
#include <unistd.h>

#include "base/json.h"
#include "base/rng.h"
#include "bench.h"
#include "cover/gcov_graph.h"

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

static char *in_scratch(const Bench *bench, const char *name) { return path_of(bench->scratch.path, name); }

/* Compiles t.c or t.cc and runs it with one argument: t.gcno and t.gcda appear. */
static void compile_and_run_text(Bench *bench, const char *compiler, bool cxx, const char *options, const char *text) {
    CLEANUP(mem_freep) char *source = in_scratch(bench, cxx ? "t.cc" : "t.c");
    CLEANUP(str_release) Str command = {0};
    assert_ok(file_write_text(source, text, &bench->err), bench->err);
    str_printf(&command, "%s -w --coverage %s -c %s -o t.o", compiler, options, source);
    if (!bench_run(bench, str_text(&command)))
        fail_msg("%s", str_text(&bench->result.err));
    str_clear(&command);
    str_printf(&command, "%s --coverage t.o -o t", compiler);
    assert_true(bench_run(bench, str_text(&command)));
    bench_run(bench, "./t argument");
    assert_in_range(bench->result.exit_code, 0, 127); /* no signal, which the shell would add to 128 */
}

static void compile_and_run(Bench *bench, const char *compiler, bool cxx, const char *options) {
    compile_and_run_text(bench, compiler, cxx, options, cxx ? cxx_program : c_program);
}

/* The sources are all below the scratch directory; where `generated`, a build wrote them there. */
static void decode_of(Bench *bench, bool generated, UnitTable *units, Bitset *ran) {
    CLEANUP(mem_freep) char *notes_path = in_scratch(bench, "t.gcno");
    CLEANUP(mem_freep) char *counts_path = in_scratch(bench, "t.gcda");
    CLEANUP(mem_freep) char *units_path = in_scratch(bench, "units");
    CLEANUP(mem_freep) char *graphs_path = in_scratch(bench, "graphs");
    CLEANUP(strlist_release) StrList notes = {0};
    CLEANUP(gcov_table_release) GcovTable table = {0};
    CLEANUP(str_release) Str counts = {0};
    CLEANUP(gcov_solver_release) GcovSolver solver = {0};
    strlist_add(&notes, notes_path);
    const char *source_root = generated ? "/source" : bench->scratch.path;
    const char *build_root = generated ? bench->scratch.path : NULL;
    assert_ok(gcov_table_make(&notes, source_root, build_root, units_path, graphs_path, NULL, &bench->err), bench->err);
    assert_ok(unit_table_load(units_path, units, &bench->err), bench->err);
    assert_ok(gcov_table_load(graphs_path, units->unit_count, &table, &bench->err), bench->err);
    assert_ok(file_read(counts_path, &counts, &bench->err), bench->err);
    bitset_init(ran, units->unit_count);
    gcov_solver_init(&solver, &table);
    assert_ok(gcov_decode(&table, 0, counts.data, counts.len, &solver, ran, &bench->err), bench->err);
}

static void decode(Bench *bench, UnitTable *units, Bitset *ran) { decode_of(bench, false, units, ran); }

/* --- The same lines, the same hits --- */

/* Counts, per line of the test program, as gcov prints them; -1 where gcov has no such line. */
static void gcov_counts(Bench *bench, const char *gcov, const char *source, int64_t *counts, size_t lines) {
    CLEANUP(str_release) Str command = {0};
    CLEANUP(json_freep) Json *json = NULL;
    str_printf(&command, "%s --json-format --stdout t.gcda", gcov);
    assert_true(bench_run(bench, str_text(&command)));
    const Str *out = &bench->result.out;
    assert_ok(json_parse(str_text(out), out->len, &json, &bench->err), bench->err);
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

static void compare(Bench *bench, const char *gcov, const char *source, const char *what) {
    enum { LINES = 64 };
    int64_t counts[LINES];
    UnitTable units;
    CLEANUP(bitset_release) Bitset ran = {0};
    decode(bench, &units, &ran);
    gcov_counts(bench, gcov, source, counts, LINES);
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
    Bench *bench = *state;
    size_t compared = 0;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str path = {0};
        if (!path_find_program(cases[i].compiler, &path, NULL))
            continue;
        char what[64];
        snprintf(what, sizeof(what), "%s %s", cases[i].compiler, cases[i].options);
        compile_and_run(bench, cases[i].compiler, cases[i].cxx, cases[i].options);
        compare(bench, cases[i].gcov, cases[i].cxx ? "t.cc" : "t.c", what);
        assert_ok(scratch_empty(&bench->scratch, &bench->err), bench->err);
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

static void rewrite(Bench *bench, const char *name, const char *version, uint32_t after, uint32_t tag) {
    CLEANUP(mem_freep) char *path = in_scratch(bench, name);
    CLEANUP(str_release) Str old = {0};
    CLEANUP(str_release) Str new = {0};
    assert_ok(file_read(path, &old, &bench->err), bench->err);
    make_newer(&old, version, after, tag, &new);
    assert_true(new.len > old.len);
    assert_ok(file_write(path, new.data, new.len, &bench->err), bench->err);
}

/* GCC 14 describes conditions in the notes (tag 0x01470000) and counts them (counter 8); all else is as in GCC 12. */
static void test_newer_formats(void **state) {
    Bench *bench = *state;
    UnitTable units, newer_units;
    CLEANUP(bitset_release) Bitset ran = {0};
    CLEANUP(bitset_release) Bitset newer = {0};
    CLEANUP(str_release) Str path = {0};
    if (!path_find_program("gcc-12", &path, NULL))
        skip_because("gcc-12 is not installed");
    compile_and_run(bench, "gcc-12", false, "-O0");
    decode(bench, &units, &ran);
    for (size_t i = 0; i < 2; i++) {
        const char *version = (const char *[]){"*33B", "*24B"}[i];
        rewrite(bench, "t.gcno", version, GCOV_TAG_ARCS, 0x01470000);
        rewrite(bench, "t.gcda", version, GCOV_TAG_ARC_COUNTS, 0x01b10000);
        decode(bench, &newer_units, &newer);
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
    Bench *bench = *state;
    Rng rng = rng_from_seed(10);
    CLEANUP(str_release) Str good = {0};
    CLEANUP(str_release) Str bad = {0};
    CLEANUP(mem_freep) char *path = in_scratch(bench, "t.gcno");
    CLEANUP(mem_freep) char *units_path = in_scratch(bench, "units");
    CLEANUP(mem_freep) char *graphs_path = in_scratch(bench, "graphs");
    CLEANUP(strlist_release) StrList notes = {0};
    compile_and_run(bench, "gcc", false, "-O0");
    assert_ok(file_read(path, &good, &bench->err), bench->err);
    strlist_add(&notes, path);
    size_t refused = 0;
    for (size_t round = 0; round < 600; round++) {
        damage(&rng, &good, &bad);
        assert_ok(file_write(path, str_text(&bad), bad.len, &bench->err), bench->err);
        refused += !gcov_table_make(&notes, NULL, NULL, units_path, graphs_path, NULL, &bench->err);
    }
    assert_in_range(refused, 100, 600);
}

static void test_damaged_counts(void **state) {
    Bench *bench = *state;
    Rng rng = rng_from_seed(11);
    CLEANUP(str_release) Str good = {0};
    CLEANUP(str_release) Str bad = {0};
    CLEANUP(mem_freep) char *path = in_scratch(bench, "t.gcda");
    CLEANUP(mem_freep) char *graphs_path = in_scratch(bench, "graphs");
    CLEANUP(gcov_table_release) GcovTable table = {0};
    CLEANUP(gcov_solver_release) GcovSolver solver = {0};
    CLEANUP(bitset_release) Bitset ran = {0};
    UnitTable units;
    compile_and_run(bench, "gcc", false, "-O0");
    decode(bench, &units, &ran);
    assert_ok(gcov_table_load(graphs_path, units.unit_count, &table, &bench->err), bench->err);
    gcov_solver_init(&solver, &table);
    assert_ok(file_read(path, &good, &bench->err), bench->err);
    size_t refused = 0;
    for (size_t round = 0; round < 3000; round++) {
        damage(&rng, &good, &bad);
        /* A copy of the exact size, so that reading past it is seen. */
        CLEANUP(mem_freep) char *exact = mem_dup(str_text(&bad), bad.len + !bad.len);
        refused += !gcov_decode(&table, 0, exact, bad.len, &solver, &ran, &bench->err);
    }
    assert_in_range(refused, 500, 3000);
    unit_table_release(&units);
}

/* Tables on disk may be damaged as well. */
static void test_damaged_graphs(void **state) {
    Bench *bench = *state;
    Rng rng = rng_from_seed(12);
    CLEANUP(str_release) Str good = {0};
    CLEANUP(str_release) Str counts = {0};
    CLEANUP(mem_freep) char *path = in_scratch(bench, "graphs");
    CLEANUP(mem_freep) char *counts_path = in_scratch(bench, "t.gcda");
    CLEANUP(bitset_release) Bitset ran = {0};
    UnitTable units;
    compile_and_run(bench, "gcc", false, "-O0");
    decode(bench, &units, &ran);
    assert_ok(file_read(path, &good, &bench->err), bench->err);
    assert_ok(file_read(counts_path, &counts, &bench->err), bench->err);
    for (size_t round = 0; round < 400; round++) {
        CLEANUP(str_release) Str bad = {0};
        CLEANUP(gcov_table_release) GcovTable table = {0};
        damage(&rng, &good, &bad);
        assert_ok(file_write(path, str_text(&bad), bad.len, &bench->err), bench->err);
        if (!gcov_table_load(path, units.unit_count, &table, &bench->err) || table.file_count == 0)
            continue;
        CLEANUP(gcov_solver_release) GcovSolver solver = {0};
        gcov_solver_init(&solver, &table);
        gcov_decode(&table, 0, counts.data, counts.len, &solver, &ran, &bench->err);
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
    Bench *bench = *state;
    static const char text[] = "static int rule(int n) {\n"
                               "/* #line 7 \"/source/rules.pd\" */\n"
                               "    if (n > 3)\n"
                               "/* #line 9 \"/source/rules.pd\" */\n"
                               "        n--;\n"
                               "    return n;\n"
                               "}\n"
                               "int main(void) { return rule(2) - 2; }\n";
    compile_and_run_text(bench, "gcc", false, "", text);
    CLEANUP(unit_table_release) UnitTable units = {0};
    CLEANUP(bitset_release) Bitset ran = {0};
    decode_of(bench, true, &units, &ran);
    size_t rules = unit_table_find_file(&units, "rules.pd"), rest = unit_table_find_file(&units, "build/t.c");
    assert_int_equal(units.files[rules].unit_count, 2);
    assert_int_equal(units.files[rest].unit_count, 2);
    assert_true(bitset_get(&ran, unit_table_find(&units, rules, 7)));
    assert_true(bitset_get(&ran, unit_table_find(&units, rest, 8)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BENCH_TEST(test_same_as_gcov),   BENCH_TEST(test_newer_formats),  BENCH_TEST(test_damaged_notes),
        BENCH_TEST(test_damaged_counts), BENCH_TEST(test_damaged_graphs), BENCH_TEST(test_origins),
        cmocka_unit_test(test_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
