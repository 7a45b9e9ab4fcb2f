/* Delta debugging of a module that stays in LLVM's process (judge/served.h, llvm/workbench.h).
 *
 *   until a round changes nothing:
 *     for each rule, from coarse to fine:                    function bodies … operands, attributes
 *       for part = all its places, half of them, …, 1:       from the last to the first: users before what they use
 *         try the edit in a fork; keep it if the bug shows
 *     ask the oracle about the result: the plain command must agree
 *
 * A try costs a fork and the passes, some milliseconds, where llvm-reduce writes a file and starts a script and opt. Where
 * the oracle disagrees about a round (pass_cmd may fail on the smaller module too, for instance), the round is done again
 * with the oracle asked about each edit that is kept. What LLVM's C interface cannot change, named metadata and the
 * module's own lines, is tried at last as text.
 */
#include "reduce/module.h"

#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "judge/oracle.h"
#include "judge/served.h"
#include "proc/interrupt.h"
#include "proc/scratch.h"

enum { MOST_ROUNDS = 20 };

/* In this order; names as in llvm/runtime/edit.h. */
static const char *const rules[] = {
    "function-bodies",
    "unused-globals",
    "passes",
    "returns",
    "branches-to-first",
    "branches-to-last",
    "unreached-blocks",
    "cases",
    "instructions",
    "instructions-to-operands",
    "instructions-to-arguments",
    "operands-to-arguments",
    "operands-to-zero",
    "blocks-in-a-row",
    "initial-values",
    "initial-values-to-zero",
    "variables",
    "parameters-to-zero",
    "parameters",
    "results",
    "unused-globals",
    "metadata",
    "attribute-groups",
    "attributes",
    "linkage",
    "tail-calls",
};

typedef struct Reduction {
    ServedBug *served;
    Oracle *oracle;
    Scratch scratch;
    Str confirmed; /* the smallest module that the oracle knows to show the bug */
    bool careful;  /* the oracle is asked about every edit */
    size_t round, size;
    Console *console;
    int64_t end_ms;
    ModuleResult *result;
} Reduction;

static bool out_of_time(Reduction *reduction) {
    reduction->result->stopped |= interrupt_count() > 0 || (reduction->end_ms && clock_ms() >= reduction->end_ms);
    return reduction->result->stopped;
}

/* --- The oracle's word --- */

static bool confirm(Reduction *reduction, const Str *text, bool *ret_shows, Error *err) {
    CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
    reduction->result->confirmations++;
    if (!oracle_ask(reduction->oracle, &(OracleQuestion){.text = str_text(text), .len = text->len}, &answer, err))
        return false;
    *ret_shows = answer.outcome == OUTCOME_FAILS;
    if (*ret_shows) {
        str_clear(&reduction->result->messages);
        str_append(&reduction->result->messages, compiler_messages(&answer.compile));
    }
    if (*ret_shows && text != &reduction->confirmed) {
        str_clear(&reduction->confirmed);
        str_append_n(&reduction->confirmed, str_text(text), text->len);
    }
    return true;
}

static bool go_back(Reduction *reduction, Error *err) {
    CLEANUP(mem_freep) char *path = path_of(reduction->scratch.path, "module.ll");
    return file_write(path, str_text(&reduction->confirmed), reduction->confirmed.len, err) &&
           served_load(reduction->served, path, err);
}

/* The module as it lies on the workbench; where the oracle disagrees, that of its last word is put there again. */
static bool confirm_bench(Reduction *reduction, bool *ret_shows, Error *err) {
    CLEANUP(str_release) Str text = {0};
    return workbench_write(served_bench(reduction->served), &text, err) && confirm(reduction, &text, ret_shows, err) &&
           (*ret_shows || go_back(reduction, err));
}

/* --- Rules --- */

static bool try_edit(Reduction *reduction, const char *rule, size_t from, size_t to, bool *ret_kept, Error *err) {
    reduction->result->tries++;
    console_status(reduction->console, "round %zu, %s: %zu instructions and the like left, %zu tries, %zu accepted",
                   reduction->round, rule, reduction->size, reduction->result->tries, reduction->result->accepted);
    if (!served_ask(reduction->served, &(Attempt){.rule = rule, .from = from, .to = to}, ret_kept, err))
        return false;
    if (!*ret_kept)
        return true;
    if (!workbench_keep(served_bench(reduction->served), rule, from, to, &reduction->size, err) ||
        (reduction->careful && !confirm_bench(reduction, ret_kept, err)))
        return false;
    reduction->result->accepted += *ret_kept;
    return true;
}

static bool sweep(Reduction *reduction, const char *rule, bool *ret_changed, Error *err) {
    size_t count;
    if (!workbench_count(served_bench(reduction->served), rule, &count, err))
        return false;
    for (size_t part = count; part >= 1; part /= 2)
        for (size_t end = count; end > 0 && !out_of_time(reduction);) {
            size_t from = end > part ? end - part : 0;
            bool kept;
            if (!try_edit(reduction, rule, from, end, &kept, err))
                return false;
            end = from;
            *ret_changed |= kept;
            /* Places before those that are gone keep their numbers, as a rule. */
            if (kept && !workbench_count(served_bench(reduction->served), rule, &count, err))
                return false;
            end = MIN_OF(end, count);
        }
    return true;
}

static bool apply_round(Reduction *reduction, bool *ret_changed, Error *err) {
    bool sound = true;
    for (size_t i = 0; i < ARRAY_LEN(rules) && !out_of_time(reduction); i++)
        if (!sweep(reduction, rules[i], ret_changed, err))
            return error_context(err, "while trying %s", rules[i]);
    if (*ret_changed && !reduction->careful && !confirm_bench(reduction, &sound, err))
        return false;
    reduction->careful |= !sound;
    return true;
}

/* --- The text --- */

typedef bool DropLine(const char *line);

static bool is_comment(const char *line) { return *line == ';' || str_starts(line, "source_filename"); }
static bool is_metadata(const char *line) { return *line == '!'; }
static bool is_named_metadata(const char *line) { return str_starts(line, "!llvm.ident"); }
static bool is_target(const char *line) { return str_starts(line, "target "); }
static bool is_layout(const char *line) { return str_starts(line, "target datalayout"); }

/* Without such lines, without the comments behind blocks, and without empty lines that follow others. */
static void drop_lines(const char *text, DropLine *drop, Str *ret_text) {
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        size_t len = (size_t)(end - line);
        const char *comment = memmem(line, len, "; preds = ", strlen("; preds = "));
        if (!comment)
            comment = memmem(line, len, "; No predecessors!", strlen("; No predecessors!"));
        bool empty = len == 0 && (!ret_text->len || str_ends(str_text(ret_text), "\n\n"));
        if (drop(line) || empty)
            continue;
        str_append_n(ret_text, line, comment ? (size_t)(comment - line) : len);
        if (comment)
            str_trim(ret_text);
        str_append_char(ret_text, '\n');
    }
    str_trim(ret_text);
    str_append_char(ret_text, '\n');
}

static bool reduce_text(Reduction *reduction, Error *err) {
    static DropLine *const drops[] = {is_comment, is_metadata, is_named_metadata, is_target, is_layout};
    for (size_t i = 0; i < ARRAY_LEN(drops); i++) {
        CLEANUP(str_release) Str text = {0};
        bool shows;
        drop_lines(str_text(&reduction->confirmed), drops[i], &text);
        if (!str_equal(str_text(&text), str_text(&reduction->confirmed)) && !confirm(reduction, &text, &shows, err))
            return false;
    }
    return true;
}

/* Short names, if the bug does not depend on them. */
static bool rename_all(Reduction *reduction, Error *err) {
    bool kept, shows;
    return try_edit(reduction, "names", 0, 1, &kept, err) &&
           (!kept || reduction->careful || confirm_bench(reduction, &shows, err));
}

static bool run_rounds(Reduction *reduction, Error *err) {
    bool shows, changed = true, kept;
    /* As LLVM prints it: the original may have comments, or be bitcode. */
    if (!confirm_bench(reduction, &shows, err))
        return false;
    if (!shows)
        return error_set(err, "the module that LLVM prints does not show the bug; its text cannot be reduced");
    if (!try_edit(reduction, "debug-info", 0, 1, &kept, err))
        return false;
    while (changed && !out_of_time(reduction) && reduction->round < MOST_ROUNDS) {
        changed = false;
        reduction->round++;
        if (!apply_round(reduction, &changed, err))
            return false;
    }
    return (interrupt_count() > 1 || rename_all(reduction, err)) && reduce_text(reduction, err);
}

bool module_reduce(Runner *runner, const Bug *bug, int64_t end_ms, Console *console, ModuleResult *ret_result,
                   Error *err) {
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(runner, bug, NULL, err);
    CLEANUP(served_closep) ServedBug *served = oracle ? served_open(runner, bug, err) : NULL;
    CLEANUP(module_result_release) ModuleResult result = {0};
    Reduction reduction = {.served = served, .oracle = oracle, .console = console, .end_ms = end_ms, .result = &result};
    if (!served)
        return error_context(err, "cannot reduce the module of %s", bug->id);
    str_append_n(&reduction.confirmed, str_text(oracle_source_text(oracle)), oracle_source_text(oracle)->len);
    bool ok = scratch_new(&reduction.scratch, err) && run_rounds(&reduction, err);
    console_status_end(console);
    result.text = reduction.confirmed;
    result.rounds = reduction.round;
    scratch_release(&reduction.scratch);
    if (ok) {
        *ret_result = result;
        result = (ModuleResult){0};
    }
    return ok;
}

void module_result_release(ModuleResult *result) {
    str_release(&result->text);
    str_release(&result->messages);
    *result = (ModuleResult){0};
}

size_t module_count_instructions(const char *text) {
    size_t count = 0;
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        /* Two spaces, then no third: further lines of one instruction are indented more, closing brackets of its lists too. */
        count += str_starts(line, "  ") && (isalpha((unsigned char)line[2]) || line[2] == '%');
    }
    return count;
}
