/* The sancov provider on small programs built for it: what ran is told however the program ended, for executables,
 * libraries, processes that fork, and a server that forks a child for each run. */
#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "cover/cover.h"
#include "cover/edge_table.h"
#include "proc/scratch.h"
#include "unit.h"

static const char program[] =
    "#include <signal.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <sys/wait.h>\n"
    "#include <unistd.h>\n"
    "#define APART __attribute__((noinline))\n"
    "int library_even(int n); int library_odd(int n);\n"
    "int counter = 41;\n"
    "APART void before(void) { counter++; }\n"
    "APART void after(void) { counter += 2; }\n"
    "APART void in_child(void) { counter += 1000; }\n"
    "APART void in_parent(void) { counter += 4; }\n"
    "APART static int pick(int n) {\n"
    "    int r = 0;\n"
    "    switch (n) {\n"
    "    case 0: r = 3; break;\n"
    "    case 1: r = getpid() == 0; break;\n"
    "    case 2: puts(\"two\"); break;\n"
    "    case 3: r = 7 + library_even(n); break;\n"
    "    case 4: abort();\n"
    "    }\n"
    "    return r + n;\n"
    "}\n"
    "APART static void use_memory(void) { for (;;) memset(malloc(1 << 20), 1, 1 << 20); }\n"
    "APART void internal_error(const char *text) { puts(text); after(); exit(4); }\n"
    "APART static int fork_child(void) {\n"
    "    if (fork() == 0) { in_child(); _exit(0); }\n"
    "    wait(0); in_parent();\n"
    "    return counter != 46;\n"
    "}\n"
    "APART static int serve(const char *dir) {\n"
    "    extern void culprit_cover_begin(const char *) __attribute__((weak));\n"
    "    before();\n"
    "    if (fork() == 0) { culprit_cover_begin(dir); in_child(); kill(getpid(), SIGKILL); }\n"
    "    wait(0); in_parent();\n"
    "    return 0;\n"
    "}\n"
    "int main(int argc, char **argv) {\n"
    "    const char *deed = argc > 1 ? argv[1] : \"\";\n"
    "    if (!strcmp(deed, \"serve\")) return serve(argv[2]);\n"
    "    before();\n"
    "    if (!strcmp(deed, \"segv\")) *(volatile int *)8 = 1;\n"
    "    if (!strcmp(deed, \"abort\")) abort();\n"
    "    if (!strcmp(deed, \"report\")) internal_error(\"it failed\");\n"
    "    if (!strcmp(deed, \"kill\")) kill(getpid(), SIGKILL);\n"
    "    if (!strcmp(deed, \"memory\")) use_memory();\n"
    "    if (!strcmp(deed, \"fork\")) return fork_child();\n"
    "    if (!strcmp(deed, \"pick\")) return pick(atoi(argv[2]));\n"
    "    if (!strcmp(deed, \"library\")) return library_odd(3);\n"
    "    after();\n"
    "    return 0;\n"
    "}\n";

static const char library[] = "int library_even(int n) { return n % 2 == 0; }\n"
                              "int library_odd(int n) { return n % 2 != 0; }\n";

typedef struct Fixture {
    Scratch scratch;
    Runner *runner;
    ProcResult result;
    Subject subject;
    Cover *cover;
    Bitset units;
    Error err;
} Fixture;

static void compile(Fixture *fixture, const char *command) {
    CLEANUP(strlist_release) StrList argv = {0};
    assert_ok(strlist_split_shell(&argv, command, &fixture->err), fixture->err);
    ProcRequest request = {
        .argv = (const char *const *)argv.items, .dir = fixture->scratch.path, .limits = {.wall_ms = 60000}};
    assert_ok(runner_run(fixture->runner, &request, &fixture->result, &fixture->err), fixture->err);
    if (!proc_ok(&fixture->result))
        fail_msg("%s: %s", command, str_text(&fixture->result.err));
}

/* Builds the program and a library; the library brings no runtime of its own where `preload` is set. */
static void build(Fixture *fixture, bool preload) {
    static const char options[] = "-O1 -g1 -w -fsanitize-coverage=inline-bool-flag,pc-table "
                                  "-fno-sanitize-link-runtime -Wl,--build-id";
    CLEANUP(str_release) Str object = {0};
    CLEANUP(str_release) Str command = {0};
    CLEANUP(mem_freep) char *source = path_of(fixture->scratch.path, "p.c");
    CLEANUP(mem_freep) char *library_source = path_of(fixture->scratch.path, "l.c");
    assert_ok(path_runtime("sancov.o", &object, &fixture->err), fixture->err);
    assert_ok(file_write_text(source, program, &fixture->err), fixture->err);
    assert_ok(file_write_text(library_source, library, &fixture->err), fixture->err);
    str_printf(&command, "clang-14 %s -fPIC -shared l.c %s -o libl.so", options, preload ? "" : str_text(&object));
    compile(fixture, str_text(&command));
    str_clear(&command);
    str_printf(&command, "clang-14 %s p.c %s libl.so -Wl,-rpath,%s -o p",
               preload ? "-g1 -w -Wl,--allow-shlib-undefined" : options, preload ? "" : str_text(&object),
               fixture->scratch.path);
    compile(fixture, str_text(&command));
}

/* Opens what stands in the scratch directory as a subject; the sancov one has modules, the gcov one only notes. */
static void open_subject(Fixture *fixture, const char *provider, bool preload) {
    char *path = path_of(fixture->scratch.path, "p");
    fixture->subject = (Subject){.name = mem_strdup("test"),
                                 .dir = mem_strdup(fixture->scratch.path),
                                 .version = mem_strdup("1"),
                                 .provider = mem_strdup(provider),
                                 .source_root = mem_strdup(fixture->scratch.path),
                                 .preload = preload};
    if (!preload)
        strlist_add(&fixture->subject.modules, path);
    strlist_addf(&fixture->subject.modules, "%s/libl.so", fixture->scratch.path);
    strlist_add(&fixture->subject.cc, path);
    free(path);
    fixture->cover = cover_open(&fixture->subject, fixture->runner, NULL, &fixture->err);
    assert_ok(fixture->cover != NULL, fixture->err);
    bitset_init(&fixture->units, cover_units(fixture->cover)->unit_count);
}

static int setup(void **state) {
    Fixture *fixture = mem_zalloc(1, sizeof(*fixture));
    assert_ok(scratch_new(&fixture->scratch, &fixture->err), fixture->err);
    assert_ok((fixture->runner = runner_new(&fixture->err)) != NULL, fixture->err);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    Fixture *fixture = *state;
    cover_free(fixture->cover);
    subject_release(&fixture->subject);
    bitset_release(&fixture->units);
    proc_result_release(&fixture->result);
    runner_free(fixture->runner);
    scratch_release(&fixture->scratch);
    free(fixture);
    return 0;
}

static void prepare(Fixture *fixture, bool preload) {
    CLEANUP(str_release) Str path = {0};
    if (!path_find_program("clang-14", &path, NULL))
        skip_because("clang-14 is not installed");
    build(fixture, preload);
    open_subject(fixture, "sancov", preload);
}

static void run(Fixture *fixture, const char *deed, const char *argument, ProcLimits limits) {
    const char *argv[] = {fixture->subject.cc.items[0], deed, argument, NULL};
    limits.wall_ms = 60000;
    ProcRequest request = {.argv = argv, .dir = fixture->scratch.path, .limits = limits};
    assert_ok(cover_run(fixture->cover, fixture->runner, &request, &fixture->units, &fixture->result, &fixture->err),
              fixture->err);
}

static bool ran(const Fixture *fixture, const char *function) {
    const UnitTable *table = cover_units(fixture->cover);
    for (size_t i = bitset_next(&fixture->units, 0); i < table->unit_count; i = bitset_next(&fixture->units, i + 1))
        if (str_equal(unit_function_name(table, table->units[i].function), function))
            return true;
    return false;
}

static bool line_ran(const Fixture *fixture, const char *name, uint32_t line) {
    const UnitTable *table = cover_units(fixture->cover);
    size_t file = unit_table_find_file(table, name);
    assert_true(file < table->file_count);
    size_t unit = unit_table_find(table, file, line);
    return unit < table->unit_count && bitset_get(&fixture->units, unit);
}

/* --- However it ends --- */

static const struct {
    const char *deed;
    int signal;
    ProcLimit limit;
    const char *there, *not_there; /* functions */
} ends[] = {
    {"", 0, PROC_LIMIT_NONE, "after", "pick"},
    {"segv", SIGSEGV, PROC_LIMIT_NONE, "before", "after"},
    {"abort", SIGABRT, PROC_LIMIT_NONE, "before", "after"},
    {"kill", SIGKILL, PROC_LIMIT_NONE, "before", "after"},
    {"report", 0, PROC_LIMIT_NONE, "before", "after"}, /* what follows an internal error is not recorded */
    {"memory", SIGSEGV, PROC_LIMIT_NONE, "use_memory", "after"},
    {"library", 0, PROC_LIMIT_NONE, "library_odd", "library_even"},
};

static void test_ends(void **state) {
    Fixture *fixture = *state;
    prepare(fixture, false);
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        run(fixture, ends[i].deed, NULL, (ProcLimits){.memory_bytes = 256 << 20});
        bool memory = str_equal(ends[i].deed, "memory"); /* a limit or a signal: the machine decides */
        if (!memory && fixture->result.signal != ends[i].signal)
            fail_msg("%s: signal %d, not %d", ends[i].deed, fixture->result.signal, ends[i].signal);
        if (!ran(fixture, ends[i].there) || ran(fixture, ends[i].not_there))
            fail_msg("%s: %s ran: %d, %s ran: %d", ends[i].deed, ends[i].there, ran(fixture, ends[i].there),
                     ends[i].not_there, ran(fixture, ends[i].not_there));
    }
}

/* --- Lines without a flag of their own --- */

static void test_lines(void **state) {
    static const struct {
        const char *argument;
        uint32_t there, not_there; /* lines of p.c */
    } cases[] = {{"0", 17, 18}, {"1", 18, 19}, {"2", 19, 20}, {"3", 20, 19}, {"4", 21, 23}};
    Fixture *fixture = *state;
    prepare(fixture, false);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        run(fixture, "pick", cases[i].argument, (ProcLimits){0});
        if (!str_equal(cases[i].argument, "0") && !line_ran(fixture, "p.c", cases[i].there))
            fail_msg("pick %s: line %u did not run", cases[i].argument, cases[i].there);
        if (line_ran(fixture, "p.c", cases[i].not_there))
            fail_msg("pick %s: line %u ran", cases[i].argument, cases[i].not_there);
        /* Every way through pick passes the switch and, unless it aborts, the return. */
        assert_true(line_ran(fixture, "p.c", 16));
        assert_int_equal(line_ran(fixture, "p.c", 23), !str_equal(cases[i].argument, "4"));
    }
}

/* --- Processes --- */

static void test_fork(void **state) {
    Fixture *fixture = *state;
    prepare(fixture, false);
    run(fixture, "fork", NULL, (ProcLimits){0});
    assert_int_equal(fixture->result.exit_code, 0); /* the child's counter is not the parent's */
    assert_true(ran(fixture, "in_child"));
    assert_true(ran(fixture, "in_parent"));
}

/* The server is started without coverage; what it did itself does not count. */
static void test_server(void **state) {
    Fixture *fixture = *state;
    prepare(fixture, false);
    CoverRun covered;
    assert_ok(cover_begin(fixture->cover, &covered, &fixture->err), fixture->err);
    const char *argv[] = {fixture->subject.cc.items[0], "serve", covered.dir, NULL};
    ProcRequest request = {.argv = argv, .limits = {.wall_ms = 60000}};
    assert_ok(runner_run(fixture->runner, &request, &fixture->result, &fixture->err), fixture->err);
    assert_ok(cover_end(fixture->cover, &covered, &fixture->result, &fixture->units, &fixture->err), fixture->err);
    assert_true(ran(fixture, "in_child"));
    assert_false(ran(fixture, "in_parent"));
    assert_false(ran(fixture, "before"));
}

static void test_preloaded(void **state) {
    Fixture *fixture = *state;
    prepare(fixture, true);
    run(fixture, "library", NULL, (ProcLimits){0});
    assert_true(ran(fixture, "library_odd"));
    assert_false(ran(fixture, "library_even"));
}

static void test_same_bits(void **state) {
    Fixture *fixture = *state;
    CLEANUP(bitset_release) Bitset first = {0};
    prepare(fixture, false);
    run(fixture, "pick", "3", (ProcLimits){0});
    bitset_init_copy(&first, &fixture->units);
    for (size_t i = 0; i < 10; i++) {
        run(fixture, "pick", "3", (ProcLimits){0});
        assert_true(bitset_equal(&first, &fixture->units));
    }
    run(fixture, "pick", "2", (ProcLimits){0});
    assert_false(bitset_equal(&first, &fixture->units));
}

/* --- Both providers --- */

/* Where no function is merged into another, both see exactly the same ones. */
static void assert_same_functions(Fixture *sancov, Fixture *gcov, const char *deed, const char *argument) {
    run(sancov, deed, argument, (ProcLimits){0});
    run(gcov, deed, argument, (ProcLimits){0});
    const UnitTable *table = cover_units(gcov->cover);
    size_t seen = 0;
    for (uint32_t i = 0; i < table->function_count; i++) {
        const char *name = unit_function_name(table, i);
        if (ran(sancov, name) != ran(gcov, name))
            fail_msg("%s %s: %s ran: sancov says %d, gcov %d", deed, argument, name, ran(sancov, name),
                     ran(gcov, name));
        seen += ran(gcov, name);
    }
    assert_true(seen >= 2);
}

static void test_same_functions_as_gcov(void **state) {
    static const char *const deeds[][2] = {{"", NULL}, {"pick", "1"}, {"pick", "3"}, {"library", NULL}};
    Fixture *fixture = *state;
    void *second;
    prepare(fixture, false);
    setup(&second);
    Fixture *gcov = second;
    CLEANUP(str_release) Str command = {0};
    str_printf(&command, "gcc -w --coverage %s/p.c %s/l.c -o p", fixture->scratch.path, fixture->scratch.path);
    compile(gcov, str_text(&command));
    open_subject(gcov, "gcov", false);
    for (size_t i = 0; i < ARRAY_LEN(deeds); i++)
        assert_same_functions(fixture, gcov, deeds[i][0], deeds[i][1]);
    teardown(&second);
}

/* --- Decoding against a naive model --- */

static void test_decode_model(void **state) {
    (void)state;
    enum { EDGES = 1003, UNITS = 5000, LIST = 3 };
    Rng rng = rng_from_seed(13);
    uint32_t starts[EDGES + 1];
    EdgeUnits lists[EDGES * LIST];
    unsigned char flags[EDGES];
    Bitset units, model;
    bitset_init(&units, UNITS);
    bitset_init(&model, UNITS);
    for (size_t i = 0; i < EDGES; i++) {
        starts[i] = (uint32_t)(i * LIST);
        flags[i] = rng_chance(&rng, 10);
        for (size_t j = 0; j < LIST; j++) {
            uint32_t unit = (uint32_t)rng_below(&rng, UNITS), bit = unit % 64;
            lists[i * LIST + j] = (EdgeUnits){unit / 64, bit < 32 ? 1u << bit : 0, bit < 32 ? 0 : 1u << (bit - 32)};
            if (flags[i])
                bitset_set(&model, unit);
        }
    }
    starts[EDGES] = EDGES * LIST;
    edge_module_decode(&(EdgeModule){.count = EDGES, .starts = starts, .units = lists}, flags, &units);
    assert_true(bitset_equal(&units, &model));
    bitset_release(&units);
    bitset_release(&model);
}

/* --- Damage --- */

static void test_damaged_edges(void **state) {
    Fixture *fixture = *state;
    Rng rng = rng_from_seed(14);
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(str_release) Str good = {0};
    prepare(fixture, false);
    assert_ok(dir_list(fixture->scratch.path, &names, &fixture->err), fixture->err);
    CLEANUP(mem_freep) char *path = NULL;
    for (size_t i = 0; i < names.len; i++)
        if (str_starts(names.items[i], "edges"))
            path = path_of(fixture->scratch.path, names.items[i]);
    assert_ok(file_read(path, &good, &fixture->err), fixture->err);
    size_t unit_count = cover_units(fixture->cover)->unit_count, refused = 0;
    for (size_t round = 0; round < 400; round++) {
        CLEANUP(mem_freep) char *bad = mem_dup(good.data, good.len);
        CLEANUP(edge_table_release) EdgeTable table = {0};
        CLEANUP(mem_freep) unsigned char *flags = mem_alloc(good.len);
        size_t len = round % 4 ? good.len : rng_below(&rng, good.len);
        for (size_t i = 0; i < 3; i++)
            bad[rng_below(&rng, good.len)] = (char)rng_next(&rng);
        assert_ok(file_write(path, bad, len, &fixture->err), fixture->err);
        memset(flags, 1, good.len);
        if (!edge_table_load(path, unit_count, &table, &fixture->err))
            refused++;
        for (size_t i = 0; i < table.module_count; i++)
            edge_module_decode(&table.modules[i], flags, &fixture->units);
    }
    assert_in_range(refused, 100, 400);
}

#define COVER_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        COVER_TEST(test_ends),
        COVER_TEST(test_lines),
        COVER_TEST(test_fork),
        COVER_TEST(test_server),
        COVER_TEST(test_preloaded),
        COVER_TEST(test_same_bits),
        COVER_TEST(test_same_functions_as_gcov),
        cmocka_unit_test(test_decode_model),
        COVER_TEST(test_damaged_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
