/* How many bugs of a set show, as the oracle sees them, and what asking costs beside the compilers and programs:
 * `oracle_all DIR…` prints one line per bug and a summary. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "judge/oracle.h"

#define QUESTIONS 2

typedef struct Totals {
    size_t bugs, shown, questions;
    int64_t own_us, compiler_us; /* CPU */
} Totals;

static int64_t cpu_us(const ProcResult *result) { return result->user_us + result->system_us; }

/* The original text with another comment each time, so that nothing is remembered from the last question. */
static bool ask_again(Oracle *oracle, bool ir, size_t number, OracleAnswer *answer, Error *err) {
    CLEANUP(str_release) Str text = {0};
    const Str *original = oracle_source_text(oracle);
    str_append_n(&text, str_text(original), original->len);
    str_printf(&text, ir ? "\n; %zu\n" : "\n/* %zu */\n", number);
    return oracle_ask(oracle, &(OracleQuestion){.text = str_text(&text), .len = text.len}, answer, err);
}

static bool check_bug(Runner *runner, const char *dir, Totals *totals, Error *err) {
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    if (!bug_load(dir, &bug, err))
        return false;
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(runner, &bug, NULL, err);
    if (!oracle)
        return false;
    size_t questions = bug.kind == VERDICT_HANG ? 1 : QUESTIONS, shown = 0;
    int64_t start = clock_cpu_us();
    for (size_t i = 0; i < questions; i++) {
        if (!ask_again(oracle, bug_language(&bug) == LANGUAGE_LLVM_IR, i, &answer, err))
            return false;
        shown += answer.outcome == OUTCOME_FAILS;
        totals->compiler_us += cpu_us(&answer.compile) + (answer.ran ? cpu_us(&answer.run) : 0);
    }
    totals->own_us += clock_cpu_us() - start;
    totals->questions += questions;
    totals->shown += shown == questions;
    printf("%-44s %-10s %zu/%zu  %s\n", bug.id, verdict_kind(bug.kind), shown, questions, answer.why);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv) {
    Error err = {0};
    Totals totals = {0};
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    CLEANUP(strlist_release) StrList dirs = {0};
    for (int i = 1; runner && i < argc; i++) {
        if (!bug_find_all(argv[i], &dirs, &err))
            break;
    }
    for (size_t i = 0; i < dirs.len; i++) {
        totals.bugs++;
        if (!check_bug(runner, dirs.items[i], &totals, &err))
            printf("%s: %s\n", dirs.items[i], err.text);
    }
    if (dirs.len == 0) {
        fprintf(stderr, "%s\n", err.text[0] ? err.text : "no bugs found");
        return 1;
    }
    double questions = totals.questions ? (double)totals.questions : 1;
    printf("%zu of %zu bugs show, %zu questions: %.2f ms of our CPU each, beside %.1f ms of failing compilers and "
           "programs "
           "(%.2f%%)\n",
           totals.shown, totals.bugs, totals.questions, (double)totals.own_us / 1e3 / questions,
           (double)totals.compiler_us / 1e3 / questions,
           100.0 * (double)totals.own_us / (double)(totals.compiler_us ? totals.compiler_us : 1));
    return 0;
}
