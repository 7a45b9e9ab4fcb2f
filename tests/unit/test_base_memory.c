/* Arena, string builder, vector, string list: each against a naive model. */
#include "unit.h"

#include "base/arena.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/strlist.h"
#include "base/vec.h"

static void arena_objects_are_zeroed_aligned_and_apart(void **state) {
    (void)state;
    Rng rng = rng_from_seed(1);
    Arena arena = {0};
    for (int round = 0; round < 3; round++, arena_clear(&arena)) {
        unsigned char *objects[500];
        size_t sizes[500];
        for (size_t i = 0; i < 500; i++) {
            sizes[i] = rng_below(&rng, rng_chance(&rng, 2) ? 100000 : 200);
            objects[i] = arena_alloc(&arena, sizes[i]);
            assert_int_equal((uintptr_t)objects[i] % _Alignof(max_align_t), 0);
            for (size_t b = 0; b < sizes[i]; b++)
                assert_int_equal(objects[i][b], 0);
            memset(objects[i], (int)(i & 0xff), sizes[i]);
        }
        for (size_t i = 0; i < 500; i++)
            for (size_t b = 0; b < sizes[i]; b++)
                assert_int_equal(objects[i][b], i & 0xff);
    }
    assert_true(arena_bytes(&arena) > 0);
    arena_release(&arena);
    assert_int_equal(arena_bytes(&arena), 0);
}

static void arena_text(void **state) {
    (void)state;
    Arena arena = {0};
    assert_string_equal(arena_strdup(&arena, "abc"), "abc");
    assert_string_equal(arena_strndup(&arena, "abcdef", 3), "abc");
    assert_string_equal(arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
    assert_null(arena_strdup(&arena, NULL));
    arena_release(&arena);
}

/* Random inserts and removals against a plain array. */
static void str_agrees_with_an_array(void **state) {
    (void)state;
    Rng rng = rng_from_seed(2);
    CLEANUP(str_release) Str str = {0};
    static char model[1 << 17];
    size_t len = 0;
    for (int step = 0; step < 3000; step++) {
        char bytes[40];
        size_t n = rng_below(&rng, sizeof bytes), at = rng_below(&rng, len + 1);
        for (size_t i = 0; i < n; i++)
            bytes[i] = (char)rng_next(&rng);
        if (rng_chance(&rng, 50)) {
            str_insert(&str, at, bytes, n);
            memmove(model + at + n, model + at, len - at);
            memcpy(model + at, bytes, n);
            len += n;
        } else {
            n = MIN_OF(n, len - at);
            str_remove(&str, at, n);
            memmove(model + at, model + at + n, len - at - n);
            len -= n;
        }
        assert_int_equal(str.len, len);
        assert_memory_equal(str_text(&str), model, len);
        assert_int_equal(str_text(&str)[len], 0);
    }
}

static void str_appends(void **state) {
    (void)state;
    CLEANUP(str_release) Str str = {0};
    assert_string_equal(str_text(&str), "");
    str_append(&str, "a");
    str_append_char(&str, 'b');
    str_append_u64(&str, UINT64_MAX);
    str_append_char(&str, ' ');
    str_append_i64(&str, INT64_MIN);
    str_printf(&str, " %05d \n", 42);
    str_trim(&str);
    assert_string_equal(str_text(&str), "ab18446744073709551615 -9223372036854775808 00042");
    str_clear(&str);
    assert_string_equal(str_text(&str), "");
}

static void str_compares(void **state) {
    (void)state;
    assert_true(str_equal(NULL, NULL));
    assert_false(str_equal(NULL, ""));
    assert_true(str_starts("abc", "ab") && !str_starts("ab", "abc"));
    assert_true(str_ends("abc", "bc") && !str_ends("bc", "abc"));
    static const char *const words[] = {"-x", "-std"};
    assert_true(str_is_any("-std", words, 2) && !str_is_any("-std=c99", words, 2) && !str_is_any("-x", words, 0));
    assert_true(str_starts_any("-std=c99", words, 2) && !str_starts_any("x", words, 2));
}

/* The last line may lack its end; empty lines are lines. */
static void lines_come_one_by_one(void **state) {
    (void)state;
    static const struct {
        const char *text, *joined;
    } cases[] = {{"", ""}, {"\n", "|"}, {"a", "a|"}, {"a\n", "a|"}, {"a\n\nbc", "a||bc|"}, {"\n\na\n", "||a|"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str joined = {0};
        const char *rest = cases[i].text;
        size_t len;
        for (const char *line; (line = str_next_line(&rest, &len));)
            str_printf(&joined, "%.*s|", (int)len, line);
        assert_string_equal(str_text(&joined), cases[i].joined);
    }
}

/* A shell splits what we quote into what it was. */
static void shell_words_survive_quoting(void **state) {
    (void)state;
    static const char *const words[] = {"plain",   "two words", "it's", "", "$HOME `x` \"q\" \\",
                                        "-DX='y'", "a\nb",      "ü*?[]"};
    StrList list = {0}, again = {0};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        strlist_add(&list, words[i]);
    char *line = strlist_join_shell(&list);
    Error err;
    assert_ok(strlist_split_shell(&again, line, &err), err);
    assert_int_equal(again.len, list.len);
    for (size_t i = 0; i < list.len; i++)
        assert_string_equal(again.items[i], words[i]);
    free(line);
    strlist_release(&list);
    strlist_release(&again);
}

static void shell_words_split(void **state) {
    (void)state;
    static const struct {
        const char *line, *joined;
    } cases[] = {
        {"", ""},       {"  gcc   -O2 ", "gcc|-O2"}, {"a'b c'd", "ab cd"}, {"\"a \\\" b\"", "a \" b"}, {"a\\ b", "a b"},
        {"'' x", "|x"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        StrList list = {0};
        Error err;
        assert_ok(strlist_split_shell(&list, cases[i].line, &err), err);
        char *joined = strlist_join(&list, "|");
        assert_string_equal(joined, cases[i].joined);
        free(joined);
        strlist_release(&list);
    }
}

static void an_open_quote_is_an_error(void **state) {
    (void)state;
    StrList list = {0};
    Error err;
    assert_fails(strlist_split_shell(&list, "a 'b", &err), err, "not closed");
    strlist_release(&list);
}

static void strlist_edits(void **state) {
    (void)state;
    StrList list = {0};
    strlist_split(&list, "c,a,b", ',');
    strlist_insert(&list, 1, "z");
    strlist_addf(&list, "%d", 5);
    strlist_remove(&list, 0);
    strlist_sort(&list);
    char *joined = strlist_join(&list, " ");
    assert_string_equal(joined, "5 a b z");
    assert_null(list.items[list.len]);
    assert_true(strlist_contains(&list, "z") && !strlist_contains(&list, "c"));
    free(joined);
    strlist_clear(&list);
    assert_null(list.items[0]);
    strlist_release(&list);
}

static void vec_agrees_with_an_array(void **state) {
    (void)state;
    Rng rng = rng_from_seed(3);
    Vec(uint64_t) vec = {0};
    uint64_t model[2000];
    size_t len = 0;
    for (int step = 0; step < 4000; step++) {
        if (len < ARRAY_LEN(model) && rng_chance(&rng, 60)) {
            model[len++] = rng_next(&rng);
            vec_push(&vec, model[len - 1]);
        } else if (len && rng_chance(&rng, 50)) {
            assert_int_equal(vec_pop(&vec), model[--len]);
        } else if (len) {
            size_t at = rng_below(&rng, len);
            vec_remove(&vec, at);
            memmove(model + at, model + at + 1, (--len - at) * sizeof *model);
        }
        assert_int_equal(vec.len, len);
        if (len)
            assert_memory_equal(vec.items, model, len * sizeof *model);
    }
    vec_release(&vec);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_objects_are_zeroed_aligned_and_apart),
        cmocka_unit_test(arena_text),
        cmocka_unit_test(str_agrees_with_an_array),
        cmocka_unit_test(str_appends),
        cmocka_unit_test(str_compares),
        cmocka_unit_test(lines_come_one_by_one),
        cmocka_unit_test(shell_words_survive_quoting),
        cmocka_unit_test(shell_words_split),
        cmocka_unit_test(an_open_quote_is_an_error),
        cmocka_unit_test(strlist_edits),
        cmocka_unit_test(vec_agrees_with_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
