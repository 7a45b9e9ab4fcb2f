/* Tokens, edits and diffs: small cases, then random ones against libclang's own lexer and naive models. */
#include "unit.h"

#include <clang-c/Index.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "clang/edit.h"
#include "clang/lex.h"

/* Tokens separated by a blank, directives marked by '#'. */
static void describe(const char *text, Str *ret) {
    TokenList tokens = {0};
    lex(text, strlen(text), &tokens);
    for (size_t i = 0; i < tokens.len; i++) {
        str_append(ret, i ? " " : "");
        str_append(ret, tokens.items[i].directive ? "#" : "");
        str_append_n(ret, text + tokens.items[i].begin, tokens.items[i].end - tokens.items[i].begin);
    }
    vec_release(&tokens);
}

static void test_tokens(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *tokens;
    } cases[] = {
        {"", ""},
        {"a+++b", "a ++ + b"},
        {"x>>=1<<2", "x >>= 1 << 2"},
        {"a/*c*/b//d\ne", "a b e"},
        {"// x\\\ny\nz", "z"},
        {"1.5e+3f 0x1p-2 .5 1..2", "1.5e+3f 0x1p-2 .5 1..2"},
        {"\"a\\\"b\" L'\\'' u8\"x\"", "\"a\\\"b\" L'\\'' u8\"x\""},
        {"\"open\nnext", "\"open next"},
        {"#define X 1\nX", "## #define #X #1 X"},
        {" # if 0 \\\n 1\ny", "## #if #0 #1 y"},
        {"s->x...", "s -> x ..."},
        {"a[1]@", "a [ 1 ] @"},
        {"/* open", ""},
        {"'\\", "'\\"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        CLEANUP(str_release) Str got = {0};
        describe(cases[i].text, &got);
        assert_string_equal(str_text(&got), cases[i].tokens);
    }
}

/* Ours and libclang's tokens of the same text, as begin offsets. */
static void clang_tokens(const char *text, Str *ret) {
    CXIndex index = clang_createIndex(0, 0);
    struct CXUnsavedFile file = {"t.c", text, strlen(text)};
    CXTranslationUnit unit = clang_parseTranslationUnit(index, "t.c", NULL, 0, &file, 1, 0);
    CXToken *tokens;
    unsigned count;
    clang_tokenize(unit, clang_getCursorExtent(clang_getTranslationUnitCursor(unit)), &tokens, &count);
    for (unsigned i = 0; i < count; i++) {
        CXString spelling = clang_getTokenSpelling(unit, tokens[i]);
        if (clang_getTokenKind(tokens[i]) != CXToken_Comment)
            str_printf(ret, "%s ", clang_getCString(spelling));
        clang_disposeString(spelling);
    }
    clang_disposeTokens(unit, tokens, count);
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
}

static void test_tokens_equal_those_of_libclang(void **unused) {
    (void)unused;
    static const char *const pieces[] = {"+",     "-",     "*",  "/",    "&",      "|", "<",   ">",     "=", "!",
                                         "a",     "_b1",   "12", "0x1F", "1.5e-3", ".", "'c'", "\"s\"", " ", "\n",
                                         "/*x*/", "//y\n", "(",  ")",    "[",      "%", "^",   "~",     "?"};
    Rng rng = rng_from_seed(1);
    for (int round = 0; round < 60; round++) {
        CLEANUP(str_release) Str text = {0};
        CLEANUP(str_release) Str ours = {0};
        CLEANUP(str_release) Str theirs = {0};
        for (int i = 0; i < 40; i++)
            str_append(&text, pieces[rng_below(&rng, ARRAY_LEN(pieces))]);
        describe(str_text(&text), &ours);
        str_append(&ours, ours.len ? " " : "");
        clang_tokens(str_text(&text), &theirs);
        assert_string_equal(str_text(&ours), str_text(&theirs));
    }
}

static void test_lexing_any_bytes_stays_in_bounds(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(2);
    for (int round = 0; round < 500; round++) {
        size_t len = rng_below(&rng, 60), end = 0;
        CLEANUP(mem_freep) char *text = mem_alloc(len + 1); /* no NUL behind it */
        for (size_t i = 0; i < len; i++)
            text[i] = (char)rng_below(&rng, 256);
        TokenList tokens = {0};
        lex(text, len, &tokens);
        for (size_t i = 0; i < tokens.len; i++) {
            assert_true(tokens.items[i].begin >= end && tokens.items[i].end > tokens.items[i].begin);
            end = tokens.items[i].end;
        }
        assert_true(end <= len);
        vec_release(&tokens);
    }
}

/* --- Edits --- */

static void test_edits(void **unused) {
    (void)unused;
    CLEANUP(edits_release) EditList edits = {0};
    CLEANUP(str_release) Str text = {0};
    edits_add(&edits, 4, 1, "long");
    edits_add(&edits, 0, 0, "<");
    edits_addf(&edits, 0, 0, "%d", 7);
    edits_add(&edits, 5, 0, ">");
    assert_true(edits_apply(&edits, "int x;", 6, &text));
    assert_string_equal(str_text(&text), "<7int long>;");
    edits_add(&edits, 3, 2, "overlaps");
    assert_false(edits_apply(&edits, "int x;", 6, &text));
    edits_clear(&edits);
    edits_add(&edits, 6, 1, "past the end");
    assert_false(edits_apply(&edits, "int x;", 6, &text));
    assert_string_equal(str_text(&text), "<7int long>;");
}

/* The model: each byte is an item that edits blank out or prepend to. */
static void test_edits_against_model(void **unused) {
    (void)unused;
    static const char text[] = "abcdefghijklmnopqrstuvwxyz";
    Rng rng = rng_from_seed(3);
    for (int round = 0; round < 300; round++) {
        CLEANUP(edits_release) EditList edits = {0};
        CLEANUP(str_release) Str got = {0};
        CLEANUP(str_release) Str want = {0};
        for (uint32_t at = (uint32_t)rng_below(&rng, 5), kept = 0; at < 26; at += 1 + (uint32_t)rng_below(&rng, 6)) {
            uint32_t len = (uint32_t)rng_below(&rng, MIN_OF(3u, 27 - at));
            str_append_n(&want, text + kept, at - kept);
            str_append(&want, "!");
            kept = at + len;
            edits_add(&edits, at, len, "!");
            at += len;
            if (at >= 20 || rng_chance(&rng, 20)) {
                str_append(&want, text + kept);
                break;
            }
        }
        if (edits.len == 0)
            continue;
        for (size_t i = edits.len; i > 1; i--) { /* any order */
            size_t j = rng_below(&rng, i);
            Edit swap = edits.items[i - 1];
            edits.items[i - 1] = edits.items[j];
            edits.items[j] = swap;
        }
        assert_true(edits_apply(&edits, text, 26, &got));
        assert_string_equal(str_text(&got), str_text(&want));
    }
}

/* --- Diffs --- */

static void test_diff(void **unused) {
    (void)unused;
    CLEANUP(str_release) Str diff = {0};
    text_diff("old", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "new", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n", &diff);
    assert_string_equal(str_text(&diff),
                        "--- old\n+++ new\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+10\n");
    str_clear(&diff);
    text_diff("old", "same\n", "new", "same\n", &diff);
    assert_string_equal(str_text(&diff), "");
    text_diff("old", "", "new", "a\n", &diff);
    assert_string_equal(str_text(&diff), "--- old\n+++ new\n@@ -0,0 +1 @@\n+a\n");
}

/* Applies a unified diff the naive way: copy up to each hunk, then follow its lines. Counts the changed lines. */
static size_t apply_diff(const char *old, const char *diff, Str *ret) {
    size_t changes = 0, line = 1;
    const char *at = strstr(diff, "@@ -");
    for (; at; at = strstr(at, "@@ -")) {
        size_t begin = strtoul(at + 4, NULL, 10), count = 1;
        sscanf(at + 4, "%*u,%zu", &count);
        begin += count == 0;
        for (; line < begin; line++, old = strchr(old, '\n') + 1)
            str_append_n(ret, old, (size_t)(strchr(old, '\n') + 1 - old));
        for (at = strchr(at, '\n') + 1; *at == ' ' || *at == '+' || *at == '-'; at = strchr(at, '\n') + 1) {
            size_t len = (size_t)(strchr(at, '\n') - at);
            changes += *at != ' ';
            if (*at != '-')
                str_append_n(ret, at + 1, len);
            if (*at != '+') {
                assert_memory_equal(old, at + 1, len);
                old = strchr(old, '\n') + 1;
                line++;
            }
        }
    }
    str_append(ret, old);
    return changes;
}

/* Two characters a line ("x\n"), so that lines are text[2 * i]. */
static size_t common_lines(const Str *a, const Str *b) {
    size_t n = a->len / 2, m = b->len / 2, table[32][32] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            table[i + 1][j + 1] =
                a->data[2 * i] == b->data[2 * j] ? table[i][j] + 1 : MAX_OF(table[i][j + 1], table[i + 1][j]);
    return table[n][m];
}

static void test_diffs_apply_and_are_shortest(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(4);
    for (int round = 0; round < 500; round++) {
        CLEANUP(str_release) Str a = {0};
        CLEANUP(str_release) Str b = {0};
        CLEANUP(str_release) Str diff = {0};
        CLEANUP(str_release) Str patched = {0};
        for (size_t i = rng_below(&rng, 31); i > 0; i--)
            str_printf(&a, "%c\n", (char)('a' + rng_below(&rng, 4)));
        for (size_t i = rng_below(&rng, 31); i > 0; i--)
            str_printf(&b, "%c\n", (char)('a' + rng_below(&rng, 4)));
        text_diff("a", str_text(&a), "b", str_text(&b), &diff);
        size_t changes = apply_diff(str_text(&a), str_text(&diff), &patched);
        assert_string_equal(str_text(&patched), str_text(&b));
        assert_int_equal(changes, a.len / 2 + b.len / 2 - 2 * common_lines(&a, &b));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_tokens_equal_those_of_libclang),
        cmocka_unit_test(test_lexing_any_bytes_stays_in_bounds),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_edits_against_model),
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_diffs_apply_and_are_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
