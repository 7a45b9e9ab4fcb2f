/* Graphs of modules and their regions: against hand-counted modules, and against what opt prints. */
#include "base/rng.h"
#include "base/strlist.h"
#include "sequence/regions.h"
#include "sequence_helpers.h"

/* --- Reading modules --- */

static const char small_module[] =
    "@g = global i32 0\n"
    "declare void @outside()\n"
    "define i32 @first(i32 %n, ptr %p) {\n"
    "entry:\n  %c = icmp eq i32 %n, 0\n  br i1 %c, label %yes, label %no\n"
    "yes:\n  call void @outside()\n  %x = call i32 @second()\n  ret i32 %x\n"
    "no:\n  call void %p()\n  call void @outside()\n  ret i32 1\n"
    "}\n"
    "define i32 @second() {\n"
    "  %v = load i32, ptr @g\n  %w = fneg float 1.0\n  %f = freeze i32 %v\n  ret i32 %f\n"
    "}\n";

static void check_small_module(const IrGraph *graph) {
    assert_int_equal(graph->function_count, 3);
    const IrFunction *first = find_function(graph, "first"), *second = find_function(graph, "second");
    assert_int_equal(find_function(graph, "outside")->block_count, 0);
    assert_int_equal(first->block_count, 3);
    assert_string_equal(first->blocks[0].name, "entry");
    assert_memory_equal(first->blocks[0].opcodes, ((uint8_t[]){42, 2}), 2);
    assert_int_equal(first->blocks[0].successor_count, 2);
    assert_int_equal(first->blocks[0].successors[0], 1);
    assert_int_equal(first->blocks[0].successors[1], 2);
    assert_int_equal(first->call_count, 4);
    assert_ptr_equal(&graph->functions[first->calls[0]], find_function(graph, "outside"));
    assert_ptr_equal(&graph->functions[first->calls[1]], second);
    assert_int_equal(first->calls[2], IR_CALL_UNKNOWN);
    static const char *const names[] = {"load", "fneg", "freeze", "ret"};
    assert_int_equal(second->blocks[0].opcode_count, ARRAY_LEN(names));
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_string_equal(ir_opcode_name(second->blocks[0].opcodes[i]), names[i]);
}

static void test_every_llvm_reads_the_same_graph(void **state) {
    int read = 0;
    for (int version = 14; version <= 22; version++) {
        CLEANUP(mem_freep) char *libllvm = find_libllvm(version);
        if (!libllvm)
            continue;
        /* Opaque pointers are an option in 14 and all there is from 17 on. */
        CLEANUP(str_release) Str text = {0};
        for (const char *c = small_module; *c; c++)
            if (version == 14 && strncmp(c, "ptr %p", 6) == 0)
                str_append(&text, "void ()* %p"), c += 5;
            else if (version == 14 && strncmp(c, "ptr @g", 6) == 0)
                str_append(&text, "i32* @g"), c += 5;
            else
                str_append_char(&text, *c);
        bench_write(*state, "small.ll", str_text(&text));
        IrGraph graph;
        bench_read(*state, libllvm, "small.ll", &graph);
        check_small_module(&graph);
        ir_graph_release(&graph);
        read++;
    }
    if (read == 0)
        skip_because("no libLLVM of version 14 or later in /usr/lib/llvm-N");
}

static void test_what_llvm_cannot_read_is_an_error(void **state) {
    Bench *bench = *state;
    CLEANUP(mem_freep) char *libllvm = find_libllvm(14);
    if (!libllvm)
        skip_because("libLLVM 14 is not installed");
    Error err;
    IrGraph graph = {0};
    CLEANUP(mem_freep) char *bad = path_of(bench->scratch.path, "bad.ll"), *none = path_of(bench->scratch.path, "none");
    IrGraphReader reader = {.runner = bench->runner, .libllvm = libllvm};
    bench_write(bench, "bad.ll", "define i32 @f() {\n  ret i32 %x\n}\n");
    assert_fails(ir_graph_read(&reader, bad, &graph, &err), err, "use of undefined value '%x'");
    assert_fails(ir_graph_read(&reader, none, &graph, &err), err, "No such file or directory");
    reader.libllvm = none;
    assert_fails(ir_graph_read(&reader, bad, &graph, &err), err, "cannot load");
    reader.libllvm = "libm.so.6";
    assert_fails(ir_graph_read(&reader, bad, &graph, &err), err, "culprit needs LLVM 14 or later");
    assert_null(graph.functions);
}

/* Libraries that misbehave as soon as they are loaded. */
static void test_an_llvm_that_misbehaves_is_an_error(void **state) {
    static const struct {
        const char *code, *error;
    } cases[] = {
        {"*(volatile int *)0 = 1;", "was ended by signal 11 (Segmentation fault) on "},
        {"for (;;) ;", "ran into the limit of time on "},
        {"for (volatile char *p; (p = malloc(1 << 20));) for (int i = 0; i < 1 << 20; i += 4096) p[i] = 1; abort();",
         "memory"},
        {"_exit(0);", "is not complete"},
        {"write(1, \"IRG1\\5end\", 8); _exit(0);", "not as culprit writes it"}};
    Bench *bench = *state;
    CLEANUP(mem_freep) char *library = path_of(bench->scratch.path, "bad.so");
    IrGraphReader reader = {
        .runner = bench->runner, .libllvm = library, .wall_ms = 2000, .memory_bytes = (uint64_t)64 << 20};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char code[512];
        Error err;
        IrGraph graph = {0};
        snprintf(code, sizeof code,
                 "#include <stdlib.h>\n#include <unistd.h>\n__attribute__((constructor)) static void f(void) { %s }\n",
                 cases[i].code);
        bench_write(bench, "bad.c", code);
        assert_true(bench_run(bench, "gcc -w -shared -fPIC -o bad.so bad.c"));
        assert_fails(ir_graph_read(&reader, "none.ll", &graph, &err), err, cases[i].error);
        assert_null(graph.functions);
    }
}

static void check_numbers(const IrGraph *graph) {
    for (uint32_t f = 0; f < graph->function_count; f++) {
        const IrFunction *function = &graph->functions[f];
        for (uint32_t i = 0; i < function->call_count; i++)
            assert_true(function->calls[i] < graph->function_count || function->calls[i] == IR_CALL_UNKNOWN);
        for (uint32_t b = 0; b < function->block_count; b++)
            for (uint32_t s = 0; s < function->blocks[b].successor_count; s++)
                assert_true(function->blocks[b].successors[s] < function->block_count);
    }
}

static void test_broken_graphs_are_errors_or_graphs(void **state) {
    (void)state;
    static const char good[] = "IRG1\2" /* two functions */
                               "\1f\2"  /* f, two blocks: a (load br) to b twice, b (ret) */
                               "\1a\2\33\2\2\1\1"
                               "\1b\1\1\0"
                               "\2\0\2" /* f calls something unknown and g */
                               "\1g\0\0end";
    size_t len = sizeof good - 1, errors = 0;
    Error err;
    IrGraph graph;
    assert_ok(ir_graph_decode(good, len, &graph, &err), err);
    assert_int_equal(graph.functions[0].calls[0], IR_CALL_UNKNOWN);
    assert_int_equal(graph.functions[0].calls[1], 1);
    assert_int_equal(graph.functions[0].blocks[0].successors[1], 1);
    ir_graph_release(&graph);
    for (size_t cut = 0; cut < len; cut++)
        assert_false(ir_graph_decode(good, cut, &graph, &err));
    Rng rng = rng_from_seed(5);
    for (int i = 0; i < 20000; i++) {
        char bytes[sizeof good];
        memcpy(bytes, good, len);
        for (uint64_t n = rng_below(&rng, 3) + 1; n > 0; n--)
            bytes[4 + rng_below(&rng, len - 7)] = (char)rng_next(&rng);
        bool read = ir_graph_decode(bytes, len, &graph, &err);
        errors += !read;
        if (read) {
            check_numbers(&graph);
            ir_graph_release(&graph);
        }
    }
    assert_in_range(errors, 5000, 19999);
}

/* --- Regions --- */

/* Both texts have a line per region, its depth, entry and exit, and a line of its blocks, sorted. */
static void add_sorted_line(Str *text, StrList *names) {
    strlist_sort(names);
    CLEANUP(mem_freep) char *line = strlist_join(names, " ");
    str_printf(text, "%s\n", line);
    strlist_clear(names);
}

static void render_region(const IrFunction *function, const RegionTree *tree, uint32_t r, Str *ret_text) {
    const Region *region = &tree->regions[r];
    CLEANUP(strlist_release) StrList names = {0};
    str_printf(ret_text, "[%u] %s => %s\n", region->depth, function->blocks[region->entry].name,
               region->exit == REGION_NONE ? "<Function Return>" : function->blocks[region->exit].name);
    for (uint32_t b = 0; b < function->block_count; b++)
        for (uint32_t of = tree->of[b]; of != REGION_NONE; of = tree->regions[of].parent)
            if (of == r)
                strlist_add(&names, function->blocks[b].name);
    add_sorted_line(ret_text, &names);
    for (uint32_t child = r + 1; child < tree->count; child++)
        if (tree->regions[child].parent == r)
            render_region(function, tree, child, ret_text);
}

static void render_regions(const IrGraph *graph, Str *ret_text) {
    for (uint32_t f = 0; f < graph->function_count; f++) {
        CLEANUP(arena_release) Arena arena = {0};
        RegionTree tree;
        if (graph->functions[f].block_count == 0)
            continue;
        region_tree_build(&graph->functions[f], &arena, &tree);
        str_printf(ret_text, "Region Tree for function: %s\n", graph->functions[f].name);
        render_region(&graph->functions[f], &tree, 0, ret_text);
    }
}

static void normalise_printed(const char *printed, Str *ret_text) {
    CLEANUP(strlist_release) StrList lines = {0};
    strlist_split(&lines, printed, '\n');
    for (size_t i = 0; i < lines.len; i++) {
        const char *line = lines.items[i] + strspn(lines.items[i], " ");
        if (str_starts(line, "Region Tree for") || *line == '[')
            str_printf(ret_text, "%s\n", line);
        if (!strstr(line, ", "))
            continue;
        CLEANUP(strlist_release) StrList words = {0}, names = {0};
        strlist_split(&words, line, ',');
        for (size_t w = 0; w + 1 < words.len; w++)
            strlist_add(&names, words.items[w] + strspn(words.items[w], " "));
        add_sorted_line(ret_text, &names);
    }
}

/* Compares all functions of a module with what the opts installed print; returns how many functions there were. */
static size_t compare_regions(Bench *bench, const char *libllvm, const char *name) {
    static const char *const opts[] = {"opt-14", "/usr/lib/llvm-16/bin/opt", "/usr/lib/llvm-19/bin/opt"};
    CLEANUP(str_release) Str ours = {0};
    IrGraph graph;
    size_t functions = 0;
    bench_read(bench, libllvm, name, &graph);
    render_regions(&graph, &ours);
    for (uint32_t f = 0; f < graph.function_count; f++)
        functions += graph.functions[f].block_count > 0;
    ir_graph_release(&graph);
    for (size_t i = 0; i < ARRAY_LEN(opts); i++) {
        CLEANUP(str_release) Str theirs = {0};
        char command[256];
        if (i > 0 && !has_program(opts[i]))
            continue;
        snprintf(command, sizeof command, "%s '-passes=print<regions>' -print-region-style=bb -disable-output %s",
                 opts[i], name);
        if (!bench_run(bench, command))
            fail_msg("%s: %s", command, str_text(&bench->result.err));
        normalise_printed(str_text(&bench->result.err), &theirs);
        if (!str_equal(str_text(&ours), str_text(&theirs))) {
            size_t same = 0;
            while (ours.data[same] && ours.data[same] == theirs.data[same])
                same++;
            while (same > 0 && ours.data[same - 1] != '\n')
                same--;
            fail_msg("%s differs; ours:\n%.300s\n\ntheirs:\n%.300s", command, ours.data + same, theirs.data + same);
        }
    }
    return functions;
}

#define NEEDS_LLVM_14(libllvm)                                          \
    CLEANUP(mem_freep) char *libllvm = find_libllvm(14);                \
    if (!libllvm || !has_program("opt-14") || !has_program("clang-14")) \
        skip_because("LLVM 14 (libLLVM, opt-14, clang-14) is not installed");

static const char hand_written[] =
    "int g;\n"
    "int nested(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i & 1) s += i; else s -= i; while (g) g--; }\n"
    "  if (n > 3) return s; if (n < 0) goto out; s++; out: return s; }\n"
    "void endless(int n) { for (;;) { if (n) g++; } }\n"
    "void two_endless(int n) { if (n) for (;;) g++; else for (;;) { if (g) g--; else g++; } }\n"
    "int maybe_endless(int n) { if (n) for (;;) g++; while (n) n--; return g; }\n"
    "int one(void) { return g; }\n"
    "int irreducible(int n) { if (n) goto b; a: g++; b: g--; if (g) goto a; return g; }\n"
    "int jump_in(int n) { switch (n) { case 0: do { g++; case 1: g--; case 2: if (g) continue; } while (n--); default: "
    "g = 5; }\n"
    "  return g; }\n"
    "int crossing(int n) { if (n == 1) goto a; if (n == 2) goto b; if (n == 3) goto c; return 0; a: g++; if (g) goto "
    "c;\n"
    "  b: g--; if (g) goto a; c: if (n) goto b; return 1; }\n"
    "int dead(int n) { return 1; while (n) { n--; } again: g++; goto again; }\n"
    "int dead_into_live(int n) { goto live; dead: n++; if (n) goto dead; live: return n; }\n"
    "int ends(int n) { if (n == 1) __builtin_trap(); if (n == 2) __builtin_unreachable(); if (n == 3) return 2; return "
    "1; }\n"
    "int breaks(int n) { for (int i = 0; i < n; i++) { for (int j = 0; j < i; j++) { if (j == 5) goto out; if (j == 6) "
    "break;\n"
    "  if (j == 7) continue; g += n && j || i; } if (i == 9) continue; g++; } out: return g; }\n"
    "int same(int n) { switch (n) { case 1: case 2: default: ; } do { } while (n-- > 0); return n; }\n"
    "int computed(int n) { void *l[] = {&&a, &&b, &&c}; a: g++; goto *l[n % 3]; b: g--; goto *l[g % 3]; c: return g; "
    "}\n";

static void test_hand_written_functions_have_llvms_regions(void **state) {
    NEEDS_LLVM_14(libllvm)
    bench_write(*state, "test.c", hand_written);
    bench_compile(*state, "test.bc");
    assert_int_equal(compare_regions(*state, libllvm, "test.bc"), 14);
}

/* Any graph at all: blocks with 0 to 3 successors drawn at random, endless loops and unreachable blocks included. */
static void write_random_module(Str *text, size_t functions, Rng *rng) {
    for (size_t f = 0; f < functions; f++) {
        uint64_t blocks = 2 + rng_below(rng, 14), near = 1 + rng_below(rng, blocks);
        uint32_t returns = (uint32_t)rng_below(rng, 3) * 15;
        str_printf(text, "define void @f%zu(i32 %%n, i1 %%c) {\nentry:\n  br label %%b1\n", f);
        for (uint64_t b = 1; b < blocks; b++) {
            unsigned long long to[3];
            for (size_t i = 0; i < 3; i++)
                to[i] = 1 + (b + rng_below(rng, near)) % (blocks - 1);
            str_printf(text, "b%llu:\n", (unsigned long long)b);
            if (rng_chance(rng, returns))
                str_append(text, "  ret void\n");
            else if (rng_chance(rng, 20))
                str_printf(text, "  br label %%b%llu\n", to[0]);
            else if (rng_chance(rng, 20))
                str_printf(text, "  switch i32 %%n, label %%b%llu [ i32 0, label %%b%llu\n i32 1, label %%b%llu ]\n",
                           to[0], to[1], to[2]);
            else
                str_printf(text, "  br i1 %%c, label %%b%llu, label %%b%llu\n", to[0], to[1]);
        }
        str_append(text, "}\n");
    }
}

static void test_random_graphs_have_llvms_regions(void **state) {
    NEEDS_LLVM_14(libllvm)
    CLEANUP(str_release) Str text = {0};
    Rng rng = rng_from_seed(77);
    write_random_module(&text, 1500, &rng);
    bench_write(*state, "random.ll", str_text(&text));
    assert_int_equal(compare_regions(*state, libllvm, "random.ll"), 1500);
}

static void test_generated_programs_have_llvms_regions(void **state) {
    NEEDS_LLVM_14(libllvm)
    CLEANUP(str_release) Str generate = {0};
    Error err;
    size_t functions = 0;
    assert_ok(path_runtime("generate", &generate, &err), err);
    bool csmith = has_program("csmith");
    for (int seed = 1; seed <= 12; seed++) {
        char command[512];
        if (csmith && seed % 2)
            snprintf(command, sizeof command, "csmith --seed %d --output test.c", seed);
        else
            snprintf(command, sizeof command, "rm -f *.c *.h; '%s' c '' 20000 lp64 single 0 %d && mv program.c test.c",
                     str_text(&generate), seed);
        if (!bench_run(*state, command))
            fail_msg("%s: %s", command, str_text(&((Bench *)*state)->result.err));
        bench_compile(*state, "test.bc");
        functions += compare_regions(*state, libllvm, "test.bc");
    }
    assert_true(functions > (csmith ? 60 : 12));
}

/* --- Properties that need no LLVM --- */

static void test_regions_nest_and_have_one_entry_and_exit(void **state) {
    (void)state;
    Rng rng = rng_from_seed(3);
    for (int round = 0; round < 500; round++) {
        CLEANUP(arena_release) Arena arena = {0};
        uint32_t n = 2 + (uint32_t)rng_below(&rng, 20), edges[64][2];
        size_t count = n + rng_below(&rng, n);
        for (size_t e = 0; e < count; e++) {
            edges[e][0] = e < n - 1 ? (uint32_t)e : (uint32_t)rng_below(&rng, n - 1);
            edges[e][1] = 1 + (uint32_t)rng_below(&rng, n - 1);
        }
        IrFunction function = make_function(&arena, n, (const uint32_t(*)[2])edges, count);
        RegionTree tree;
        region_tree_build(&function, &arena, &tree);
        for (uint32_t r = 1; r < tree.count; r++) {
            assert_true(tree.regions[r].parent < r);
            assert_int_equal(tree.regions[r].depth, tree.regions[tree.regions[r].parent].depth + 1);
            bool inside[32] = {false};
            for (uint32_t b = 0; b < n; b++)
                for (uint32_t of = tree.of[b]; of != REGION_NONE; of = tree.regions[of].parent)
                    inside[b] |= of == r;
            for (size_t e = 0; e < count; e++) {
                uint32_t from = edges[e][0], to = edges[e][1];
                if (tree.of[from] == REGION_NONE || inside[from] == inside[to])
                    continue;
                assert_int_equal(to, inside[from] ? tree.regions[r].exit : tree.regions[r].entry);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BENCH_TEST(test_every_llvm_reads_the_same_graph),
        BENCH_TEST(test_what_llvm_cannot_read_is_an_error),
        BENCH_TEST(test_an_llvm_that_misbehaves_is_an_error),
        cmocka_unit_test(test_broken_graphs_are_errors_or_graphs),
        BENCH_TEST(test_hand_written_functions_have_llvms_regions),
        BENCH_TEST(test_random_graphs_have_llvms_regions),
        BENCH_TEST(test_generated_programs_have_llvms_regions),
        cmocka_unit_test(test_regions_nest_and_have_one_entry_and_exit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
