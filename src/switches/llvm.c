/* What clang, opt and llc answer about themselves. LLVM counts the executions of optional passes, and -opt-bisect-limit=N
 * skips all after the N-th, with a line for each:
 *
 *     BISECT: running pass (239) GVNPass on main
 *     BISECT: NOT running pass (240) …
 *
 * LLVM built with assertions has debug counters; -print-debug-counter lists them at the end:
 *
 *     instcombine-visit               : {1033,0,5}           to LLVM 18: count, skip, stop after
 *     instcombine-visit               : {1033,0-4}           later: count, ranges that run
 */
#include <stdio.h>
#include <stdlib.h>

#include "compiler/identify.h"
#include "switches/switches.h"

enum { NEVER = 2000000000 }; /* a count that is not reached */

static bool through_driver(const SwitchQuery *query) {
    CompilerFamily family = compiler_family_of_name(query->command->items[0]);
    return family != FAMILY_OPT && family != FAMILY_LLC;
}

/* The last execution with this number, or the last of all for -1; gives its number, -1 when there is none. */
static int64_t find_execution(const char *text, int64_t number, const char **ret_line) {
    static const char mark[] = "running pass (";
    int64_t found = -1;
    for (const char *at = text; (at = strstr(at, mark)); at++) {
        char *end;
        int64_t here = strtoll(at + strlen(mark), &end, 10);
        if (end[0] != ')' || end[1] != ' ' || (number >= 0 && here != number))
            continue;
        found = here;
        *ret_line = end + 2;
    }
    return found;
}

int64_t switches_read_llvm_steps(const char *text) {
    const char *line;
    return MAX_OF(find_execution(text, -1, &line), (int64_t)0);
}

const char *switches_bisection_line(const char *text, int64_t number) {
    const char *line = NULL;
    find_execution(text, number, &line);
    return line;
}

bool switches_llvm_bisection(const SwitchQuery *query, Switch *ret_bisection, Str *ret_text, Error *err) {
    Switch bisection = {.kind = SWITCH_BISECTION,
                        .name = mem_strdup("-opt-bisect-limit"),
                        .notation = LIMIT_LLVM_BISECTION,
                        .through_driver = through_driver(query)};
    CLEANUP(strlist_release) StrList unlimited = {0};
    switch_limit(&bisection, -1, &unlimited);
    if (!switches_ask_words(query, &unlimited, ret_text, err)) {
        switch_release(&bisection);
        return false;
    }
    bisection.steps = switches_read_llvm_steps(str_text(ret_text));
    switch_limit(&bisection, 0, &bisection.off);
    *ret_bisection = bisection;
    return true;
}

/* --- Debug counters --- */

/* Since LLVM 19 counters take ranges. */
static bool ask_notation(const SwitchQuery *query, LimitNotation *ret_notation, Error *err) {
    CLEANUP(str_release) Str text = {0};
    if (!switches_ask(query, through_driver(query) ? "-Xclang -version" : "--version", &text, err))
        return false;
    static const char words[] = "LLVM version ";
    const char *version = strstr(str_text(&text), words);
    *ret_notation = version && atoi(version + strlen(words)) >= 19 ? LIMIT_LLVM_RANGE : LIMIT_LLVM_COUNTER;
    return true;
}

static void add_counter(SwitchList *counters, const Switch *like, const char *name, int64_t steps) {
    Switch *counter = switch_list_add(counters, SWITCH_COUNTER, name);
    counter->notation = like->notation;
    counter->through_driver = like->through_driver;
    counter->steps = steps;
    switch_limit(counter, 0, &counter->off);
}

/* All counters there are: lines "    =instcombine-visit   -   Controls …" below the option in the help. */
static bool list_counters(const SwitchQuery *query, const Switch *like, SwitchList *ret_counters, Error *err) {
    CLEANUP(str_release) Str text = {0};
    char name[128];
    if (!switches_ask(query, like->through_driver ? "-mllvm -help-hidden" : "-help-hidden", &text, err))
        return false;
    const char *line = strstr(str_text(&text), "-debug-counter ");
    while ((line = line ? strchr(line, '\n') : NULL) && sscanf(++line, " =%127[a-zA-Z0-9_.-]", name) == 1)
        add_counter(ret_counters, like, name, NEVER);
    return true;
}

/* Those that counted, from the list that is printed at the end. All of them count once one is set, `any` to what it does
 * anyway. */
static bool list_counts(const SwitchQuery *query, const Switch *any, SwitchList *ret_counters, Error *err) {
    CLEANUP(strlist_release) StrList words = {0};
    CLEANUP(str_release) Str text = {0};
    char name[128];
    long long count;
    switch_limit(any, NEVER, &words);
    if (any->through_driver)
        strlist_add(&words, "-mllvm");
    strlist_add(&words, "-print-debug-counter");
    if (!switches_ask_words(query, &words, &text, err))
        return false;
    for (const char *line = strstr(str_text(&text), "Counters and values:"); (line = line ? strchr(line, '\n') : NULL);)
        if (sscanf(++line, "%127[a-zA-Z0-9_.-] : {%lld,", name, &count) == 2 && count > 0)
            add_counter(ret_counters, any, name, count);
    return true;
}

bool switches_llvm_counters(const SwitchQuery *query, SwitchList *ret_counters, Error *err) {
    Switch like = {.through_driver = through_driver(query)};
    SwitchList all = {0};
    size_t before = ret_counters->len;
    bool ok = ask_notation(query, &like.notation, err) && list_counters(query, &like, &all, err) &&
              (!all.len || list_counts(query, &all.items[0], ret_counters, err));
    if (ok && ret_counters->len == before) {
        /* A crash comes before the list, and only the passes may have been built with assertions. If counters do nothing
         * at all, the first question of a search shows it. */
        for (size_t i = 0; i < all.len; i++)
            vec_push(ret_counters, all.items[i]);
        vec_clear(&all); /* moved */
    }
    switch_list_release(&all);
    return ok;
}
