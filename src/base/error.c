#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(Error *err, const char *format, ...) {
    if (!err)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->is_usage = false;
    return false;
}

bool error_usage(Error *err, const char *format, ...) {
    if (!err)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->is_usage = true;
    return false;
}

/* Puts the formatted text and ": " in front of `rest`; the end is cut where it does not fit. */
static bool prepend(Error *err, const char *rest, const char *format, va_list args) {
    char text[sizeof err->text];
    int len = vsnprintf(text, sizeof text, format, args);
    if (len < 0)
        len = 0;
    if ((size_t)len < sizeof text)
        snprintf(text + len, sizeof text - (size_t)len, ": %s", rest);
    memcpy(err->text, text, sizeof text);
    return false;
}

bool error_errno(Error *err, const char *format, ...) {
    int code = errno;
    if (!err)
        return false;
    va_list args;
    va_start(args, format);
    prepend(err, strerror(code), format, args);
    va_end(args);
    err->is_usage = false;
    errno = code;
    return false;
}

bool error_context(Error *err, const char *format, ...) {
    if (!err)
        return false;
    Error inner = *err;
    va_list args;
    va_start(args, format);
    prepend(err, inner.text, format, args);
    va_end(args);
    return false;
}
