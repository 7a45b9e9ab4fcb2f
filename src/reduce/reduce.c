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
    Reduction reduction = {.test = test, .console = options->console, .flags = &result->bug.fail_cmd};
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

bool reduce_bug(const Bug *bug, const ReduceOptions *options, ReduceResult *ret_result, Error *err) {
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

/* The command as it is in the bug's directory. */
static void put_command(Json *json, const char *key, const StrList *command, const StrList *names, const char *prefix) {
    CLEANUP(strlist_release) StrList words = {0};
    for (size_t i = 0; i < command->len; i++)
        strlist_addf(&words, "%s%s", strlist_contains(names, command->items[i]) ? prefix : "", command->items[i]);
    json_put_strings(json, key, &words);
}

/* As much of a text as a reader wants to see; nothing if there is none. */
static void put_output(Json *json, const char *key, const Str *output) {
    enum { MOST_BYTES = 8192 };
    CLEANUP(str_release) Str start = {0};
    str_append_n(&start, str_text(output), MIN_OF(output->len, (size_t)MOST_BYTES));
    if (start.len)
        json_put_text(json, key, str_text(&start));
}

/* `prefix`: of the files, in the bug's directory. */
static Json *saved_json(const ReduceResult *result, const char *prefix) {
    CLEANUP(strlist_release) StrList names = {0};
    Json *json = json_new_object();
    for (size_t i = 0; i < result->program.files.len; i++)
        strlist_add(&names, result->program.files.items[i].name);
    json_put_int(json, "tokens_before", (int64_t)result->tokens_before);
    json_put_int(json, "tokens", (int64_t)result->tokens_after);
    json_put_int(json, "bytes_before", (int64_t)result->bytes_before);
    json_put_int(json, "bytes", (int64_t)result->bytes_after);
    json_put_bool(json, "stopped", result->stopped);
    put_command(json, "fail_cmd", &result->bug.fail_cmd, &names, prefix);
    put_command(json, "pass_cmd", &result->bug.pass_cmd, &names, prefix);
    put_output(json, "messages", &result->outputs.messages);
    put_output(json, "actual", &result->outputs.actual);
    put_output(json, "expected", &result->outputs.expected);
    return json;
}

bool reduce_save(Bug *bug, const ReduceResult *result, Error *err) {
    bool several = result->program.files.len > 1;
    CLEANUP(mem_freep) char *folder = several ? path_of(bug->dir, "reduced") : mem_strdup(bug->dir);
    if (!dir_make(folder, err) || !program_write(&result->program, folder, err))
        return false;
    json_put(bug->json, "reduced", saved_json(result, several ? "reduced/" : ""));
    return bug_save(bug, err);
}

void reduce_result_release(ReduceResult *result) {
    program_release(&result->program);
    bug_release(&result->bug);
    str_release(&result->outputs.messages);
    str_release(&result->outputs.actual);
    str_release(&result->outputs.expected);
    *result = (ReduceResult){0};
}
