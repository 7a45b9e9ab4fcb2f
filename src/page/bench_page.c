/* A benchmark of isolation, from its journal: shares within the first n, spread of witnesses, tests, and a row for each bug. Runs
 * of other limits, settings or subjects have a part of their own. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "evaluate/isolation.h"
#include "page/kinds.h"
#include "report/document.h"
#include "report/plot.h"

/* --- Figures --- */

/* Each bar is the share within the first 20, made of those within 1, 2 to 5, 6 to 10, 11 to 20. */
static void put_tops(Html *html, const BenchResult *bench, bool functions) {
    static const char *const parts[METRICS_TOPS] = {"Top-1", "to Top-5", "to Top-10", "to Top-20"};
    size_t count = bench->methods.len;
    PlotBar *bars = mem_zalloc(count + 1, sizeof *bars);
    double(*shares)[METRICS_TOPS] = mem_zalloc(count + 1, sizeof *shares);
    Arena arena = {0};
    bool any = false;
    for (size_t m = 0; m < count; m++) {
        const Metrics *metrics = functions ? &bench->methods.items[m].functions : &bench->methods.items[m].files;
        double bugs = (double)MAX_OF(metrics->bugs, (size_t)1), before = 0;
        any |= metrics->bugs > 0;
        for (size_t k = 0; k < METRICS_TOPS; k++) {
            shares[m][k] = 100 * (double)metrics->top[k] / bugs - before;
            before += shares[m][k];
        }
        bars[m] = (PlotBar){bench->methods.items[m].method->name,
                            arena_printf(&arena, "%.0f%% 1st", 100 * (double)metrics->top[0] / bugs), shares[m]};
    }
    if (any) {
        const char *label = functions ? "Share of bugs whose guilty function is among the first n"
                                      : "Share of bugs whose guilty file is among the first n";
        html_open(html, "figure", NULL);
        html_leaf(html, "figcaption", label, NULL);
        plot_bars(html, label, parts, METRICS_TOPS, bars, count, 100);
        html_close(html);
    }
    arena_release(&arena);
    free(shares);
    free(bars);
}

static void put_boxes(Html *html, const BenchResult *bench, bool diversity) {
    PlotGroup *groups = mem_zalloc(bench->methods.len + 1, sizeof *groups);
    for (size_t m = 0; m < bench->methods.len; m++) {
        const MethodResult *method = &bench->methods.items[m];
        groups[m] = diversity ? (PlotGroup){method->method->name, method->diversities.items, method->diversities.len}
                              : (PlotGroup){method->method->name, method->similarities.items, method->similarities.len};
    }
    const char *label = diversity ? "Diversity of the witnesses" : "Similarity of the witnesses to the failing program";
    html_open(html, "figure", NULL);
    html_leaf(html, "figcaption", label, NULL);
    plot_boxes(html, label, diversity ? "diversity" : "similarity", groups, bench->methods.len);
    html_close(html);
    free(groups);
}

static void put_methods(Html *html, const BenchResult *bench) {
    html_leaf(html, "h3", "Methods", NULL);
    html_open(html, "div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "Methods", NULL);
    html_open(html, "table", "class", "figures", NULL);
    static const char *const heads[] = {"method", "bugs", "Top-1", "Top-5", "Top-10", "Top-20", "MFR", "MAR"};
    html_open(html, "thead", NULL);
    html_open(html, "tr", NULL);
    for (size_t i = 0; i < ARRAY_LEN(heads); i++)
        html_leaf(html, "th", heads[i], "scope", "col", "class", i ? "number" : NULL, NULL);
    html_close(html);
    html_close(html);
    for (size_t m = 0; m < bench->methods.len; m++) {
        const Metrics *metrics = &bench->methods.items[m].files;
        html_open(html, "tr", NULL);
        html_leaf(html, "th", bench->methods.items[m].method->name, "scope", "row", NULL);
        CLEANUP(strlist_release) StrList cells = {0};
        strlist_addf(&cells, "%zu", metrics->bugs);
        for (size_t k = 0; k < METRICS_TOPS; k++)
            strlist_addf(&cells, "%.0f%%", metrics->bugs ? 100.0 * (double)metrics->top[k] / (double)metrics->bugs : 0);
        strlist_addf(&cells, "%.2f", metrics->mfr);
        strlist_addf(&cells, "%.2f", metrics->mar);
        for (size_t i = 0; i < cells.len; i++)
            html_leaf(html, "td", cells.items[i], "class", "number", NULL);
        html_close(html);
    }
    html_close(html);
    html_close(html);
    html_open(html, "ul", NULL);
    for (size_t i = 0; i < bench->comparisons.len; i++) {
        CLEANUP(str_release) Str text = {0};
        comparison_text(&bench->comparisons.items[i], &text);
        html_leaf(html, "li", str_text(&text), NULL);
    }
    html_close(html);
}

static void put_bug_rows(Html *html, const BenchResult *bench) {
    html_leaf(html, "h3", "Rank of the first guilty file, bug by bug", NULL);
    html_open(html, "div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "Bugs", NULL);
    html_open(html, "table", "class", "figures", NULL);
    html_open(html, "thead", NULL);
    html_open(html, "tr", NULL);
    html_leaf(html, "th", "bug", "scope", "col", NULL);
    for (size_t m = 0; m < bench->methods.len; m++)
        html_leaf(html, "th", bench->methods.items[m].method->name, "scope", "col", "class", "number", NULL);
    html_close(html);
    html_close(html);
    for (size_t b = 0; b < bench->ids.len; b++) {
        bool any = false;
        for (size_t m = 0; m < bench->methods.len; m++)
            any |= !isnan(bench->files.items[m].ranks.items[b]);
        if (!any) /* no round of it is complete */
            continue;
        html_open(html, "tr", NULL);
        html_open(html, "th", "scope", "row", NULL);
        html_leaf(html, "code", bench->ids.items[b], NULL);
        html_close(html);
        for (size_t m = 0; m < bench->methods.len; m++) {
            double rank = bench->files.items[m].ranks.items[b];
            const char *class = rank <= 1 ? "number h4" : rank <= 5 ? "number h2" : rank <= 10 ? "number h1" : "number";
            html_open(html, "td", "class", class, NULL);
            if (!isnan(rank))
                html_printf(html, "%g", rank);
            html_close(html);
        }
        html_close(html);
    }
    html_close_to(html, html->depth - 2);
}

static void put_terms(Html *html, const BenchResult *bench, size_t number) {
    CLEANUP(str_release) Str id = {0};
    str_printf(&id, "runs-%zu", number);
    document_section(html, str_text(&id), str_text(&bench->terms));
    html_open(html, "p", "class", "note", NULL);
    html_printf(html,
                "%s. %zu bugs measured, %zu skipped, %zu left out because not every method has been through them. "
                "Ranks are medians over seeds.",
                str_text(&bench->source), bench->bugs, bench->skipped.len, bench->incomplete);
    if (bench->left_out.len)
        html_printf(html, " Methods left out, with the runs they have so far: %s.", str_text(&bench->left_out));
    html_close(html);
    html_open(html, "div", "class", "plots", NULL);
    put_tops(html, bench, false);
    put_tops(html, bench, true);
    put_boxes(html, bench, false);
    put_boxes(html, bench, true);
    html_close(html);
    put_methods(html, bench);
    put_bug_rows(html, bench);
    html_close(html);
}

bool bench_page(Html *html, const char *journal, Error *err) {
    const StrList all = {0};
    BenchResults results = {0};
    size_t measured = 0;
    if (!bench_journal(journal, &all, &results, err))
        return false;
    html_open(html, "header", NULL);
    html_leaf(html, "p", "culprit benchmark of isolation", "class", "kicker", NULL);
    html_leaf(html, "h1", path_name(journal), NULL);
    html_close(html);
    for (size_t i = 0; i < results.len; i++)
        if (results.items[i].bugs)
            put_terms(html, &results.items[i], ++measured);
    bench_results_release(&results);
    return measured > 0 || error_set(err, "%s has no bug that every method has been through", journal);
}
