#include "sequence/exclude.h"

#include <string.h>

#include "base/map.h"

static bool is_pass(const Pass *pass, const char *name) {
    size_t len = pass_name_len(pass->text);
    return strlen(name) == len && memcmp(pass->text, name, len) == 0;
}

/* "first second" of every ordered pair, once per sequence; "first" alone for a sequence of one. */
static void count_pairs(const Pipeline *sequence, Map *counts) {
    Map seen = {0};
    for (size_t i = 0; i < sequence->len; i++)
        for (size_t k = sequence->len == 1 ? i : i + 1; k < sequence->len; k++) {
            CLEANUP(str_release) Str pair = {0};
            const char *first = sequence->items[i].text, *second = sequence->items[k].text;
            str_append_n(&pair, first, pass_name_len(first));
            if (k > i)
                str_printf(&pair, " %.*s", (int)pass_name_len(second), second);
            bool is_new;
            map_insert_str(&seen, pair.data, &is_new);
            if (is_new)
                map_insert_str(counts, pair.data, NULL)->value++;
        }
    map_release(&seen);
}

bool exclusion_find(const Pipeline *reduced, size_t count, size_t after, Arena *arena, Exclusion *ret_exclusion) {
    Map counts = {0};
    const MapEntry *best = NULL;
    for (size_t i = 0; i < count; i++)
        count_pairs(&reduced[i], &counts);
    for (size_t i = 0; i < counts.len; i++)
        if (!best || counts.entries[i].value > best->value)
            best = &counts.entries[i];
    bool found = best && best->value >= after;
    if (found) {
        const char *space = strchr(best->key, ' ');
        *ret_exclusion = (Exclusion){
            .first = arena_strndup(arena, best->key, space ? (size_t)(space - best->key) : strlen(best->key)),
            .second = space ? arena_strdup(arena, space + 1) : NULL,
            .hits = best->value,
        };
    }
    map_release(&counts);
    return found;
}

/* Where the last occurrence of `name` is; the length where there is none. */
static size_t last_of(const Pipeline *sequence, const char *name) {
    for (size_t i = sequence->len; i > 0; i--)
        if (is_pass(&sequence->items[i - 1], name))
            return i - 1;
    return sequence->len;
}

static size_t first_of(const Pipeline *sequence, const char *name) {
    size_t i = 0;
    while (i < sequence->len && !is_pass(&sequence->items[i], name))
        i++;
    return i;
}

bool exclusion_matches(const Exclusion *exclusion, const Pipeline *sequence) {
    size_t first = first_of(sequence, exclusion->first);
    if (!exclusion->second || first == sequence->len)
        return first < sequence->len;
    size_t last = last_of(sequence, exclusion->second);
    return last < sequence->len && last > first;
}

static void drop(Pipeline *sequence, const char *name, size_t from, size_t to) {
    size_t kept = from;
    for (size_t i = from; i < sequence->len; i++)
        if (i >= to || !is_pass(&sequence->items[i], name))
            sequence->items[kept++] = sequence->items[i];
    sequence->len = kept;
}

void exclusions_apply(const Exclusions *exclusions, Rng *rng, Pipeline *sequence) {
    for (size_t i = 0; i < exclusions->len; i++) {
        const Exclusion *row = &exclusions->items[i];
        if (!exclusion_matches(row, sequence))
            continue;
        if (!row->second)
            drop(sequence, row->first, 0, sequence->len);
        else if (rng_chance(rng, 50))
            drop(sequence, row->second, first_of(sequence, row->first) + 1, sequence->len);
        else
            drop(sequence, row->first, 0, last_of(sequence, row->second));
    }
}
