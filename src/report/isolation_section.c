#include "report/isolation_section.h"

#include <string.h>

#include "base/vec.h"
#include "report/document.h"
#include "report/highlight.h"
#include "report/plot.h"

enum { FILES = 10, KINDS = 6, KEYS = 3, HISTORY_FILES = 6 };

/* As suspects.json names them, and as people read them: a colour each. */
static const char *const evidence_keys[KINDS][KEYS] = {
    {"mutants", "sequences"},     {"options", "steps"},    {"ordinary"}, {"failing"},
    {"named", "damage", "stack"}, {"history", "unchanged"}};
static const char *const evidence_words[KINDS] = {"mutants that pass",       "options that pass",
                                                  "ordinary programs",       "further failing runs",
                                                  "what the compiler names", "history of the sources"};

static double item_real(const Json *array, size_t i) { return (double)json_int(json_item(array, i), 0); }

/* The score, divided among the kinds of evidence by how much each speaks against the file. */
static void shares_of(const Json *row, double ret_shares[KINDS]) {
    const Json *evidence = json_get(row, "evidence");
    double sum = 0, score = json_get_real(row, "score", 0);
    for (size_t k = 0; k < KINDS; k++) {
        ret_shares[k] = 0;
        for (size_t i = 0; i < KEYS && evidence_keys[k][i]; i++)
            ret_shares[k] = MAX_OF(ret_shares[k], json_get_real(evidence, evidence_keys[k][i], 0));
        sum += ret_shares[k];
    }
    for (size_t k = 0; k < KINDS; k++)
        ret_shares[k] = sum > 0 ? score * ret_shares[k] / sum : k == 0 ? score : 0;
}

/* An excerpt may begin in the middle of a comment: then a comment ends before one begins. */
static bool begins_in_comment(const Json *lines) {
    for (size_t k = 0; k < json_len(lines); k++) {
        const char *text = json_get_text(json_item(lines, k), "text", "");
        const char *open = strstr(text, "/*"), *close = strstr(text, "*/");
        if (open || close)
            return close && (!open || close < open);
    }
    return false;
}

/* Lines of the source, where it was at hand: the statements that the failing program executes carry their suspicion. */
static void put_lines(Html *html, const Json *excerpts, const char *file, const char *function, bool open) {
    for (size_t i = 0; i < json_len(excerpts); i++) {
        const Json *excerpt = json_item(excerpts, i), *lines = json_get(excerpt, "lines");
        if (!str_equal(json_get_text(excerpt, "file", ""), file) ||
            !str_equal(json_get_text(excerpt, "function", ""), function))
            continue;
        double most = json_get_real(excerpt, "highest", 0);
        bool in_comment = begins_in_comment(lines);
        html_open(html, "details", "open", open ? "" : NULL, NULL);
        html_leaf(html, "summary", "source", "class", "note", NULL);
        document_code_begin(html, "annotated source");
        for (size_t k = 0; k < json_len(lines); k++) {
            const Json *line = json_item(lines, k);
            double score = json_get_real(line, "score", -1);
            const char *text = json_get_text(line, "text", "");
            static const char *const heat[] = {NULL, "h1", "h2", "h3", "h4"};
            int level = score > 0 && most > 0 ? (int)(score / most * 4 + 0.5) : 0;
            html_open(html, "span", "class", heat[MIN_OF(level, 4)], NULL);
            html_printf(html, "%7lld ", (long long)json_get_int(line, "line", 0)); /* 16 columns, for tabs */
            if (score >= 0)
                html_printf(html, "%6.3f  ", score);
            else
                html_text(html, "        ");
            highlight_c_line(html, text, &in_comment);
            html_close(html);
            html_text(html, "\n");
        }
        document_code_end(html);
        html_close(html);
    }
}

static void put_functions(Html *html, const Json *suspects, const char *file) {
    const Json *functions = json_get(suspects, "functions"), *excerpts = json_get(suspects, "excerpts");
    html_open(html, "ol", "class", "functions", NULL);
    for (size_t i = 0, shown = 0; i < json_len(functions) && shown < 5; i++) {
        const Json *row = json_item(functions, i);
        const char *name = json_get_text(row, "function", "");
        if (!str_equal(json_get_text(row, "file", ""), file))
            continue;
        shown++;
        html_open(html, "li", NULL);
        html_leaf(html, "code", name, NULL);
        html_open(html, "span", "class", "note", NULL);
        html_printf(html, " line %lld, score %.3f, rank %lld of all functions", (long long)json_get_int(row, "line", 0),
                    json_get_real(row, "score", 0), (long long)json_get_int(row, "rank", 0));
        html_close(html);
        put_lines(html, excerpts, file, name, shown == 1);
        html_close(html);
    }
    html_close(html);
}

static void put_reasons(Html *html, const Json *reasons) {
    if (json_len(reasons) == 0)
        return;
    html_open(html, "ul", "class", "reasons", NULL);
    for (size_t i = 0; i < json_len(reasons); i++)
        html_leaf(html, "li", json_text(json_item(reasons, i), ""), NULL);
    html_close(html);
}

static void put_files(Html *html, const Json *suspects) {
    const Json *files = json_get(suspects, "files");
    double most = json_get_real(json_item(files, 0), "score", 0);
    html_open(html, "ul", "class", "legend", NULL);
    for (size_t k = 0; k < KINDS; k++) {
        static const char *const classes[KINDS] = {"series-0", "series-1", "series-2",
                                                   "series-3", "series-4", "series-5"};
        html_open(html, "li", NULL);
        html_leaf(html, "span", "", "class", classes[k], "aria-hidden", "true", NULL);
        html_text(html, evidence_words[k]);
        html_close(html);
    }
    html_close(html);
    html_open(html, "div", "class", "suspects", NULL);
    for (size_t i = 0; i < json_len(files) && i < FILES; i++) {
        const Json *row = json_item(files, i);
        const char *name = json_get_text(row, "file", "");
        double shares[KINDS];
        shares_of(row, shares);
        html_open(html, "details", "class", "suspect", "open", i == 0 ? "" : NULL, NULL);
        html_open(html, "summary", NULL);
        html_open(html, "span", "class", "rank", NULL);
        html_printf(html, "%lld", (long long)json_get_int(row, "rank", 0));
        html_close(html);
        html_leaf(html, "code", name, NULL);
        plot_bar(html, "what speaks against it", evidence_words, KINDS, shares, most);
        html_open(html, "span", "class", "facts", NULL);
        html_printf(html, "%.3f", json_get_real(row, "score", 0));
        html_close(html);
        html_close(html);
        put_reasons(html, json_get(row, "reasons"));
        put_functions(html, suspects, name);
        html_close(html);
    }
    html_close(html);
}

static void put_names(Html *html, const Json *suspects) {
    const Json *files = json_get(suspects, "files");
    html_open(html, "ol", NULL);
    for (size_t i = 0; i < json_len(files) && i < FILES / 2; i++) {
        html_open(html, "li", NULL);
        html_leaf(html, "code", json_get_text(json_item(files, i), "file", ""), NULL);
        html_printf(html, " %.3f", json_get_real(json_item(files, i), "score", 0));
        html_close(html);
    }
    html_close(html);
}

/* history: {"witnesses": [1, 2, 4, …], "files": [{"file": …, "ranks": [7, 3, 1, …]}, …]} */
static void put_history(Html *html, const Json *suspects) {
    const Json *history = json_get(suspects, "history"), *counts = json_get(history, "witnesses");
    const Json *files = json_get(history, "files");
    PlotSeries series[HISTORY_FILES];
    Vec(PlotPoint) points[HISTORY_FILES] = {0};
    size_t count = MIN_OF(json_len(files), (size_t)HISTORY_FILES);
    if (json_len(counts) < 2 || count == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const Json *ranks = json_get(json_item(files, i), "ranks");
        for (size_t k = 0; k < json_len(ranks) && k < json_len(counts); k++)
            if (item_real(ranks, k) > 0)
                vec_push(&points[i], (PlotPoint){item_real(counts, k), item_real(ranks, k)});
        series[i] = (PlotSeries){json_get_text(json_item(files, i), "file", ""), points[i].items, points[i].len};
    }
    const PlotAxes axes = {.label = "How the ranks of the most suspicious files moved as witnesses came in",
                           .x = "witnesses",
                           .y = "rank",
                           .y_down = true};
    html_leaf(html, "h5", "How ranks moved as witnesses came in", NULL);
    plot_lines(html, &axes, series, count);
    for (size_t i = 0; i < count; i++)
        vec_release(&points[i]);
}

static void put_witnesses(Html *html, const Json *suspects) {
    const Json *witnesses = json_get(suspects, "witnesses");
    if (json_len(witnesses) == 0)
        return;
    html_leaf(html, "h4", "Witnesses: near the failing run, and passing", NULL);
    html_open(html, "div", "class", "witnesses", NULL);
    for (size_t i = 0; i < json_len(witnesses); i++) {
        const Json *row = json_item(witnesses, i);
        const char *diff = json_get_text(row, "diff", "");
        html_open(html, "div", NULL);
        html_open(html, "p", NULL);
        html_leaf(html, "strong", json_get_text(row, "change", ""), NULL);
        html_open(html, "span", "class", "note", NULL);
        html_printf(html, " %s, similarity %.3f%s", json_get_text(row, "kind", ""), json_get_real(row, "similarity", 0),
                    json_get_bool(row, "fake", false) ? ", its output no longer depends on the changed code" : "");
        html_close(html);
        html_close(html);
        if (*diff) {
            document_code_begin(html, "witness as a diff");
            highlight_diff(html, diff);
            document_code_end(html);
        }
        html_close(html);
    }
    html_close(html);
}

void isolation_section(Html *html, const Json *suspects, bool brief) {
    const Json *statistics = json_get(suspects, "statistics");
    html_leaf(html, "h4", "Suspected source files", NULL);
    html_open(html, "p", "class", "note", NULL);
    html_printf(html, "%s, method %s: %lld programs tested, %lld witnesses, %lld files covered by the failing run.",
                json_get_text(suspects, "subject", ""), json_get_text(suspects, "method", ""),
                (long long)json_get_int(statistics, "tested", 0), (long long)json_get_int(statistics, "witnesses", 0),
                (long long)json_get_int(statistics, "covered_files", 0));
    html_close(html);
    if (json_len(json_get(suspects, "files")) == 0)
        html_leaf(html, "p", "No file of the compiler is ranked.", NULL);
    else if (brief)
        put_names(html, suspects);
    else
        put_files(html, suspects);
    if (brief)
        return;
    put_history(html, suspects);
    put_witnesses(html, suspects);
}
