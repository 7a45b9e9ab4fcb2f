#include "page/page.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "bug/bug.h"
#include "page/kinds.h"
#include "report/bug_section.h"
#include "report/document.h"
#include "report/isolation_section.h"
#include "store/store.h"

/* --- Bug directories and isolations --- */

static void put_choice(Html *html, const char *name, const char *label, const StrList *words) {
    if (words->len < 2)
        return;
    html_open(html, "label", NULL);
    html_text(html, label);
    html_open(html, "select", "data-filter", name, NULL);
    html_leaf(html, "option", "all", "value", "", NULL);
    for (size_t i = 0; i < words->len; i++)
        html_leaf(html, "option", words->items[i], "value", words->items[i], NULL);
    html_close(html);
    html_close(html);
}

/* Without scripts the fields would do nothing: the script unhides them. */
void bug_filters(Html *html, const StrList *compilers, const StrList *kinds, const StrList *passes, size_t bugs) {
    if (bugs < 2)
        return;
    html_open(html, "div", "class", "filters", "role", "search", "hidden", "", NULL);
    html_open(html, "label", NULL);
    html_text(html, "Search");
    html_void(html, "input", "type", "search", "data-filter", "text", "placeholder", "text, file, option", NULL);
    html_close(html);
    put_choice(html, "compiler", "Compiler", compilers);
    put_choice(html, "kind", "Kind", kinds);
    put_choice(html, "pass", "Pass", passes);
    html_leaf(html, "button", "Unfold all", "type", "button", "data-fold", "", NULL);
    html_open(html, "output", "aria-live", "polite", NULL);
    html_printf(html, "%zu bugs", bugs);
    html_close(html);
    html_close(html);
}

static void add_word(StrList *list, const char *word) {
    if (word && *word && !strlist_contains(list, word))
        strlist_add(list, word);
}

bool bugs_page(Html *html, const StrList *dirs, Error *err) {
    CLEANUP(strlist_release) StrList compilers = {0}, kinds = {0}, passes = {0};
    Bug *bugs = mem_zalloc(dirs->len + 1, sizeof *bugs);
    bool ok = true;
    for (size_t i = 0; ok && i < dirs->len; i++) {
        ok = bug_load(dirs->items[i], &bugs[i], err);
        if (!ok)
            break;
        add_word(&compilers, bugs[i].compiler);
        add_word(&kinds, verdict_kind(bugs[i].kind));
        add_word(&passes, bugs[i].guilty.pass);
    }
    if (ok) {
        html_open(html, "header", NULL);
        html_leaf(html, "p", dirs->len == 1 ? "culprit bug" : "culprit bugs", "class", "kicker", NULL);
        html_leaf(html, "h1", dirs->len == 1 ? bugs[0].id : "Bugs", NULL);
        html_close(html);
        html_open(html, "section", "id", "bugs", NULL);
        bug_filters(html, &compilers, &kinds, &passes, dirs->len);
        for (size_t i = 0; i < dirs->len; i++)
            bug_section(html, &bugs[i], &(BugContext){.open = dirs->len == 1, .brief = dirs->len > BUGS_BRIEF});
        html_close(html);
    }
    for (size_t i = 0; i < dirs->len; i++)
        if (bugs[i].id)
            bug_release(&bugs[i]);
    free(bugs);
    return ok;
}

bool isolation_page(Html *html, const char *file, Error *err) {
    CLEANUP(json_freep) Json *json = NULL;
    if (!json_read_file(file, &json, err))
        return false;
    html_open(html, "header", NULL);
    html_leaf(html, "p", "culprit isolation", "class", "kicker", NULL);
    html_leaf(html, "h1", json_get_text(json, "bug", path_name(file)), NULL);
    html_close(html);
    html_open(html, "section", NULL);
    isolation_section(html, json, false);
    html_close(html);
    return true;
}

/* --- What lies at a path --- */

/* The first line of a journal is an object with a bug and a method; suspects.json as a whole has a bug and files. */
static bool file_kind(const char *path, PageKind *ret_kind, Error *err) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(json_freep) Json *json = NULL;
    if (!file_read(path, &text, err))
        return false;
    size_t line = strcspn(str_text(&text), "\n");
    if (json_parse(str_text(&text), line, &json, NULL) && json_has(json, "method") && json_has(json, "seed") &&
        !json_is_array_value(json_get(json, "witnesses"))) {
        *ret_kind = PAGE_BENCH;
        return true;
    }
    json_free(json);
    json = NULL;
    if (json_parse(str_text(&text), text.len, &json, NULL) && json_is_array_value(json_get(json, "files")) &&
        json_has(json, "statistics")) {
        *ret_kind = PAGE_ISOLATION;
        return true;
    }
    return error_set(err, "%s is neither a journal of `culprit bench` nor a suspects.json of `culprit isolate`", path);
}

bool page_kind(const char *path, PageKind *ret_kind, Error *err) {
    CLEANUP(strlist_release) StrList dirs = {0};
    if (!dir_exists(path))
        return file_kind(path, ret_kind, err);
    if (store_exists(path)) {
        *ret_kind = PAGE_CAMPAIGN;
        return true;
    }
    if (!bug_find_all(path, &dirs, err))
        return false;
    *ret_kind = PAGE_BUGS;
    return dirs.len > 0 ||
           error_set(err,
                     "there is neither a campaign nor a bug in %s: give a directory that `culprit hunt` "
                     "wrote, a bug directory, a suspects.json or a journal of `culprit bench`",
                     path);
}

bool page_make(const char *path, bool live, Str *ret_html, Error *err) {
    static const char *const titles[] = {
        [PAGE_CAMPAIGN] = "campaign", [PAGE_BUGS] = "bug", [PAGE_ISOLATION] = "isolation", [PAGE_BENCH] = "benchmark"};
    PageKind kind;
    Html html = {.out = ret_html};
    CLEANUP(str_release) Str absolute = {0}, title = {0};
    CLEANUP(strlist_release) StrList dirs = {0};
    if (!page_kind(path, &kind, err) || !path_absolute(path, &absolute, err))
        return false;
    str_printf(&title, "%s · culprit %s", path_name(str_text(&absolute)), titles[kind]);
    if (!document_begin(&html, str_text(&title), live, err))
        return false;
    bool ok = kind == PAGE_CAMPAIGN    ? campaign_page(&html, path, err)
              : kind == PAGE_BUGS      ? bug_find_all(path, &dirs, err) && bugs_page(&html, &dirs, err)
              : kind == PAGE_ISOLATION ? isolation_page(&html, path, err)
                                       : bench_page(&html, path, err);
    if (ok)
        document_end(&html);
    return ok;
}

/* --- Has anything changed? --- */

static void stamp_file(const char *dir, const char *name, Str *stamp) {
    CLEANUP(mem_freep) char *path = name ? path_of(dir, name) : mem_strdup(dir);
    struct stat s;
    if (stat(path, &s) == 0)
        str_printf(stamp, "%lld.%09ld %lld;", (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, (long long)s.st_size);
}

/* A campaign's database and its log change with every test; bug directories with every step of explaining them. */
bool page_stamp(const char *path, Str *ret_stamp, Error *err) {
    CLEANUP(strlist_release) StrList dirs = {0};
    if (!dir_exists(path)) {
        stamp_file(path, NULL, ret_stamp);
        return true;
    }
    if (store_exists(path)) {
        stamp_file(path, "campaign.db", ret_stamp);
        stamp_file(path, "campaign.db-wal", ret_stamp);
        str_append(ret_stamp, store_is_busy(path) ? "busy;" : "done;");
    }
    if (dir_exists(path) && !bug_find_all(path, &dirs, err))
        return false;
    for (size_t i = 0; i < dirs.len; i++)
        stamp_file(dirs.items[i], BUG_JSON, ret_stamp);
    return true;
}
