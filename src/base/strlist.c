#include "base/strlist.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Takes the heap string. */
static void insert_take(StrList *list, size_t at, char *text) {
    BUG_ON(at > list->len);
    if (list->len + 2 > list->cap) {
        list->cap = MAX_OF(list->cap * 2, (size_t)8);
        list->items = mem_realloc(list->items, list->cap, sizeof *list->items);
    }
    memmove(&list->items[at + 1], &list->items[at], (list->len - at) * sizeof *list->items);
    list->items[at] = text;
    list->items[++list->len] = NULL;
}

void strlist_add(StrList *list, const char *text) { insert_take(list, list->len, mem_strdup(text)); }

void strlist_add_n(StrList *list, const char *text, size_t len) {
    Str copy = {0};
    str_append_n(&copy, text, len);
    insert_take(list, list->len, str_detach(&copy));
}

void strlist_addf(StrList *list, const char *format, ...) {
    Str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    insert_take(list, list->len, str_detach(&text));
}

void strlist_add_all(StrList *list, const StrList *other) {
    for (size_t i = 0, n = other->len; i < n; i++)
        strlist_add(list, other->items[i]);
}

void strlist_insert(StrList *list, size_t at, const char *text) { insert_take(list, at, mem_strdup(text)); }

void strlist_remove(StrList *list, size_t at) {
    BUG_ON(at >= list->len);
    free(list->items[at]);
    memmove(&list->items[at], &list->items[at + 1], (list->len - at) * sizeof *list->items);
    list->len--;
}

bool strlist_contains(const StrList *list, const char *text) {
    for (size_t i = 0; i < list->len; i++)
        if (strcmp(list->items[i], text) == 0)
            return true;
    return false;
}

void strlist_add_once(StrList *list, const char *text) {
    if (!strlist_contains(list, text))
        strlist_add(list, text);
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void strlist_sort(StrList *list) {
    if (list->len)
        qsort(list->items, list->len, sizeof *list->items, compare);
}

void strlist_split(StrList *list, const char *text, char separator) {
    while (*text) {
        const char *end = strchr(text, separator);
        size_t len = end ? (size_t)(end - text) : strlen(text);
        strlist_add_n(list, text, len);
        text += len + (end != NULL);
    }
}

/* Reads one shell word at *cursor: bare characters, '…', "…" with backslashes, and \x. */
static bool read_word(const char **cursor, Str *word, Error *err) {
    char quote = 0;
    const char *at = *cursor;
    for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && quote != '\'' && at[1] && (!quote || strchr("\"\\$`", at[1])))
            str_append_char(word, *++at);
        else
            str_append_char(word, *at);
    }
    *cursor = at;
    return !quote || error_set(err, "a %c quote is not closed; close it", quote);
}

bool strlist_split_shell(StrList *list, const char *command, Error *err) {
    for (;;) {
        while (isspace((unsigned char)*command))
            command++;
        if (!*command)
            return true;
        CLEANUP(str_release) Str word = {0};
        if (!read_word(&command, &word, err))
            return false;
        strlist_add(list, str_text(&word));
    }
}

char *strlist_join(const StrList *list, const char *separator) {
    Str text = {0};
    for (size_t i = 0; i < list->len; i++) {
        if (i)
            str_append(&text, separator);
        str_append(&text, list->items[i]);
    }
    return str_detach(&text);
}

char *strlist_join_shell(const StrList *list) {
    Str text = {0};
    for (size_t i = 0; i < list->len; i++) {
        if (i)
            str_append_char(&text, ' ');
        str_append_shell(&text, list->items[i]);
    }
    return str_detach(&text);
}

void strlist_clear(StrList *list) {
    for (size_t i = 0; i < list->len; i++)
        free(list->items[i]);
    list->len = 0;
    if (list->items)
        list->items[0] = NULL;
}

void strlist_release(StrList *list) {
    strlist_clear(list);
    free(list->items);
    *list = (StrList){0};
}
