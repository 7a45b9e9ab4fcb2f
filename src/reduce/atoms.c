#include "reduce/atoms.h"

#include <stdlib.h>
#include <string.h>

void atoms_begin(Atoms *atoms) { atoms->count++; }

void atoms_edit(Atoms *atoms, uint32_t begin, uint32_t end, const char *text, size_t len) {
    BUG_ON(!atoms->count || begin > end);
    vec_push(&atoms->edits,
             (AtomEdit){begin, end, arena_strndup(&atoms->arena, text, len), (uint32_t)(atoms->count - 1)});
}

void atoms_replace(Atoms *atoms, uint32_t begin, uint32_t end, const char *text) {
    atoms_begin(atoms);
    atoms_edit(atoms, begin, end, text, strlen(text));
}

void atoms_remove(Atoms *atoms, uint32_t begin, uint32_t end) { atoms_replace(atoms, begin, end, ""); }

void atoms_release(Atoms *atoms) {
    arena_release(&atoms->arena);
    vec_release(&atoms->edits);
    atoms->count = 0;
}

/* By place; of edits that start together the widest first, then in the order they were proposed. */
static int by_place(const void *left, const void *right) {
    const AtomEdit *a = *(const AtomEdit *const *)left, *b = *(const AtomEdit *const *)right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* A replacement that only wraps or keeps a part of its range would lose edits inside; they are tried again later. */
bool atoms_apply(const Atoms *atoms, const Bitset *selected, const char *text, size_t len, Str *ret_text) {
    Vec(const AtomEdit *) edits = {0};
    for (size_t i = 0; i < atoms->edits.len; i++)
        if (bitset_get(selected, atoms->edits.items[i].atom))
            vec_push(&edits, &atoms->edits.items[i]);
    if (edits.len)
        qsort(edits.items, edits.len, sizeof *edits.items, by_place);
    size_t start = ret_text->len, at = 0;
    for (size_t i = 0; i < edits.len; i++) {
        const AtomEdit *edit = edits.items[i];
        if (edit->begin < at)
            continue;
        str_append_n(ret_text, text + at, edit->begin - at);
        /* Two words must not grow together when something between them goes. */
        if (!*edit->text && edit->end > edit->begin)
            str_append_char(ret_text, ' ');
        str_append(ret_text, edit->text);
        at = edit->end;
    }
    vec_release(&edits);
    str_append_n(ret_text, text + at, len - at);
    return ret_text->len - start != len || memcmp(ret_text->data + start, text, len) != 0;
}
