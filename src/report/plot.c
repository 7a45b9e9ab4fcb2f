/* Drawing: y grows downwards in SVG, so that every plot keeps its origin at the lower left by itself. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Units of the drawing. 480 fills a narrow screen with letters that can be read, and half a wide one. */
enum { WIDTH = 480, HEIGHT = 260, LEFT = 52, RIGHT = 14, TOP = 12, BOTTOM = 40, CHAR = 7, MARKS = 5 };

static const char *series_class(size_t series) {
    static const char *const names[PLOT_SERIES] = {"series-0", "series-1", "series-2",
                                                   "series-3", "series-4", "series-5"};
    return names[series % PLOT_SERIES];
}

/* A number as an attribute: short, and the same on every machine. */
typedef struct Number {
    char text[32];
} Number;

static Number number(double value) {
    Number n;
    snprintf(n.text, sizeof n.text, "%.6g", round(value * 100) / 100);
    return n;
}

/* A figure of an axis: thousands as k, so that it stays narrow. */
static Number figure(double value) {
    Number n;
    if (fabs(value) >= 1e6)
        snprintf(n.text, sizeof n.text, "%.3gM", value / 1e6);
    else if (fabs(value) >= 1e4)
        snprintf(n.text, sizeof n.text, "%.3gk", value / 1e3);
    else
        snprintf(n.text, sizeof n.text, "%.4g", value);
    return n;
}

double plot_step(double range, size_t marks) {
    if (!(range > 0) || marks == 0)
        return 1;
    double rough = range / (double)marks, power = pow(10, floor(log10(rough))), lead = rough / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static void open_svg(Html *html, const char *label, double width, double height, const char *class) {
    CLEANUP(str_release) Str box = {0};
    str_printf(&box, "0 0 %g %g", width, height);
    html_open(html, "svg", "viewBox", str_text(&box), "role", "img", "aria-label", label, "class", class,
              "preserveAspectRatio", str_equal(class, "bar") ? "none" : NULL,
              NULL); /* bars are as wide as their place */
}

static void draw_line(Html *html, double x1, double y1, double x2, double y2, const char *class) {
    html_open(html, "line", "x1", number(x1).text, "y1", number(y1).text, "x2", number(x2).text, "y2", number(y2).text,
              "class", class, NULL);
    html_close(html);
}

static void draw_text(Html *html, double x, double y, const char *anchor, const char *class, const char *text) {
    html_leaf(html, "text", text, "x", number(x).text, "y", number(y).text, "text-anchor", anchor, "class", class,
              NULL);
}

static void draw_rect(Html *html, double x, double y, double width, double height, const char *class,
                      const char *opacity, const char *title) {
    html_open(html, "rect", "x", number(x).text, "y", number(y).text, "width", number(width).text, "height",
              number(height).text, "class", class, "fill-opacity", opacity, NULL);
    if (title)
        html_leaf(html, "title", title, NULL);
    html_close(html);
}

/* Names that do not fit lose their middle: compilers differ at the front, options at the end. */
static void shorten(const char *name, size_t most, Str *ret_name) {
    size_t len = strlen(name);
    str_clear(ret_name);
    if (len <= most) {
        str_append(ret_name, name);
        return;
    }
    str_append_n(ret_name, name, most / 2);
    str_append(ret_name, "…");
    str_append(ret_name, name + len - (most - most / 2 - 1));
}

static void draw_legend(Html *html, const char *const *names, size_t count) {
    html_open(html, "ul", "class", "legend", NULL);
    for (size_t i = 0; i < count; i++) {
        html_open(html, "li", NULL);
        html_leaf(html, "span", "", "class", series_class(i), "aria-hidden", "true", NULL);
        html_text(html, names[i]);
        html_close(html);
    }
    html_close(html);
}

/* --- Lines --- */

typedef struct Scale {
    double x_max, y_min, y_max;
    bool down;
} Scale;

static double at_x(const Scale *s, double x) { return LEFT + x / s->x_max * (WIDTH - LEFT - RIGHT); }

static double at_y(const Scale *s, double y) {
    double share = (y - s->y_min) / (s->y_max - s->y_min);
    return TOP + (s->down ? share : 1 - share) * (HEIGHT - TOP - BOTTOM);
}

static Scale scale_of(const PlotAxes *axes, const PlotSeries *series, size_t count) {
    Scale s = {.x_max = axes->x_max, .y_max = axes->y_max, .down = axes->y_down, .y_min = axes->y_down ? 1 : 0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < series[i].count; k++) {
            s.x_max = axes->x_max > 0 ? s.x_max : MAX_OF(s.x_max, series[i].points[k].x);
            s.y_max = axes->y_max > 0 ? s.y_max : MAX_OF(s.y_max, series[i].points[k].y);
        }
    s.x_max = s.x_max > 0 ? s.x_max : 1;
    if (s.y_max <= s.y_min)
        s.y_max = s.y_min + 1;
    return s;
}

static void draw_axes(Html *html, const PlotAxes *axes, const Scale *s) {
    double x_step = plot_step(s->x_max, MARKS), y_step = plot_step(s->y_max - s->y_min, MARKS);
    if (s->y_max - s->y_min >= 1 && y_step < 1) /* counts and ranks are whole */
        y_step = 1;
    for (double y = s->down ? 1 : 0; y <= s->y_max * (1 + 1e-9);
         y = s->down && y == 1 ? MAX_OF(y_step, 2.0) : y + y_step) {
        draw_line(html, LEFT, at_y(s, y), WIDTH - RIGHT, at_y(s, y), "grid");
        draw_text(html, LEFT - 6, at_y(s, y) + 4, "end", "mark", figure(y).text);
    }
    for (double x = 0; x <= s->x_max * (1 + 1e-9); x += x_step) {
        draw_line(html, at_x(s, x), HEIGHT - BOTTOM, at_x(s, x), HEIGHT - BOTTOM + 4, "axis");
        draw_text(html, at_x(s, x), HEIGHT - BOTTOM + 17, "middle", "mark", figure(x).text);
    }
    draw_line(html, LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis");
    draw_text(html, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 5, "middle", "name", axes->x);
    html_leaf(html, "text", axes->y, "transform", "rotate(-90)", "x", number(-(TOP + HEIGHT - BOTTOM) / 2.0).text, "y",
              "12", "text-anchor", "middle", "class", "name", NULL);
}

static void draw_series(Html *html, const PlotAxes *axes, const Scale *s, const PlotSeries *series, size_t index) {
    CLEANUP(str_release) Str path = {0};
    for (size_t i = 0; i < series->count; i++) {
        double x = at_x(s, series->points[i].x), y = at_y(s, series->points[i].y);
        if (i && axes->steps)
            str_printf(&path, "H%s", number(x).text);
        str_printf(&path, "%s%s %s", i ? "L" : "M", number(x).text, number(y).text);
    }
    html_open(html, "path", "d", str_text(&path), "class", series_class(index), NULL);
    html_leaf(html, "title", series->name, NULL);
    html_close(html);
    if (series->count > 60)
        return;
    for (size_t i = 0; i < series->count; i++) {
        CLEANUP(str_release) Str title = {0};
        str_printf(&title, "%s: %.6g at %.6g", series->name, series->points[i].y, series->points[i].x);
        html_open(html, "circle", "cx", number(at_x(s, series->points[i].x)).text, "cy",
                  number(at_y(s, series->points[i].y)).text, "r", "3", "class", series_class(index), NULL);
        html_leaf(html, "title", str_text(&title), NULL);
        html_close(html);
    }
}

void plot_lines(Html *html, const PlotAxes *axes, const PlotSeries *series, size_t count) {
    Scale s = scale_of(axes, series, count);
    const char **names = mem_zalloc(count + 1, sizeof *names);
    open_svg(html, axes->label, WIDTH, HEIGHT, "plot lines");
    draw_axes(html, axes, &s);
    for (size_t i = 0; i < count; i++) {
        names[i] = series[i].name;
        if (series[i].count)
            draw_series(html, axes, &s, &series[i], i);
    }
    html_close(html);
    if (count > 1)
        draw_legend(html, names, count);
    free(names);
}

/* --- Heat map --- */

void plot_heat(Html *html, const char *label, const char *const *row_names, size_t rows,
               const char *const *column_names, size_t columns, const PlotCell *cells) {
    enum { ROW = 30, HEAD = 24, NAME_MOST = 18 };
    size_t longest = 4;
    for (size_t r = 0; r < rows; r++)
        longest = MAX_OF(longest, MIN_OF(strlen(row_names[r]), (size_t)NAME_MOST));
    double left = (double)longest * CHAR + 14, width = (WIDTH - left) / (double)MAX_OF(columns, (size_t)1);
    width = MIN_OF(width, 110.0);
    CLEANUP(str_release) Str name = {0};
    open_svg(html, label, WIDTH, HEAD + (double)rows * ROW, "plot heat");
    for (size_t c = 0; c < columns; c++) {
        shorten(column_names[c], (size_t)(width / CHAR), &name);
        draw_text(html, left + ((double)c + 0.5) * width, 16, "middle", "mark", str_text(&name));
    }
    for (size_t r = 0; r < rows; r++) {
        double y = HEAD + (double)r * ROW;
        shorten(row_names[r], NAME_MOST, &name);
        draw_text(html, left - 8, y + ROW / 2.0 + 4, "end", "mark", str_text(&name));
        for (size_t c = 0; c < columns; c++) {
            const PlotCell *cell = &cells[r * columns + c];
            if (cell->share < 0)
                continue;
            double x = left + (double)c * width;
            /* The background shows that there is a cell, even if nothing happened in it. */
            draw_rect(html, x + 1, y + 1, width - 2, ROW - 2, "cell", NULL, NULL);
            draw_rect(html, x + 1, y + 1, width - 2, ROW - 2, "heat", number(MIN_OF(cell->share, 1.0)).text,
                      cell->title);
            draw_text(html, x + width / 2, y + ROW / 2.0 + 4, "middle", cell->share > 0.55 ? "value on" : "value",
                      cell->text);
        }
    }
    html_close(html);
}

/* --- Bars --- */

static double sum_of(const double *parts, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += parts[i];
    return sum;
}

static void draw_parts(Html *html, const char *const *names, size_t parts, const double *values, double max, double x,
                       double y, double width, double height) {
    for (size_t i = 0; i < parts; i++) {
        double part = max > 0 ? values[i] / max * width : 0;
        if (!(part > 0))
            continue;
        CLEANUP(str_release) Str title = {0};
        str_printf(&title, "%s: %.4g", names[i], values[i]);
        draw_rect(html, x, y, part, height, series_class(i), NULL, str_text(&title));
        x += part;
    }
}

void plot_bar(Html *html, const char *label, const char *const *part_names, size_t parts, const double *values,
              double max) {
    enum { BAR_WIDTH = 200, BAR_HEIGHT = 10 };
    open_svg(html, label, BAR_WIDTH, BAR_HEIGHT, "bar");
    draw_parts(html, part_names, parts, values, max, 0, 0, BAR_WIDTH, BAR_HEIGHT);
    html_close(html);
}

void plot_bars(Html *html, const char *label, const char *const *part_names, size_t parts, const PlotBar *bars,
               size_t count, double max) {
    enum { ROW = 24, NAME_MOST = 20, FIGURE_WIDTH = 74 };
    size_t longest = 4;
    for (size_t i = 0; i < count; i++) {
        longest = MAX_OF(longest, MIN_OF(strlen(bars[i].name), (size_t)NAME_MOST));
        max = MAX_OF(max, sum_of(bars[i].parts, parts));
    }
    double left = (double)longest * CHAR + 14;
    CLEANUP(str_release) Str name = {0};
    open_svg(html, label, WIDTH, (double)count * ROW + 4, "plot bars");
    for (size_t i = 0; i < count; i++) {
        double y = (double)i * ROW + 4, width = WIDTH - left - FIGURE_WIDTH;
        shorten(bars[i].name, NAME_MOST, &name);
        draw_text(html, left - 8, y + ROW / 2.0 + 2, "end", "mark", str_text(&name));
        draw_parts(html, part_names, parts, bars[i].parts, max, left, y, width, ROW - 8);
        draw_text(html, left + (max > 0 ? sum_of(bars[i].parts, parts) / max * width : 0) + 6, y + ROW / 2.0 + 2,
                  "start", "mark", bars[i].figure);
    }
    html_close(html);
    if (parts > 1)
        draw_legend(html, part_names, parts);
}

/* --- Boxes --- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double plot_quantile(const double *sorted, size_t count, double share) {
    double place = share * (double)(count - 1), below = floor(place);
    size_t i = (size_t)below;
    return i + 1 < count ? sorted[i] + (place - below) * (sorted[i + 1] - sorted[i]) : sorted[count - 1];
}

static void draw_box(Html *html, const PlotGroup *group, double left, double scale, double y, double height) {
    double *sorted = mem_dup(group->values, group->count * sizeof *sorted);
    qsort(sorted, group->count, sizeof *sorted, by_value);
    double q[5];
    for (int i = 0; i < 5; i++)
        q[i] = left + plot_quantile(sorted, group->count, i / 4.0) * scale;
    double middle = y + height / 2;
    CLEANUP(str_release) Str title = {0};
    str_printf(&title, "%s: %zu values, median %.4g, quartiles %.4g and %.4g, from %.4g to %.4g", group->name,
               group->count, plot_quantile(sorted, group->count, 0.5), plot_quantile(sorted, group->count, 0.25),
               plot_quantile(sorted, group->count, 0.75), sorted[0], sorted[group->count - 1]);
    draw_line(html, q[0], middle, q[4], middle, "whisker");
    draw_line(html, q[0], y + 3, q[0], y + height - 3, "whisker");
    draw_line(html, q[4], y + 3, q[4], y + height - 3, "whisker");
    draw_rect(html, q[1], y, MAX_OF(q[3] - q[1], 1.0), height, "series-0 box", NULL, str_text(&title));
    draw_line(html, q[2], y, q[2], y + height, "median");
    free(sorted);
}

void plot_boxes(Html *html, const char *label, const char *unit, const PlotGroup *groups, size_t count) {
    enum { ROW = 28, NAME_MOST = 18, AXIS = 40 };
    size_t longest = 4;
    double max = 0;
    for (size_t i = 0; i < count; i++) {
        longest = MAX_OF(longest, MIN_OF(strlen(groups[i].name), (size_t)NAME_MOST));
        for (size_t k = 0; k < groups[i].count; k++)
            max = MAX_OF(max, groups[i].values[k]);
    }
    max = max > 0 ? max : 1;
    double left = (double)longest * CHAR + 14, scale = (WIDTH - left - RIGHT) / max, bottom = (double)count * ROW + 4;
    CLEANUP(str_release) Str name = {0};
    open_svg(html, label, WIDTH, bottom + AXIS, "plot boxes");
    for (double x = 0, step = plot_step(max, MARKS); x <= max * (1 + 1e-9); x += step) {
        draw_line(html, left + x * scale, 0, left + x * scale, bottom, "grid");
        draw_text(html, left + x * scale, bottom + 15, "middle", "mark", figure(x).text);
    }
    draw_text(html, (left + WIDTH) / 2, bottom + AXIS - 6, "middle", "name", unit);
    for (size_t i = 0; i < count; i++) {
        double y = (double)i * ROW + 6;
        shorten(groups[i].name, NAME_MOST, &name);
        draw_text(html, left - 8, y + 12, "end", "mark", str_text(&name));
        if (groups[i].count)
            draw_box(html, &groups[i], left, scale, y, ROW - 12);
    }
    html_close(html);
}
