/* The guilty transformation of GCC, from its own switches, coarse to fine:
 *
 *  1. flags: the optimisation flags that the level turns on (-Q --help=optimizers); which -fno-X hide the bug?
 *  2. passes: those that run now and would not at -O0 (-fdump-passes; what runs at -O0 lowers the program and cannot be
 *     spared); which -fdisable-KIND-PASS hide the bug? GCC runs many passes several times (ccp1, ccp2, …), and the next
 *     instance does what the one before was kept from, so all instances of a pass are one switch; which of them
 *     matters is asked afterwards;
 *  3. the function: -fdisable-KIND-PASS=NAME for each function of the program;
 *  4. the transformation: debug counters that counted anything (-fdbg-cnt-list); which, held at 0, hides the bug, and at
 *     which count does it appear?
 *
 * Several passes may hide a bug: an early one that prepares the ground and a late one that goes wrong on it. For a crash
 * GCC says itself which pass it was in; where that pass always runs (expand, final), it only met what an earlier one
 * made. So the pass of the crash is named where switching it off helps, and otherwise the last one, in the order of
 * execution, that helps: without it, everything before it, right or wrong, has no consequence.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "triage/counters.h"

/* How one list of switches is turned off. */
typedef struct Switches {
    Inquiry *inquiry;
    StrList names;
    void (*add_off)(StrList *flags, const char *name);
} Switches;

static bool ask_switches(void *context, const size_t *switches, size_t count, Outcome *ret_outcome, Error *err) {
    const Switches *list = context;
    CLEANUP(strlist_release) StrList flags = {0};
    for (size_t i = 0; i < count; i++)
        list->add_off(&flags, list->names.items[switches[i]]);
    return inquiry_ask(list->inquiry, &flags, ret_outcome, err);
}

/* Appends the names that hide the bug alone, or together where none does, and tells which. */
static bool search_names(Switches *list, StrList *ret_names, bool *ret_together, Error *err) {
    Indices alone = {0}, together = {0};
    bool searched = search_switches(list->names.len, ask_switches, list, &alone, &together, err);
    *ret_together = !alone.len && together.len;
    const Indices *chosen = alone.len ? &alone : &together;
    for (size_t i = 0; i < chosen->len; i++)
        strlist_add(ret_names, list->names.items[chosen->items[i]]);
    vec_release(&alone);
    vec_release(&together);
    return searched;
}

/* The lines of a text, one at a time; *cursor starts at the text and is NULL at the end. */
static bool next_line(const char **cursor, char *line, size_t size) {
    if (!*cursor || !**cursor)
        return false;
    size_t len = strcspn(*cursor, "\n");
    snprintf(line, size, "%.*s", (int)MIN_OF(len, size - 1), *cursor);
    *cursor += len + ((*cursor)[len] == '\n');
    return true;
}

/* --- 1. flags --- */

static void add_flag_off(StrList *flags, const char *name) { strlist_addf(flags, "-fno-%s", name + strlen("-f")); }

static bool list_flags(Inquiry *inquiry, StrList *ret_names, Error *err) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(strlist_release) StrList query = {0};
    strlist_add(&query, "-Q");
    strlist_add(&query, "--help=optimizers");
    if (!inquiry_print(inquiry, &query, &text, err))
        return false;
    const char *cursor = str_text(&text);
    char line[256], name[128], state[32];
    while (next_line(&cursor, line, sizeof line))
        if (sscanf(line, " %127s [%31[a-z]]", name, state) == 2 && str_equal(state, "enabled") &&
            str_starts(name, "-f") && !str_starts(name, "-fno-") && !strchr(name, '=') &&
            !strlist_contains(ret_names, name)) /* the list comes once for each source file */
            strlist_add(ret_names, name);
    return true;
}

static bool find_flag(Inquiry *inquiry, TriageFinding *finding, Error *err) {
    Switches list = {.inquiry = inquiry, .add_off = add_flag_off};
    bool together = false;
    bool found = list_flags(inquiry, &list.names, err) && search_names(&list, &finding->flags, &together, err);
    strlist_release(&list.names);
    if (found && finding->flags.len == 1)
        finding->flag = arena_strdup(inquiry->arena, finding->flags.items[0]);
    else if (found && finding->flags.len) {
        CLEANUP(mem_freep) char *joined = strlist_join(&finding->flags, together ? " with " : " or ");
        finding->flag = arena_strdup(inquiry->arena, joined);
    }
    return found;
}

/* --- 2. passes --- */

/* A switch is all instances of a pass: "tree-ccp1,tree-ccp2,tree-ccp3". */
static void add_pass_off(StrList *flags, const char *instances) {
    CLEANUP(strlist_release) StrList names = {0};
    strlist_split(&names, instances, ',');
    for (size_t i = 0; i < names.len; i++)
        strlist_addf(flags, "-fdisable-%s", names.items[i]);
}

/* Without the number of the instance. */
static size_t base_len(const char *pass) {
    size_t len = strlen(pass);
    while (len && isdigit((unsigned char)pass[len - 1]))
        len--;
    return len;
}

static bool same_pass(const char *a, const char *b) {
    size_t len = base_len(a);
    return len == base_len(b) && strncmp(a, b, len) == 0;
}

/* Adds the pass to its switch, or a new one. */
static void add_instance(StrList *switches, const char *pass) {
    for (size_t i = 0; i < switches->len; i++) {
        char *first = switches->items[i], *comma = strchr(first, ',');
        CLEANUP(str_release) Str name = {0}, all = {0};
        str_append_n(&name, first, comma ? (size_t)(comma - first) : strlen(first));
        if (!same_pass(str_text(&name), pass))
            continue;
        str_printf(&all, "%s,%s", first, pass);
        strlist_remove(switches, i);
        strlist_insert(switches, i, str_text(&all));
        return;
    }
    strlist_add(switches, pass);
}

/* Appends the passes that run, in order: lines "   tree-ccp1      :  ON". Those with a star cannot be switched. */
static bool list_passes(Inquiry *inquiry, const char *level, StrList *ret_names, Error *err) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(strlist_release) StrList query = {0};
    strlist_add(&query, "-fdump-passes");
    if (level)
        strlist_add(&query, level);
    if (!inquiry_print(inquiry, &query, &text, err))
        return false;
    const char *cursor = str_text(&text);
    char line[256], name[128], state[8];
    while (next_line(&cursor, line, sizeof line))
        if (sscanf(line, " %127[a-zA-Z0-9_-] : %7s", name, state) == 2 && str_equal(state, "ON") &&
            !strlist_contains(ret_names, name))
            strlist_add(ret_names, name);
    return true;
}

/* The instances of a switch that hide the bug alone; where none does, the pass without a number. */
static bool split_switch(Inquiry *inquiry, const char *instances, StrList *ret_passes, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    strlist_split(&names, instances, ',');
    size_t before = ret_passes->len;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(strlist_release) StrList flags = {0};
        Outcome outcome = OUTCOME_PASSES;
        add_pass_off(&flags, names.items[i]);
        if (names.len > 1 && !inquiry_ask(inquiry, &flags, &outcome, err))
            return false;
        if (outcome == OUTCOME_PASSES)
            strlist_add(ret_passes, names.items[i]);
    }
    if (ret_passes->len == before)
        strlist_add_n(ret_passes, names.items[0], base_len(names.items[0]));
    return true;
}

/* When a pass runs. One that had to be off everywhere, and so has no number, counts from its first instance: a single
 * instance that hides the bug says more, and the last one is named. */
static size_t time_of(const StrList *order, const char *pass) {
    for (size_t i = 0; i < order->len; i++)
        if (str_equal(order->items[i], pass) || (base_len(pass) == strlen(pass) && same_pass(order->items[i], pass)))
            return i;
    return 0;
}

static void sort_by_time(StrList *passes, const StrList *order) {
    for (size_t i = 1; i < passes->len; i++)
        for (size_t k = i; k && time_of(order, passes->items[k - 1]) > time_of(order, passes->items[k]); k--) {
            char *later = passes->items[k - 1];
            passes->items[k - 1] = passes->items[k];
            passes->items[k] = later;
        }
}

static bool find_passes(Inquiry *inquiry, TriageFinding *finding, Error *err) {
    Switches list = {.inquiry = inquiry, .add_off = add_pass_off};
    CLEANUP(strlist_release) StrList now = {0}, at_O0 = {0}, hiding = {0};
    if (!list_passes(inquiry, NULL, &now, err) || !list_passes(inquiry, "-O0", &at_O0, err))
        return false;
    for (size_t i = 0; i < now.len; i++)
        if (!strlist_contains(&at_O0, now.items[i]))
            add_instance(&list.names, now.items[i]);
    bool found = search_names(&list, &hiding, &finding->together, err);
    strlist_release(&list.names);
    for (size_t i = 0; found && i < hiding.len; i++)
        found = split_switch(inquiry, hiding.items[i], &finding->passes, err);
    sort_by_time(&finding->passes, &now);
    return found;
}

/* The pass that GCC says it was in: "GIMPLE pass: pre" names "tree-pre", "RTL pass: cse1" names "rtl-cse1". */
static const char *pass_of_crash(Inquiry *inquiry) {
    const Signature *signature = oracle_signature(inquiry->oracle);
    if (!signature || !signature->pass)
        return NULL;
    static const struct {
        const char *said, *kind;
    } kinds[] = {{"GIMPLE pass: ", "tree"}, {"RTL pass: ", "rtl"}, {"IPA pass: ", "ipa"}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_starts(signature->pass, kinds[i].said))
            return arena_printf(inquiry->arena, "%s-%s", kinds[i].kind, signature->pass + strlen(kinds[i].said));
    return NULL;
}

/* --- 3. the function --- */

/* Function names from the assembly that the compiler writes: lines ".type\tname, @function". */
static bool list_functions(Inquiry *inquiry, StrList *ret_names, Error *err) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(strlist_release) StrList query = {0};
    strlist_split(&query, "-O0 -S -o /dev/stdout", ' ');
    if (!inquiry_print(inquiry, &query, &text, err))
        return false;
    const char *cursor = str_text(&text);
    char line[256], name[128];
    while (next_line(&cursor, line, sizeof line))
        if (sscanf(line, " .type %127[^,], @function", name) == 1 && strstr(line, "@function"))
            strlist_add(ret_names, name);
    return true;
}

static bool find_function(Inquiry *inquiry, TriageFinding *finding, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    if (!finding->pass || !strlist_contains(&finding->passes, finding->pass) || str_starts(finding->pass, "ipa-"))
        return true;
    if (!list_functions(inquiry, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(strlist_release) StrList flags = {0};
        strlist_addf(&flags, "-fdisable-%s=%s", finding->pass, names.items[i]);
        Outcome outcome;
        if (!inquiry_ask(inquiry, &flags, &outcome, err))
            return false;
        if (outcome == OUTCOME_PASSES) {
            finding->function = arena_strdup(inquiry->arena, names.items[i]);
            return true;
        }
    }
    return true;
}

/* --- 4. the transformation --- */

static void add_counter_limit(const Counters *counters, const char *name, int64_t limit, StrList *flags) {
    (void)counters;
    strlist_addf(flags, "-fdbg-cnt=%s:%lld", name, (long long)limit);
}

/* Adds the counters that counted, and how far, from the table that -fdbg-cnt-list prints at the end. */
static bool list_counters(Inquiry *inquiry, Counters *counters, Error *err) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(strlist_release) StrList query = {0};
    strlist_add(&query, "-fdbg-cnt-list");
    if (!inquiry_print(inquiry, &query, &text, err))
        return false;
    const char *cursor = str_text(&text);
    char line[256], name[128], state[32];
    long long count;
    while (next_line(&cursor, line, sizeof line))
        if (sscanf(line, " %127s %lld %31s", name, &count, state) == 3 && count > 0 && str_equal(state, "unset") &&
            !strlist_contains(&counters->names, name))
            counters_add(counters, name, count);
    return true;
}

static bool find_counter(Inquiry *inquiry, TriageFinding *finding, Error *err) {
    CLEANUP(counters_release) Counters counters = {.inquiry = inquiry, .add_limit = add_counter_limit};
    Step step;
    if (!list_counters(inquiry, &counters, err) || !counters_search(&counters, &finding->counter, &step, err))
        return false;
    if (finding->counter) {
        finding->number = step.number;
        finding->monotone = step.monotone;
    }
    return true;
}

/* The pass that a crash is reported from, where switching it off helps; else the last that hides the bug, alone or, where
 * none does, together with others; where nothing helps, the pass of the crash after all. tree-early_optimizations is
 * the name of a whole list of passes. */
static const char *choose_pass(Inquiry *inquiry, const TriageFinding *finding) {
    static const char list_of_passes[] = "tree-early_optimizations";
    const StrList *passes = &finding->passes;
    const char *crashed = pass_of_crash(inquiry), *last = NULL;
    for (size_t i = 0; i < passes->len; i++) {
        if (!str_equal(passes->items[i], list_of_passes) || !last)
            last = passes->items[i];
        if (crashed && same_pass(passes->items[i], crashed))
            return arena_strdup(inquiry->arena, passes->items[i]);
    }
    return last ? arena_strdup(inquiry->arena, last) : crashed;
}

bool guilty_gcc(Inquiry *inquiry, TriageFinding *ret_finding, Error *err) {
    if (!find_flag(inquiry, ret_finding, err) || !find_passes(inquiry, ret_finding, err))
        return false;
    ret_finding->pass = choose_pass(inquiry, ret_finding);
    const Signature *signature = oracle_signature(inquiry->oracle);
    if (signature && signature->file)
        ret_finding->crash_file = arena_strdup(inquiry->arena, signature->file);
    if (!find_function(inquiry, ret_finding, err) || !find_counter(inquiry, ret_finding, err))
        return false;
    if (!ret_finding->pass)
        ret_finding->why_not = inquiry_exhausted(inquiry) ? "the number of compiler runs was used up"
                               : ret_finding->flag
                                   ? "no single pass hides it, only the flag does"
                                   : "no optional pass or flag hides it: the fault lies in what always runs";
    return true;
}
