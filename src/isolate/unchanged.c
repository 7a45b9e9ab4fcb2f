#include "isolate/unchanged.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* Runs of blanks and line ends become one blank, so that a function that was only indented anew is the same. */
static void squeeze(const char *text, size_t len, Str *ret_text) {
    bool gap = false;
    for (size_t i = 0; i < len; i++) {
        if (isspace((unsigned char)text[i])) {
            gap = true;
            continue;
        }
        if (gap && ret_text->len)
            str_append_char(ret_text, ' ');
        str_append_char(ret_text, text[i]);
        gap = false;
    }
}

/* The file in the other tree, squeezed; false if there is none. */
static bool read_counterpart(const char *root, const char *name, Str *ret_text) {
    CLEANUP(str_release) Str renamed = {0}, text = {0};
    CLEANUP(mem_freep) char *path = path_of(root, name);
    if (!file_exists(path)) {
        str_append(&renamed, path);
        if (str_ends(name, ".cc"))
            str_truncate(&renamed, renamed.len - 1);
        else if (str_ends(name, ".c"))
            str_append_char(&renamed, 'c');
    }
    if (!file_exists(renamed.len ? str_text(&renamed) : path) ||
        !file_read(renamed.len ? str_text(&renamed) : path, &text, NULL))
        return false;
    squeeze(str_text(&text), text.len, ret_text);
    return true;
}

/* A function goes from its line to the first bracket at the margin: both GCC and LLVM write them so. */
static size_t function_end(const char *start) {
    const char *end = strstr(start, "\n}");
    return end ? (size_t)(end - start) + 2 : strlen(start);
}

static void compare_file(const UnitTable *units, uint32_t file, const bool *covered, const char *text, const Str *good,
                         Clues *ret_clues) {
    CLEANUP(str_release) Str function = {0};
    Vec(const char *) lines = {0};
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        vec_push(&lines, line);
    for (uint32_t f = 0; f < units->function_count; f++) {
        uint32_t line = units->functions[f].line;
        if (!covered[f] || units->functions[f].file != file || line == 0 || line > lines.len)
            continue;
        const char *start = lines.items[line - 1];
        str_clear(&function);
        squeeze(start, function_end(start), &function);
        if (function.len && strstr(str_text(good), str_text(&function)))
            clues_add(ret_clues, CLUE_UNCHANGED, 1, unit_file_name(units, file), unit_function_name(units, f), NULL);
    }
    vec_release(&lines);
}

bool unchanged_functions(const UnitTable *units, const Bitset *suspects, const char *source_root, const char *good_root,
                         Clues *ret_clues, Error *err) {
    if (!dir_exists(good_root))
        return error_set(err, "there is no directory %s to compare the sources with", good_root);
    bool *covered = mem_zalloc(units->function_count + 1, sizeof *covered);
    bool *files = mem_zalloc(units->file_count + 1, sizeof *files);
    for (size_t s = bitset_next(suspects, 0); s < suspects->bits; s = bitset_next(suspects, s + 1)) {
        covered[units->units[s].function] = true;
        files[units->units[s].file] = true;
    }
    for (uint32_t f = 0; f < units->file_count; f++) {
        CLEANUP(str_release) Str text = {0}, good = {0};
        CLEANUP(mem_freep) char *path = path_of(source_root, unit_file_name(units, f));
        if (files[f] && read_counterpart(good_root, unit_file_name(units, f), &good) && file_exists(path) &&
            file_read(path, &text, NULL))
            compare_file(units, f, covered, str_text(&text), &good, ret_clues);
    }
    free(covered);
    free(files);
    return true;
}
