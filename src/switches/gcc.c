/* What GCC answers about itself:
 *
 *     -Q --help=optimizers    "  -ftree-pre    [enabled]"         gives  -fno-tree-pre
 *     -fdump-passes           "   tree-ccp1    :  ON"             gives  -fdisable-tree-ccp1
 *     -fdbg-cnt-list          "  vect_loop     7       unset"     gives  -fdbg-cnt=vect_loop:0
 *
 * GCC runs many passes several times (ccp1, ccp2, …), and the next instance does what the one before was kept from, so all
 * instances of a pass are one switch. What runs at -O0 lowers the program and cannot be spared.
 */
#include <ctype.h>
#include <stdio.h>

#include "switches/switches.h"

/* The next line of a text; `*at` starts at the text. */
static bool next_line(const char **at, char *line, size_t size) {
    size_t len;
    const char *start = str_next_line(at, &len);
    if (start)
        snprintf(line, size, "%.*s", (int)MIN_OF(len, size - 1), start);
    return start;
}

void switches_read_gcc_flags(const char *text, SwitchList *ret_flags) {
    char line[256], name[128], state[32];
    while (next_line(&text, line, sizeof line))
        if (sscanf(line, " %127s [%31[a-z]]", name, state) == 2 && str_equal(state, "enabled") &&
            str_starts(name, "-f") && !str_starts(name, "-fno-") && !strchr(name, '=') &&
            !switch_list_has(ret_flags, name)) /* the list comes once for each source file */
            strlist_addf(&switch_list_add(ret_flags, SWITCH_FLAG, name)->off, "-fno-%s", name + strlen("-f"));
}

/* Those with a star cannot be switched. */
void switches_read_gcc_passes(const char *text, StrList *ret_names) {
    char line[256], name[128], state[8];
    while (next_line(&text, line, sizeof line))
        if (sscanf(line, " %127[a-zA-Z0-9_-] : %7s", name, state) == 2 && str_equal(state, "ON"))
            strlist_add_once(ret_names, name);
}

void switches_read_gcc_counters(const char *text, SwitchList *ret_counters) {
    char line[256], name[128], state[32];
    long long count;
    while (next_line(&text, line, sizeof line)) {
        if (sscanf(line, " %127[a-zA-Z0-9_] %lld %31s", name, &count, state) != 3 || !str_equal(state, "unset") ||
            switch_list_has(ret_counters, name))
            continue;
        Switch *counter = switch_list_add(ret_counters, SWITCH_COUNTER, name);
        counter->steps = count;
        counter->notation = LIMIT_GCC_COUNTER;
        switch_limit(counter, 0, &counter->off);
    }
}

bool switches_gcc_flags(const SwitchQuery *query, SwitchList *ret_flags, Error *err) {
    CLEANUP(str_release) Str text = {0};
    if (!switches_ask(query, "-Q --help=optimizers", &text, err))
        return false;
    switches_read_gcc_flags(str_text(&text), ret_flags);
    return true;
}

bool switches_gcc_counters(const SwitchQuery *query, SwitchList *ret_counters, Error *err) {
    CLEANUP(str_release) Str text = {0};
    if (!switches_ask(query, "-fdbg-cnt-list", &text, err))
        return false;
    switches_read_gcc_counters(str_text(&text), ret_counters);
    return true;
}

size_t switches_pass_base(const char *pass) {
    size_t len = strlen(pass);
    while (len && isdigit((unsigned char)pass[len - 1]))
        len--;
    return len;
}

bool switches_same_pass(const char *a, const char *b) {
    size_t len = switches_pass_base(a);
    return len == switches_pass_base(b) && strncmp(a, b, len) == 0;
}

static Switch *find_pass(SwitchList *passes, const char *name) {
    for (size_t i = 0; i < passes->len; i++)
        if (switches_same_pass(passes->items[i].name, name))
            return &passes->items[i];
    return switch_list_add(passes, SWITCH_PASS, name);
}

bool switches_gcc_passes(const SwitchQuery *query, SwitchList *ret_passes, StrList *ret_order, Error *err) {
    CLEANUP(str_release) Str now = {0}, unoptimised = {0};
    CLEANUP(strlist_release) StrList always = {0};
    if (!switches_ask(query, "-fdump-passes", &now, err) ||
        !switches_ask(query, "-fdump-passes -O0", &unoptimised, err))
        return false;
    switches_read_gcc_passes(str_text(&now), ret_order);
    switches_read_gcc_passes(str_text(&unoptimised), &always);
    for (size_t i = 0; i < ret_order->len; i++) {
        if (strlist_contains(&always, ret_order->items[i]))
            continue;
        Switch *pass = find_pass(ret_passes, ret_order->items[i]);
        strlist_add(&pass->instances, ret_order->items[i]);
        strlist_addf(&pass->off, "-fdisable-%s", ret_order->items[i]);
    }
    return true;
}
