/* Delta debugging over the positions of a sequence.
 *
 * The paper (Jiang et al., CTOS, TSE 2021, section 4.2) removes one pass after the other until none can be removed: about
 * n questions a round, for n = 50 to 200 and one to five passes that matter. We get to the same end state, a sequence from
 * which no single pass can be removed, by removing parts (ddmin, Zeller and Hildebrandt 2002, the complements):
 *
 *   for part = n/2, n/4, …, 1:
 *     ask at once what happens without each part; m of them, without which the bug shows, are loose
 *     ask at once what happens without the first 2, 3, …, m loose parts; take the most that may go together
 *     again with parts of this size, until none is loose
 *
 * Two rounds of one batch each thus remove every part that does not matter, where ddmin removes one part and begins again.
 * The group search of src/switches does not serve here: it finds single switches that hide the bug, and in a sequence two
 * passes may stand in for each other, so that neither hides it and only one can go.
 *
 * Simplification has the same shape with rewritings of single passes in place of parts.
 */
#include "reduce/sequence.h"

#include "base/map.h"
#include "base/strlist.h"

typedef Vec(Pipeline) Pipelines;

typedef struct Search {
    SequenceAsk *ask;
    void *context;
    Map known; /* printed candidates, value 1 where the bug shows */
} Search;

static void pipelines_release(Pipelines *pipelines) {
    for (size_t i = 0; i < pipelines->len; i++)
        vec_release(&pipelines->items[i]);
    vec_release(pipelines);
}

/* Asks about what is not known yet, each once, in one batch. */
static bool ask_all(Search *search, const Pipelines *candidates, bool *ret_shows, Error *err) {
    Vec(Pipeline) unknown = {0}; /* borrowed */
    Vec(size_t) entries = {0};   /* in `known`, of the candidates and then of the unknown ones */
    CLEANUP(str_release) Str key = {0};
    for (size_t i = 0; i < candidates->len; i++) {
        bool is_new;
        str_clear(&key);
        pipeline_print(&candidates->items[i], (PipelineStyle){0}, &key);
        vec_push(&entries, (size_t)(map_insert(&search->known, key.data, key.len, &is_new) - search->known.entries));
        if (is_new && candidates->items[i].len > 0)
            vec_push(&unknown, candidates->items[i]);
    }
    bool *shows = mem_zalloc(unknown.len + 1, sizeof(*shows));
    bool ok = (!unknown.len || search->ask(search->context, unknown.items, unknown.len, shows, err));
    for (size_t i = 0; ok && i < unknown.len; i++) {
        str_clear(&key);
        pipeline_print(&unknown.items[i], (PipelineStyle){0}, &key);
        map_find(&search->known, key.data, key.len)->value = shows[i];
    }
    for (size_t i = 0; ok && i < candidates->len; i++)
        ret_shows[i] = search->known.entries[entries.items[i]].value;
    free(shows);
    vec_release(&unknown);
    vec_release(&entries);
    return ok;
}

/* --- One round: single changes, then as many of the good ones together as go --- */

/* The passes [first, first + count) become `pass`, or nothing where it has no text. */
typedef struct Change {
    size_t first, count;
    Pass pass;
} Change;

typedef Vec(Change) Changes; /* in ascending order; several may be about the same passes */

static void apply(const Pipeline *current, const Changes *changes, const size_t *chosen, size_t chosen_count,
                  Pipeline *ret_candidate) {
    size_t at = 0;
    for (size_t i = 0; i < chosen_count; i++) {
        const Change *change = &changes->items[chosen[i]];
        if (change->first < at)
            continue; /* the passes are changed already */
        for (; at < change->first; at++)
            vec_push(ret_candidate, current->items[at]);
        if (change->pass.text)
            vec_push(ret_candidate, change->pass);
        at += change->count;
    }
    for (; at < current->len; at++)
        vec_push(ret_candidate, current->items[at]);
}

static bool take_changes(Search *search, const Changes *changes, Pipeline *current, bool *ret_changed, Error *err) {
    Pipelines singles = {0}, unions = {0};
    Vec(size_t) good = {0};
    bool *shows = mem_zalloc(changes->len + 1, sizeof(*shows));
    for (size_t i = 0; i < changes->len; i++) {
        vec_push(&singles, (Pipeline){0});
        apply(current, changes, &i, 1, &vec_last(&singles));
    }
    bool ok = ask_all(search, &singles, shows, err);
    for (size_t i = 0; ok && i < changes->len; i++)
        if (shows[i])
            vec_push(&good, i);
    for (size_t i = 0; i < good.len; i++) {
        vec_push(&unions, (Pipeline){0});
        apply(current, changes, good.items, i + 1, &vec_last(&unions));
    }
    ok = ok && ask_all(search, &unions, shows, err); /* the first of them is known already, and shows the bug */
    *ret_changed = false;
    for (size_t i = good.len; ok && i-- > 0 && !*ret_changed;)
        if (shows[i]) {
            vec_release(current);
            *current = unions.items[i];
            unions.items[i] = (Pipeline){0};
            *ret_changed = true;
        }
    free(shows);
    vec_release(&good);
    pipelines_release(&singles);
    pipelines_release(&unions);
    return ok;
}

/* --- The two searches --- */

static bool remove_parts(Search *search, Pipeline *current, Error *err) {
    bool ok = true;
    for (size_t part = MAX_OF(current->len / 2, 1); ok && part >= 1 && current->len > 1;) {
        Changes changes = {0};
        bool removed;
        for (size_t at = 0; at < current->len; at += part)
            vec_push(&changes, (Change){.first = at, .count = MIN_OF(part, current->len - at)});
        ok = take_changes(search, &changes, current, &removed, err);
        if (!removed)
            part /= 2;
        else
            part = MIN_OF(part, MAX_OF(current->len / 2, 1));
        vec_release(&changes);
    }
    return ok;
}

bool sequence_reduce(const Pipeline *pipeline, SequenceAsk *ask, void *context, Pipeline *ret_smallest, Error *err) {
    Search search = {.ask = ask, .context = context};
    Pipeline current = {0};
    for (size_t i = 0; i < pipeline->len; i++)
        vec_push(&current, pipeline->items[i]);
    bool ok = remove_parts(&search, &current, err);
    map_release(&search.known);
    if (ok)
        *ret_smallest = current;
    else
        vec_release(&current);
    return ok;
}

/* "a<x;y;z>" gives "a", then "a<y;z>", "a<x;z>" and "a<x;y>". */
static void add_plainer_texts(const Pipeline *pipeline, size_t at, Arena *arena, Changes *changes) {
    CLEANUP(strlist_release) StrList parameters = {0};
    const Pass *pass = &pipeline->items[at];
    size_t name = pass_name_len(pass->text), len = strlen(pass->text);
    if (name + 2 > len)
        return;
    Change change = {at, 1, {pass->kind, arena_strndup(arena, pass->text, name)}};
    vec_push(changes, change);
    const char *inside = arena_strndup(arena, pass->text + name + 1, len - name - 2);
    strlist_split(&parameters, inside, ';');
    for (size_t left_out = 0; parameters.len > 1 && left_out < parameters.len; left_out++) {
        CLEANUP(str_release) Str text = {0};
        str_append_n(&text, pass->text, name);
        for (size_t i = 0, written = 0; i < parameters.len; i++)
            if (i != left_out)
                str_printf(&text, "%c%s", written++ ? ';' : '<', parameters.items[i]);
        str_append_char(&text, '>');
        change.pass.text = arena_strdup(arena, text.data);
        vec_push(changes, change);
    }
}

bool sequence_simplify(const Pipeline *pipeline, Arena *arena, SequenceAsk *ask, void *context, Pipeline *ret_plain,
                       Error *err) {
    Search search = {.ask = ask, .context = context};
    Pipeline current = {0};
    bool ok = true, changed = true;
    for (size_t i = 0; i < pipeline->len; i++)
        vec_push(&current, pipeline->items[i]);
    /* Every change makes a text shorter or a kind simpler, so that this ends. */
    while (ok && changed) {
        Changes changes = {0};
        for (size_t i = 0; i < current.len; i++) {
            add_plainer_texts(&current, i, arena, &changes);
            if (current.items[i].kind == PASS_LOOP_MSSA)
                vec_push(&changes, (Change){i, 1, {PASS_LOOP, current.items[i].text}});
        }
        ok = take_changes(&search, &changes, &current, &changed, err);
        vec_release(&changes);
        /* A pass may have been needed for the sake of a parameter. */
        ok = ok && (!changed || remove_parts(&search, &current, err));
    }
    map_release(&search.known);
    if (ok)
        *ret_plain = current;
    else
        vec_release(&current);
    return ok;
}
