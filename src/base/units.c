#include "base/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct Unit {
    const char *name;
    uint64_t factor;
} Unit;

static const Unit duration_units[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"min", 60 * 1000}, {"h", 3600 * 1000}, {"d", 24 * 3600 * 1000},
    {NULL, 0},
};

static const Unit size_units[] = {
    {"", 1},          {"B", 1},          {"K", 1 << 10},     {"KB", 1 << 10},     {"KiB", 1 << 10},
    {"M", 1 << 20},   {"MB", 1 << 20},   {"MiB", 1 << 20},   {"G", 1 << 30},      {"GB", 1 << 30},
    {"GiB", 1 << 30}, {"T", 1ull << 40}, {"TB", 1ull << 40}, {"TiB", 1ull << 40}, {NULL, 0},
};

static const Unit *find_unit(const Unit *units, const char *name, size_t len) {
    for (; units->name; units++)
        if (strlen(units->name) == len && strncasecmp(units->name, name, len) == 0)
            return units;
    return NULL;
}

/* Adds one "12.5h" at *cursor to *sum, in the base unit; `bare` is the unit of a number without one. */
static bool add_part(const char **cursor, const Unit *units, const char *bare, uint64_t *sum) {
    const char *at = *cursor;
    if (!isdigit((unsigned char)*at))
        return false;
    uint64_t whole = 0, fraction = 0, scale = 1;
    for (; isdigit((unsigned char)*at); at++)
        if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, (uint64_t)(*at - '0'), &whole))
            return false;
    if (*at == '.')
        for (at++; isdigit((unsigned char)*at); at++)
            if (scale < 1000000)
                fraction = fraction * 10 + (uint64_t)(*at - '0'), scale *= 10;
    while (*at == ' ')
        at++;
    size_t len = 0;
    while (isalpha((unsigned char)at[len]))
        len++;
    const Unit *unit = len ? find_unit(units, at, len) : find_unit(units, bare, strlen(bare));
    if (!unit || __builtin_mul_overflow(whole, unit->factor, &whole) || __builtin_add_overflow(*sum, whole, sum))
        return false;
    *cursor = at + len;
    return !__builtin_add_overflow(*sum, unit->factor / scale * fraction + unit->factor % scale * fraction / scale,
                                   sum);
}

bool units_parse_duration(const char *text, int64_t *ret_ms, Error *err) {
    uint64_t sum = 0;
    const char *at = text;
    do {
        if (!add_part(&at, duration_units, "s", &sum) || sum > INT64_MAX)
            return error_set(err, "'%s' is not a duration; write 90s, 10m or 1h30m", text);
    } while (*at);
    *ret_ms = (int64_t)sum;
    return true;
}

bool units_parse_size(const char *text, uint64_t *ret_bytes, Error *err) {
    uint64_t sum = 0;
    const char *at = text;
    if (!add_part(&at, size_units, "", &sum) || *at)
        return error_set(err, "'%s' is not a size; write 500000, 64K or 4GiB", text);
    *ret_bytes = sum;
    return true;
}

bool units_parse_count(const char *text, uint64_t *ret_count, Error *err) {
    static const Unit none[] = {{"", 1}, {NULL, 0}};
    uint64_t sum = 0;
    const char *at = text;
    if (strchr(text, '.') || !add_part(&at, none, "", &sum) || *at)
        return error_set(err, "'%s' is not a whole number", text);
    *ret_count = sum;
    return true;
}

void units_format_duration(Str *str, int64_t ms) {
    int64_t s = ms / 1000;
    if (ms < 1000)
        str_printf(str, "%lld ms", (long long)ms);
    else if (ms < 10 * 1000)
        str_printf(str, "%lld.%lld s", (long long)s, (long long)(ms % 1000 / 100));
    else if (s < 60)
        str_printf(str, "%lld s", (long long)s);
    else if (s < 3600)
        str_printf(str, "%lldm %02llds", (long long)(s / 60), (long long)(s % 60));
    else
        str_printf(str, "%lldh %02lldm", (long long)(s / 3600), (long long)(s / 60 % 60));
}

void units_format_size(Str *str, uint64_t bytes) {
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        str_printf(str, "%llu B", (unsigned long long)bytes);
        return;
    }
    size_t unit = 0;
    double value = (double)bytes;
    for (; value >= 1024 && unit + 1 < ARRAY_LEN(names); unit++)
        value /= 1024;
    str_printf(str, value < 10 ? "%.1f %s" : "%.0f %s", value, names[unit]);
}

void units_format_count(Str *str, uint64_t count) {
    size_t start = str->len;
    str_append_u64(str, count);
    for (size_t at = str->len; at > start + 3; at -= 3)
        str_insert(str, at - 3, ",", 1);
}
