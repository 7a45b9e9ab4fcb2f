/* Durations (`500ms 90s 10m 2h 1h30m`), sizes (`64KiB 4GiB 10M`), counts, and how people read them. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/error.h"
#include "base/str.h"

bool units_parse_duration(const char *text, int64_t *ret_ms, Error *err); /* a bare number is seconds */
bool units_parse_size(const char *text, uint64_t *ret_bytes, Error *err); /* K, KB and KiB all mean 1024 */
bool units_parse_count(const char *text, uint64_t *ret_count, Error *err);

void units_format_duration(Str *str, int64_t ms);  /* "2h 05m", "3m 20s", "1.5 s", "12 ms" */
void units_format_size(Str *str, uint64_t bytes);  /* "1.5 GiB" */
void units_format_count(Str *str, uint64_t count); /* "12,345" */

#endif
