/* Edits: replacements in a text, applied together; and the difference of two texts as people read it. */
#ifndef CLANG_EDIT_H
#define CLANG_EDIT_H

#include "base/str.h"
#include "base/vec.h"

typedef struct Edit {
    uint32_t at, len; /* bytes of the old text that go; len 0 inserts */
    char *text;       /* what comes in their place; owned */
} Edit;

typedef Vec(Edit) EditList;

void edits_add(EditList *edits, uint32_t at, uint32_t len, const char *text); /* copies text */
void edits_addf(EditList *edits, uint32_t at, uint32_t len, const char *format, ...) PRINTF_LIKE(4, 5);
/* Appends the changed text. Edits may come in any order; those at the same place are applied in the order given. False,
 * with nothing appended, if two of them overlap or one reaches past the end. */
bool edits_apply(const EditList *edits, const char *text, size_t len, Str *ret_text);
void edits_clear(EditList *edits);
void edits_release(EditList *edits);

uint32_t text_line(const char *text, size_t len, uint32_t offset); /* counted from 1 */

/* Appends a unified diff with three lines of context, nothing if the texts are equal. */
void text_diff(const char *old_name, const char *old_text, const char *new_name, const char *new_text, Str *ret_diff);

#endif
