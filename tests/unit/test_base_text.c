/* Errors, units, JSON, tables, the console. */
#include "unit.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "base/console.h"
#include "base/json.h"
#include "base/table.h"
#include "base/units.h"

static void errors_grow_context(void **state) {
    (void)state;
    Error err;
    errno = ENOENT;
    assert_false(error_errno(&err, "cannot open %s", "x"));
    assert_false(error_context(&err, "cannot load %d", 7));
    assert_string_equal(err.text, "cannot load 7: cannot open x: No such file or directory");
    error_usage(&err, "a bad option");
    error_context(&err, "culprit");
    assert_string_equal(err.text, "culprit: a bad option");
    assert_true(err.is_usage);
    error_set(&err, "a full disk");
    assert_false(err.is_usage);
    assert_false(error_set(NULL, "nobody listens") || error_errno(NULL, "x") || error_context(NULL, "x"));
}

static void errors_are_cut_not_overrun(void **state) {
    (void)state;
    Error err;
    error_set(&err, "%02000d", 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    error_context(&err, "%01000d", 2);
    error_context(&err, "front");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_true(strncmp(err.text, "front: 000", 10) == 0);
}

static void durations_parse(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"90s", 90000}, {"10m", 600000}, {"2h", 7200000},   {"1h30m", 5400000}, {"500ms", 500},
        {"5", 5000},    {"1.5s", 1500},  {"0.25h", 900000}, {"2d", 172800000},  {"3min", 180000},
    };
    Error err;
    int64_t ms;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_ok(units_parse_duration(cases[i].text, &ms, &err), err);
        assert_int_equal(ms, cases[i].ms);
    }
}

static void bad_durations_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"", "x", "5x", "-5s", "s", "99999999999999999999h", "9223372036854775807h"};
    Error err;
    int64_t ms;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_fails(units_parse_duration(bad[i], &ms, &err), err, "is not a duration");
}

static void sizes_and_counts_parse(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"0", 0},  {"4GiB", 4ull << 30}, {"64K", 65536}, {"10MB", 10 << 20}, {"1.5k", 1536},
        {"7b", 7}, {"2 MiB", 2 << 20},
    };
    Error err;
    uint64_t number;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_ok(units_parse_size(cases[i].text, &number, &err), err);
        assert_int_equal(number, cases[i].bytes);
    }
    assert_fails(units_parse_size("4X", &number, &err), err, "is not a size");
    assert_fails(units_parse_size("18446744073709551615K", &number, &err), err, "is not a size");
    assert_ok(units_parse_count("18446744073709551615", &number, &err), err);
    assert_int_equal(number, UINT64_MAX);
    assert_fails(units_parse_count("1.5", &number, &err), err, "whole number");
    assert_fails(units_parse_count("-1", &number, &err), err, "whole number");
}

static void units_format(void **state) {
    (void)state;
    CLEANUP(str_release) Str str = {0};
    static const int64_t durations[] = {7, 1500, 59000, 200000, 7500000};
    for (size_t i = 0; i < ARRAY_LEN(durations); i++, str_append_char(&str, '|'))
        units_format_duration(&str, durations[i]);
    static const uint64_t sizes[] = {12, 1536, 300 << 20, 5ull << 40};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++, str_append_char(&str, '|'))
        units_format_size(&str, sizes[i]);
    static const uint64_t counts[] = {0, 999, 1000, 1234567};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++, str_append_char(&str, '|'))
        units_format_count(&str, counts[i]);
    assert_string_equal(str_text(&str),
                        "7 ms|1.5 s|59 s|3m 20s|2h 05m|12 B|1.5 KiB|300 MiB|5.0 TiB|0|999|1,000|1,234,567|");
}

static void json_keeps_order_and_unknown_members(void **state) {
    (void)state;
    static const char text[] = "{\"z\": 1, \"a\": [\"x\", 2, \"y\"], \"new\": {\"k\": null}}";
    CLEANUP(json_freep) Json *json = NULL;
    CLEANUP(str_release) Str out = {0};
    Error err;
    assert_ok(json_parse(text, strlen(text), &json, &err), err);
    json_put_text(json, "b", "q");
    json_format(json, false, &out);
    assert_string_equal(str_text(&out), "{\"z\": 1, \"a\": [\"x\", 2, \"y\"], \"new\": {\"k\": null}, \"b\": \"q\"}");
    CLEANUP(strlist_release) StrList strings = {0};
    json_get_strings(json, "a", &strings);
    assert_int_equal(strings.len, 2);
    assert_string_equal(strings.items[1], "y");
}

static void json_getters_have_defaults(void **state) {
    (void)state;
    CLEANUP(json_freep) Json *json = json_new_object();
    Error err;
    const char *text;
    json_put_int(json, "i", INT64_MIN);
    json_put_real(json, "nan", NAN);
    json_put_bool(json, "t", true);
    assert_int_equal(json_get_int(json, "i", 0), INT64_MIN);
    assert_int_equal(json_get_int(json, "t", 7), 7);
    assert_string_equal(json_get_text(json, "i", "d"), "d");
    assert_true(json_get_bool(json, "t", false));
    assert_true(json_has(json, "nan") && json_get_real(json, "nan", 2) == 2);
    assert_true(json_get_real(json, "i", 0) < 0);
    assert_fails(json_expect_text(json, "i", &text, &err), err, "\"i\"");
    json_drop(json, "t");
    assert_false(json_has(json, "t"));
}

static void json_survives_any_bytes(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *repaired;
    } cases[] = {
        {"plain", "plain"},
        {"\xff", "?"},
        {"a\xc3\xa9 b\xc3", "a\xc3\xa9 b?"},
        {"\xe2\x82\xac\x80", "\xe2\x82\xac?"},
        {"\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!"},
        {"\xe2\x82", "??"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(json_freep) Json *json = json_new_text(cases[i].bytes);
        assert_string_equal(json_text(json, NULL), cases[i].repaired);
    }
}

static void json_errors_name_the_place(void **state) {
    (void)state;
    Json *json;
    Error err;
    assert_fails(json_parse("{\n \"a\": }", 9, &json, &err), err, "line 2");
    assert_fails(json_parse("", 0, &json, &err), err, "invalid JSON");
    assert_fails(json_read_file("/nonexistent.json", &json, &err), err, "/nonexistent.json");
}

static void tables_align(void **state) {
    (void)state;
    CLEANUP(table_freep) Table *table = table_new((const char *const[]){"file", ">score", "note", NULL});
    CLEANUP(str_release) Str text = {0};
    table_row(table);
    table_cell(table, "a.c");
    table_cell(table, "%.2f", 1.5);
    table_cell(table, "äöü and more");
    table_row(table);
    table_cell(table, "längster.c");
    table_format(table, 23, false, &text);
    assert_string_equal(str_text(&text), "file        score  note\n"
                                         "a.c          1.50  äöü…\n"
                                         "längster.c\n");
}

static void console_is_plain_in_files(void **state) {
    (void)state;
    char buffer[1000] = {0};
    FILE *stream = tmpfile();
    Console *console = console_new(stream, CONSOLE_INFO, COLOR_NEVER);
    console_set_plain_interval(console, 0);
    console_info(console, "hello %d", 1);
    console_debug(console, "hidden");
    console_warn(console, "careful");
    assert_true(console_status_due(console));
    console_status(console, "half way");
    console_free(console);
    rewind(stream);
    assert_true(fread(buffer, 1, sizeof buffer - 1, stream) > 0);
    assert_string_equal(buffer, "culprit: hello 1\nculprit: warning: careful\nhalf way\n");
    fclose(stream);
}

static void a_missing_console_is_silent(void **state) {
    (void)state;
    console_info(NULL, "x");
    console_status(NULL, "x");
    console_status_end(NULL);
    assert_false(console_status_due(NULL));
}

static void utc_reads_well(void **state) {
    (void)state;
    CLEANUP(str_release) Str text = {0};
    clock_append_utc(&text, 0);
    assert_string_equal(str_text(&text), "1970-01-01T00:00:00Z");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_grow_context),
        cmocka_unit_test(errors_are_cut_not_overrun),
        cmocka_unit_test(durations_parse),
        cmocka_unit_test(bad_durations_are_refused),
        cmocka_unit_test(sizes_and_counts_parse),
        cmocka_unit_test(units_format),
        cmocka_unit_test(json_keeps_order_and_unknown_members),
        cmocka_unit_test(json_getters_have_defaults),
        cmocka_unit_test(json_survives_any_bytes),
        cmocka_unit_test(json_errors_name_the_place),
        cmocka_unit_test(tables_align),
        cmocka_unit_test(console_is_plain_in_files),
        cmocka_unit_test(a_missing_console_is_silent),
        cmocka_unit_test(utc_reads_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
