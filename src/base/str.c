#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void str_reserve(Str *str, size_t extra) {
    size_t needed = str->len + extra + 1;
    BUG_ON(needed <= extra);
    if (needed <= str->cap)
        return;
    str->cap = MAX_OF(needed, str->cap * 2);
    str->cap = MAX_OF(str->cap, (size_t)64);
    str->data = mem_realloc(str->data, str->cap, 1);
    str->data[str->len] = '\0';
}

void str_append_n(Str *str, const char *bytes, size_t len) {
    str_reserve(str, len);
    if (len)
        memcpy(str->data + str->len, bytes, len);
    str->len += len;
    str->data[str->len] = '\0';
}

void str_append(Str *str, const char *text) { str_append_n(str, text, strlen(text)); }

void str_append_str(Str *str, const Str *other) { str_append_n(str, str_text(other), other->len); }

void str_append_char(Str *str, char c) { str_append_n(str, &c, 1); }

void str_append_u64(Str *str, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    str_append_n(str, digits + at, sizeof digits - at);
}

void str_append_i64(Str *str, int64_t value) {
    if (value < 0)
        str_append_char(str, '-');
    str_append_u64(str, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void str_vprintf(Str *str, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    BUG_ON(len < 0);
    str_reserve(str, (size_t)len);
    vsnprintf(str->data + str->len, (size_t)len + 1, format, again);
    va_end(again);
    str->len += (size_t)len;
}

void str_printf(Str *str, const char *format, ...) {
    va_list args;
    va_start(args, format);
    str_vprintf(str, format, args);
    va_end(args);
}

void str_insert(Str *str, size_t at, const char *bytes, size_t len) {
    BUG_ON(at > str->len);
    str_reserve(str, len);
    memmove(str->data + at + len, str->data + at, str->len - at + 1);
    if (len)
        memcpy(str->data + at, bytes, len);
    str->len += len;
}

void str_remove(Str *str, size_t at, size_t len) {
    BUG_ON(at > str->len || len > str->len - at);
    if (!len)
        return;
    memmove(str->data + at, str->data + at + len, str->len - at - len + 1);
    str->len -= len;
}

void str_truncate(Str *str, size_t len) {
    BUG_ON(len > str->len);
    if (!str->data)
        return;
    str->len = len;
    str->data[len] = '\0';
}

void str_trim(Str *str) {
    size_t len = str->len;
    while (len && isspace((unsigned char)str->data[len - 1]))
        len--;
    str_truncate(str, len);
}

void str_clear(Str *str) { str_truncate(str, 0); }

void str_release(Str *str) {
    free(str->data);
    *str = (Str){0};
}

char *str_detach(Str *str) {
    str_reserve(str, 0);
    char *data = str->data;
    *str = (Str){0};
    return data;
}

bool str_equal(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

bool str_starts(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

bool str_ends(const char *text, const char *suffix) {
    size_t len = strlen(text), suffix_len = strlen(suffix);
    return len >= suffix_len && strcmp(text + len - suffix_len, suffix) == 0;
}

bool str_is_any(const char *text, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    return false;
}

bool str_starts_any(const char *text, const char *const *prefixes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (str_starts(text, prefixes[i]))
            return true;
    return false;
}

const char *str_next_line(const char **text, size_t *ret_len) {
    const char *line = *text;
    if (!*line)
        return NULL;
    *ret_len = strcspn(line, "\n");
    *text += *ret_len + (line[*ret_len] == '\n');
    return line;
}

void str_append_shell(Str *str, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%^";
    if (*word && strspn(word, plain) == strlen(word)) {
        str_append(str, word);
        return;
    }
    str_append_char(str, '\'');
    for (; *word; word++)
        if (*word == '\'')
            str_append(str, "'\\''");
        else
            str_append_char(str, *word);
    str_append_char(str, '\'');
}
