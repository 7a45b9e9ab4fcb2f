/* A campaign: what was found, when, at what cost, and every bug. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"
#include "bug/bug.h"
#include "page/kinds.h"
#include "report/bug_section.h"
#include "report/document.h"
#include "report/plot.h"
#include "report/versions.h"
#include "store/store.h"

enum { CURVE_POINTS = 400, MATRIX_OPEN = 40, PLOT_ROWS = 40 };

/* What one configuration did in all tests. */
typedef struct ConfigSum {
    const char *command, *version;
    const char *compiler, *level; /* the command without its level, and that */
    uint64_t tests, failures;
    double compile_s, run_s; /* CPU */
    const char *detail;      /* "31 ok, 2 crash" */
} ConfigSum;

typedef Vec(ConfigSum) ConfigSums;

typedef struct Campaign {
    const char *dir;
    Store *store;
    Arena arena;
    StoreTotals totals;
    StoreClusters clusters;
    StoreConfigs configs;
    StoreProgressList progress;
    ConfigSums sums;
    Bug *bugs; /* one per cluster; without an id if no directory was kept */
    bool busy;
} Campaign;

static void split_level(ConfigSum *sum, Arena *arena) {
    CLEANUP(str_release) Str compiler = {0}, level = {0};
    versions_split(sum->command, &compiler, &level);
    sum->compiler = arena_strdup(arena, str_text(&compiler));
    sum->level = level.len ? arena_strdup(arena, str_text(&level)) : "default";
}

/* The rows of one configuration follow each other. */
static bool load_sums(Campaign *c, Error *err) {
    StoreVerdictCounts rows = {0};
    bool ok = store_verdict_counts(c->store, &c->arena, &rows, err);
    for (size_t i = 0; ok && i < rows.len; i++) {
        const StoreVerdictCount *row = &rows.items[i];
        if (c->sums.len == 0 || !str_equal(vec_last(&c->sums).command, row->command) ||
            !str_equal(vec_last(&c->sums).version, row->version)) {
            vec_push(&c->sums, (ConfigSum){.command = row->command, .version = row->version, .detail = ""});
            split_level(&vec_last(&c->sums), &c->arena);
        }
        ConfigSum *sum = &vec_last(&c->sums);
        sum->tests += row->tests;
        sum->failures += str_equal(row->verdict, verdict_name(VERDICT_OK)) ? 0 : row->tests;
        sum->compile_s += (double)row->compile_us / 1e6;
        sum->run_s += (double)row->run_us / 1e6;
        sum->detail = arena_printf(&c->arena, "%s%s%llu %s", sum->detail, *sum->detail ? ", " : "",
                                   (unsigned long long)row->tests, row->verdict);
    }
    vec_release(&rows);
    return ok;
}

static bool campaign_load(const char *dir, Campaign *c, Error *err) {
    c->dir = dir;
    c->busy = store_is_busy(dir);
    bool ok = store_open(dir, STORE_READ, &c->store, err) && store_totals(c->store, &c->totals, err) &&
              store_clusters(c->store, &c->arena, &c->clusters, err) &&
              store_configs(c->store, &c->arena, &c->configs, err) && store_progress(c->store, &c->progress, err) &&
              load_sums(c, err);
    c->bugs = mem_zalloc(c->clusters.len + 1, sizeof *c->bugs);
    for (size_t i = 0; ok && i < c->clusters.len; i++) {
        const char *directory = c->clusters.items[i].bug.directory;
        if (!directory)
            continue;
        CLEANUP(str_release) Str path = {0};
        str_printf(&path, "%s/bugs/%s", dir, directory);
        /* One that is being written, or that the user removed, is shown by what the store knows. */
        if (!path_is_below(dir, str_text(&path)) || !bug_load(str_text(&path), &c->bugs[i], NULL))
            c->bugs[i] = (Bug){0};
    }
    return ok;
}

static void campaign_release(Campaign *c) {
    for (size_t i = 0; c->bugs && i < c->clusters.len; i++)
        if (c->bugs[i].id)
            bug_release(&c->bugs[i]);
    free(c->bugs);
    vec_release(&c->clusters);
    vec_release(&c->configs);
    vec_release(&c->progress);
    vec_release(&c->sums);
    store_close(c->store);
    arena_release(&c->arena);
}

/* --- Summary --- */

static int by_number(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_sizes_tile(Html *html, const Campaign *c) {
    double *sizes = mem_zalloc(c->clusters.len + 1, sizeof *sizes);
    size_t count = 0;
    for (size_t i = 0; i < c->clusters.len; i++)
        if (c->bugs[i].id && bug_is_reduced(&c->bugs[i]))
            sizes[count++] = (double)c->bugs[i].reduced.bytes;
    if (count) {
        CLEANUP(str_release) Str figure = {0}, note = {0};
        qsort(sizes, count, sizeof *sizes, by_number);
        document_count(&figure, (uint64_t)(plot_quantile(sizes, count, 0.5) + 0.5));
        str_printf(&note, "of the %zu that are reduced", count);
        document_tile(html, str_text(&figure), "bytes, median reduced program", str_text(&note));
    }
    free(sizes);
}

static void put_tiles(Html *html, const Campaign *c) {
    const StoreProgress end = c->progress.len ? vec_last(&c->progress) : (StoreProgress){0};
    double cpu_s = (double)end.cpu_us / 1e6, elapsed_s = (double)end.elapsed_s;
    CLEANUP(str_release) Str bugs = {0}, tests = {0}, cpu = {0}, rate = {0}, kinds = {0}, hits = {0};
    Map counts = {0};
    for (size_t i = 0; i < c->clusters.len; i++)
        map_insert_str(&counts, c->clusters.items[i].bug.kind, NULL)->value++;
    for (size_t i = 0; i < counts.len; i++)
        str_printf(&kinds, "%s%llu %s", i ? ", " : "", (unsigned long long)counts.entries[i].value,
                   counts.entries[i].key);
    map_release(&counts);
    document_count(&bugs, c->clusters.len);
    document_count(&tests, c->totals.tests);
    document_count(&hits, c->totals.hits);
    str_append(&hits, c->totals.hits == 1 ? " hit" : " hits, duplicates included");
    document_seconds(&cpu, cpu_s);
    if (elapsed_s > 0)
        str_printf(&rate, "%.3g a second", (double)c->totals.tests / elapsed_s);
    html_open(html, "dl", "class", "tiles", NULL);
    document_tile(html, str_text(&bugs), c->clusters.len == 1 ? "distinct bug" : "distinct bugs", str_text(&kinds));
    document_tile(html, str_text(&tests), "tests", str_text(&rate));
    if (c->totals.sequences) {
        CLEANUP(str_release) Str sequences = {0}, counted = {0};
        document_count(&sequences, c->totals.sequences);
        if (c->totals.counted_tests < c->totals.tests) {
            str_append(&counted, "in the last ");
            document_count(&counted, c->totals.counted_tests);
            str_append(&counted, c->totals.counted_tests == 1 ? " test" : " tests");
            str_append(&counted, "; before they were not counted");
        }
        document_tile(html, str_text(&sequences), "sequences of passes", str_text(&counted));
    }
    document_tile(html, str_text(&cpu), "CPU time of tests", NULL);
    if (c->clusters.len && cpu_s > 0) {
        CLEANUP(str_release) Str per_hour = {0};
        double rate_of_bugs = (double)c->clusters.len / (cpu_s / 3600);
        if (rate_of_bugs < 100)
            str_printf(&per_hour, "%.3g", rate_of_bugs);
        else
            document_count(&per_hour, (uint64_t)(rate_of_bugs + 0.5));
        document_tile(html, str_text(&per_hour), "bugs per CPU hour", str_text(&hits));
    }
    put_sizes_tile(html, c);
    html_close(html);
}

/* --- Bugs over time --- */

static int by_time(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

typedef enum Measure { BY_TIME, BY_CPU } Measure;

static double hours_at(const StoreProgress *row, Measure by) {
    return by == BY_CPU ? (double)row->cpu_us / 3.6e9 : (double)row->elapsed_s / 3600;
}

/* Short campaigns in minutes. */
static void put_curve(Html *html, const Campaign *c, const int64_t *times, Measure by) {
    const StoreProgress end = vec_last(&c->progress);
    double whole = hours_at(&end, by), unit = whole < 2 ? 60 : 1;
    Vec(PlotPoint) points = {0};
    vec_push(&points, (PlotPoint){0, 0});
    size_t thin = c->clusters.len / CURVE_POINTS + 1;
    for (size_t i = 0; i < c->clusters.len; i++) {
        StoreProgress row = store_progress_at(&c->progress, times[i]);
        if (i % thin == 0 || i + 1 == c->clusters.len)
            vec_push(&points, (PlotPoint){hours_at(&row, by) * unit, (double)i + 1});
    }
    vec_push(&points, (PlotPoint){whole * unit, (double)c->clusters.len});
    const char *x = by == BY_CPU ? (unit == 60 ? "CPU minutes of tests" : "CPU hours of tests")
                                 : (unit == 60 ? "minutes" : "hours");
    const PlotAxes axes = {.label = by == BY_CPU ? "Distinct bugs by CPU time spent" : "Distinct bugs over time",
                           .x = x,
                           .y = "distinct bugs",
                           .steps = true};
    const PlotSeries series = {"distinct bugs", points.items, points.len};
    html_open(html, "figure", NULL);
    html_leaf(html, "figcaption", axes.label, NULL);
    plot_lines(html, &axes, &series, 1);
    html_close(html);
    vec_release(&points);
}

static void put_curves(Html *html, const Campaign *c) {
    if (c->progress.len == 0 || c->clusters.len == 0)
        return;
    int64_t *times = mem_zalloc(c->clusters.len + 1, sizeof *times);
    for (size_t i = 0; i < c->clusters.len; i++)
        times[i] = c->clusters.items[i].bug.first_seen_s;
    qsort(times, c->clusters.len, sizeof *times, by_time);
    put_curve(html, c, times, BY_TIME);
    put_curve(html, c, times, BY_CPU);
    free(times);
}

/* --- Verdicts by compiler and level --- */

/* The heat of a cell is its share of failing tests, against the highest of all. */
static PlotCell heat_cell(const Campaign *c, const char *compiler, const char *level, double most, Arena *arena) {
    for (size_t i = 0; i < c->sums.len; i++) {
        const ConfigSum *sum = &c->sums.items[i];
        if (!str_equal(sum->compiler, compiler) || !str_equal(sum->level, level) || sum->tests == 0)
            continue;
        double share = (double)sum->failures / (double)sum->tests;
        return (PlotCell){.share = most > 0 ? share / most : 0,
                          .text = arena_printf(arena, "%llu", (unsigned long long)sum->failures),
                          .title = arena_printf(arena, "%s: %s", sum->command, sum->detail)};
    }
    return (PlotCell){.share = -1};
}

static void put_verdicts(Html *html, const Campaign *c) {
    CLEANUP(strlist_release) StrList compilers = {0}, levels = {0};
    Arena arena = {0};
    double most = 0;
    for (size_t i = 0; i < c->sums.len; i++) {
        const ConfigSum *sum = &c->sums.items[i];
        if (!strlist_contains(&compilers, sum->compiler))
            strlist_add(&compilers, sum->compiler);
        if (!strlist_contains(&levels, sum->level))
            strlist_add(&levels, sum->level);
        most = sum->tests ? MAX_OF(most, (double)sum->failures / (double)sum->tests) : most;
    }
    if (compilers.len == 0 ||
        compilers.len > PLOT_ROWS) /* sequences of passes are configurations too: the table has them */
        return;
    strlist_sort(&levels);
    PlotCell *cells = mem_zalloc(compilers.len * levels.len + 1, sizeof *cells);
    for (size_t r = 0; r < compilers.len; r++)
        for (size_t k = 0; k < levels.len; k++)
            cells[r * levels.len + k] = heat_cell(c, compilers.items[r], levels.items[k], most, &arena);
    html_open(html, "figure", NULL);
    html_leaf(html, "figcaption", "Failing tests by compiler and level", NULL);
    plot_heat(html, "Failing tests by compiler and level", (const char *const *)compilers.items, compilers.len,
              (const char *const *)levels.items, levels.len, cells);
    html_leaf(html, "p", "The darker, the larger the share of tests that fail, duplicates included.", "class", "note",
              NULL);
    html_close(html);
    arena_release(&arena);
    free(cells);
}

/* --- Cost by configuration (YARPGen's Table 7) --- */

static void put_costs(Html *html, const Campaign *c) {
    static const char *const parts[] = {"compiling", "running the program"};
    if (c->sums.len == 0 || c->sums.len > PLOT_ROWS)
        return;
    PlotBar *bars = mem_zalloc(c->sums.len, sizeof *bars);
    double(*values)[2] = mem_zalloc(c->sums.len, sizeof *values);
    Arena arena = {0};
    for (size_t i = 0; i < c->sums.len; i++) {
        const ConfigSum *sum = &c->sums.items[i];
        double tests = (double)MAX_OF(sum->tests, (uint64_t)1);
        CLEANUP(str_release) Str figure = {0};
        values[i][0] = sum->compile_s / tests;
        values[i][1] = sum->run_s / tests;
        document_seconds(&figure, values[i][0] + values[i][1]);
        bars[i] = (PlotBar){sum->command, arena_strdup(&arena, str_text(&figure)), values[i]};
    }
    html_open(html, "figure", NULL);
    html_leaf(html, "figcaption", "CPU time of one test by configuration", NULL);
    plot_bars(html, "CPU time of one test by configuration", parts, 2, bars, c->sums.len, 0);
    html_close(html);
    free(values);
    free(bars);
    arena_release(&arena);
}

static void put_cost_table(Html *html, const Campaign *c) {
    document_section(html, "configurations", "Configurations");
    html_open(html, "details", "class", "fold", "open", c->sums.len <= PLOT_ROWS ? "" : NULL, NULL);
    html_open(html, "summary", NULL);
    html_printf(html, "%zu configuration%s, with the CPU time taken", c->sums.len, c->sums.len == 1 ? "" : "s");
    html_close(html);
    html_open(html, "div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "Configurations", NULL);
    html_open(html, "table", "class", "figures", NULL);
    html_open(html, "thead", NULL);
    html_open(html, "tr", NULL);
    static const char *const heads[] = {"command", "version", "tests", "verdicts", "compile CPU", "run CPU"};
    for (size_t i = 0; i < ARRAY_LEN(heads); i++)
        html_leaf(html, "th", heads[i], "scope", "col", "class", i == 2 || i > 3 ? "number" : NULL, NULL);
    html_close(html);
    html_close(html);
    for (size_t i = 0; i < c->sums.len; i++) {
        const ConfigSum *sum = &c->sums.items[i];
        CLEANUP(str_release) Str tests = {0}, compile = {0}, run = {0};
        document_count(&tests, sum->tests);
        document_seconds(&compile, sum->compile_s);
        document_seconds(&run, sum->run_s);
        html_open(html, "tr", NULL);
        html_open(html, "th", "scope", "row", NULL);
        html_leaf(html, "code", sum->command, NULL);
        html_close(html);
        html_leaf(html, "td", sum->version, "class", "note", NULL);
        html_leaf(html, "td", str_text(&tests), "class", "number", NULL);
        html_leaf(html, "td", sum->detail, NULL);
        html_leaf(html, "td", str_text(&compile), "class", "number", NULL);
        html_leaf(html, "td", str_text(&run), "class", "number", NULL);
        html_close(html);
    }
    html_close_to(html, html->depth - 4);
}

/* --- Which versions have which bug --- */

/* What one compiler does with the bug's program: fine at every level, or what happens and where. */
static void put_matrix_cell(Html *html, const VersionGroups *groups, const char *compiler) {
    const VersionGroup *fine = NULL, *fails = NULL;
    html_open(html, "td", NULL);
    for (size_t i = 0; i < groups->len; i++) {
        const VersionGroup *group = &groups->items[i];
        if (!str_equal(group->compiler, compiler))
            continue;
        if (group->fine) {
            fine = group;
            continue;
        }
        html_text(html, fails ? " " : "");
        bug_badge(html, group->row->verdict);
        html_printf(html, " %s", str_text(&group->levels));
        fails = group;
    }
    if (fine && !fails)
        html_leaf(html, "span", "fine", "class", "fine", "title", fine->row->version, NULL);
    html_close(html);
}

static void put_matrix_row(Html *html, const Bug *bug, const StrList *compilers) {
    CLEANUP(versions_release) VersionGroups groups = {0};
    CLEANUP(str_release) Str target = {0};
    versions_group(bug, &groups);
    str_printf(&target, "#bug-%s", bug->id);
    html_open(html, "tr", NULL);
    html_open(html, "th", "scope", "row", NULL);
    html_leaf(html, "a", bug->id, "href", str_text(&target), NULL);
    html_close(html);
    for (size_t k = 0; k < compilers->len; k++)
        put_matrix_cell(html, &groups, compilers->items[k]);
    html_close(html);
}

static void put_matrix(Html *html, const Campaign *c) {
    CLEANUP(strlist_release) StrList compilers = {0};
    size_t rows = 0;
    for (size_t i = 0; i < c->clusters.len; i++) {
        rows += c->bugs[i].id && c->bugs[i].versions.len > 0;
        for (size_t k = 0; c->bugs[i].id && k < c->bugs[i].versions.len; k++) {
            CLEANUP(str_release) Str compiler = {0};
            versions_split(c->bugs[i].versions.items[k].command, &compiler, NULL);
            if (!strlist_contains(&compilers, str_text(&compiler)))
                strlist_add(&compilers, str_text(&compiler));
        }
    }
    if (rows == 0)
        return;
    strlist_sort(&compilers);
    document_section(html, "versions", "Who has which bug");
    html_open(html, "details", "class", "fold", "open", rows <= MATRIX_OPEN ? "" : NULL, NULL);
    html_open(html, "summary", NULL);
    html_printf(html, "%zu bug%s, %zu compiler%s", rows, rows == 1 ? "" : "s", compilers.len,
                compilers.len == 1 ? "" : "s");
    html_close(html);
    html_open(html, "div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "Who has which bug",
              NULL);
    html_open(html, "table", "class", "matrix", NULL);
    html_open(html, "thead", NULL);
    html_open(html, "tr", NULL);
    html_leaf(html, "th", "bug", "scope", "col", NULL);
    for (size_t k = 0; k < compilers.len; k++)
        html_leaf(html, "th", compilers.items[k], "scope", "col", NULL);
    html_close(html);
    html_close(html);
    for (size_t i = 0; i < c->clusters.len; i++)
        if (c->bugs[i].id && c->bugs[i].versions.len)
            put_matrix_row(html, &c->bugs[i], &compilers);
    html_close_to(html, html->depth - 4);
}

/* --- The bugs --- */

/* One that left no directory, or whose directory is gone: what the store knows. */
static void put_bare_bug(Html *html, const StoreCluster *cluster) {
    const StoreBug *bug = &cluster->bug;
    html_open(html, "details", "class", "bug", "data-compiler", bug->compiler, "data-kind", bug->kind, "data-pass",
              cluster->explanation.pass ? cluster->explanation.pass : "", NULL);
    html_open(html, "summary", NULL);
    bug_badge(html, bug->kind);
    html_open(html, "span", "class", "what", NULL);
    html_leaf(html, "strong", bug->compiler, NULL);
    html_printf(html, " %s", bug->signature && *bug->signature ? bug->signature : bug->command);
    html_close(html);
    html_open(html, "span", "class", "facts", NULL);
    html_printf(html, "%llu hit%s", (unsigned long long)bug->hits, bug->hits == 1 ? "" : "s");
    html_close(html);
    html_close(html);
    html_leaf(
        html, "p",
        "No directory of it was kept: further hits of a bug whose directories triage told apart, or they were removed.",
        "class", "note", NULL);
    html_close(html);
}

static void add_word(StrList *list, const char *word) {
    if (word && *word && !strlist_contains(list, word))
        strlist_add(list, word);
}

static void put_bugs(Html *html, const Campaign *c) {
    CLEANUP(strlist_release) StrList compilers = {0}, kinds = {0}, passes = {0};
    for (size_t i = 0; i < c->clusters.len; i++) {
        const Bug *bug = &c->bugs[i];
        const StoreCluster *cluster = &c->clusters.items[i];
        add_word(&compilers, bug->id ? bug->compiler : cluster->bug.compiler);
        add_word(&kinds, bug->id ? verdict_kind(bug->kind) : cluster->bug.kind);
        add_word(&passes, bug->id ? bug->guilty.pass : cluster->explanation.pass);
    }
    document_section(html, "bugs", "Bugs");
    bug_filters(html, &compilers, &kinds, &passes, c->clusters.len);
    if (c->clusters.len == 0)
        html_leaf(html, "p", c->busy ? "None so far." : "None was found.", NULL);
    for (size_t i = 0; i < c->clusters.len; i++) {
        const StoreCluster *cluster = &c->clusters.items[i];
        CLEANUP(str_release) Str seen = {0};
        clock_append_utc(&seen, cluster->bug.first_seen_s);
        if (c->bugs[i].id)
            bug_section(html, &c->bugs[i],
                        &(BugContext){.hits = cluster->bug.hits,
                                      .directories = cluster->bug.kept,
                                      .merged = cluster->keys,
                                      .first_seen = str_text(&seen),
                                      .open = c->clusters.len == 1,
                                      .brief = c->clusters.len > BUGS_BRIEF});
        else
            put_bare_bug(html, cluster);
    }
    html_close(html);
}

/* --- All of it --- */

static bool put_header(Html *html, Campaign *c, Error *err) {
    CLEANUP(str_release) Str path = {0}, end = {0};
    const char *generator = NULL, *seed = NULL;
    if (!path_absolute(c->dir, &path, err) || !store_setting(c->store, "generator", &c->arena, &generator, err) ||
        !store_setting(c->store, "seed", &c->arena, &seed, err))
        return false;
    html_open(html, "header", NULL);
    html_leaf(html, "p", "culprit campaign", "class", "kicker", NULL);
    html_leaf(html, "h1", path_name(str_text(&path)), NULL);
    html_open(html, "p", "class", "note", NULL);
    html_printf(html, "%zu configuration%s", c->configs.len, c->configs.len == 1 ? "" : "s");
    if (generator)
        html_printf(html, " · generator %s", generator);
    if (seed)
        html_printf(html, " · seeds from %s", seed);
    if (c->progress.len) {
        clock_append_utc(&end, vec_last(&c->progress).wall_s);
        html_printf(html, " · last test %s", str_text(&end));
    }
    html_close(html);
    if (c->busy)
        html_leaf(html, "p", "This campaign is running.", "class", "running", "role", "status", NULL);
    document_navigation(html, "summary", "Summary", "bugs", "Bugs", "versions", "Versions", "configurations",
                        "Configurations", NULL);
    html_close(html);
    return true;
}

bool campaign_page(Html *html, const char *dir, Error *err) {
    Campaign c = {0};
    bool ok = campaign_load(dir, &c, err) && put_header(html, &c, err);
    if (ok) {
        document_section(html, "summary", "Summary");
        put_tiles(html, &c);
        html_open(html, "div", "class", "plots", NULL);
        put_curves(html, &c);
        put_verdicts(html, &c);
        put_costs(html, &c);
        html_close(html);
        html_close(html);
        put_bugs(html, &c);
        put_matrix(html, &c);
        put_cost_table(html, &c);
    }
    campaign_release(&c);
    return ok;
}
