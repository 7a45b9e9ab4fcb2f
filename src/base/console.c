#include "base/console.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/table.h"

enum { LIVE_INTERVAL_MS = 100, PLAIN_INTERVAL_MS = 10000 };

struct Console {
    FILE *stream;
    ConsoleLevel verbosity;
    bool color;
    bool live;      /* a terminal: the status line is redrawn in place */
    bool line_open; /* a live status line stands on the screen */
    int64_t interval_ms;
    int64_t next_ms; /* when the status may be shown again */
    pthread_mutex_t lock;
};

static bool is_smart_terminal(FILE *stream) {
    const char *term = getenv("TERM");
    return isatty(fileno(stream)) && term && strcmp(term, "dumb") != 0;
}

bool color_enabled(FILE *stream, ColorMode mode) {
    if (mode != COLOR_AUTO)
        return mode == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR");
    return is_smart_terminal(stream) && !(no_color && *no_color);
}

Console *console_new(FILE *stream, ConsoleLevel verbosity, ColorMode color) {
    Console *console = mem_zalloc(1, sizeof *console);
    console->stream = stream;
    console->verbosity = verbosity;
    console->color = color_enabled(stream, color);
    console->live = is_smart_terminal(stream);
    console->interval_ms = console->live ? LIVE_INTERVAL_MS : PLAIN_INTERVAL_MS;
    /* Short work shows no plain status at all. */
    console->next_ms = clock_ms() + (console->live ? 0 : console->interval_ms);
    pthread_mutex_init(&console->lock, NULL);
    return console;
}

static void erase_line(Console *console) {
    if (console->line_open)
        fputs("\r\033[K", console->stream);
    console->line_open = false;
}

void console_free(Console *console) {
    if (!console)
        return;
    console_status_end(console);
    pthread_mutex_destroy(&console->lock);
    free(console);
}

static const char *label(const Console *console, ConsoleLevel level) {
    switch (level) {
    case CONSOLE_ERROR: return console->color ? "\033[1;31merror:\033[0m " : "error: ";
    case CONSOLE_WARNING: return console->color ? "\033[1;33mwarning:\033[0m " : "warning: ";
    default: return "";
    }
}

void console_say(Console *console, ConsoleLevel level, const char *format, ...) {
    if (!console || level > console->verbosity)
        return;
    pthread_mutex_lock(&console->lock);
    erase_line(console);
    fprintf(console->stream, "culprit: %s", label(console, level));
    va_list args;
    va_start(args, format);
    vfprintf(console->stream, format, args);
    va_end(args);
    fputc('\n', console->stream);
    fflush(console->stream);
    pthread_mutex_unlock(&console->lock);
}

static bool due(const Console *console) { return console->verbosity >= CONSOLE_INFO && clock_ms() >= console->next_ms; }

bool console_status_due(Console *console) {
    if (!console)
        return false;
    pthread_mutex_lock(&console->lock);
    bool answer = due(console);
    pthread_mutex_unlock(&console->lock);
    return answer;
}

/* Cuts the text to `width` columns, at a character. */
static void cut_to_width(Str *text, size_t width) {
    while (width && text_width(str_text(text)) > width)
        do
            str_truncate(text, text->len - 1);
        while (text->len && (text->data[text->len] & 0xc0) == 0x80);
}

void console_status(Console *console, const char *format, ...) {
    if (!console)
        return;
    pthread_mutex_lock(&console->lock);
    if (due(console)) {
        CLEANUP(str_release) Str text = {0};
        va_list args;
        va_start(args, format);
        str_vprintf(&text, format, args);
        va_end(args);
        size_t width = console->live ? terminal_width(fileno(console->stream)) : 0;
        cut_to_width(&text, width ? width - 1 : 0);
        erase_line(console);
        fputs(str_text(&text), console->stream);
        if (!console->live)
            fputc('\n', console->stream);
        console->line_open = console->live;
        fflush(console->stream);
        console->next_ms = clock_ms() + console->interval_ms;
    }
    pthread_mutex_unlock(&console->lock);
}

void console_status_end(Console *console) {
    if (!console)
        return;
    pthread_mutex_lock(&console->lock);
    erase_line(console);
    fflush(console->stream);
    pthread_mutex_unlock(&console->lock);
}

void console_set_plain_interval(Console *console, int64_t ms) {
    if (!console || console->live)
        return;
    console->next_ms += ms - console->interval_ms;
    console->interval_ms = ms;
}
