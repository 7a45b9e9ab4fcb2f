/* Str: a growing byte string, always NUL-terminated once anything was appended.
 *
 * A zeroed Str is the empty string; str_text never returns NULL. str_detach hands the heap memory to the caller (free
 * it) and leaves the Str empty. Bytes may include NUL: use len.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>

#include "base/base.h"

typedef struct Str {
    char *data;
    size_t len, cap;
} Str;

void str_append(Str *str, const char *text);
void str_append_n(Str *str, const char *bytes, size_t len);
void str_append_str(Str *str, const Str *other);
void str_append_char(Str *str, char c);
void str_append_u64(Str *str, uint64_t value);
void str_append_i64(Str *str, int64_t value);
void str_printf(Str *str, const char *format, ...) PRINTF_LIKE(2, 3); /* appends */
void str_vprintf(Str *str, const char *format, va_list args);
void str_insert(Str *str, size_t at, const char *bytes, size_t len);
void str_remove(Str *str, size_t at, size_t len);
void str_truncate(Str *str, size_t len);
void str_trim(Str *str); /* white space at the end */
void str_reserve(Str *str, size_t extra);
void str_clear(Str *str); /* keeps the memory */
void str_release(Str *str);
char *str_detach(Str *str);

static inline const char *str_text(const Str *str) { return str->data ? str->data : ""; }

bool str_equal(const char *a, const char *b); /* NULL equals only NULL */
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
bool str_is_any(const char *text, const char *const *words, size_t count);
bool str_starts_any(const char *text, const char *const *prefixes, size_t count);

/* The next line, without its end; NULL behind the last. `*text` moves on to the one after it. */
const char *str_next_line(const char **text, size_t *ret_len);

/* Appends `word` as the shell must see it: quoted only where needed. */
void str_append_shell(Str *str, const char *word);

#endif
