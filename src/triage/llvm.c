/* The guilty transformation of clang and opt: LLVM counts the executions of optional passes, and -opt-bisect-limit=N
 * skips all after the N-th, with a line for each:
 *
 *     BISECT: running pass (239) GVNPass on main
 *     BISECT: NOT running pass (240) …
 *
 * Binary search for the smallest N that shows the bug gives the pass and what it ran on.
 */
#include <stdlib.h>
#include <string.h>

#include "triage/guilty.h"

typedef struct Bisection {
    Inquiry *inquiry;
    bool is_opt;
} Bisection;

static void limit_flags(const Bisection *bisection, int64_t limit, StrList *ret_flags) {
    if (!bisection->is_opt)
        strlist_add(ret_flags, "-mllvm");
    strlist_addf(ret_flags, "-opt-bisect-limit=%lld", (long long)limit);
}

static bool ask_limit(void *context, int64_t limit, Sight *ret_sight, Error *err) {
    const Bisection *bisection = context;
    CLEANUP(strlist_release) StrList flags = {0};
    limit_flags(bisection, limit, &flags);
    return inquiry_ask(bisection->inquiry, &flags, ret_sight, err);
}

/* The line of pass execution `number`, or of the last one for -1; gives its number. */
static int64_t find_execution(const char *text, int64_t number, const char **ret_pass) {
    static const char mark[] = "running pass (";
    int64_t found = -1;
    for (const char *at = text; (at = strstr(at, mark)); at++) {
        char *end;
        int64_t here = strtoll(at + strlen(mark), &end, 10);
        if (end[0] != ')' || end[1] != ' ' || (number >= 0 && here != number))
            continue;
        found = here;
        *ret_pass = end + 2;
    }
    return found;
}

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

bool guilty_llvm(Inquiry *inquiry, bool is_opt, TriageFinding *ret_finding, Error *err) {
    Bisection bisection = {inquiry, is_opt};
    CLEANUP(strlist_release) StrList unlimited = {0};
    CLEANUP(str_release) Str text = {0};
    limit_flags(&bisection, -1, &unlimited);
    if (!inquiry_print(inquiry, &unlimited, &text, err))
        return false;
    const char *line = NULL;
    int64_t last = find_execution(str_text(&text), -1, &line);
    if (last < 1) { /* -passes=always-inline: what is not optional is not counted */
        ret_finding->why_not = "the compiler counts no optional passes here";
        return true;
    }
    Step step;
    if (!search_step(last, ask_limit, &bisection, &step, err))
        return false;
    if (!step.found) {
        ret_finding->why_not = "the bug shows without any optional pass, or not under -opt-bisect-limit";
        return true;
    }
    ret_finding->number = step.number;
    ret_finding->monotone = step.monotone;
    if (find_execution(str_text(&text), step.number, &line) >= 0)
        split_execution(line, ret_finding, inquiry->arena);
    return true;
}
