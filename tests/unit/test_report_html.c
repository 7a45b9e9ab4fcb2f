/* Text stays text: escaping, highlighting and plots, with hostile input. */
#include "unit.h"

#include <math.h>

#include "base/rng.h"
#include "base/sha256.h"
#include "report/highlight.h"
#include "report/plot.h"
#include "report/versions.h"

static void assert_escaped(const char *text, size_t len, const char *want) {
    CLEANUP(str_release) Str out = {0};
    html_escape(&out, text, len);
    assert_string_equal(str_text(&out), want);
}

static void test_escaping(void **unused) {
    (void)unused;
    assert_escaped("a < b && c > \"d\" 'e'", 20, "a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39;");
    assert_escaped("</script><script>", 17, "&lt;/script&gt;&lt;script&gt;");
    assert_escaped("\tx\n", 3, "\tx\n");
    assert_escaped("\0\x1b\x7f", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped("caf\xc3\xa9", 5, "caf\xc3\xa9");
    assert_escaped("\xc3", 1, "\xef\xbf\xbd");                                 /* cut off */
    assert_escaped("\xc0\xbc", 2, "\xef\xbf\xbd\xef\xbf\xbd");                 /* an overlong '<' */
    assert_escaped("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    assert_escaped("\xe2\x80\xae", 3, "\xef\xbf\xbd");                         /* right-to-left override */
    assert_escaped("\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_elements(void **unused) {
    (void)unused;
    CLEANUP(str_release) Str out = {0};
    Html html = {.out = &out};
    html_open(&html, "a", "href", "x\" onclick=\"y", "title", NULL, "id", "i", NULL);
    html_leaf(&html, "b", "<i>", "class", "<&", NULL);
    html_void(&html, "br", NULL);
    html_printf(&html, "%s%%", "<u>");
    html_close_to(&html, 0);
    assert_string_equal(str_text(&out),
                        "<a href=\"x&quot; onclick=&quot;y\" id=\"i\"><b class=\"&lt;&amp;\">&lt;i&gt;</b><br>"
                        "&lt;u&gt;%</a>");
}

/* Whatever bytes come in: no markup but ours comes out, and tags balance. */
static void test_highlighting_any_bytes(void **unused) {
    (void)unused;
    Rng rng = rng_from_seed(5);
    static const char letters[] = "<>&\"'/*\\\n#a0 \x80\xff\0+-@";
    for (int round = 0; round < 500; round++) {
        char text[80];
        size_t len = rng_below(&rng, sizeof text - 1);
        for (size_t i = 0; i < len; i++)
            text[i] = letters[rng_below(&rng, sizeof letters - 1)];
        text[len] = '\0';
        CLEANUP(str_release) Str out = {0};
        Html html = {.out = &out};
        highlight_c(&html, text, len);
        highlight_diff(&html, text);
        highlight_lines(&html, text, "a\n", 4);
        int depth = 0;
        for (const char *at = str_text(&out); (at = strchr(at, '<')); at++) {
            bool opens = str_starts(at, "<span class=\""), closes = str_starts(at, "</span>");
            assert_true(opens || closes);
            depth += opens - closes;
            assert_in_range(depth, 0, 1);
        }
        assert_int_equal(depth, 0);
    }
}

static void test_c_is_coloured(void **unused) {
    (void)unused;
    static const char text[] = "int f; // no\n\"s\" 1";
    CLEANUP(str_release) Str out = {0};
    Html html = {.out = &out};
    highlight_c(&html, text, sizeof text - 1);
    assert_string_equal(str_text(&out), "<span class=\"kw\">int</span> f;<span class=\"cmt\"> // no\n</span>"
                                        "<span class=\"str\">&quot;s&quot;</span> <span class=\"num\">1</span>");
}

static void test_differing_lines(void **unused) {
    (void)unused;
    CLEANUP(str_release) Str out = {0};
    Html html = {.out = &out};
    highlight_lines(&html, "a\nb\nc", "a\nx\nc\n", 10);
    assert_string_equal(str_text(&out), "a\n<span class=\"differs\">b</span>\nc\n");
    str_clear(&out);
    highlight_lines(&html, "a\nb\nc\n", "", 1);
    assert_non_null(strstr(str_text(&out), "4 more bytes"));
    str_clear(&out);
    highlight_lines(&html, "", "x", 1);
    assert_string_equal(str_text(&out), "<span class=\"differs\">(nothing)</span>");
}

/* --- Plots --- */

static void test_steps_of_axes(void **unused) {
    (void)unused;
    const double cases[][2] = {{10, 2}, {7, 2}, {100, 20}, {0.3, 0.1}, {24, 5}, {0, 1}, {-1, 1}, {6, 2}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (fabs(plot_step(cases[i][0], 5) - cases[i][1]) > 1e-12)
            fail_msg("range %g: step %g, want %g", cases[i][0], plot_step(cases[i][0], 5), cases[i][1]);
}

/* R: quantile(c(1, 2, 4, 8)) gives 1, 1.75, 3, 5, 8. */
static void test_quantiles(void **unused) {
    (void)unused;
    const double values[] = {1, 2, 4, 8}, want[] = {1, 1.75, 3, 5, 8};
    for (int i = 0; i < 5; i++)
        assert_true(fabs(plot_quantile(values, 4, i / 4.0) - want[i]) < 1e-12);
    assert_true(plot_quantile(values, 1, 0.75) == 1);
}

static void test_lines(void **unused) {
    (void)unused;
    CLEANUP(str_release) Str out = {0};
    Html html = {.out = &out};
    const PlotPoint points[] = {{0, 0}, {5, 1}, {10, 2}};
    const PlotSeries series = {"<bugs>", points, 3};
    plot_lines(&html, &(PlotAxes){.label = "l", .x = "x", .y = "y", .steps = true}, &series, 1);
    /* From the lower left corner (52, 220) to the upper right one (466, 12), by steps. */
    assert_non_null(strstr(str_text(&out), "d=\"M52 220H259L259 116H466L466 12\""));
    assert_non_null(strstr(str_text(&out), "&lt;bugs&gt;: 1 at 5"));
    assert_null(strstr(str_text(&out), "style="));
    str_clear(&out);
    plot_lines(&html, &(PlotAxes){.label = "ranks", .x = "x", .y = "y", .y_down = true}, &series, 0);
    assert_null(strstr(str_text(&out), "nan"));
}

static void test_bars_boxes_and_heat(void **unused) {
    (void)unused;
    CLEANUP(str_release) Str out = {0};
    Html html = {.out = &out};
    static const char *const names[] = {"a", "b"};
    plot_bar(&html, "l", names, 2, (const double[]){1, 3}, 8);
    assert_non_null(strstr(str_text(&out), "x=\"0\" y=\"0\" width=\"25\""));
    assert_non_null(strstr(str_text(&out), "x=\"25\" y=\"0\" width=\"75\""));
    plot_boxes(&html, "l", "u", (const PlotGroup[]){{"m", (const double[]){3, 1, 2}, 3}, {"none", NULL, 0}}, 2);
    assert_non_null(strstr(str_text(&out), "m: 3 values, median 2, quartiles 1.5 and 2.5, from 1 to 3"));
    plot_heat(&html, "l", names, 2, names, 1, (const PlotCell[]){{0.5, "7", "<t>"}, {-1, NULL, NULL}});
    assert_non_null(strstr(str_text(&out), "fill-opacity=\"0.5\"><title>&lt;t&gt;</title>"));
    plot_bars(&html, "l", names, 2, &(PlotBar){"<n>", "f", (const double[]){0, 0}}, 1, 0);
    assert_null(strstr(str_text(&out), "nan"));
    assert_int_equal(html.depth, 0);
}

/* FIPS 180-4's own examples, and the length at which the padding takes a further block. */
static void test_sha256(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="},
        {"abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE="},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char got[SHA256_BASE64_SIZE];
        sha256_base64(cases[i].text, strlen(cases[i].text), got);
        assert_string_equal(got, cases[i].want);
    }
}

/* A compiler that fails without any level and with one once lost the first. */
static void test_levels_of_a_compiler_are_one_row(void **state) {
    (void)state;
    BugVersion rows[] = {{.command = "tcc", .version = "t", .verdict = "ok"},
                         {.command = "pcc", .version = "p", .verdict = "wrong-code"},
                         {.command = "pcc -O", .version = "p", .verdict = "wrong-code"},
                         {.command = "gcc -O0", .version = "g", .verdict = "ok"},
                         {.command = "gcc -O3", .version = "g", .verdict = "ok"}};
    static const char *const expected[][2] = {{"pcc", "default, -O"}, {"tcc", ""}, {"gcc", "-O0, -O3"}};
    Bug bug = {0};
    VersionGroups groups = {0};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        vec_push(&bug.versions, rows[i]);
    versions_group(&bug, &groups);
    assert_int_equal(groups.len, ARRAY_LEN(expected));
    for (size_t i = 0; i < groups.len; i++) {
        assert_string_equal(groups.items[i].compiler, expected[i][0]);
        assert_string_equal(str_text(&groups.items[i].levels), expected[i][1]);
    }
    versions_release(&groups);
    vec_release(&bug.versions);
}

/* Lines of a source are shown one by one; a comment goes on over them. */
static void test_a_comment_of_several_lines(void **state) {
    (void)state;
    Str text = {0};
    Html html = {.out = &text};
    bool in_comment = false;
    highlight_c_line(&html, "a; /* if", &in_comment);
    assert_true(in_comment);
    highlight_c_line(&html, "do it */ if", &in_comment);
    assert_false(in_comment);
    highlight_c_line(&html, "\"/*\";", &in_comment);
    assert_false(in_comment);
    assert_string_equal(str_text(&text), "a;<span class=\"cmt\"> /* if</span><span class=\"cmt\">do it */</span> "
                                         "<span class=\"kw\">if</span><span class=\"str\">&quot;/*&quot;</span>;");
    str_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escaping),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_highlighting_any_bytes),
        cmocka_unit_test(test_c_is_coloured),
        cmocka_unit_test(test_differing_lines),
        cmocka_unit_test(test_steps_of_axes),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_bars_boxes_and_heat),
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_levels_of_a_compiler_are_one_row),
        cmocka_unit_test(test_a_comment_of_several_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
