/* Plots as SVG elements inside a page: small functions, one for each form.
 *
 * Sizes are fixed in the drawing's own units and scale with the page; colours are classes of the style sheet (series-0 to
 * series-5, and the ink of axes), so that light and dark work. Every plot has a role and a label for readers who do not see
 * it, and every mark a title that browsers show when it is pointed at.
 */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/html.h"

enum { PLOT_SERIES = 6 }; /* colours; further series start again */

typedef struct PlotPoint {
    double x, y;
} PlotPoint;

typedef struct PlotSeries {
    const char *name;
    const PlotPoint *points; /* x ascending */
    size_t count;
} PlotSeries;

typedef struct PlotAxes {
    const char *label;   /* of the whole plot, a sentence */
    const char *x, *y;   /* what the axes count, with the unit */
    double x_max, y_max; /* 0: as the points need it */
    bool steps;          /* a value holds until the next point: counts */
    bool y_down;         /* 1 at the top: ranks */
} PlotAxes;

void plot_lines(Html *html, const PlotAxes *axes, const PlotSeries *series, size_t count);

/* A cell of a grid: how hot it is, between 0 and 1 (negative: no such cell), its text, and what is said when it is pointed at. */
typedef struct PlotCell {
    double share;
    const char *text, *title;
} PlotCell;

/* cells[row * columns + column]; texts are copied. */
void plot_heat(Html *html, const char *label, const char *const *row_names, size_t rows,
               const char *const *column_names, size_t columns, const PlotCell *cells);

/* One horizontal bar per row, made of parts. */
typedef struct PlotBar {
    const char *name;   /* in front */
    const char *figure; /* behind */
    const double *parts;
} PlotBar;

/* Parts have names, for the legend; max 0: the longest bar fills the width. */
void plot_bars(Html *html, const char *label, const char *const *part_names, size_t parts, const PlotBar *bars,
               size_t count, double max);
/* A single bar without a name, for lists that have their own. */
void plot_bar(Html *html, const char *label, const char *const *part_names, size_t parts, const double *values,
              double max);

/* Minimum, quartiles and maximum of each group, over one axis from 0 (or what the values need) to the largest. */
typedef struct PlotGroup {
    const char *name;
    const double *values; /* in any order */
    size_t count;
} PlotGroup;

void plot_boxes(Html *html, const char *label, const char *unit, const PlotGroup *groups, size_t count);

/* What the boxes are drawn from; linear between neighbours (the default of R and NumPy). `sorted` ascending, count > 0. */
double plot_quantile(const double *sorted, size_t count, double share);
/* The distance of axis marks so that about `marks` fit: 1, 2 or 5 times a power of ten. */
double plot_step(double range, size_t marks);

#endif
