/* The guilty transformation of clang and opt: LLVM counts the executions of optional passes, and -opt-bisect-limit=N
 * skips all after the N-th, with a line for each:
 *
 *     BISECT: running pass (239) GVNPass on main
 *     BISECT: NOT running pass (240) …
 *
 * Binary search for the smallest N that shows the bug gives the pass and what it ran on. Where LLVM was built with
 * assertions, debug counters say which of the pass's transformations it is. They count once one of them is set; a build
 * without assertions prints them all the same (-print-debug-counter), but as zero:
 *
 *     instcombine-visit               : {1033,-1,-1}         to LLVM 18: count, skip, stop after
 *     instcombine-visit               : {1033,0-4:7}         later: count, ranges that run
 */
#include <stdlib.h>
#include <string.h>

#include "triage/counters.h"

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

/* --- debug counters --- */

static void add_flag(const Counters *counters, StrList *flags, const char *flag) {
    if (counters->prefix)
        strlist_add(flags, counters->prefix);
    strlist_add(flags, flag);
}

static void add_counter_limit(const Counters *counters, const char *name, int64_t limit, StrList *flags) {
    enum { NEVER = 2000000000 }; /* a range that no counter reaches: an empty one cannot be written */
    CLEANUP(str_release) Str flag = {0};
    str_printf(&flag, "-debug-counter=%s", name);
    if (!counters->ranges)
        str_printf(&flag, "-skip=0,%s-count=%lld", name, (long long)limit);
    else if (limit)
        str_printf(&flag, "=0-%lld", (long long)limit - 1);
    else
        str_printf(&flag, "=%d", NEVER);
    add_flag(counters, flags, str_text(&flag));
}

/* Prints the counters; `set`: one to set to what it does anyway, so that all count. */
static bool print_counters(const Counters *counters, const char *set, Str *ret_text, Error *err) {
    CLEANUP(strlist_release) StrList query = {0};
    CLEANUP(str_release) Str flag = {0};
    add_flag(counters, &query, "-print-debug-counter");
    str_printf(&flag, counters->ranges ? "-debug-counter=%s=0-2000000000" : "-debug-counter=%s-skip=-1", set);
    if (set)
        add_flag(counters, &query, str_text(&flag));
    return inquiry_print(counters->inquiry, &query, ret_text, err);
}

/* The line of a counter, "NAME : {COUNT,…}"; false for others. */
static bool read_counter(const char *line, char name[128], long long *ret_count, bool *ret_ranges) {
    char rest[64];
    if (sscanf(line, " %127[a-zA-Z0-9_.-] : {%lld,%63[^}\n]", name, ret_count, rest) != 3)
        return false;
    *ret_ranges = !strchr(rest, ',');
    return true;
}

static void list_counters(Counters *counters, const char *text) {
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char name[128];
        long long count;
        if (read_counter(line, name, &count, &counters->ranges) && count > 0)
            counters_add(counters, name, count);
    }
}

/* The name of any counter, for print_counters. */
static bool find_any(Counters *counters, const char *text, char name[128]) {
    long long count;
    const char *head = strstr(text, "Counters and values:");
    const char *line = head ? strchr(head, '\n') : NULL;
    return line && read_counter(line + 1, name, &count, &counters->ranges);
}

static bool find_transformation(Inquiry *inquiry, bool is_opt, TriageFinding *finding, Error *err) {
    CLEANUP(counters_release)
    Counters counters = {.inquiry = inquiry, .add_limit = add_counter_limit, .prefix = is_opt ? NULL : "-mllvm"};
    CLEANUP(str_release) Str known = {0}, text = {0};
    char any[128];
    if (!print_counters(&counters, NULL, &known, err))
        return false;
    if (!find_any(&counters, str_text(&known), any))
        return true; /* this LLVM has none */
    if (!print_counters(&counters, any, &text, err))
        return false;
    list_counters(&counters, str_text(&text));
    Step step;
    if (!counters_search(&counters, &finding->counter, &step, err))
        return false;
    if (finding->counter)
        finding->transformation = step.number;
    return true;
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
    return find_transformation(inquiry, is_opt, ret_finding, err);
}
