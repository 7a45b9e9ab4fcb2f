/* The guilty transformation of clang and opt: binary search for the smallest -opt-bisect-limit that shows the bug gives the
 * pass and what it ran on. If LLVM was built with assertions, debug counters say which of the pass's transformations it is.
 */
#include <string.h>

#include "compiler/identify.h"
#include "triage/guilty.h"

/* "GVNPass on main" and "X86 LEA Fixup on function (main)" */
static void split_execution(const char *line, TriageFinding *finding, Arena *arena) {
    size_t len = strcspn(line, "\n");
    char *text = arena_strndup(arena, line, len);
    char *on = NULL;
    for (char *at = text; (at = strstr(at, " on ")); at++)
        on = at;
    if (on) {
        *on = '\0';
        on += strlen(" on ");
        char *open = strrchr(on, '('), *close = strrchr(on, ')');
        if (open && close > open) {
            *close = '\0';
            on = open + 1;
        }
        finding->function = on;
    }
    finding->pass = text;
    strlist_add(&finding->passes, text);
}

static bool find_transformation(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    SwitchQuery query = cached_oracle_query(oracle);
    SwitchList counters = {0};
    Step step;
    bool found =
        switches_llvm_counters(&query, &counters, err) && guilty_counter(oracle, &counters, finding, &step, err);
    if (found && finding->counter)
        finding->transformation = step.number;
    switch_list_release(&counters);
    return found;
}

/* opt verifies the module behind every pass with -verify-each and says, from LLVM 17 on, behind which one it is broken. */
static bool find_damage(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    static const char mark[] = "found after pass \"";
    bool crashes;
    if (compiler_family_of_name(oracle->bug->fail_cmd.items[0]) != FAMILY_OPT)
        return true;
    if (!guilty_ask_checks(oracle, "-verify-each", &crashes, err))
        return false;
    const char *said = crashes ? strstr(compiler_messages(&oracle->answer.compile), mark) : NULL;
    if (said)
        finding->damaged_by = arena_strndup(oracle->arena, said + strlen(mark), strcspn(said + strlen(mark), "\"\n"));
    return true;
}

static bool find_pass(CachedOracle *oracle, TriageFinding *ret_finding, Error *err) {
    SwitchQuery query = cached_oracle_query(oracle);
    CLEANUP(switch_release) Switch bisection = {0};
    CLEANUP(str_release) Str text = {0};
    if (!switches_llvm_bisection(&query, &bisection, &text, err))
        return false;
    if (bisection.steps < 1) { /* -passes=always-inline: what is not optional is not counted */
        ret_finding->why_not = "the compiler counts no optional passes here";
        return true;
    }
    Step step;
    if (!cached_oracle_search_step(oracle, &bisection, &step, err))
        return false;
    if (!step.found) {
        ret_finding->why_not = "the bug shows without any optional pass, or not under -opt-bisect-limit";
        return true;
    }
    ret_finding->number = step.number;
    ret_finding->monotone = step.monotone;
    const char *line = switches_bisection_line(str_text(&text), step.number);
    if (line)
        split_execution(line, ret_finding, oracle->arena);
    return find_transformation(oracle, ret_finding, err);
}

bool guilty_llvm(CachedOracle *oracle, TriageFinding *ret_finding, Error *err) {
    return find_pass(oracle, ret_finding, err) && find_damage(oracle, ret_finding, err);
}
