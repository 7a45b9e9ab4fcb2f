/* The guilty transformation of clang and opt: LLVM counts the executions of optional passes, and -opt-bisect-limit=N
 * skips all after the N-th, with a line for each:
 *
 *     BISECT: running pass (239) GVNPass on main
 *     BISECT: NOT running pass (240) …
 *
 * Binary search for the smallest N that shows the bug gives the pass and what it ran on. Where LLVM was built with
 * assertions, debug counters say which of the pass's transformations it is; -print-debug-counter lists them at the end:
 *
 *     instcombine-visit               : {1033,0,5}           to LLVM 18: count, skip, stop after
 *     instcombine-visit               : {1033,0-4}           later: count, ranges that run
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

static bool ask_limit(void *context, int64_t limit, Outcome *ret_outcome, Error *err) {
    const Bisection *bisection = context;
    CLEANUP(strlist_release) StrList flags = {0};
    limit_flags(bisection, limit, &flags);
    return inquiry_ask(bisection->inquiry, &flags, ret_outcome, err);
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

enum { NEVER = 2000000000 }; /* a count that is not reached */

static void add_counter_limit(const Counters *counters, const char *name, int64_t limit, StrList *flags) {
    CLEANUP(str_release) Str flag = {0};
    str_printf(&flag, "-debug-counter=%s", name);
    if (!counters->ranges)
        str_printf(&flag, "-skip=0,%s-count=%lld", name, (long long)limit);
    else if (limit)
        str_printf(&flag, "=0-%lld", (long long)limit - 1);
    else
        str_printf(&flag, "=%d", NEVER); /* an empty range cannot be written */
    add_flag(counters, flags, str_text(&flag));
}

/* Since LLVM 19 counters take ranges. */
static bool ask_notation(Counters *counters, bool is_opt, Error *err) {
    CLEANUP(strlist_release) StrList query = {0};
    CLEANUP(str_release) Str text = {0};
    strlist_split(&query, is_opt ? "--version" : "-Xclang -version", ' ');
    if (!inquiry_print(counters->inquiry, &query, &text, err))
        return false;
    static const char words[] = "LLVM version ";
    const char *version = strstr(str_text(&text), words);
    counters->ranges = version && atoi(version + strlen(words)) >= 19;
    return true;
}

/* The names of all counters: lines "    =instcombine-visit   -   Controls …" below the option in the help. */
static bool list_names(const Counters *counters, StrList *ret_names, Error *err) {
    CLEANUP(strlist_release) StrList query = {0};
    CLEANUP(str_release) Str text = {0};
    char name[128];
    add_flag(counters, &query, "-help-hidden");
    if (!inquiry_print(counters->inquiry, &query, &text, err))
        return false;
    const char *line = strstr(str_text(&text), "-debug-counter ");
    while ((line = line ? strchr(line, '\n') : NULL) && sscanf(++line, " =%127[a-zA-Z0-9_.-]", name) == 1)
        strlist_add(ret_names, name);
    return true;
}

/* Those that counted, from the list that is printed at the end. All of them count once one is set, `any` to what it does
 * anyway. */
static bool list_counts(Counters *counters, const char *any, Error *err) {
    CLEANUP(strlist_release) StrList query = {0};
    CLEANUP(str_release) Str text = {0};
    char name[128];
    long long count;
    add_counter_limit(counters, any, NEVER, &query);
    add_flag(counters, &query, "-print-debug-counter");
    if (!inquiry_print(counters->inquiry, &query, &text, err))
        return false;
    for (const char *line = strstr(str_text(&text), "Counters and values:"); (line = line ? strchr(line, '\n') : NULL);)
        if (sscanf(++line, "%127[a-zA-Z0-9_.-] : {%lld,", name, &count) == 2 && count > 0)
            counters_add(counters, name, count);
    return true;
}

static bool find_transformation(Inquiry *inquiry, bool is_opt, TriageFinding *finding, Error *err) {
    CLEANUP(counters_release)
    Counters counters = {.inquiry = inquiry, .add_limit = add_counter_limit, .prefix = is_opt ? NULL : "-mllvm"};
    CLEANUP(strlist_release) StrList names = {0};
    if (!ask_notation(&counters, is_opt, err) || !list_names(&counters, &names, err))
        return false;
    if (!names.len)
        return true;
    if (!list_counts(&counters, names.items[0], err))
        return false;
    /* A crash comes before the list, and only the passes may have been built with assertions. Where counters do nothing at
     * all, the first question of the search shows it. */
    bool unprinted = counters.names.len == 0;
    for (size_t i = 0; unprinted && i < names.len; i++)
        counters_add(&counters, names.items[i], NEVER);
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
