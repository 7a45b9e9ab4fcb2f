#include "evaluate/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "binary/unit_table.h"
#include "compiler/identify.h"
#include "evaluate/answer.h"

void contenders_release(Contenders *contenders) {
    for (size_t i = 0; i < contenders->len; i++)
        vec_release(&contenders->items[i].ranks);
    vec_release(contenders);
}

Comparison compare(const Contender *a, const Contender *b) {
    Comparison c = {.a = a->name, .b = b->name};
    size_t most = MIN_OF(a->ranks.len, b->ranks.len);
    double *x = mem_zalloc(most + 1, sizeof *x), *y = mem_zalloc(most + 1, sizeof *y);
    for (size_t i = 0; i < most; i++)
        if (!isnan(a->ranks.items[i]) && !isnan(b->ranks.items[i])) {
            x[c.pairs] = a->ranks.items[i];
            y[c.pairs++] = b->ranks.items[i];
        }
    c.test = wilcoxon_signed_rank(x, y, c.pairs);
    c.a_median = median(x, c.pairs); /* sorts them: last */
    c.b_median = median(y, c.pairs);
    free(x);
    free(y);
    return c;
}

/* W+ sums the ranks of the bugs on which a's rank is larger, so that less than half of all means that a is better. */
static bool a_is_better(const Comparison *c) {
    double n = (double)c->test.n;
    return c->test.statistic < n * (n + 1) / 4;
}

void comparison_text(const Comparison *c, Str *ret_text) {
    const char *word = c->test.p >= 0.05 ? "no difference shown between" : "";
    if (*word)
        str_printf(ret_text, "%s %s and %s", word, c->a, c->b);
    else
        str_printf(ret_text, "%s before %s", a_is_better(c) ? c->a : c->b, a_is_better(c) ? c->b : c->a);
    str_printf(ret_text, ": p = %.2g%s (Wilcoxon, %zu bugs, %zu differ; median first rank of %s %g, of %s %g)",
               c->test.p, c->test.exact ? "" : " approximately", c->pairs, c->test.n, c->a, c->a_median, c->b,
               c->b_median);
}

Json *comparison_json(const Comparison *c) {
    Json *json = json_new_object();
    json_put_text(json, "a", c->a);
    json_put_text(json, "b", c->b);
    json_put_text(json, "test", "wilcoxon");
    json_put_int(json, "pairs", (int64_t)c->pairs);
    json_put_int(json, "differ", (int64_t)c->test.n);
    json_put_real(json, "statistic", c->test.statistic);
    json_put_real(json, "p", c->test.p);
    json_put_bool(json, "exact", c->test.exact);
    json_put_real(json, "a_median", c->a_median);
    json_put_real(json, "b_median", c->b_median);
    if (c->test.p < 0.05)
        json_put_text(json, "better", a_is_better(c) ? c->a : c->b);
    return json;
}

/* --- Baselines --- */

void bug_report_of(const char *id, Str *ret_report) {
    for (const char *at = id; (at = strstr(at, "pr")); at++) {
        size_t digits = strspn(at + 2, "0123456789");
        if (digits && (at == id || !isalnum((unsigned char)at[-1]))) {
            str_append_n(ret_report, at, digits + 2);
            return;
        }
    }
    str_append(ret_report, id);
}

static CompilerFamily family_of(const Bug *bug) {
    CompilerFamily family = bug->fail_cmd.len ? compiler_family_of_name(bug->fail_cmd.items[0]) : FAMILY_OTHER;
    return family == FAMILY_OPT || family == FAMILY_LLC ? FAMILY_CLANG : family;
}

/* Every report votes once for each of its files, whatever number of bugs it has in the set. */
static void count_fixes(const Bug *bugs, size_t count, size_t left_out, Map *ret_votes) {
    CLEANUP(str_release) Str own = {0};
    Map seen = {0};
    bug_report_of(bugs[left_out].id, &own);
    for (size_t b = 0; b < count; b++) {
        CLEANUP(str_release) Str report = {0};
        bug_report_of(bugs[b].id, &report);
        if (str_equal(str_text(&report), str_text(&own)) || family_of(&bugs[b]) != family_of(&bugs[left_out]))
            continue;
        for (size_t f = 0; f < bugs[b].files.len; f++) {
            CLEANUP(str_release) Str key = {0};
            bool is_new;
            str_printf(&key, "%s %s", str_text(&report), bugs[b].files.items[f]);
            map_insert_str(&seen, str_text(&key), &is_new);
            if (is_new && answer_is_ranked(bugs[b].files.items[f]))
                map_insert_str(ret_votes, bugs[b].files.items[f], NULL)->value++;
        }
    }
    map_release(&seen);
}

/* Tied files all take the worst rank among them, as in every ranking of ours. */
bool prior_rank(const Bug *bugs, size_t count, size_t which, size_t files, BugRank *ret_rank) {
    const Bug *bug = &bugs[which];
    Map votes = {0};
    count_fixes(bugs, count, which, &votes);
    size_t *ranks = mem_zalloc(bug->files.len + 1, sizeof *ranks), answers = 0;
    for (size_t f = 0; f < bug->files.len; f++) {
        if (!answer_is_ranked(bug->files.items[f]))
            continue;
        const MapEntry *own = map_find_str(&votes, bug->files.items[f]);
        for (size_t i = 0; own && i < votes.len; i++)
            ranks[answers] += votes.entries[i].value >= own->value;
        answers++;
    }
    bool known = votes.len > 0 && answers > 0;
    if (known)
        *ret_rank = metrics_bug(ranks, answers, MAX_OF(files, votes.len));
    free(ranks);
    map_release(&votes);
    return known;
}

bool pass_rank(const Bug *bug, const PassFiles *pass_files, size_t files, BugRank *ret_rank) {
    CLEANUP(strlist_release) StrList named = {0};
    if (!bug->guilty.pass)
        return false;
    TriageFinding finding = {.pass = bug->guilty.pass, .number = -1};
    pass_files_answer(pass_files, &finding, &named);
    if (named.len == 0)
        return false;
    size_t *ranks = mem_zalloc(bug->files.len + 1, sizeof *ranks), answers = 0;
    for (size_t f = 0; f < bug->files.len; f++)
        if (answer_is_ranked(bug->files.items[f]))
            ranks[answers++] = str_equal(bug->files.items[f], named.items[0]) ? 1 : 0;
    if (answers)
        *ret_rank = metrics_bug(ranks, answers, MAX_OF(files, (size_t)1));
    free(ranks);
    return answers > 0;
}
