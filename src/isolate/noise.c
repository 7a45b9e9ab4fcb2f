/* Removing what reports a crash from the suspects.
 *
 * A crash ends in code that prints a message, the source line and a stack trace: in GCC's libbacktrace, diagnostic.c,
 * pretty-print.c and others. No passing program runs it, so every formula gives it the highest suspicion. It is found by
 * three compilations that have nothing to do with the bug:
 *
 *     ok     an empty program
 *     error  a program with a syntax error: what prints messages and source lines
 *     crash  a compiler that waits for its input and gets SIGSEGV instead: what catches signals and prints stacks
 *
 * What ran for `error` or `crash` but not for `ok` belongs to the reporting and goes; of functions that `ok` did not even
 * enter, every statement goes.
 * The papers do not mention the problem; their coverage of GCC has it for every crash.
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

/* Takes the statements that only reporting covers out of `failing`, and all of the functions that only it enters. */
static void subtract(const UnitTable *units, Bitset *reporting, const Bitset *normal, Bitset *failing) {
    Bitset reporting_functions, normal_functions;
    bitset_init(&reporting_functions, units->function_count);
    bitset_init(&normal_functions, units->function_count);
    functions_of(units, reporting, &reporting_functions);
    functions_of(units, normal, &normal_functions);
    bitset_andnot(&reporting_functions, &normal_functions);
    bitset_andnot(reporting, normal);
    bitset_andnot(failing, reporting);
    for (size_t s = bitset_next(failing, 0); s < failing->bits; s = bitset_next(failing, s + 1))
        if (bitset_get(&reporting_functions, units->units[s].function))
            bitset_unset(failing, s);
    bitset_release(&reporting_functions);
    bitset_release(&normal_functions);
}

bool noise_remove_report(Tester *tester, Cover *cover, Runner *runner, Bitset *failing, Error *err) {
    static const char ok[] = "int x;\n", error[] = "int x = ;\n";
    const UnitTable *units = cover_units(cover);
    const char *cc1 = compiler_proper(cover_subject(cover));
    Bitset normal, reporting, crash;
    Fate fate;
    bitset_init(&normal, units->unit_count);
    bitset_init(&reporting, units->unit_count);
    bitset_init(&crash, units->unit_count);
    bool done = tester_program(tester, ok, strlen(ok), &normal, &fate, err) &&
                tester_program(tester, error, strlen(error), &reporting, &fate, err) &&
                (!cc1 || crash_waiting(cover, runner, cc1, &crash, err));
    if (done) {
        bitset_or(&reporting, &crash);
        subtract(units, &reporting, &normal, failing);
    }
    bitset_release(&normal);
    bitset_release(&reporting);
    bitset_release(&crash);
    return done;
}

bool noise_remove_startup(Tester *tester, Cover *cover, Bitset *failing, Error *err) {
    static const char empty[] = "int x;\n";
    Bitset run;
    Fate fate;
    bitset_init(&run, cover_units(cover)->unit_count);
    bool done = tester_program(tester, empty, strlen(empty), &run, &fate, err);
    if (done && fate == FATE_PASSES)
        bitset_andnot(failing, &run);
    bitset_release(&run);
    return done;
}
