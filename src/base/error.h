/* Errors: what went wrong, said so that the user can act on it.
 *
 * Fallible functions return bool, with `Error *err` as the last parameter, which may be NULL. On failure err holds one
 * sentence without a final full stop; callers add context in front of it:
 *
 *     if (!file_read(path, &text, err))
 *         return error_context(err, "cannot load the bug in %s", dir);
 *
 * gives "cannot load the bug in x: cannot open x/bug.json: No such file or directory". All functions return false, so
 * that they can stand in a return statement. A crashing compiler is not an Error, it is a Verdict.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/base.h"

typedef struct Error {
    char text[1024]; /* longer messages are cut at the end */
    bool is_usage;   /* what the user typed is at fault, as error_usage says */
} Error;

bool error_set(Error *err, const char *format, ...) PRINTF_LIKE(2, 3);
bool error_usage(Error *err, const char *format, ...) PRINTF_LIKE(2, 3);
bool error_errno(Error *err, const char *format, ...) PRINTF_LIKE(2, 3); /* appends ": " and strerror(errno) */
bool error_context(Error *err, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
