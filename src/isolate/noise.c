/* Removing what reports a crash from the suspects.
 *
 * A crash ends in code that prints a message, the source line, the offending instruction and a stack trace: in GCC's
 * libbacktrace, diagnostic.c, print-rtl.c and others. No passing program runs it, so every formula gives it the highest
 * suspicion. It is found by pairs of compilations that have nothing to do with the bug and differ in what they print:
 *
 *     an empty program      a program with errors: what prints messages and source lines
 *     an empty program      a compiler that waits for its input and gets SIGSEGV: what catches signals and prints stacks
 *     a small program       the same with all dumps of GCC, or of LLVM: what prints trees and instructions
 *
 * What ran for the second of a pair but not for the first belongs to the reporting and goes; of functions that the first
 * did not even enter, every statement goes. The papers do not mention the problem; their coverage has it for every crash.
 */
#include "isolate/noise.h"

#include <string.h>

#include "base/file.h"

/* The compiler proper of a subject, which reads "-" and installs handlers: GCC's cc1. NULL: not known. */
static const char *compiler_proper(const Subject *subject) {
    for (size_t i = 0; i < subject->modules.len; i++)
        if (str_equal(path_name(subject->modules.items[i]), "cc1"))
            return subject->modules.items[i];
    return NULL;
}

/* Crashes the waiting compiler; it may need longer to get ready on a busy machine, so the wait grows. */
static bool crash_waiting(Cover *cover, Runner *runner, const char *cc1, Bitset *ret_cover, Error *err) {
    static const char *const waits[] = {"0.2", "1", "4"};
    static const char script[] = "sleep 20 | { \"$1\" -quiet - -o /dev/null <&0 & pid=$!; sleep \"$2\"; "
                                 "kill -SEGV $pid; wait $pid; kill 0; }";
    CLEANUP(proc_result_release) ProcResult result = {0};
    for (size_t i = 0; i < ARRAY_LEN(waits); i++) {
        const char *const argv[] = {"bash", "-c", script, "bash", cc1, waits[i], NULL};
        ProcRequest request = {.argv = argv, .no_randomisation = true, .limits = {.wall_ms = 30000}};
        bitset_clear(ret_cover);
        if (!cover_run(cover, runner, &request, ret_cover, &result, err))
            return false;
        if (strstr(str_text(&result.err), "internal compiler error"))
            return true;
    }
    bitset_clear(ret_cover);
    return true;
}

/* The functions that any of the units belong to. */
static void functions_of(const UnitTable *units, const Bitset *run, Bitset *ret_functions) {
    for (size_t s = bitset_next(run, 0); s < run->bits; s = bitset_next(run, s + 1))
        bitset_set(ret_functions, units->units[s].function);
}

/* Takes the statements that only `printing` covers out of `failing`, and all of the functions that only it enters. */
static void subtract(const UnitTable *units, Bitset *printing, const Bitset *silent, Bitset *failing) {
    Bitset printing_functions, silent_functions;
    bitset_init(&printing_functions, units->function_count);
    bitset_init(&silent_functions, units->function_count);
    functions_of(units, printing, &printing_functions);
    functions_of(units, silent, &silent_functions);
    bitset_andnot(&printing_functions, &silent_functions);
    bitset_andnot(printing, silent);
    bitset_andnot(failing, printing);
    for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1))
        if (bitset_get(&printing_functions, units->units[s].function))
            bitset_unset(failing, s);
    bitset_release(&printing_functions);
    bitset_release(&silent_functions);
}

typedef struct Specimens {
    const char *empty, *wrong, *small;
    const char *dumps; /* options, separated by blanks */
} Specimens;

static const Specimens of_c = {
    .empty = "int x;\n",
    .wrong = "int x = ;\nint f(void) { return y; }\n",
    .small = "struct s { int a, b[4]; double d; } t; float g;\n"
             "int h(int n, char *p) { int i, r = 0;\n"
             "  for (i = 0; i < n; i++) { if (p[i] & 3) r += t.b[i & 3] * n; else g *= r > n ? t.d : 2;\n"
             "    switch (r) { case 1: case 7: r = h(r, p + 1); } }\n"
             "  return r; }\n",
    .dumps = "-fdump-tree-all=/dev/null -fdump-ipa-all=/dev/null -fdump-rtl-all=/dev/null",
};

static const Specimens of_ir = {
    .empty = "define void @f() {\n  ret void\n}\n",
    .wrong = "define i32 @f(i32 %a) {\n  %x = add i32 %y, 1\n  %y = call i32 @f(i32 %x)\n  ret i32 %y\n}\n",
    .small = "@g = global [4 x i32] zeroinitializer\n"
             "declare void @h(float, double) nounwind\n"
             "define i32 @f(i32 %a, i1 %c) {\n"
             "  br i1 %c, label %then, label %end\n"
             "then:\n  %m = mul nsw i32 %a, -3\n  call void @h(float 1.0, double 2.5)\n"
             "  switch i32 %m, label %end [ i32 1, label %then ]\n"
             "end:\n  %p = phi i32 [ %a, %0 ], [ %m, %then ]\n  ret i32 %p\n}\n",
    .dumps = "-print-after-all",
};

/* What printing errors and dumps covers. Compilers without these dumps refuse the options. */
static bool subtract_printing(Tester *tester, const Specimens *of, const UnitTable *units, Bitset *silent,
                              Bitset *printing, Bitset *failing, Error *err) {
    Outcome outcome;
    if (!tester_program(tester, of->empty, strlen(of->empty), NULL, silent, &outcome, err) ||
        !tester_program(tester, of->wrong, strlen(of->wrong), NULL, printing, &outcome, err))
        return false;
    subtract(units, printing, silent, failing);
    CLEANUP(strlist_release) StrList dumps = {0};
    strlist_split(&dumps, of->dumps, ' ');
    if (!tester_program(tester, of->small, strlen(of->small), &dumps, printing, &outcome, err))
        return false;
    if (outcome != OUTCOME_PASSES)
        return true;
    if (!tester_program(tester, of->small, strlen(of->small), NULL, silent, &outcome, err))
        return false;
    subtract(units, printing, silent, failing);
    return true;
}

static bool subtract_crash(Tester *tester, Cover *cover, Runner *runner, Bitset *silent, Bitset *printing,
                           Bitset *failing, Error *err) {
    Outcome outcome;
    const char *cc1 = compiler_proper(cover_subject(cover));
    if (!cc1)
        return true;
    if (!tester_program(tester, of_c.empty, strlen(of_c.empty), NULL, silent, &outcome, err) ||
        !crash_waiting(cover, runner, cc1, printing, err))
        return false;
    subtract(cover_units(cover), printing, silent, failing);
    return true;
}

bool noise_remove_report(Tester *tester, Language language, Cover *cover, Runner *runner, Bitset *failing, Error *err) {
    const UnitTable *units = cover_units(cover);
    Bitset silent, printing;
    bitset_init(&silent, units->unit_count);
    bitset_init(&printing, units->unit_count);
    const Specimens *of = language == LANGUAGE_LLVM_IR ? &of_ir : &of_c;
    bool done = subtract_printing(tester, of, units, &silent, &printing, failing, err) &&
                subtract_crash(tester, cover, runner, &silent, &printing, failing, err);
    bitset_release(&silent);
    bitset_release(&printing);
    return done;
}
