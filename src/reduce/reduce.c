/* Reduction to a fixpoint. The passes run from coarse to fine, as in C-Reduce (Regehr et al., PLDI 2012): removals,
 * then simplifications, then declarations; when a whole round of these changes nothing, token windows have their turn;
 * when they change something, all begins anew. Layout and names come last. A bug that needs separate files has them
 * reduced in turn.
 *
 * What we do differently: the interestingness test comes from the verdict, candidates are edits of one parsed text made
 * in process and are refused by the parser before a compiler runs, whole groups of edits are tried at once, and
 * constants are taken from one run of the reference program instead of being guessed.
 */
#include "reduce/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "proc/scratch.h"
#include "reduce/external.h"
#include "reduce/interesting.h"
#include "reduce/layout.h"
#include "reduce/observe.h"
#include "reduce/opt.h"
#include "reduce/passes.h"
#include "reduce/rules.h"
#include "reduce/shape.h"
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
    Interestingness *test;
    Parser *parser;
    Str text;
    Tree *tree; /* of `parsed`; NULL: nothing has been parsed with this parser */
    Str parsed;
    size_t round;
    size_t tokens_before;
    const StrList *flags; /* the failing command */
    Console *console;
} Reduction;

static void show(Reduction *reduction, const char *pass) {
    if (!console_status_due(reduction->console))
        return;
    const ReduceCounts *counts = interesting_counts(reduction->test);
    console_status(reduction->console, "round %zu, %s: %zu of %zu tokens left, %llu tries, %llu accepted",
                   reduction->round, pass, reduce_count_tokens(str_text(&reduction->text), reduction->text.len),
                   reduction->tokens_before, (unsigned long long)counts->tries, (unsigned long long)counts->accepted);
}

static void set_text(Str *to, const char *text, size_t len) {
    str_clear(to);
    str_append_n(to, text, len);
}

static void drop_tree(Reduction *reduction) {
    tree_free(reduction->tree);
    reduction->tree = NULL;
}

/* The tree of the current text. Most rules change nothing, so that it serves many of them. */
static const Tree *current_tree(Reduction *reduction, Error *err) {
    const Str *text = &reduction->text;
    Str *parsed = &reduction->parsed;
    if (reduction->tree && parsed->len == text->len && memcmp(parsed->data, text->data, text->len) == 0)
        return reduction->tree;
    drop_tree(reduction);
    set_text(parsed, str_text(text), text->len);
    return reduction->tree = parser_parse(reduction->parser, str_text(parsed), parsed->len, err);
}

static bool apply_rules(Reduction *reduction, const Rule *rules, bool *ret_changed, Error *err) {
    enum { SMALL_TOKENS = 200 };
    for (const Rule *rule = rules; rule->name && !interesting_stopped(reduction->test); rule++) {
        for (bool again = true; again && !interesting_stopped(reduction->test);) {
            bool changed = false;
            show(reduction, rule->name);
            const Tree *tree = current_tree(reduction, err);
            if (!tree || !sweep(reduction->test, rule, tree, &reduction->text, &changed, err))
                return error_context(err, "while trying %s", rule->name);
            *ret_changed |= changed;
            again = changed && rule->again &&
                    reduce_count_tokens(str_text(&reduction->text), reduction->text.len) <= SMALL_TOKENS;
        }
    }
    return true;
}

static bool apply_observation(Reduction *reduction, bool *ret_changed, Error *err) {
    static const Rule rule = {.name = "observed constants"};
    CLEANUP(atoms_release) Atoms atoms = {0};
    show(reduction, rule.name);
    const Tree *tree = current_tree(reduction, err);
    return tree && observe(reduction->test, tree, &atoms, err) &&
           sweep_atoms(reduction->test, &atoms, &rule, tree, &reduction->text, ret_changed, err);
}

/* Accepts the same tokens in a better shape if that keeps the bug. */
static bool apply_layout(Reduction *reduction, Error *err) {
    CLEANUP(str_release) Str text = {0};
    bool interesting;
    layout(str_text(&reduction->text), reduction->text.len, &text);
    if (str_equal(str_text(&text), str_text(&reduction->text)))
        return true;
    if (!interesting_one(reduction->test, str_text(&text), text.len, &interesting, NULL, err))
        return false;
    if (interesting)
        set_text(&reduction->text, str_text(&text), text.len);
    return true;
}

/* One round: coarse rules until they are exhausted, then tokens. */
static bool apply_round(Reduction *reduction, bool *ret_changed, Error *err) {
    bool coarse = false;
    if (!apply_rules(reduction, removal_rules, &coarse, err) ||
        !apply_rules(reduction, simplification_rules, &coarse, err) || !apply_observation(reduction, &coarse, err) ||
        !apply_rules(reduction, declaration_rules, &coarse, err) || !apply_rules(reduction, data_rules, &coarse, err) ||
        !apply_rules(reduction, inline_rules, &coarse, err))
        return false;
    *ret_changed |= coarse;
    return coarse || apply_rules(reduction, token_rules, ret_changed, err);
}

/* Every guard by itself about what the round made; if one complains, the round was in vain and is done again with all
 * of them at every step. */
static bool verify_round(Reduction *reduction, Str *verified, Error *err) {
    bool sound;
    if (!interesting_verify(reduction->test, &reduction->text, &sound, err))
        return false;
    if (sound)
        set_text(verified, str_text(&reduction->text), reduction->text.len);
    else
        set_text(&reduction->text, str_text(verified), verified->len);
    return true;
}

/* Rounds to a fixpoint, for the file under reduction. */
static bool reduce_text(Reduction *reduction, Error *err) {
    CLEANUP(str_release) Str verified = {0};
    set_text(&verified, str_text(&reduction->text), reduction->text.len);
    if (!apply_layout(reduction, err)) /* comments and blank lines go first: there is less to parse */
        return false;
    for (bool changed = true; changed && !interesting_stopped(reduction->test) && reduction->round < MOST_ROUNDS;) {
        changed = false;
        reduction->round++;
        if (!apply_round(reduction, &changed, err) || !verify_round(reduction, &verified, err))
            return false;
    }
    interesting_overtime(reduction->test, true);
    bool laid_out = apply_layout(reduction, err);
    interesting_overtime(reduction->test, false);
    return laid_out;
}

/* One file after the other, again until none of them changes: what one no longer calls the next one need not have. */
static bool reduce_files(Reduction *reduction, Error *err) {
    for (bool changed = true; changed && !interesting_stopped(reduction->test);) {
        changed = false;
        for (size_t i = 0; i < interesting_file_count(reduction->test); i++) {
            size_t len;
            interesting_focus(reduction->test, i);
            const char *before = interesting_text(reduction->test, &len);
            set_text(&reduction->text, before, len);
            reduction->round = 0;
            drop_tree(reduction); /* it is of another file */
            parser_free(reduction->parser);
            reduction->parser = parser_new(interesting_file_name(reduction->test), reduction->flags);
            if (!reduce_text(reduction, err))
                return false;
            changed |= interesting_file_count(reduction->test) > 1 && !str_equal(before, str_text(&reduction->text));
            interesting_set_text(reduction->test, &reduction->text);
        }
    }
    return true;
}

static void count_program(const Program *program, size_t *ret_tokens, size_t *ret_bytes) {
    *ret_tokens = *ret_bytes = 0;
    for (size_t i = 0; i < program->files.len; i++) {
        *ret_tokens += reduce_count_tokens(program->files.items[i].text, program->files.items[i].len);
        *ret_bytes += program->files.items[i].len;
    }
}

static bool run_reduction(Interestingness *test, const ReduceOptions *options, const char *dir, ReduceResult *result,
                          Error *err) {
    CLEANUP(mem_freep) char *external = path_of(dir, "external");
    Reduction reduction = {.test = test, .console = options->console, .flags = bug_source_command(&result->bug)};
    count_program(interesting_program(test), &result->tokens_before, &result->bytes_before);
    reduction.tokens_before = result->tokens_before;
    bool ok = options->with ? external_reduce(test, options, external, err) : reduce_files(&reduction, err);
    drop_tree(&reduction);
    parser_free(reduction.parser);
    str_release(&reduction.text);
    str_release(&reduction.parsed);
    console_status_end(options->console);
    program_copy(interesting_program(test), &result->program);
    count_program(&result->program, &result->tokens_after, &result->bytes_after);
    result->counts = *interesting_counts(test);
    result->rounds = reduction.round;
    result->stopped = interesting_stopped(test);
    return ok && interesting_outputs(test, &result->outputs, err);
}

static bool reduce_source(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err) {
    CLEANUP(reduce_result_release) ReduceResult result = {0};
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(interesting_freep) Interestingness *test = NULL;
    if (bug_language(bug) != LANGUAGE_C && !options->with)
        return error_set(err, "%s is not a C program; use --with cvise", bug->id);
    if (!scratch_new(&scratch, err) || !shape_open(bug, options, scratch.path, &result.bug, &test, err) ||
        !run_reduction(test, options, scratch.path, &result, err))
        return false;
    *ret_result = result;
    result = (ReduceResult){0};
    return true;
}

bool reduce_bug(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err) {
    return passes_apply(bug) && !options->with ? reduce_opt(bug, options, reduce_source, ret_result, err)
                                               : reduce_source(bug, options, ret_result, err);
}

bool reduce_test(const Bug *bug, const ReduceOptions *options, const Str *text, bool *ret_interesting, Str *ret_why,
                 Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(interesting_freep) Interestingness *test = NULL;
    CLEANUP(bug_release) Bug shaped = {0};
    const char *why;
    if (!scratch_new(&scratch, err) || !shape_open(bug, options, scratch.path, &shaped, &test, err) ||
        !interesting_one(test, str_text(text), text->len, ret_interesting, &why, err))
        return false;
    str_append(ret_why, why);
    return true;
}

bool reduce_export(const Bug *bug, const ReduceOptions *options, const char *dir, Str *ret_name, Error *err) {
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(interesting_freep) Interestingness *test = NULL;
    CLEANUP(bug_release) Bug shaped = {0};
    if (!scratch_new(&scratch, err) || !shape_open(bug, options, scratch.path, &shaped, &test, err))
        return false;
    str_append(ret_name, interesting_file_name(test));
    return interesting_file_count(test) == 1
               ? dir_make(dir, err) && external_write(test, dir, err)
               : error_set(err, "%s needs several files; other reducers cannot be given the test", bug->id);
}

/* Where the program's files go in the bug's directory: "" for one alone. */
static const char *folder_of(const Program *program) { return program->files.len > 1 ? BUG_REDUCED : ""; }

static bool write_program(const Bug *bug, const Program *program, Error *err) {
    CLEANUP(mem_freep) char *dir = path_of(bug->dir, folder_of(program));
    return dir_make(dir, err) && program_write(program, dir, err);
}

/* The command as it is in the bug's directory, where the files lie in `folder`. */
static void record_command(const StrList *command, const Program *program, const char *folder, StrList *ret_command) {
    strlist_clear(ret_command);
    for (size_t i = 0; i < command->len; i++) {
        bool is_file = false;
        for (size_t k = 0; k < program->files.len; k++)
            is_file |= str_equal(command->items[i], program->files.items[k].name);
        strlist_addf(ret_command, "%s%s%s", is_file ? folder : "", is_file && *folder ? "/" : "", command->items[i]);
    }
}

/* As much of a text as a reader wants to see; nothing if there is none. */
static void record_output(const Str *output, char **ret_text) {
    enum { MOST_BYTES = 8192 };
    CLEANUP(str_release) Str start = {0};
    str_append_n(&start, str_text(output), MIN_OF(output->len, (size_t)MOST_BYTES));
    bug_set_text(ret_text, start.len ? str_text(&start) : NULL);
}

bool reduce_keep(Bug *bug, const ReduceResult *result, Error *err) {
    const char *folder = folder_of(&result->program);
    ReducedProgram *reduced = &bug->reduced;
    if (!write_program(bug, &result->program, err) ||
        (result->source.files.len > 0 && !write_program(bug, &result->source, err)))
        return false;
    record_command(&result->bug.fail_cmd, &result->program, folder, &reduced->fail_cmd);
    record_command(&result->bug.pass_cmd, &result->program, folder, &reduced->pass_cmd);
    record_command(&result->bug.front_cmd, &result->program, folder, &reduced->front_cmd);
    /* A module that an earlier reduction began with is still from its program. */
    if (result->source.files.len > 0)
        record_command(&result->source_cmd, &result->source, folder_of(&result->source), &reduced->source_cmd);
    reduced->passes_before = MAX_OF(reduced->passes_before, result->passes_before);
    reduced->passes = result->passes_after;
    reduced->tokens_before = result->tokens_before;
    reduced->tokens = result->tokens_after;
    reduced->bytes_before = result->bytes_before;
    reduced->bytes = result->bytes_after;
    reduced->stopped = result->stopped;
    reduced->wall_ms = result->wall_ms;
    record_output(&result->outputs.messages, &reduced->messages);
    record_output(&result->outputs.actual, &reduced->actual);
    record_output(&result->outputs.expected, &reduced->expected);
    return true;
}

void reduce_result_release(ReduceResult *result) {
    program_release(&result->program);
    program_release(&result->source);
    strlist_release(&result->source_cmd);
    bug_release(&result->bug);
    str_release(&result->outputs.messages);
    str_release(&result->outputs.actual);
    str_release(&result->outputs.expected);
    *result = (ReduceResult){0};
}
