/* Console: messages and live progress for people, on one stream (standard error), so that they never mix.
 *
 * Library code that works for long takes a `Console *`, which may be NULL for silence. On a terminal the status is one
 * line that is redrawn in place, at most ten times a second; elsewhere it is a plain line every `plain_interval_ms`.
 * Messages above the verbosity are dropped. Calls from several threads are safe.
 */
#ifndef BASE_CONSOLE_H
#define BASE_CONSOLE_H

#include <stdio.h>

#include "base/base.h"

typedef enum ConsoleLevel { CONSOLE_ERROR, CONSOLE_WARNING, CONSOLE_INFO, CONSOLE_DEBUG } ConsoleLevel;

typedef enum ColorMode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorMode;

typedef struct Console Console;

Console *console_new(FILE *stream, ConsoleLevel verbosity, ColorMode color);
void console_free(Console *console); /* ends the status line */
DEFINE_FREEP(Console, console_free)

void console_say(Console *console, ConsoleLevel level, const char *format, ...) PRINTF_LIKE(3, 4);
#define console_error(console, ...) console_say(console, CONSOLE_ERROR, __VA_ARGS__)
#define console_warn(console, ...) console_say(console, CONSOLE_WARNING, __VA_ARGS__)
#define console_info(console, ...) console_say(console, CONSOLE_INFO, __VA_ARGS__)
#define console_debug(console, ...) console_say(console, CONSOLE_DEBUG, __VA_ARGS__)

/* Shows what is going on now. Cheap to call often: whether it is time to draw is decided before formatting. */
void console_status(Console *console, const char *format, ...) PRINTF_LIKE(2, 3);
bool console_status_due(Console *console);                     /* would console_status draw now? For costly arguments */
void console_status_end(Console *console);                     /* removes the live line */
void console_set_plain_interval(Console *console, int64_t ms); /* default 10 s */

/* Whether output to `stream` is coloured: COLOR_AUTO asks for a terminal, TERM and NO_COLOR. */
bool color_enabled(FILE *stream, ColorMode mode);

#endif
