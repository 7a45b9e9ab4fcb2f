/* A benchmark of isolation, from its journal: shares within the first n, spread of witnesses, tests, and a row for each bug. Runs
 * of other limits, settings or subjects have a part of their own. */
#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "evaluate/compare.h"
#include "evaluate/journal.h"
#include "page/kinds.h"
#include "report/document.h"
#include "report/plot.h"

/* All runs of one method. */
typedef struct MethodRuns {
    const char *name;
    Metrics files, functions;          /* of the bugs' medians over seeds */
    Vec(double) similarity, diversity; /* one for each run */
    Vec(double) witnesses;
} MethodRuns;

/* Of one journal, runs with the same terms. */
typedef struct Bench {
    const Journal *journal;
    BenchTerms terms;
    StrList bugs, names; /* that were measured; of methods */
    Vec(MethodRuns) methods;
    Contenders contenders;
    size_t runs, skipped;
} Bench;

/* The median over the seeds of one bug and method. */
static void add_bug(Bench *bench, size_t method, const char *bug) {
    MethodRuns *runs = &bench->methods.items[method];
    Vec(BugRank) files = {0}, functions = {0};
    for (size_t i = 0; i < bench->journal->rows.len; i++) {
        BenchRun run = journal_run(bench->journal, i);
        if (!run.measured || !terms_equal(run.terms, bench->terms) || !str_equal(run.bug, bug) ||
            !str_equal(run.method, runs->name))
            continue;
        vec_push(&files, run.files);
        if (run.has_functions)
            vec_push(&functions, run.functions);
        vec_push(&runs->similarity, run.similarity);
        vec_push(&runs->diversity, run.diversity);
        vec_push(&runs->witnesses, (double)run.witnesses);
    }
    double first = NAN;
    if (files.len) {
        BugRank merged = metrics_median(files.items, files.len);
        metrics_add(&runs->files, &merged);
        first = merged.first;
    }
    if (functions.len) {
        BugRank merged = metrics_median(functions.items, functions.len);
        metrics_add(&runs->functions, &merged);
    }
    vec_push(&bench->contenders.items[method].ranks, first);
    vec_release(&files);
    vec_release(&functions);
}

static void bench_load(Bench *bench) {
    for (size_t i = 0; i < bench->journal->rows.len; i++) {
        BenchRun run = journal_run(bench->journal, i);
        if (!terms_equal(run.terms, bench->terms))
            continue;
        bench->runs += run.measured;
        bench->skipped += !run.measured;
        if (!run.measured)
            continue;
        strlist_add_once(&bench->bugs, run.bug);
        strlist_add_once(&bench->names, run.method);
    }
    for (size_t m = 0; m < bench->names.len; m++) {
        vec_push(&bench->methods, (MethodRuns){.name = bench->names.items[m]});
        vec_push(&bench->contenders, (Contender){.name = bench->names.items[m]});
        for (size_t b = 0; b < bench->bugs.len; b++)
            add_bug(bench, m, bench->bugs.items[b]);
    }
}

static void bench_release(Bench *bench) {
    for (size_t m = 0; m < bench->methods.len; m++) {
        vec_release(&bench->methods.items[m].similarity);
        vec_release(&bench->methods.items[m].diversity);
        vec_release(&bench->methods.items[m].witnesses);
    }
    vec_release(&bench->methods);
    contenders_release(&bench->contenders);
    strlist_release(&bench->bugs);
    strlist_release(&bench->names);
}

/* --- Figures --- */

/* Each bar is the share within the first 20, made of those within 1, 2 to 5, 6 to 10, 11 to 20. */
static void put_tops(Html *html, const Bench *bench, bool functions) {
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
        bars[m] = (PlotBar){bench->methods.items[m].name,
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

static void put_boxes(Html *html, const Bench *bench, bool diversity) {
    PlotGroup *groups = mem_zalloc(bench->methods.len + 1, sizeof *groups);
    for (size_t m = 0; m < bench->methods.len; m++) {
        const MethodRuns *runs = &bench->methods.items[m];
        groups[m] = diversity ? (PlotGroup){runs->name, runs->diversity.items, runs->diversity.len}
                              : (PlotGroup){runs->name, runs->similarity.items, runs->similarity.len};
    }
    const char *label = diversity ? "Diversity of the witnesses" : "Similarity of the witnesses to the failing program";
    html_open(html, "figure", NULL);
    html_leaf(html, "figcaption", label, NULL);
    plot_boxes(html, label, diversity ? "diversity" : "similarity", groups, bench->methods.len);
    html_close(html);
    free(groups);
}

static void put_methods(Html *html, const Bench *bench) {
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
        html_leaf(html, "th", bench->methods.items[m].name, "scope", "row", NULL);
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
    for (size_t a = 0; a < bench->contenders.len; a++)
        for (size_t b = a + 1; b < bench->contenders.len; b++) {
            CLEANUP(str_release) Str text = {0};
            Comparison c = compare(&bench->contenders.items[a], &bench->contenders.items[b]);
            comparison_text(&c, &text);
            if (c.pairs)
                html_leaf(html, "li", str_text(&text), NULL);
        }
    html_close(html);
}

static void put_bug_rows(Html *html, const Bench *bench) {
    html_leaf(html, "h3", "Rank of the first guilty file, bug by bug", NULL);
    html_open(html, "div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "Bugs", NULL);
    html_open(html, "table", "class", "figures", NULL);
    html_open(html, "thead", NULL);
    html_open(html, "tr", NULL);
    html_leaf(html, "th", "bug", "scope", "col", NULL);
    for (size_t m = 0; m < bench->methods.len; m++)
        html_leaf(html, "th", bench->methods.items[m].name, "scope", "col", "class", "number", NULL);
    html_close(html);
    html_close(html);
    for (size_t b = 0; b < bench->bugs.len; b++) {
        html_open(html, "tr", NULL);
        html_open(html, "th", "scope", "row", NULL);
        html_leaf(html, "code", bench->bugs.items[b], NULL);
        html_close(html);
        for (size_t m = 0; m < bench->methods.len; m++) {
            double rank = bench->contenders.items[m].ranks.items[b];
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

static void put_terms(Html *html, const Bench *bench, size_t number) {
    CLEANUP(str_release) Str id = {0}, heading = {0};
    str_printf(&id, "runs-%zu", number);
    str_printf(&heading, "%s%s%s", *bench->terms.subject ? bench->terms.subject : "Runs",
               *bench->terms.options ? ", " : "", bench->terms.options);
    document_section(html, str_text(&id), str_text(&heading));
    html_open(html, "p", "class", "note", NULL);
    html_printf(html, "%zu bugs, %zu methods, %zu runs measured, %zu not. Ranks are medians over seeds.",
                bench->bugs.len, bench->methods.len, bench->runs, bench->skipped);
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

bool bench_page(Html *html, const char *path, Error *err) {
    CLEANUP(journal_release) Journal journal = {0};
    Vec(BenchTerms) all = {0}; /* that have a measured run */
    if (!journal_read(path, &journal, err))
        return false;
    for (size_t i = 0; i < journal.rows.len; i++) {
        BenchRun run = journal_run(&journal, i);
        bool known = !run.measured;
        for (size_t t = 0; t < all.len; t++)
            known |= terms_equal(all.items[t], run.terms);
        if (!known)
            vec_push(&all, run.terms);
    }
    if (all.len == 0)
        return error_set(err, "%s has no measured run", path);
    html_open(html, "header", NULL);
    html_leaf(html, "p", "culprit benchmark of isolation", "class", "kicker", NULL);
    html_leaf(html, "h1", path_name(path), NULL);
    html_close(html);
    for (size_t t = 0; t < all.len; t++) {
        Bench bench = {.journal = &journal, .terms = all.items[t]};
        bench_load(&bench);
        put_terms(html, &bench, t + 1);
        bench_release(&bench);
    }
    vec_release(&all);
    return true;
}
