/* Atoms: small changes of one text that can be made alone or together.
 *
 * A rule proposes atoms; a sweep looks for the largest selection of them that keeps the bug. An atom has one or more
 * edits (dropping a parameter edits the function and every call). Selected atoms may overlap: an edit inside the range
 * of another is swallowed by it, so "remove the block" and "remove its statements" go together.
 */
#ifndef REDUCE_ATOMS_H
#define REDUCE_ATOMS_H

#include "base/arena.h"
#include "base/bitset.h"
#include "base/str.h"
#include "base/vec.h"

typedef struct AtomEdit {
    uint32_t begin, end; /* bytes of the text that go */
    const char *text;    /* what comes instead */
    uint32_t atom;
} AtomEdit;

typedef struct Atoms {
    Arena arena;
    Vec(AtomEdit) edits; /* those of one atom stand together */
    size_t count;        /* of atoms */
} Atoms;

/* Starts a new atom; then its edits. Texts are copied. */
void atoms_begin(Atoms *atoms);
void atoms_edit(Atoms *atoms, uint32_t begin, uint32_t end, const char *text, size_t len);
/* An atom of one edit. */
void atoms_replace(Atoms *atoms, uint32_t begin, uint32_t end, const char *text);
void atoms_remove(Atoms *atoms, uint32_t begin, uint32_t end);
void atoms_release(Atoms *atoms);

/* Appends the text with the selected atoms' edits made. False if that changes nothing. */
bool atoms_apply(const Atoms *atoms, const Bitset *selected, const char *text, size_t len, Str *ret_text);

#endif
