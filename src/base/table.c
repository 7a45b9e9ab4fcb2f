#include "base/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/vec.h"

typedef struct Row {
    char **cells;
    size_t len;
} Row;

struct Table {
    Arena arena;
    size_t columns;
    const char **names;
    TableAlign *align;
    Vec(Row) rows;
};

Table *table_new(const char *const *columns) {
    Table *table = mem_zalloc(1, sizeof *table);
    while (columns[table->columns])
        table->columns++;
    table->names = arena_array(&table->arena, const char *, table->columns);
    table->align = arena_array(&table->arena, TableAlign, table->columns);
    for (size_t i = 0; i < table->columns; i++) {
        bool right = columns[i][0] == '>';
        table->align[i] = right ? TABLE_RIGHT : TABLE_LEFT;
        table->names[i] = arena_strdup(&table->arena, columns[i] + right);
    }
    return table;
}

void table_free(Table *table) {
    if (!table)
        return;
    vec_release(&table->rows);
    arena_release(&table->arena);
    free(table);
}

void table_row(Table *table) {
    vec_push(&table->rows, (Row){.cells = arena_array(&table->arena, char *, table->columns)});
}

void table_cell(Table *table, const char *format, ...) {
    Row *row = &vec_last(&table->rows);
    BUG_ON(row->len >= table->columns);
    CLEANUP(str_release) Str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    row->cells[row->len++] = arena_strdup(&table->arena, str_text(&text));
}

size_t text_width(const char *text) {
    size_t width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

size_t terminal_width(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 0;
}

static const char *cell_text(const Row *row, size_t column) { return column < row->len ? row->cells[column] : ""; }

static void append_padding(Str *text, size_t count) {
    while (count--)
        str_append_char(text, ' ');
}

/* Appends `cell`, cut to `limit` columns with an ellipsis if it is wider; 0 means no limit. */
static void append_cut(Str *text, const char *cell, size_t limit) {
    if (!limit || text_width(cell) <= limit) {
        str_append(text, cell);
        return;
    }
    size_t bytes = 0;
    for (size_t columns = 0; columns + 1 < limit || (cell[bytes] & 0xc0) == 0x80; bytes++)
        columns += (cell[bytes + 1] & 0xc0) != 0x80;
    str_append_n(text, cell, bytes);
    str_append(text, "…");
}

static void append_line(const Table *table, const size_t *widths, size_t limit, const Row *row, Str *text) {
    size_t used = 0;
    for (size_t i = 0; i < table->columns; i++) {
        bool last = i + 1 == table->columns;
        const char *cell = cell_text(row, i);
        size_t width = text_width(cell), pad = widths[i] - width;
        if (table->align[i] == TABLE_RIGHT)
            append_padding(text, pad);
        append_cut(text, cell, last && limit > used + 1 ? limit - used : 0);
        if (!last && table->align[i] == TABLE_LEFT)
            append_padding(text, pad);
        if (!last)
            str_append(text, "  ");
        used += widths[i] + 2;
    }
    str_trim(text);
    str_append_char(text, '\n');
}

void table_format(const Table *table, size_t width, bool color, Str *ret_text) {
    CLEANUP(mem_freep) size_t *widths = mem_zalloc(table->columns, sizeof *widths);
    Row heading = {.cells = (char **)table->names, .len = table->columns};
    for (size_t i = 0; i < table->columns; i++) {
        widths[i] = text_width(table->names[i]);
        for (size_t r = 0; r < table->rows.len; r++)
            widths[i] = MAX_OF(widths[i], text_width(cell_text(&table->rows.items[r], i)));
    }
    if (color)
        str_append(ret_text, "\033[1m");
    append_line(table, widths, width, &heading, ret_text);
    if (color)
        str_append(ret_text, "\033[0m");
    for (size_t r = 0; r < table->rows.len; r++)
        append_line(table, widths, width, &table->rows.items[r], ret_text);
}
