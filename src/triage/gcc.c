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
 *  5. the damage: half of the crashes are reported by a later check of what an earlier pass left. -fchecking=2 makes GCC check
 *     behind every pass, release builds too, so that the failure moves to the pass that did it, and some wrong code
 *     becomes a crash.
 *
 * Several passes may hide a bug: an early one that prepares the ground and a late one that goes wrong on it. For a crash
 * GCC says itself which pass it was in; if that pass always runs (expand, final), it only met what an earlier one
 * made. So the pass of the crash is named if switching it off helps, and otherwise the last one, in the order of
 * execution, that helps: without it, everything before it, right or wrong, has no consequence.
 */
#include <stdio.h>
#include <string.h>

#include "triage/guilty.h"

/* --- 1. flags --- */

static bool find_flag(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    SwitchQuery query = cached_oracle_query(oracle);
    SwitchList flags = {0};
    Indices alone = {0}, together = {0};
    bool found =
        switches_gcc_flags(&query, &flags, err) && cached_oracle_search(oracle, &flags, &alone, &together, err);
    const Indices *hiding = alone.len ? &alone : &together;
    for (size_t i = 0; found && i < hiding->len; i++)
        strlist_add(&finding->flags, flags.items[hiding->items[i]].name);
    if (found && hiding->len) {
        CLEANUP(mem_freep) char *joined = strlist_join(&finding->flags, alone.len ? " or " : " with ");
        finding->flag = arena_strdup(oracle->arena, joined);
    }
    switch_list_release(&flags);
    vec_release(&alone);
    vec_release(&together);
    return found;
}

/* --- 2. passes --- */

/* The instances of a pass that hide the bug alone; if none does, the pass without a number. */
static bool find_instances(CachedOracle *oracle, const Switch *pass, StrList *ret_passes, Error *err) {
    const StrList *instances = &pass->instances;
    size_t before = ret_passes->len;
    for (size_t i = 0; i < instances->len; i++) {
        CLEANUP(strlist_release) StrList words = {0};
        Outcome outcome = OUTCOME_PASSES;
        strlist_addf(&words, "-fdisable-%s", instances->items[i]);
        if (instances->len > 1 && !cached_oracle_ask(oracle, &words, &outcome, err))
            return false;
        if (outcome == OUTCOME_PASSES)
            strlist_add(ret_passes, instances->items[i]);
    }
    if (ret_passes->len == before)
        strlist_add_n(ret_passes, pass->name, switches_pass_base(pass->name));
    return true;
}

/* When a pass runs. One that had to be off everywhere, and so has no number, counts from its first instance: a single
 * instance that hides the bug says more, and the last one is named. */
static size_t time_of(const StrList *order, const char *pass) {
    for (size_t i = 0; i < order->len; i++)
        if (str_equal(order->items[i], pass) ||
            (switches_pass_base(pass) == strlen(pass) && switches_same_pass(order->items[i], pass)))
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

static bool find_passes(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    SwitchQuery query = cached_oracle_query(oracle);
    SwitchList passes = {0};
    Indices alone = {0}, together = {0};
    CLEANUP(strlist_release) StrList order = {0};
    bool found = switches_gcc_passes(&query, &passes, &order, err) &&
                 cached_oracle_search(oracle, &passes, &alone, &together, err);
    const Indices *hiding = alone.len ? &alone : &together;
    finding->together = !alone.len && together.len;
    for (size_t i = 0; found && i < hiding->len; i++)
        found = find_instances(oracle, &passes.items[hiding->items[i]], &finding->passes, err);
    sort_by_time(&finding->passes, &order);
    switch_list_release(&passes);
    vec_release(&alone);
    vec_release(&together);
    return found;
}

/* The pass that GCC says it was in: "GIMPLE pass: pre" names "tree-pre", "RTL pass: cse1" names "rtl-cse1". */
static const char *pass_of_crash(CachedOracle *oracle, const Signature *signature) {
    if (!signature || !signature->pass)
        return NULL;
    static const struct {
        const char *said, *kind;
    } kinds[] = {{"GIMPLE pass: ", "tree"}, {"RTL pass: ", "rtl"}, {"IPA pass: ", "ipa"}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_starts(signature->pass, kinds[i].said))
            return arena_printf(oracle->arena, "%s-%s", kinds[i].kind, signature->pass + strlen(kinds[i].said));
    return NULL;
}

/* --- 3. the function --- */

/* Function names from the assembly that the compiler writes: lines ".type\tname, @function". */
static bool list_functions(CachedOracle *oracle, StrList *ret_names, Error *err) {
    SwitchQuery query = cached_oracle_query(oracle);
    CLEANUP(str_release) Str text = {0};
    if (!switches_ask(&query, "-O0 -S -o /dev/stdout", &text, err))
        return false;
    static const char mark[] = "\t.type\t";
    char name[128], type[16];
    for (const char *at = str_text(&text); (at = strstr(at, mark)); at++)
        if (sscanf(at + strlen(mark), "%127[^,\n], %15[@a-z]", name, type) == 2 && str_equal(type, "@function"))
            strlist_add(ret_names, name);
    return true;
}

static bool find_function(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    CLEANUP(strlist_release) StrList names = {0};
    if (!finding->pass || !strlist_contains(&finding->passes, finding->pass) || str_starts(finding->pass, "ipa-"))
        return true;
    if (!list_functions(oracle, &names, err))
        return false;
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(strlist_release) StrList flags = {0};
        strlist_addf(&flags, "-fdisable-%s=%s", finding->pass, names.items[i]);
        Outcome outcome;
        if (!cached_oracle_ask(oracle, &flags, &outcome, err))
            return false;
        if (outcome == OUTCOME_PASSES) {
            finding->function = arena_strdup(oracle->arena, names.items[i]);
            return true;
        }
    }
    return true;
}

/* --- 4. the transformation --- */

static bool find_counter(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    SwitchQuery query = cached_oracle_query(oracle);
    SwitchList counters = {0};
    Step step;
    bool found =
        switches_gcc_counters(&query, &counters, err) && guilty_counter(oracle, &counters, finding, &step, err);
    if (found && finding->counter) {
        finding->number = step.number;
        finding->monotone = step.monotone;
    }
    switch_list_release(&counters);
    return found;
}

/* --- 5. the damage --- */

static bool find_damage(CachedOracle *oracle, TriageFinding *finding, Error *err) {
    bool crashes;
    if (!guilty_ask_checks(oracle, "-fchecking=2", &crashes, err))
        return false;
    if (crashes && oracle->answer.outcome != OUTCOME_FAILS) /* the failure moved, or wrong code became a crash */
        finding->damaged_by = pass_of_crash(oracle, &oracle->answer.signature);
    return true;
}

/* The pass that a crash is reported from, if switching it off helps; else the last that hides the bug, alone or, if
 * none does, together with others; if nothing helps, the pass of the crash after all. tree-early_optimizations is
 * the name of a whole list of passes. */
static const char *choose_pass(CachedOracle *oracle, const TriageFinding *finding) {
    static const char list_of_passes[] = "tree-early_optimizations";
    const StrList *passes = &finding->passes;
    const char *crashed = pass_of_crash(oracle, oracle_signature(oracle->oracle)), *last = NULL;
    for (size_t i = 0; i < passes->len; i++) {
        if (!str_equal(passes->items[i], list_of_passes) || !last)
            last = passes->items[i];
        if (crashed && switches_same_pass(passes->items[i], crashed))
            return arena_strdup(oracle->arena, passes->items[i]);
    }
    return last ? arena_strdup(oracle->arena, last) : crashed;
}

bool guilty_gcc(CachedOracle *oracle, TriageFinding *ret_finding, Error *err) {
    if (!find_flag(oracle, ret_finding, err) || !find_passes(oracle, ret_finding, err))
        return false;
    ret_finding->pass = choose_pass(oracle, ret_finding);
    const Signature *signature = oracle_signature(oracle->oracle);
    if (signature && signature->file)
        ret_finding->crash_file = arena_strdup(oracle->arena, signature->file);
    if (!find_function(oracle, ret_finding, err) || !find_counter(oracle, ret_finding, err) ||
        !find_damage(oracle, ret_finding, err))
        return false;
    if (!ret_finding->pass)
        ret_finding->why_not = cached_oracle_exhausted(oracle) ? "the number of compiler runs was used up"
                               : ret_finding->flag
                                   ? "no single pass hides it, only the flag does"
                                   : "no optional pass or flag hides it: the fault lies in what always runs";
    return true;
}
