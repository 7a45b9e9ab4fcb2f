/* StrList: an owned, NULL-terminated list of strings: argument vectors, file names, environment entries. */
#ifndef BASE_STRLIST_H
#define BASE_STRLIST_H

#include "base/error.h"
#include "base/str.h"

/* items[len] is NULL whenever items is not NULL, so items can be passed to execve. A zeroed StrList is empty. */
typedef struct StrList {
    char **items;
    size_t len, cap;
} StrList;

void strlist_add(StrList *list, const char *text);
void strlist_add_once(StrList *list, const char *text); /* unless it is there */
void strlist_add_n(StrList *list, const char *text, size_t len);
void strlist_addf(StrList *list, const char *format, ...) PRINTF_LIKE(2, 3);
void strlist_add_all(StrList *list, const StrList *other);
void strlist_insert(StrList *list, size_t at, const char *text);
void strlist_remove(StrList *list, size_t at);
bool strlist_contains(const StrList *list, const char *text);
void strlist_sort(StrList *list);                                         /* by bytes */
void strlist_split(StrList *list, const char *text, char separator);      /* "a,b" gives two, "" none */
bool strlist_split_shell(StrList *list, const char *command, Error *err); /* as a shell splits words; no expansion */
char *strlist_join(const StrList *list, const char *separator);           /* caller frees */
char *strlist_join_shell(const StrList *list);                            /* a line to paste; caller frees */
void strlist_clear(StrList *list);
void strlist_release(StrList *list);

#endif
