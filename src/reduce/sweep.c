/* Groups of neighbouring atoms are tried from the last to the first (uses come after declarations), then groups of half
 * the size, down to single atoms: the schedule of delta debugging (Zeller and Hildebrandt 2002) without complements, as in
 * C-Reduce (Regehr et al., PLDI 2012). Unlike there, what was accepted stays selected and all edits refer to the text
 * the sweep began with, so nothing has to be parsed again until the sweep ends.
 */
#include "reduce/sweep.h"

#include <string.h>

/* How large a text is, layout apart. */
typedef struct Measure {
    size_t tokens, bytes;
} Measure;

static Measure measure_of(const Str *text) {
    TokenList tokens = {0};
    lex(str_text(text), text->len, &tokens);
    Measure measure = {.tokens = tokens.len};
    for (size_t i = 0; i < tokens.len; i++)
        measure.bytes += tokens.items[i].end - tokens.items[i].begin;
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
    const Str *base;  /* the text that the atoms refer to */
    Bitset accepted;  /* atoms made so far */
    size_t size;      /* of the groups tried now */
    size_t next;      /* groups end here: atoms [next - size, next) are tried next, then downwards */
    Bitset candidate; /* scratch */
    size_t may_grow;  /* tokens, at a step */
    Str current;      /* the text with all that was accepted */
    Measure measure;
} Sweep;

/* Where the group with this number, counted from the current state, lies; false where this size is through. */
static bool group_at(const Sweep *sweep, size_t number, size_t *ret_begin, size_t *ret_end) {
    if (number * sweep->size >= sweep->next)
        return false;
    *ret_end = sweep->next - number * sweep->size;
    *ret_begin = *ret_end > sweep->size ? *ret_end - sweep->size : 0;
    return true;
}

static bool candidate(void *context, size_t number, Str *ret_text) {
    Sweep *sweep = context;
    size_t begin, end;
    if (!group_at(sweep, number, &begin, &end))
        return false;
    bitset_copy(&sweep->candidate, &sweep->accepted);
    for (size_t i = begin; i < end; i++)
        bitset_set(&sweep->candidate, i);
    atoms_apply(sweep->atoms, &sweep->candidate, str_text(sweep->base), sweep->base->len, ret_text);
    Measure measure = measure_of(ret_text);
    bool allowed = sweep->may_grow ? measure.tokens <= sweep->measure.tokens + sweep->may_grow
                                   : is_smaller(measure, ret_text, sweep->measure, &sweep->current);
    if (!allowed)
        str_clear(ret_text); /* empty candidates are passed over */
    return true;
}

static void go_on_from(Sweep *sweep, const Str *text) {
    str_clear(&sweep->current);
    str_append_n(&sweep->current, str_text(text), text->len);
    sweep->measure = measure_of(text);
}

/* All groups of the current size; each success goes on below the group that was accepted. */
static bool sweep_size(Interestingness *test, Sweep *sweep, Str *text, bool *ret_changed, Error *err) {
    sweep->next = sweep->atoms->count;
    while (sweep->next) {
        size_t number, begin, end;
        bool found;
        if (!interesting_first(test, candidate, sweep, &number, text, &found, err))
            return false;
        if (!found)
            return true;
        BUG_ON(!group_at(sweep, number, &begin, &end));
        for (size_t i = begin; i < end; i++)
            bitset_set(&sweep->accepted, i);
        sweep->next = begin;
        go_on_from(sweep, text);
        *ret_changed = true;
    }
    return true;
}

bool sweep_atoms(Interestingness *test, const Atoms *atoms, const Rule *rule, Str *text, bool *ret_changed,
                 Error *err) {
    if (!atoms->count)
        return true;
    CLEANUP(str_release) Str base = {0};
    str_append_n(&base, str_text(text), text->len);
    Sweep sweep = {.atoms = atoms, .base = &base, .may_grow = rule->may_grow};
    go_on_from(&sweep, text);
    bitset_init(&sweep.accepted, atoms->count);
    bitset_init(&sweep.candidate, atoms->count);
    bool ok = true;
    for (size_t size = rule->single ? 1 : atoms->count; ok && size && !interesting_stopped(test); size /= 2) {
        sweep.size = size;
        ok = sweep_size(test, &sweep, text, ret_changed, err);
    }
    bitset_release(&sweep.accepted);
    bitset_release(&sweep.candidate);
    str_release(&sweep.current);
    return ok;
}

bool sweep(Interestingness *test, const Rule *rule, Parser *parser, Str *text, bool *ret_changed, Error *err) {
    CLEANUP(atoms_release) Atoms atoms = {0};
    CLEANUP(str_release) Str parsed = {0};
    str_append_n(&parsed, str_text(text), text->len);
    CLEANUP(tree_freep) Tree *tree = parser_parse(parser, str_text(&parsed), parsed.len, err);
    if (!tree)
        return false;
    rule->propose(tree, &atoms);
    return sweep_atoms(test, &atoms, rule, text, ret_changed, err);
}
