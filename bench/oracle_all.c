/* How many bugs of a set show, as the oracle sees them: `oracle_all DIR…` prints one line per bug and a summary. */
#include <stdio.h>

#include "base/clock.h"
#include "toolchain/oracle.h"

static bool check_bug(Runner *runner, const char *dir, Error *err) {
    CLEANUP(bug_release) Bug bug = {0};
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    if (!bug_load(dir, &bug, err))
        return false;
    int64_t start = clock_ms();
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(runner, &bug, NULL, err);
    if (!oracle || !oracle_ask(oracle, &(OracleQuestion){0}, &answer, err))
        return false;
    printf("%-44s %-10s %-7s %5lld ms  %s\n", bug.id, verdict_kind(bug.kind), oracle_outcome_name(answer.outcome),
           (long long)(clock_ms() - start), answer.why);
    fflush(stdout);
    return answer.outcome == ORACLE_FAILS;
}

int main(int argc, char **argv) {
    Error err = {""};
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    CLEANUP(strlist_release) StrList dirs = {0};
    for (int i = 1; runner && i < argc; i++) {
        if (!bug_find_all(argv[i], &dirs, &err))
            break;
    }
    size_t shown = 0;
    for (size_t i = 0; i < dirs.len; i++) {
        err.text[0] = '\0';
        shown += check_bug(runner, dirs.items[i], &err);
        if (err.text[0])
            printf("%s: %s\n", dirs.items[i], err.text);
    }
    printf("%zu of %zu bugs show\n", shown, dirs.len);
    return dirs.len == 0;
}
