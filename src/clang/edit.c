#include "clang/edit.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void edits_add(EditList *edits, uint32_t at, uint32_t len, const char *text) {
    vec_push(edits, (Edit){.at = at, .len = len, .text = mem_strdup(text)});
}

void edits_addf(EditList *edits, uint32_t at, uint32_t len, const char *format, ...) {
    Str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    vec_push(edits, (Edit){.at = at, .len = len, .text = str_detach(&text)});
}

/* Insertion sort: stable, and the lists are short. */
static void sort_edits(Edit *edits, size_t count) {
    for (size_t i = 1; i < count; i++) {
        Edit edit = edits[i];
        size_t j = i;
        for (; j > 0 && edits[j - 1].at > edit.at; j--)
            edits[j] = edits[j - 1];
        edits[j] = edit;
    }
}

static bool edits_fit(const Edit *edits, size_t count, size_t len) {
    uint64_t from = 0;
    for (size_t i = 0; i < count; i++) {
        if (edits[i].at < from || (uint64_t)edits[i].at + edits[i].len > len)
            return false;
        from = (uint64_t)edits[i].at + edits[i].len;
    }
    return true;
}

bool edits_apply(const EditList *edits, const char *text, size_t len, Str *ret_text) {
    CLEANUP(mem_freep) Edit *sorted = mem_dup(edits->items, edits->len * sizeof(Edit));
    sort_edits(sorted, edits->len);
    if (!edits_fit(sorted, edits->len, len))
        return false;
    size_t at = 0;
    for (size_t i = 0; i < edits->len; i++) {
        str_append_n(ret_text, text + at, sorted[i].at - at);
        str_append(ret_text, sorted[i].text);
        at = (size_t)sorted[i].at + sorted[i].len;
    }
    str_append_n(ret_text, text + at, len - at);
    return true;
}

void edits_clear(EditList *edits) {
    for (size_t i = 0; i < edits->len; i++)
        free(edits->items[i].text);
    vec_clear(edits);
}

void edits_release(EditList *edits) {
    edits_clear(edits);
    vec_release(edits);
}

uint32_t text_line(const char *text, size_t len, uint32_t offset) {
    uint32_t line = 1;
    for (size_t i = 0; i < offset && i < len; i++)
        line += text[i] == '\n';
    return line;
}
