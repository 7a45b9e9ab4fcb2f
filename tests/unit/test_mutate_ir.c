/* Mutants of LLVM IR: they differ from the original in one place, most are valid for a real opt, and seeds repeat them. */
#include "base/file.h"
#include "mutate/llvm_ir.h"
#include "proc/run.h"
#include "proc/scratch.h"
#include "unit.h"

/* Typed and opaque pointers are avoided, so that every version of LLVM reads it. */
static const char program[] = "; a comment with add nsw i32 %a, 1\n"
                              "target triple = \"x86_64-unknown-linux-gnu\"\n"
                              "@table = global [4 x i32] zeroinitializer, align 16\n"
                              "declare void @use(i32 noundef)\n"
                              "define i32 @f(i32 noundef %a, i32 %b, float %x, i1 %c) #0 {\n"
                              "entry:\n"
                              "  %sum = add nsw i32 %a, 7\n"
                              "  %add = mul nuw nsw i32 %sum, %b\n"
                              "  %less = icmp slt i32 %add, -3\n"
                              "  %scaled = fmul fast float %x, 2.5\n"
                              "  %big = fcmp olt float %scaled, %x\n"
                              "  br i1 %less, label %then, label %end\n"
                              "then:\n"
                              "  call void @use(i32 noundef %add)\n"
                              "  %wide = sext i32 %sum to i64\n"
                              "  %odd = and i64 %wide, 1\n"
                              "  br i1 %big, label %end, label %never\n"
                              "never:\n"
                              "  unreachable\n"
                              "end:\n"
                              "  %r = phi i32 [ %add, %entry ], [ %a, %then ]\n"
                              "  %s = select i1 %c, i32 %r, i32 12\n"
                              "  ret i32 %s\n"
                              "}\n"
                              "attributes #0 = { nounwind }\n";

/* The text once it is mutated with this seed, and what was done; NULL where nothing was. */
static char *mutant(uint64_t seed, bool will_run, char **ret_summary) {
    CLEANUP(mutation_release) Mutation mutation = {0};
    CLEANUP(str_release) Str text = {0};
    Rng rng = rng_from_seed(seed);
    assert_true(ir_mutate(program, strlen(program), will_run, &rng, &text, &mutation));
    if (mutation.line < 5 || mutation.line > 23)
        fail_msg("seed %llu mutates outside of the function: %s", (unsigned long long)seed,
                 str_text(&mutation.summary));
    *ret_summary = str_detach(&mutation.summary);
    return str_detach(&text);
}

static void test_seeds_repeat(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < 200; seed++) {
        CLEANUP(mem_freep) char *summary = NULL;
        CLEANUP(mem_freep) char *again = NULL;
        CLEANUP(mem_freep) char *first = mutant(seed, false, &summary);
        CLEANUP(mem_freep) char *second = mutant(seed, false, &again);
        assert_string_equal(first, second);
        assert_string_equal(summary, again);
    }
}

/* Each of these comes up among the mutants, so that every kind of mutation is there. */
static void test_kinds(void **unused) {
    (void)unused;
    static const char *const wanted[] = {
        "= sub i32 %a, 7",
        "= icmp sge i32 %add, -3",
        "%add = mul nuw i32 %sum, %b",
        "#0 removed",
        "= add nsw i32 %a, 8",
        "icmp slt i32 %add, 0",
        "= mul nuw nsw i32 %a, %b",
        "i32 %sum, poison",
        "= mul nuw nsw i32 %b, %sum",
        "label %end, label %then",
        "%wide = zext i32",
        "ret i32 zeroinitializer",
        "= fdiv fast float %x",
        "fcmp une float",
        "call removed",
    };
    bool seen[ARRAY_LEN(wanted)] = {false};
    for (uint64_t seed = 0; seed < 4000; seed++) {
        CLEANUP(mem_freep) char *summary = NULL;
        CLEANUP(mem_freep) char *text = mutant(seed, false, &summary);
        for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
            seen[i] |= strstr(text, wanted[i]) || strstr(summary, wanted[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        if (!seen[i])
            fail_msg("no mutant has \"%s\"", wanted[i]);
}

static void test_nothing_undefined_where_it_runs(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        CLEANUP(mem_freep) char *summary = NULL;
        CLEANUP(mem_freep) char *text = mutant(seed, true, &summary);
        assert_null(strstr(text, "undef,"));
        assert_null(strstr(text, "poison"));
    }
}

static void test_nothing_to_mutate(void **unused) {
    (void)unused;
    static const char *const texts[] = {"",
                                        "define",
                                        "define void @f() {\n  ret void\n}\n",
                                        "declare void @f()\n",
                                        "define void @f() {",
                                        "define \"",
                                        "define void @f() {\n%",
                                        "\n}\n\n!0 = !{i32 1}\n"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        CLEANUP(mutation_release) Mutation mutation = {0};
        CLEANUP(str_release) Str text = {0};
        Rng rng = rng_from_seed(i);
        assert_false(ir_mutate(texts[i], strlen(texts[i]), false, &rng, &text, &mutation));
    }
}

/* Truncated and garbled texts: memory errors would show in the sanitized build. */
static void test_any_text(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(1);
    for (int round = 0; round < 3000; round++) {
        CLEANUP(mutation_release) Mutation mutation = {0};
        CLEANUP(str_release) Str text = {0};
        size_t len = rng_below(&rng, strlen(program));
        CLEANUP(mem_freep) char *copy = mem_dup(program, len + 1);
        for (int i = 0; i < 5 && len > 0; i++)
            copy[rng_below(&rng, len)] = "%@\"=,[]#!;\n}ib0-"[rng_below(&rng, 16)];
        ir_mutate(copy, len, false, &rng, &text, &mutation);
    }
}

static void test_most_are_valid(void **unused) {
    (void)unused;
    Error err;
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    CLEANUP(proc_result_release) ProcResult result = {0};
    assert_ok(runner && scratch_new(&scratch, &err), err);
    CLEANUP(mem_freep) char *path = path_of(scratch.path, "mutant.ll");
    const char *const argv[] = {"opt-14", "-passes=verify", "-disable-output", "mutant.ll", NULL};
    ProcRequest request = {.argv = argv, .dir = scratch.path, .limits = {.wall_ms = 60000}};
    size_t valid = 0, all = 100;
    for (uint64_t seed = 0; seed < all; seed++) {
        CLEANUP(mem_freep) char *summary = NULL;
        CLEANUP(mem_freep) char *text = mutant(seed, false, &summary);
        assert_ok(file_write_text(path, text, &err), err);
        assert_ok(runner_run(runner, &request, &result, &err), err);
        if (!proc_ok(&result))
            print_message("%s: %s\n", summary, str_text(&result.err));
        valid += proc_ok(&result);
    }
    assert_in_range(valid, all * 3 / 4, all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds_repeat),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_nothing_undefined_where_it_runs),
        cmocka_unit_test(test_nothing_to_mutate),
        cmocka_unit_test(test_any_text),
        cmocka_unit_test(test_most_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
