/* Groups of neighbouring atoms are tried from the last to the first (uses come after declarations), then groups of half
 * the size, down to single atoms: the schedule of delta debugging (Zeller and Hildebrandt 2002) without complements, as
 * in C-Reduce (Regehr et al., PLDI 2012). Unlike there, what was accepted stays selected and all edits refer to the
 * text that the sweep began with, so nothing has to be parsed again until the sweep ends.
 */
#include "reduce/sweep.h"

#include <string.h>

/* How large a text is, layout apart. */
typedef struct Measure {
    size_t tokens, bytes;
} Measure;

static Measure measure_tokens(const TokenList *tokens) {
    Measure measure = {.tokens = tokens->len};
    for (size_t i = 0; i < tokens->len; i++)
        measure.bytes += tokens->items[i].end - tokens->items[i].begin;
    return measure;
}

static Measure measure_text(const Str *text) {
    TokenList tokens = {0};
    lex(str_text(text), text->len, &tokens);
    Measure measure = measure_tokens(&tokens);
    vec_release(&tokens);
    return measure;
}

static bool is_smaller(Measure a, const Str *a_text, Measure b, const Str *b_text) {
    if (a.tokens != b.tokens)
        return a.tokens < b.tokens;
    if (a.bytes != b.bytes)
        return a.bytes < b.bytes;
    return strcmp(str_text(a_text), str_text(b_text)) < 0;
}

typedef struct Sweep {
    const Atoms *atoms;
    const Tree *tree; /* of the text that the atoms refer to */
    Bitset accepted;  /* atoms made so far */
    size_t size;      /* of the groups tried now */
    size_t next;      /* groups end here: atoms [next - size, next) are tried next, then downwards */
    Bitset candidate; /* scratch */
    size_t may_grow;  /* tokens, at a step */
    Str *text;        /* with all that was accepted */
    Measure measure;
} Sweep;

/* Where the group with this number, counted from the current state, lies; false if this size is through. */
static bool group_at(const Sweep *sweep, size_t number, size_t *ret_begin, size_t *ret_end) {
    if (number * sweep->size >= sweep->next)
        return false;
    *ret_end = sweep->next - number * sweep->size;
    *ret_begin = *ret_end > sweep->size ? *ret_end - sweep->size : 0;
    return true;
}

static bool make_candidate(void *context, size_t number, Str *ret_text) {
    Sweep *sweep = context;
    size_t begin, end;
    if (!group_at(sweep, number, &begin, &end))
        return false;
    bitset_copy(&sweep->candidate, &sweep->accepted);
    for (size_t i = begin; i < end; i++)
        bitset_set(&sweep->candidate, i);
    atoms_apply(sweep->atoms, &sweep->candidate, sweep->tree->text, sweep->tree->len, ret_text);
    Measure measure = measure_text(ret_text);
    bool allowed = sweep->may_grow ? measure.tokens <= sweep->measure.tokens + sweep->may_grow
                                   : is_smaller(measure, ret_text, sweep->measure, sweep->text);
    if (!allowed)
        str_clear(ret_text); /* empty candidates are passed over */
    return true;
}

/* All groups of the current size; each success goes on below the group that was accepted. */
static bool sweep_size(Interestingness *test, Sweep *sweep, bool *ret_changed, Error *err) {
    sweep->next = sweep->atoms->count;
    while (sweep->next) {
        size_t number, begin, end;
        bool found;
        if (!interesting_first(test, make_candidate, sweep, &number, sweep->text, &found, err))
            return false;
        if (!found)
            return true;
        BUG_ON(!group_at(sweep, number, &begin, &end));
        for (size_t i = begin; i < end; i++)
            bitset_set(&sweep->accepted, i);
        sweep->next = begin;
        sweep->measure = measure_text(sweep->text);
        *ret_changed = true;
    }
    return true;
}

bool sweep_atoms(Interestingness *test, const Atoms *atoms, const Rule *rule, const Tree *tree, Str *text,
                 bool *ret_changed, Error *err) {
    if (!atoms->count)
        return true;
    Sweep sweep = {.atoms = atoms,
                   .tree = tree,
                   .text = text,
                   .may_grow = rule->may_grow,
                   .measure = measure_tokens(&tree->tokens)};
    bitset_init(&sweep.accepted, atoms->count);
    bitset_init(&sweep.candidate, atoms->count);
    bool ok = true;
    for (size_t size = rule->single ? 1 : atoms->count; ok && size && !interesting_stopped(test); size /= 2) {
        sweep.size = size;
        ok = sweep_size(test, &sweep, ret_changed, err);
    }
    bitset_release(&sweep.accepted);
    bitset_release(&sweep.candidate);
    return ok;
}

bool sweep(Interestingness *test, const Rule *rule, const Tree *tree, Str *text, bool *ret_changed, Error *err) {
    CLEANUP(atoms_release) Atoms atoms = {0};
    rule->propose(tree, &atoms);
    return sweep_atoms(test, &atoms, rule, tree, text, ret_changed, err);
}
