/* Unified diffs by Myers' greedy algorithm (E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986).
 *
 * For d = 0, 1, … the furthest x reachable with d insertions and deletions is kept per diagonal k = x - y; the arrays
 * of all rounds are kept, and the edit script is read off them backwards. Common first and last lines are cut off
 * before, so the cost depends on what differs: mutants and reduced programs are a few lines away from their origin.
 * Past MAX_DISTANCE, where nobody reads a diff any more, everything between the cuts is shown as replaced.
 */
#include <stdlib.h>
#include <string.h>

#include "clang/edit.h"

enum { CONTEXT = 3, MAX_DISTANCE = 2000 };

typedef struct Line {
    const char *text;
    size_t len;
} Line;

typedef Vec(Line) LineList;

typedef struct Step {
    char kind;             /* ' ' kept, '-' removed, '+' added */
    size_t old_at, new_at; /* lines before this step */
} Step;

typedef Vec(Step) Script;

static void split_lines(const char *text, LineList *ret_lines) {
    size_t len;
    for (const char *line; (line = str_next_line(&text, &len));)
        vec_push(ret_lines, (Line){line, len});
}

static bool same_line(const Line *a, const Line *b) {
    return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* rounds[d][k + d] is the furthest x on diagonal k with d changes. Returns d if the end was reached, or -1. */
static long search(const Line *a, long n, const Line *b, long m, long **rounds) {
    for (long d = 0; d <= n + m && d <= MAX_DISTANCE; d++) {
        long *now = rounds[d] = mem_zalloc((size_t)(2 * d + 1), sizeof(long));
        const long *before = d ? rounds[d - 1] + d - 1 : NULL; /* indexed by k */
        for (long k = -d; k <= d; k += 2) {
            long x = 0;
            if (d > 0) {
                bool down = k == -d || (k != d && before[k - 1] < before[k + 1]);
                x = down ? before[k + 1] : before[k - 1] + 1;
            }
            while (x < n && x - k < m && same_line(&a[x], &b[x - k]))
                x++;
            now[k + d] = x;
            if (x >= n && x - k >= m)
                return d;
        }
    }
    return -1;
}

/* Appends the steps from the end to the start; the caller turns them round. */
static void trace_back(long **rounds, long d, long n, long m, Script *ret_steps) {
    long x = n, y = m;
    for (; d > 0; d--) {
        const long *before = rounds[d - 1] + d - 1;
        long k = x - y;
        bool down = k == -d || (k != d && before[k - 1] < before[k + 1]);
        long from_k = down ? k + 1 : k - 1, from_x = before[from_k], from_y = from_x - from_k;
        while (x > from_x + !down && y > from_y + down)
            vec_push(ret_steps, (Step){' ', (size_t)--x, (size_t)--y});
        vec_push(ret_steps, (Step){down ? '+' : '-', (size_t)from_x, (size_t)from_y});
        x = from_x;
        y = from_y;
    }
    while (x > 0 && y > 0)
        vec_push(ret_steps, (Step){' ', (size_t)--x, (size_t)--y});
}

static void compare(const LineList *a, const LineList *b, Script *ret_script) {
    size_t head = 0, tail = 0;
    while (head < a->len && head < b->len && same_line(&a->items[head], &b->items[head]))
        head++;
    while (tail + head < a->len && tail + head < b->len &&
           same_line(&a->items[a->len - 1 - tail], &b->items[b->len - 1 - tail]))
        tail++;
    size_t n = a->len - head - tail, m = b->len - head - tail;
    long **rounds = mem_zalloc(MAX_DISTANCE + 1, sizeof(long *));
    Script middle = {0};
    long d = search(a->items + head, (long)n, b->items + head, (long)m, rounds);
    if (d >= 0)
        trace_back(rounds, d, (long)n, (long)m, &middle);
    else { /* too different: all old lines give way to all new ones */
        for (size_t i = m; i-- > 0;)
            vec_push(&middle, (Step){'+', n, i});
        for (size_t i = n; i-- > 0;)
            vec_push(&middle, (Step){'-', i, 0});
    }
    for (size_t i = 0; i < head; i++)
        vec_push(ret_script, (Step){' ', i, i});
    for (size_t i = middle.len; i-- > 0;)
        vec_push(ret_script,
                 (Step){middle.items[i].kind, middle.items[i].old_at + head, middle.items[i].new_at + head});
    for (size_t i = 0; i < tail; i++)
        vec_push(ret_script, (Step){' ', head + n + i, head + m + i});
    for (long i = 0; i <= MAX_DISTANCE; i++)
        free(rounds[i]);
    free(rounds);
    vec_release(&middle);
}

/* The first step of the next hunk with its context, or script->len. */
static size_t hunk_begin(const Script *script, size_t from) {
    size_t change = from;
    while (change < script->len && script->items[change].kind == ' ')
        change++;
    if (change == script->len)
        return change;
    return change - from > CONTEXT ? change - CONTEXT : from;
}

/* Behind the last step: changes less than two contexts apart share a hunk. */
static size_t hunk_end(const Script *script, size_t begin) {
    size_t end = begin;
    for (size_t i = begin; i < script->len && i < end + 2 * CONTEXT + (end == begin); i++)
        if (script->items[i].kind != ' ')
            end = i + 1;
    return MIN_OF(end + CONTEXT, script->len);
}

/* "3,4", or "3" for one line; an empty range names the line before it. */
static void format_range(size_t at, size_t count, Str *ret_text) {
    str_append_u64(ret_text, count ? at + 1 : at);
    if (count != 1)
        str_printf(ret_text, ",%zu", count);
}

static void format_hunk(const Script *script, size_t begin, size_t end, const LineList *a, const LineList *b,
                        Str *diff) {
    size_t olds = 0, news = 0;
    for (size_t i = begin; i < end; i++) {
        olds += script->items[i].kind != '+';
        news += script->items[i].kind != '-';
    }
    str_append(diff, "@@ -");
    format_range(script->items[begin].old_at, olds, diff);
    str_append(diff, " +");
    format_range(script->items[begin].new_at, news, diff);
    str_append(diff, " @@\n");
    for (size_t i = begin; i < end; i++) {
        const Step *step = &script->items[i];
        const Line *line = step->kind == '+' ? &b->items[step->new_at] : &a->items[step->old_at];
        str_append_char(diff, step->kind);
        str_append_n(diff, line->text, line->len);
        str_append_char(diff, '\n');
    }
}

void text_diff(const char *old_name, const char *old_text, const char *new_name, const char *new_text, Str *ret_diff) {
    LineList a = {0}, b = {0};
    Script script = {0};
    split_lines(old_text, &a);
    split_lines(new_text, &b);
    compare(&a, &b, &script);
    for (size_t i = hunk_begin(&script, 0), first = i; i < script.len; i = hunk_begin(&script, i)) {
        if (i == first)
            str_printf(ret_diff, "--- %s\n+++ %s\n", old_name, new_name);
        size_t end = hunk_end(&script, i);
        format_hunk(&script, i, end, &a, &b, ret_diff);
        i = end;
    }
    vec_release(&a);
    vec_release(&b);
    vec_release(&script);
}
