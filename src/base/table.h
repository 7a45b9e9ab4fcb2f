/* Tables for terminals: columns as wide as their widest cell, numbers to the right, the last column cut to the screen. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/str.h"

typedef enum TableAlign { TABLE_LEFT, TABLE_RIGHT } TableAlign;

typedef struct Table Table;

/* `columns` such as "file", ">score": a leading '>' aligns right. NULL ends the list. */
Table *table_new(const char *const *columns);
void table_free(Table *table);
DEFINE_FREEP(Table, table_free)

/* Adds one row; every cell takes a call. Missing cells are empty. */
void table_row(Table *table);
void table_cell(Table *table, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends the table; `width` 0 means no limit; with `color` the heading is bold. */
void table_format(const Table *table, size_t width, bool color, Str *ret_text);

size_t text_width(const char *text); /* columns on a terminal: code points, not bytes */
size_t terminal_width(int fd);       /* 0 if fd is no terminal */

#endif
