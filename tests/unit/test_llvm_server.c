/* The fork server on every libLLVM installed: what programs print, and what becomes of those that misbehave. */
#include "bench.h"

#include <signal.h>
#include <unistd.h>

#include "base/rng.h"
#include "llvm/catalogue.h"
#include "llvm/server.h"

static const int versions[] = {14, 15, 16, 19};
static const ServerLimits small = {.cpu_ms = 20000, .wall_ms = 60000, .memory_bytes = 1u << 30};

static bool find_library(int version, Str *ret_path) {
    CLEANUP(str_release) Str opt = {0}, number = {0};
    str_printf(&opt, "/usr/lib/llvm-%d/bin/opt", version);
    str_printf(&number, "%d.0", version);
    return server_find_library(opt.data, number.data, ret_path, NULL);
}

static bool clang_exists(int version) {
    char path[64];
    snprintf(path, sizeof(path), "/usr/lib/llvm-%d/bin/clang", version);
    return access(path, X_OK) == 0;
}

static void need(int version) {
    CLEANUP(str_release) Str library = {0};
    if (!find_library(version, &library) || !clang_exists(version))
        skip_because("LLVM %d is not installed", version);
}

/* Compiles C text to unoptimised bitcode; the path is the caller's to free. */
static char *compile(Bench *bench, int version, const char *text) {
    Error err = {0};
    char clang[64];
    snprintf(clang, sizeof(clang), "/usr/lib/llvm-%d/bin/clang", version);
    char *module = path_of(bench->scratch.path, "x.bc");
    ProcRequest request = {.argv = (const char *const[]){clang, "-x", "c", "-", "-w", "-O0", "-Xclang",
                                                         "-disable-O0-optnone", "-Xclang", "-disable-llvm-passes",
                                                         "-emit-llvm", "-c", "-o", module, NULL},
                           .input = text,
                           .input_len = strlen(text)};
    CLEANUP(proc_result_release) ProcResult result = {0};
    assert_ok(runner_run(bench->runner, &request, &result, &err), err);
    if (!proc_ok(&result))
        fail_msg("clang: %s", str_text(&result.err));
    return module;
}

static void run(Bench *bench, int version, const char *module, const ServerNode *nodes, size_t count,
                const ServerLimits *limits, ServerResults *ret_results) {
    CLEANUP(str_release) Str library = {0};
    Error err = {0};
    assert_true(find_library(version, &library));
    server_results_release(ret_results);
    assert_ok(server_run(bench->runner, library.data, module, nodes, count, limits, ret_results, &err), err);
    for (size_t i = 0; i < count; i++) {
        const ServerResult *result = &ret_results->items[i];
        print_message("LLVM %d, %.60s: %s at %s, status %d, signal %d, as %d, %.*s %.200s %s\n", version,
                      nodes[i].passes, server_fate_name(result->fate), server_stage_name(result->stage),
                      result->exit_code, result->signal, result->same_as, (int)MIN_OF(result->output_len, 60),
                      result->output, result->message, result->pass);
    }
}

#define assert_result(result, expected_fate, expected_stage)                                        \
    do {                                                                                            \
        assert_string_equal(server_fate_name((result)->fate), server_fate_name(expected_fate));     \
        assert_string_equal(server_stage_name((result)->stage), server_stage_name(expected_stage)); \
    } while (0)

/* --- Programs that behave --- */

static const char good_program[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <math.h>\n"
    "int a[64]; const char *names[] = {\"zero\", \"one\"}; static long (*call)(long) = labs; int common;\n"
    "static void bye(void) { puts(\"bye\"); }\n"
    "static int f(int x) { int s = 0; for (int i = 0; i < x; i++) { a[i % 64] += i * x; s += a[i * 7 % 64]; } return "
    "s; }\n"
    "int main(int argc, char **argv) {\n"
    "  __int128 big = f(50); big = big * 1000000007 / (argc + 2);\n"
    "  atexit(bye); fputs(\"to nobody\", stderr);\n"
    "  int whole = f(100); double root = sqrt(f(20));\n"
    "  printf(\"%d %g %s %ld %d %lld\\n\", whole, root, names[argc], call(-5), common, (long long)big);\n"
    "  if (f(3)) exit(3);\n  return 0;\n}\n";
static const char good_output[] = "362950 424.405 one 5 0 5083333368916\nbye\n"; /* as gcc says */

static void test_a_program_prints_what_it_should(void **state) {
    Bench *bench = *state;
    size_t tested = 0;
    for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
        CLEANUP(str_release) Str library = {0};
        if (!find_library(versions[i], &library) || !clang_exists(versions[i]))
            continue;
        CLEANUP(mem_freep) char *module = compile(bench, versions[i], good_program);
        CLEANUP(server_results_release) ServerResults results = {0};
        ServerNode nodes[] = {{-1, 0, ""},
                              {-1, 2, "function(sroa),verify,function(instcombine),verify"},
                              {-1, 3, "default<O3>"},
                              {-1, 1, "default<Oz>"}};
        run(bench, versions[i], module, nodes, ARRAY_LEN(nodes), &small, &results);
        for (size_t k = 0; k < ARRAY_LEN(nodes); k++) {
            const ServerResult *result = &results.items[k];
            assert_result(result, SERVER_EXITED, SERVER_DONE);
            assert_int_equal(result->exit_code, 3);
            assert_int_equal(result->output_len, strlen(good_output));
            assert_memory_equal(result->output, good_output, strlen(good_output));
            assert_true(result->peak_bytes > 1 << 20 && result->ir_hash != 0);
            assert_true(result->output_hash == results.items[0].output_hash);
        }
        tested++;
    }
    if (tested == 0)
        skip_because("no LLVM from 14 on is installed");
}

static void test_equal_modules_are_tested_once(void **state) {
    Bench *bench = *state;
    need(14);
    CLEANUP(mem_freep) char *module = compile(bench, 14, good_program);
    CLEANUP(server_results_release) ServerResults results = {0};
    ServerNode nodes[] = {{-1, 2, "function(sroa)"},
                          {-1, 2, "function(sroa)"},
                          {-1, 1, "function(sroa)"},
                          {0, 2, "function(sroa)"},
                          {-1, -1, "function(sroa)"}};
    run(bench, 14, module, nodes, ARRAY_LEN(nodes), &small, &results);
    assert_int_equal(results.items[0].same_as, -1);
    assert_int_equal(results.items[1].same_as, 0);
    assert_int_equal(results.items[2].same_as, -1); /* another level */
    assert_int_equal(results.items[3].same_as, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_result(&results.items[i], SERVER_EXITED, SERVER_DONE);
        assert_memory_equal(results.items[i].output, good_output, strlen(good_output));
    }
    assert_result(&results.items[4], SERVER_UNTESTED, SERVER_PASSES);
}

/* --- Trees and flat batches --- */

/* Random trees of production passes: every node must end as the whole of its passes does when run flat. */
static void test_trees_and_flat_batches_agree(void **state) {
    Bench *bench = *state;
    static const char *const passes[] = {"function(sroa)",
                                         "function(instcombine)",
                                         "function(simplifycfg)",
                                         "globalopt",
                                         "cgscc(inline)",
                                         "function(loop(loop-rotate))",
                                         "function(early-cse)",
                                         "function(gvn)",
                                         "function(loop-mssa(licm))",
                                         "function(loop-unroll)",
                                         "function(adce)",
                                         "ipsccp"};
    enum { NODES = 60 };
    need(14);
    CLEANUP(mem_freep) char *module = compile(bench, 14, good_program);
    CLEANUP(server_results_release) ServerResults tree = {0}, flat = {0};
    ServerNode tree_nodes[NODES], flat_nodes[NODES];
    Str whole[NODES] = {0};
    Rng rng = rng_from_seed(7);
    for (int i = 0; i < NODES; i++) {
        const char *pass = passes[rng_below(&rng, ARRAY_LEN(passes))];
        int parent = i == 0 ? -1 : (int)rng_range(&rng, -1, i - 1);
        tree_nodes[i] = (ServerNode){parent, (int)rng_below(&rng, 4), pass};
        str_printf(&whole[i], "%s%s%s", parent < 0 ? "" : whole[parent].data, parent < 0 ? "" : ",", pass);
        flat_nodes[i] = (ServerNode){-1, tree_nodes[i].level, whole[i].data};
    }
    run(bench, 14, module, tree_nodes, NODES, &small, &tree);
    run(bench, 14, module, flat_nodes, NODES, &small, &flat);
    for (int i = 0; i < NODES; i++) {
        assert_result(&tree.items[i], flat.items[i].fate, flat.items[i].stage);
        assert_int_equal(tree.items[i].exit_code, flat.items[i].exit_code);
        assert_true(tree.items[i].output_hash == flat.items[i].output_hash);
        assert_memory_equal(tree.items[i].output, good_output, strlen(good_output));
        str_release(&whole[i]);
    }
}

static void test_a_failed_branch_leaves_the_others_alone(void **state) {
    Bench *bench = *state;
    need(14);
    CLEANUP(mem_freep) char *module = compile(bench, 14, good_program);
    CLEANUP(server_results_release) ServerResults results = {0};
    ServerNode nodes[] = {{-1, 2, "function(sroa)"}, {0, 2, "nonsense"}, {1, 2, "globalopt"}, {0, 2, "globaldce"}};
    run(bench, 14, module, nodes, ARRAY_LEN(nodes), &small, &results);
    assert_result(&results.items[0], SERVER_EXITED, SERVER_DONE);
    assert_result(&results.items[1], SERVER_REFUSED, SERVER_PASSES);
    assert_result(&results.items[2], SERVER_UNKNOWN, SERVER_NOT_RUN);
    assert_result(&results.items[3], SERVER_EXITED, SERVER_DONE);
}

/* --- Passes that fail --- */

static void test_unknown_passes_and_wrong_nesting_are_ours(void **state) {
    Bench *bench = *state;
    need(14);
    CLEANUP(mem_freep) char *module = compile(bench, 14, good_program);
    CLEANUP(server_results_release) ServerResults results = {0};
    ServerNode nodes[] = {{-1, 2, "function(frobnicate)"}, {-1, 2, "function(loop(licm))"}, {-1, 2, "function(sroa"}};
    run(bench, 14, module, nodes, ARRAY_LEN(nodes), &small, &results);
    assert_result(&results.items[0], SERVER_REFUSED, SERVER_PASSES);
    assert_non_null(strstr(results.items[0].message, "frobnicate"));
    assert_result(&results.items[1], SERVER_FATAL, SERVER_PASSES);
    assert_true(catalogue_is_nesting_message(results.items[1].message));
    assert_result(&results.items[2], SERVER_REFUSED, SERVER_PASSES);
}

/* A known bug of LLVM 14 to 16: chr needs an analysis that nobody made. */
static void test_crashes_name_their_pass(void **state) {
    Bench *bench = *state;
    need(14);
    CLEANUP(mem_freep) char *module = compile(bench, 14, good_program);
    CLEANUP(server_results_release) ServerResults results = {0};
    ServerNode nodes[] = {{-1, 2, "function(sroa),function(chr),function(adce)"}, {-1, 2, "function(sroa)"}};
    run(bench, 14, module, nodes, ARRAY_LEN(nodes), &small, &results);
    assert_result(&results.items[0], SERVER_SIGNALLED, SERVER_PASSES);
    assert_non_null(strstr(results.items[0].pass, "ControlHeightReduction"));
    assert_result(&results.items[1], SERVER_EXITED, SERVER_DONE);
}

static void test_fatal_errors_carry_their_message(void **state) {
    Bench *bench = *state;
    need(14);
    CLEANUP(mem_freep)
    char *module =
        compile(bench, 14, "int main(void) { int x; __asm__(\"no such instruction\" : \"=r\"(x)); return x; }");
    CLEANUP(server_results_release) ServerResults results = {0};
    ServerNode nodes[] = {{-1, 2, "verify"}, {-1, 2, "verify"}, {0, 2, "globaldce"}};
    run(bench, 14, module, nodes, ARRAY_LEN(nodes), &small, &results);
    assert_result(&results.items[1], SERVER_FATAL, SERVER_CODEGEN);
    assert_non_null(strstr(results.items[1].message, "no such instruction"));
}

/* --- Programs that misbehave --- */

static void test_programs_that_misbehave(void **state) {
    Bench *bench = *state;
    static const struct {
        const char *text;
        ServerFate fate;
        ServerStage stage;
        int signal;
    } cases[] = {
        {"int main(void) { volatile int x = 0; while (!x); }", SERVER_OVER_TIME, SERVER_RUN, 0},
        {"int main(void) { for (;;) pause(); }", SERVER_OVER_TIME, SERVER_RUN, 0},
        {"int main(void) { *(volatile int *)8 = 1; }", SERVER_SIGNALLED, SERVER_RUN, SIGSEGV},
        {"int main(void) { *(char *)\"constant\" = 1; }", SERVER_SIGNALLED, SERVER_RUN, SIGSEGV},
        {"int main(void) { abort(); }", SERVER_SIGNALLED, SERVER_RUN, SIGABRT},
        {"int main(void) { __builtin_trap(); }", SERVER_SIGNALLED, SERVER_RUN, SIGILL},
        {"int main(void) { for (;;) puts(\"and again\"); }", SERVER_OVER_OUTPUT, SERVER_RUN, 0},
        {"#include <stdlib.h>\n#include <string.h>\n"
         "int main(void) { for (;;) { char *p = malloc(1 << 24); if (!p) abort(); memset(p, 1, 1 << 24); } }",
         SERVER_OVER_MEMORY, SERVER_RUN, 0},
        {"int main(void) { int x; return nowhere(&x); }", SERVER_REFUSED, SERVER_LOAD, 0},
        {"int f(void) { return 0; }", SERVER_REFUSED, SERVER_LOAD, 0},
        {"_Thread_local int t; int main(void) { return t; }", SERVER_REFUSED, SERVER_LOAD, 0},
        {"int main(void) { for (int i = 0; i < 5; i++) if (fork() == 0) { setsid(); if (fork() == 0) for (;;); } "
         "_exit(9); }",
         SERVER_EXITED, SERVER_DONE, 0},
    };
    need(14);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        print_message("%s\n", cases[i].text);
        /* Those that should reach another limit have all the time they need. */
        bool hangs = cases[i].fate == SERVER_OVER_TIME;
        ServerLimits limits = {hangs ? 500 : 30000, hangs ? 1500 : 60000, .memory_bytes = 512u << 20};
        CLEANUP(mem_freep) char *module = compile(bench, 14, cases[i].text);
        CLEANUP(server_results_release) ServerResults results = {0};
        /* Alone, with a continuation, and as one. */
        ServerNode nodes[] = {{-1, 2, "function(sroa)"}, {-1, 1, "function(sroa)"}, {1, 3, "function(sroa)"}};
        run(bench, 14, module, nodes, ARRAY_LEN(nodes), &limits, &results);
        for (size_t k = 0; k < ARRAY_LEN(nodes); k++) {
            assert_result(&results.items[k], cases[i].fate, cases[i].stage);
            if (cases[i].signal)
                assert_int_equal(results.items[k].signal, cases[i].signal);
        }
    }
}

static void test_passes_over_their_limits(void **state) {
    Bench *bench = *state;
    need(14);
    CLEANUP(server_results_release) ServerResults results = {0};
    CLEANUP(str_release) Str text = {0};
    str_append(&text, "int x;\n__attribute__((always_inline)) static inline void f0(void) { x = x * 3 + 1; }\n");
    for (int i = 1; i < 40; i++) /* each calls the one before twice: 2^39 copies of the first, if that were possible */
        str_printf(&text, "__attribute__((always_inline)) static inline void f%d(void) { f%d(); f%d(); }\n", i, i - 1,
                   i - 1);
    str_append(&text, "int main(int argc, char **argv) { if (argc > 1) f39(); return 0; }\n");
    CLEANUP(mem_freep) char *module = compile(bench, 14, text.data);
    ServerNode nodes[] = {{-1, 2, "always-inline"}, {-1, 0, "verify"}};
    run(bench, 14, module, nodes, 2, &(ServerLimits){.cpu_ms = 400, .memory_bytes = 1u << 30}, &results);
    assert_result(&results.items[0], SERVER_OVER_TIME, SERVER_PASSES);
    assert_result(&results.items[1], SERVER_EXITED, SERVER_DONE);
    run(bench, 14, module, nodes, 2, &(ServerLimits){.cpu_ms = 60000, .memory_bytes = 350u << 20}, &results);
    assert_result(&results.items[0], SERVER_OVER_MEMORY, SERVER_PASSES);
}

/* --- What cannot be served --- */

static void test_modules_that_cannot_be_read(void **state) {
    Bench *bench = *state;
    Error err = {0};
    ServerResults results = {0};
    CLEANUP(str_release) Str library = {0};
    CLEANUP(mem_freep) char *path = path_of(bench->scratch.path, "bad.ll");
    ServerNode node = {-1, 2, "verify"};
    need(14);
    assert_true(find_library(14, &library));
    static const struct {
        const char *text, *complaint;
    } cases[] = {{"define i32 @main() { nonsense }", "cannot read the module"},
                 {"define i32 @main() {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n",
                  "invalid before any pass"},
                 {"target triple = \"pdp11-dec-unix\"\n", "pdp11"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_ok(file_write_text(path, cases[i].text, &err), err);
        assert_fails(server_run(bench->runner, library.data, path, &node, 1, &small, &results, &err), err,
                     cases[i].complaint);
    }
    assert_fails(server_run(bench->runner, library.data, "/nowhere.bc", &node, 1, &small, &results, &err), err,
                 "/nowhere.bc");
    assert_fails(server_run(bench->runner, "/nowhere/libLLVM.so", path, &node, 1, &small, &results, &err), err,
                 "cannot load");
}

static void test_a_module_of_a_newer_llvm_is_an_error(void **state) {
    Bench *bench = *state;
    Error err = {0};
    ServerResults results = {0};
    CLEANUP(str_release) Str library = {0};
    ServerNode node = {-1, 2, "verify"};
    need(14);
    need(19);
    assert_true(find_library(14, &library));
    CLEANUP(mem_freep) char *module = compile(bench, 19, good_program);
    assert_fails(server_run(bench->runner, library.data, module, &node, 1, &small, &results, &err), err,
                 "made by this version of LLVM");
    print_message("%s\n", err.text);
}

/* --- As opt --- */

static bool run_as_opt(Bench *bench, const char *options, const char *cover_dir, const char *text,
                       const ServerNode *node, ServerResults *ret_results, Error *err) {
    CLEANUP(str_release) Str library = {0};
    CLEANUP(strlist_release) StrList words = {0};
    CLEANUP(mem_freep) char *path = path_of(bench->scratch.path, "opt.ll");
    const char *dirs[] = {cover_dir};
    ServerOpt opt = {.options = &words, .cover_dirs = cover_dir ? dirs : NULL};
    strlist_split(&words, options, ' ');
    server_results_release(ret_results);
    return find_library(14, &library) && file_write_text(path, text, err) &&
           server_run_as_opt(bench->runner, &opt, library.data, path, node, 1, &small, ret_results, err);
}

static const char loop_text[] =
    "define void @f(i32* %p) {\nentry:\n  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n"
    "  %q = getelementptr i32, i32* %p, i32 %i\n  store i32 %i, i32* %q\n  %j = add i32 %i, 1\n"
    "  %c = icmp ult i32 %j, 4000\n  br i1 %c, label %loop, label %end\nend:\n  ret void\n}\n";

static void test_options_of_opt(void **state) {
    Bench *bench = *state;
    Error err = {0};
    ServerNode node = {-1, -1, "loop-unroll"};
    ServerResults plain = {0}, unrolled = {0}, other = {0};
    need(14);
    assert_ok(run_as_opt(bench, "", NULL, loop_text, &node, &plain, &err), err);
    assert_ok(run_as_opt(bench, "-unroll-count=4", NULL, loop_text, &node, &unrolled, &err), err);
    assert_int_equal(unrolled.items[0].fate, SERVER_UNTESTED);
    assert_true(plain.items[0].ir_hash != unrolled.items[0].ir_hash);
    assert_ok(run_as_opt(bench, "-mtriple aarch64-linux-gnu -mcpu=cortex-a57", NULL, loop_text, &node, &other, &err),
              err);
    assert_int_equal(other.items[0].fate, SERVER_UNTESTED);
    assert_ok(run_as_opt(bench, "-no-such-option", NULL, loop_text, &node, &other, &err), err);
    assert_int_equal(other.items[0].ir_hash, plain.items[0].ir_hash);
    assert_fails(run_as_opt(bench, "-mcpu", NULL, loop_text, &node, &other, &err), err, "-mcpu has no value");
    assert_fails(run_as_opt(bench, "", bench->scratch.path, loop_text, &node, &other, &err), err,
                 "not instrumented for coverage");
    server_results_release(&plain);
    server_results_release(&unrolled);
    server_results_release(&other);
}

/* LLVM 14's instcombine dies on this shift, where demanded bits decide. */
static void test_a_crash_is_reported_as_opt_does(void **state) {
    Bench *bench = *state;
    Error err = {0};
    ServerNode node = {-1, -1, "sroa,instcombine"};
    ServerResults results = {0};
    need(14);
    static const char text[] =
        "define i64 @shift(i32 %n, i1 %c) {\nstart:\n  br i1 %c, label %negative, label %done\nnegative:\n"
        "  %s = ashr i32 %n, -5\n  %w = sext i32 %s to i64\n  br label %done\ndone:\n"
        "  %v = phi i64 [ 7, %start ], [ %w, %negative ]\n  %m = and i64 %v, -33\n  ret i64 %m\n}\n";
    assert_ok(run_as_opt(bench, "", NULL, text, &node, &results, &err), err);
    assert_result(&results.items[0], SERVER_SIGNALLED, SERVER_PASSES);
    assert_non_null(strstr(results.items[0].message, "PLEASE submit a bug report"));
    server_results_release(&results);
}

static void test_a_batch_ends_in_time(void **state) {
    Bench *bench = *state;
    need(14);
    CLEANUP(mem_freep) char *module = compile(bench, 14, "int main(void) { static int n; for (;;) pause(); }");
    CLEANUP(server_results_release) ServerResults results = {0};
    ServerNode nodes[] = {{-1, -1, "globaldce"}, {-1, 2, "globaldce"}, {-1, 2, "verify"}};
    run(bench, 14, module, nodes, 3, &(ServerLimits){.wall_ms = 60000, .batch_wall_ms = 2000}, &results);
    assert_result(&results.items[0], SERVER_UNTESTED, SERVER_PASSES);
    assert_result(&results.items[1], SERVER_UNKNOWN, SERVER_RUN);
    assert_result(&results.items[2], SERVER_UNKNOWN, SERVER_NOT_RUN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_program_prints_what_it_should),
        cmocka_unit_test(test_equal_modules_are_tested_once),
        cmocka_unit_test(test_trees_and_flat_batches_agree),
        cmocka_unit_test(test_a_failed_branch_leaves_the_others_alone),
        cmocka_unit_test(test_unknown_passes_and_wrong_nesting_are_ours),
        cmocka_unit_test(test_crashes_name_their_pass),
        cmocka_unit_test(test_fatal_errors_carry_their_message),
        cmocka_unit_test(test_programs_that_misbehave),
        cmocka_unit_test(test_passes_over_their_limits),
        cmocka_unit_test(test_modules_that_cannot_be_read),
        cmocka_unit_test(test_a_module_of_a_newer_llvm_is_an_error),
        cmocka_unit_test(test_options_of_opt),
        cmocka_unit_test(test_a_crash_is_reported_as_opt_does),
        cmocka_unit_test(test_a_batch_ends_in_time),
    };
    return cmocka_run_group_tests(tests, bench_setup, bench_teardown);
}
