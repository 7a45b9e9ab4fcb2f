/* Reduction to a fixpoint. The passes run from coarse to fine, as in C-Reduce (Regehr et al., PLDI 2012): removals, then
 * simplifications, then declarations; when a whole round of these changes nothing, token windows have their turn; when
 * they change something, all begins anew. Layout and names come last.
 *
 * What we do differently: the interestingness test comes from the verdict, candidates are edits of one parsed text made
 * in process and are refused by the parser before a compiler runs, whole groups of edits are tried at once, and constants
 * are taken from one run of the reference program instead of being guessed.
 */
#include "reduce/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "proc/scratch.h"
#include "reduce/external.h"
#include "reduce/judge.h"
#include "reduce/layout.h"
#include "reduce/merge.h"
#include "reduce/observe.h"
#include "reduce/rules.h"
#include "reduce/sweep.h"

enum { MOST_ROUNDS = 20 };

size_t reduce_count_tokens(const char *text, size_t len) {
    TokenList tokens = {0};
    lex(text, len, &tokens);
    size_t count = tokens.len;
    vec_release(&tokens);
    return count;
}

typedef struct Reduction {
    Judge *judge;
    Parser *parser;
    Str text;
    size_t round;
    size_t tokens_before;
    Console *console;
} Reduction;

static void show(Reduction *reduction, const char *pass) {
    if (!console_status_due(reduction->console))
        return;
    const ReduceCounts *counts = judge_counts(reduction->judge);
    console_status(reduction->console, "round %zu, %s: %zu of %zu tokens left, %llu tries, %llu accepted",
                   reduction->round, pass, reduce_count_tokens(str_text(&reduction->text), reduction->text.len),
                   reduction->tokens_before, (unsigned long long)counts->tries, (unsigned long long)counts->accepted);
}

static bool apply_rules(Reduction *reduction, const Rule *rules, bool *ret_changed, Error *err) {
    for (const Rule *rule = rules; rule->name && !judge_stopped(reduction->judge); rule++) {
        show(reduction, rule->name);
        if (!sweep(reduction->judge, rule, reduction->parser, &reduction->text, ret_changed, err))
            return error_context(err, "while trying %s", rule->name);
    }
    return true;
}

static bool apply_observation(Reduction *reduction, bool *ret_changed, Error *err) {
    CLEANUP(atoms_release) Atoms atoms = {0};
    CLEANUP(str_release) Str parsed = {0};
    show(reduction, "observed constants");
    str_append_n(&parsed, str_text(&reduction->text), reduction->text.len);
    CLEANUP(tree_freep) Tree *tree = parser_parse(reduction->parser, str_text(&parsed), parsed.len, err);
    return tree && observe(reduction->judge, tree, &atoms, err) &&
           sweep_atoms(reduction->judge, &atoms, &(Rule){.name = "observed constants"}, &reduction->text, ret_changed,
                       err);
}

/* Accepts the same tokens in a better shape, where that keeps the bug. */
static bool apply_layout(Reduction *reduction, Error *err) {
    CLEANUP(str_release) Str text = {0};
    bool interesting;
    layout(str_text(&reduction->text), reduction->text.len, &text);
    if (str_equal(str_text(&text), str_text(&reduction->text)))
        return true;
    if (!judge_one(reduction->judge, str_text(&text), text.len, &interesting, NULL, err))
        return false;
    if (interesting) {
        str_clear(&reduction->text);
        str_append_n(&reduction->text, str_text(&text), text.len);
    }
    return true;
}

/* One round: coarse rules until they are exhausted, then tokens. */
static bool apply_round(Reduction *reduction, bool *ret_changed, Error *err) {
    bool coarse = false;
    if (!apply_rules(reduction, removal_rules, &coarse, err) ||
        !apply_rules(reduction, simplification_rules, &coarse, err) || !apply_observation(reduction, &coarse, err) ||
        !apply_rules(reduction, declaration_rules, &coarse, err))
        return false;
    *ret_changed |= coarse;
    return coarse || apply_rules(reduction, token_rules, ret_changed, err);
}

static bool reduce_text(Reduction *reduction, Error *err) {
    if (!apply_layout(reduction, err)) /* comments and blank lines go first: there is less to parse */
        return false;
    for (bool changed = true; changed && !judge_stopped(reduction->judge) && reduction->round < MOST_ROUNDS;) {
        changed = false;
        reduction->round++;
        if (!apply_round(reduction, &changed, err))
            return false;
    }
    return apply_layout(reduction, err);
}

/* The program as one file, with a bug of its own in the scratch directory. */
static bool prepare(const Bug *bug, const ReduceOptions *options, const char *dir, Bug *ret_bug, Str *ret_text,
                    Judge **ret_judge, Error *err) {
    bool interesting;
    const char *why;
    if (!merge_sources(bug, ret_text, err) || !merge_bug(bug, dir, "reduced.c", ret_text, ret_bug, err))
        return false;
    if (!(*ret_judge = judge_new(ret_bug, options, err)))
        return false;
    if (!judge_one(*ret_judge, str_text(ret_text), ret_text->len, &interesting, &why, err))
        return false;
    return interesting || error_set(err, "%s cannot be reduced: %s", bug->id, why);
}

static bool run_reduction(Reduction *reduction, const Bug *bug, const ReduceOptions *options, ReduceResult *result,
                          Error *err) {
    result->tokens_before = reduction->tokens_before =
        reduce_count_tokens(str_text(&reduction->text), reduction->text.len);
    result->bytes_before = reduction->text.len;
    reduction->parser = parser_new("reduced.c", &bug->fail_cmd);
    bool ok =
        options->with ? external_reduce(bug, "reduced.c", options, &reduction->text, err) : reduce_text(reduction, err);
    parser_free(reduction->parser);
    console_status_end(reduction->console);
    result->tokens_after = reduce_count_tokens(str_text(&reduction->text), reduction->text.len);
    result->bytes_after = reduction->text.len;
    result->counts = *judge_counts(reduction->judge);
    result->rounds = reduction->round;
    result->stopped = judge_stopped(reduction->judge);
    return ok;
}

bool reduce_bug(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err) {
    ReduceResult result = {.name = mem_strdup("reduced.c")};
    Reduction reduction = {.console = options->console};
    CLEANUP(scratch_release) Scratch scratch = {0};
    if (bug_language(bug) != LANGUAGE_C && !options->with)
        error_set(err, "%s is not a C program; use --with cvise", bug->id);
    else if (scratch_new(&scratch, err) &&
             prepare(bug, options, scratch.path, &result.bug, &reduction.text, &reduction.judge, err) &&
             run_reduction(&reduction, &result.bug, options, &result, err)) {
        judge_free(reduction.judge);
        result.text = reduction.text;
        *ret_result = result;
        return true;
    }
    judge_free(reduction.judge);
    str_release(&reduction.text);
    reduce_result_release(&result);
    return false;
}

bool reduce_test(const Bug *bug, const ReduceOptions *options, const Str *text, bool *ret_interesting, Str *ret_why,
                 Error *err) {
    CLEANUP(judge_freep) Judge *judge = judge_new(bug, options, err);
    const char *why;
    if (!judge || !judge_one(judge, str_text(text), text->len, ret_interesting, &why, err))
        return false;
    str_append(ret_why, why);
    return true;
}

void reduce_result_release(ReduceResult *result) {
    str_release(&result->text);
    free(result->name);
    bug_release(&result->bug);
    *result = (ReduceResult){0};
}
