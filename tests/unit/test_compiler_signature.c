/* Crash signatures: what is read from each compiler's last words, and which crashes count as one. */
#include "base/str.h"
#include "compiler/signature.h"
#include "unit.h"

#include <signal.h>

/* Short samples in the forms that the compilers print. */
#define GCC_PLACE                                                                                         \
    "during GIMPLE pass: tailr\nt.c: In function 'foo':\n"                                                \
    "t.c:7:1: internal compiler error: in fold_convert_loc, at fold-const.c:2551\n    7 | }\n      | ^\n" \
    "0x7f25e7d08249 __libc_start_call_main\n\t../sysdeps/nptl/libc_start_call_main.h:58\n"                \
    "Please submit a full bug report,\n"
#define GCC_SEGV(address)                                                                     \
    "during RTL pass: cprop\nt.c:7:55: internal compiler error: Segmentation fault\n"         \
    "0x" address " crash_signal\n\t../../src/gcc/toplev.c:327\n"                              \
    "0x" address " bypass_block(basic_block_def*, rtx_insn*)\n\t../../src/gcc/cprop.c:1400\n" \
    "0x" address " one_cprop_pass\n\t../../src/gcc/cprop.c:1800\n"
#define LLVM_SEGV(base)                                                                                        \
    "PLEASE submit a bug report to https://x and include the crash backtrace.\nStack dump:\n"                  \
    "0.\tProgram arguments: opt -passes=gvn t.ll\n1.\tRunning pass \"function(gvn)\" on module \"t.ll\"\n"     \
    "2.\tRunning pass \"gvn\" on function \"f\"\n"                                                             \
    " #0 0x" base "5291 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/libLLVM-14.so.1+0xea5291)\n" \
    " #1 0x" base "2fbe llvm::sys::RunSignalHandlers() (/lib/libLLVM-14.so.1+0xea2fbe)\n"                      \
    " #2 0x" base "57c6 (/lib/libLLVM-14.so.1+0xea57c6)\n #3 0x" base "a050 (/lib/libc.so.6+0x3c050)\n"        \
    " #4 0x" base "f12 llvm::GVN::run(llvm::Function&) (/lib/libLLVM-14.so.1+0x1)\n"                           \
    " #5 0x" base "f13 (/lib/libLLVM-14.so.1+0x1b90518)\n"                                                     \
    " #6 0x" base "f14 llvm::PassManager<llvm::Function, int>::run(llvm::Function&) (/lib/x.so+0x2)\n"         \
    " #7 0x" base "f15 main (/usr/lib/llvm-14/bin/opt+0x435f57)\n"
#define LLVM_ASSERT                                                                                                \
    "opt: /build/llvm/lib/IR/Value.cpp:512: void llvm::Value::doRAUW(llvm::Value*, llvm::Value::Meta): Assertion " \
    "`New->"                                                                                                       \
    "getType() == getType() && \"replaceAllUses\"' failed.\nStack dump:\n"

static void test_text_of_each_form(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int signal;
        const char *expected; /* NULL: no crash */
    } cases[] = {
        {GCC_PLACE, 0, "internal compiler error in fold_convert_loc at fold-const.c:2551"},
        {GCC_SEGV("8d1f0a"), 0, "Segmentation fault during RTL pass: cprop from bypass_block < one_cprop_pass"},
        {"t.c:1:1: error: type mismatch\nduring GIMPLE pass: pre\nt.c:3:1: internal compiler error: verify_gimple "
         "failed\n",
         0, "verify_gimple failed during GIMPLE pass: pre"},
        {"t.c:9:1: internal compiler error: tree check: expected ssa_name, have integer_cst in vrp_visit, at "
         "tree-vrp.c:12\n",
         0, "tree check: expected ssa_name, have integer_cst in vrp_visit at tree-vrp.c:12"},
        {"gcc: internal compiler error: Segmentation fault signal terminated program cc1\n", 0, "Segmentation fault"},
        {"", SIGSEGV, "Segmentation fault"},
        {"", SIGILL, "Illegal instruction"},
        {LLVM_ASSERT, SIGABRT,
         "Assertion `New->getType() == getType() && \"replaceAllUses\"' failed. in llvm::Value::doRAUW at "
         "Value.cpp:512"},
        {"bad case\nUNREACHABLE executed at /b/llvm/lib/CodeGen/Foo.cpp:99!\nStack dump:\n", SIGABRT,
         "bad case at Foo.cpp:99"},
        {"fatal error: error in backend: Cannot select: 0x55d0c8: v4i32 = bitcast 0x55d1\n", 0,
         "error in backend: Cannot select: N: v4i32 = bitcast N"},
        {"Instruction does not dominate all uses!\n  %x = add i32 %y, 1\nLLVM ERROR: Broken module found\n", SIGABRT,
         "Broken module: Instruction does not dominate all uses!"},
        {LLVM_SEGV("00007f"), SIGSEGV,
         "Segmentation fault during gvn from llvm::GVN::run < libLLVM-14.so.1+0x1b90518 < llvm::PassManager::run"},
        {"t.c, line 3: compiler error: Cannot generate code, node 0x55aa op PLUS\n", 0,
         "compiler error: Cannot generate code, node N op PLUS"},
        {"tcc: internal compiler error: vstack leak (3)\n", 0, "vstack leak (N)"},
        {"pcc: regs.c:12: insnwalk: Assertion `p != NULL' failed.\n", SIGABRT,
         "Assertion `p != NULL' failed. in insnwalk at regs.c:12"},
        {"free(): invalid pointer\n", SIGABRT, "free(): invalid pointer"},
        {"t.c:1:1: error: expected ';'\n", 0, NULL},
        {"", 0, NULL},
    };
    Arena arena = {0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Signature signature;
        bool crash = signature_extract(cases[i].text, cases[i].signal, &arena, &signature);
        assert_int_equal(crash, signature_is_crash(cases[i].text, cases[i].signal));
        const char *text = crash ? signature_text(&signature, &arena) : NULL;
        if (!str_equal(text, cases[i].expected))
            fail_msg("case %zu:\n  got      %s\n  expected %s", i, text, cases[i].expected);
    }
    arena_release(&arena);
}

static bool equal_texts(const char *a, const char *b, bool similar) {
    Arena arena = {0};
    Signature x, y;
    assert_true(signature_extract(a, 0, &arena, &x) && signature_extract(b, 0, &arena, &y));
    bool equal = similar ? signature_similar(&x, &y) : signature_equal(&x, &y);
    arena_release(&arena);
    return equal;
}

static void test_addresses_do_not_matter(void **state) {
    (void)state;
    assert_true(equal_texts(GCC_SEGV("8d1f0a"), GCC_SEGV("99aa00"), false));
    assert_true(equal_texts(LLVM_SEGV("00007f"), LLVM_SEGV("0000aa"), false));
}

#define LLVM_HEAD(pass)                                                                       \
    "PLEASE submit a bug report to https://x and include the crash backtrace.\nStack dump:\n" \
    "0.\tProgram arguments: opt -passes=gvn t.ll\n1.\tRunning pass \"" pass "\" on function \"f\"\n"

static void test_dumps_may_lack_names(void **state) {
    (void)state;
    static const char unnamed[] = LLVM_HEAD("gvn") " #0 0x5291 (/lib/libLLVM-14.so.1+0xea5291)\n";
    assert_true(equal_texts(LLVM_SEGV("00007f"), LLVM_HEAD("gvn"), false));
    assert_true(equal_texts(LLVM_SEGV("00007f"), unnamed, false));
    assert_true(equal_texts(LLVM_HEAD("gvn"), unnamed, false));
    assert_false(equal_texts(LLVM_SEGV("00007f"), LLVM_HEAD("licm"), false));
    assert_false(equal_texts(unnamed, LLVM_HEAD("gvn") " #0 0x5291 (/lib/libLLVM-14.so.1+0x77)\n", false));
}

static void test_different_bugs_differ(void **state) {
    (void)state;
    static const char *const texts[] = {
        GCC_PLACE,
        GCC_SEGV("1"),
        LLVM_SEGV("1"),
        LLVM_ASSERT,
        "t.c:7:1: internal compiler error: in fold_convert_loc, at fold-const.c:2600\n",
        "during RTL pass: combine\nt.c:7:55: internal compiler error: Segmentation fault\n",
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        for (size_t k = 0; k < ARRAY_LEN(texts); k++)
            assert_int_equal(equal_texts(texts[i], texts[k], false), i == k);
    }
}

static void test_other_versions_are_similar(void **state) {
    (void)state;
    const char *newer = "t.c:7:1: internal compiler error: in fold_convert_loc, at fold-const.cc:2700\n";
    assert_false(equal_texts(GCC_PLACE, newer, false));
    assert_true(equal_texts(GCC_PLACE, newer, true));
    assert_false(equal_texts(GCC_PLACE, "t.c:7:1: internal compiler error: in expand_call, at calls.c:46\n", true));
}

/* A stack overflow ends anywhere in its cycle of calls. */
static void test_recursion_is_one_bug(void **state) {
    (void)state;
    const char *a = "Stack dump:\n #0 0x1 f(int) (/x+0x1)\n #1 0x2 g(int) (/x+0x1)\n #2 0x1 f(int) (/x+0x1)\n"
                    " #3 0x2 g(int) (/x+0x1)\n #4 0x1 f(int) (/x+0x1)\n";
    const char *b = "Stack dump:\n #0 0x2 g(int) (/x+0x1)\n #1 0x1 f(int) (/x+0x1)\n #2 0x2 g(int) (/x+0x1)\n"
                    " #3 0x1 f(int) (/x+0x1)\n #4 0x2 g(int) (/x+0x1)\n";
    assert_true(equal_texts(a, b, false));
}

static void test_rejections_are_named_without_the_programs_words(void **state) {
    (void)state;
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"t.c:1:5: error: unknown type name 'foo'\n", "error: unknown type name ?"},
        {"t.c:12:5: error: unknown type name ‘bar’; did you mean ‘x’?\n",
         "error: unknown type name ?; did you mean ??"},
        {"t.c:1: error: ',' expected (got \")\")\n", "error: ',' expected (got \")\")"},
        {"t.c, line 3: x undefined\n", "x undefined"},
        {"t.c, line 3: syntax error\nerror: /usr/bin/ccom terminated with status 1\n", "syntax error"},
        {"t.c:(.text+0x1b3): relocation truncated to fit: R_32 against `a'\ncollect2: error: ld returned 1 exit "
         "status\n",
         "relocation truncated to fit"},
        {"/usr/bin/ld: c1-1.o: file not recognized\ncollect2: error: ld returned 1 exit status\n",
         "?: file not recognized"},
        {"", NULL},
    };
    Arena arena = {0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *text = signature_of_rejection(cases[i].text, &arena);
        if (!str_equal(text, cases[i].expected))
            fail_msg("got %s, expected %s", text, cases[i].expected);
    }
    arena_release(&arena);
}

/* Any cut of a message is read without harm. */
static void test_cut_messages_are_harmless(void **state) {
    (void)state;
    static const char *const texts[] = {GCC_PLACE, GCC_SEGV("1"), LLVM_SEGV("1"), LLVM_ASSERT};
    Arena arena = {0};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        for (size_t len = 0; len <= strlen(texts[i]); len++) {
            CLEANUP(str_release) Str cut = {0};
            str_append_n(&cut, texts[i], len);
            Signature signature;
            assert_true(signature_extract(str_text(&cut), SIGSEGV, &arena, &signature));
            assert_non_null(signature_text(&signature, &arena));
        }
        arena_clear(&arena);
    }
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_of_each_form),
        cmocka_unit_test(test_addresses_do_not_matter),
        cmocka_unit_test(test_dumps_may_lack_names),
        cmocka_unit_test(test_different_bugs_differ),
        cmocka_unit_test(test_other_versions_are_similar),
        cmocka_unit_test(test_recursion_is_one_bug),
        cmocka_unit_test(test_rejections_are_named_without_the_programs_words),
        cmocka_unit_test(test_cut_messages_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
