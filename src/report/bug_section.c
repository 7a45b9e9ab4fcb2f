#include "report/bug_section.h"

#include <string.h>

#include "report/document.h"
#include "report/highlight.h"
#include "report/isolation_section.h"
#include "report/markdown.h"
#include "report/tracker.h"
#include "report/versions.h"

enum { PROGRAM_MOST = 16000, OUTPUT_LINES = 60, SCRIPT_MOST = 16000 };

void bug_badge(Html *html, const char *kind) {
    CLEANUP(str_release) Str class = {0};
    str_printf(&class, "badge kind-%s", kind);
    html_leaf(html, "span", kind, "class", str_text(&class), NULL);
}

/* --- The line that stands for the bug --- */

static void append_facts(const Bug *bug, const BugContext *context, Str *facts) {
    if (context->hits) {
        document_count(facts, context->hits);
        str_printf(facts, " hit%s", context->hits == 1 ? "" : "s");
    }
    if (bug_is_reduced(bug)) {
        str_append(facts, facts->len ? " · " : "");
        document_count(facts, bug->reduced.bytes);
        str_append(facts, " bytes");
    }
}

/* Wrong code gives no reason: what is printed tells one bug from the next, if it is short. */
static void put_reason(Html *html, const Bug *bug) {
    const char *actual = bug->reduced.actual, *expected = bug->reduced.expected;
    size_t actual_len = actual ? strcspn(actual, "\n") : 0, expected_len = expected ? strcspn(expected, "\n") : 0;
    html_open(html, "span", "class", "reason", NULL);
    html_text(html, verdict_phrase(bug->kind));
    if (actual_len && expected_len && actual_len < 24 && expected_len < 24 && bug->kind == VERDICT_WRONG_CODE) {
        html_text(html, ": prints ");
        html_text_n(html, actual, actual_len);
        html_text(html, " instead of ");
        html_text_n(html, expected, expected_len);
    }
    html_close(html);
}

static void put_summary(Html *html, const Bug *bug, const BugContext *context) {
    CLEANUP(str_release) Str facts = {0};
    append_facts(bug, context, &facts);
    html_open(html, "summary", NULL);
    bug_badge(html, verdict_kind(bug->kind));
    html_open(html, "span", "class", "what", NULL);
    html_leaf(html, "strong", bug->compiler, NULL);
    html_text(html, " ");
    if (bug->signature && *bug->signature)
        html_leaf(html, "span", bug->signature, "class", "reason", NULL);
    else
        put_reason(html, bug);
    html_close(html);
    if (bug->guilty.pass)
        html_leaf(html, "code", bug->guilty.pass, "class", "pass", "title", "the guilty pass", NULL);
    if (bug->suspects.len)
        html_leaf(html, "code", bug->suspects.items[0], "class", "suspected", "title",
                  "the most suspicious source file", NULL);
    html_leaf(html, "span", str_text(&facts), "class", "facts", NULL);
    html_close(html);
}

/* --- Parts --- */

static void begin_part(Html *html, const char *heading, const char *class) {
    html_open(html, "div", "class", class, NULL);
    html_leaf(html, "h4", heading, NULL);
}

static void put_source(Html *html, const Bug *bug, const char *name) {
    CLEANUP(str_release) Str text = {0};
    if (!bug_read_file(bug, name, &text))
        return;
    html_open(html, "p", "class", "file", NULL);
    html_leaf(html, "code", name, NULL);
    html_close(html);
    document_code_begin(html, name);
    size_t shown = MIN_OF(text.len, (size_t)PROGRAM_MOST);
    if (bug_language(bug) == LANGUAGE_LLVM_IR)
        html_text_n(html, str_text(&text), shown);
    else
        highlight_c(html, str_text(&text), shown);
    if (shown < text.len)
        html_printf(html, "\n… %zu more bytes", text.len - shown);
    document_code_end(html);
}

static void put_program(Html *html, const Bug *bug, const Bug *smallest) {
    const ReducedProgram *reduced = &bug->reduced;
    CLEANUP(strlist_release) StrList names = {0};
    bug_sources(smallest, &names);
    begin_part(html, bug_is_reduced(bug) ? "Reduced program" : "Program", "part program");
    if (bug_is_reduced(bug)) {
        CLEANUP(str_release) Str sizes = {0};
        document_count(&sizes, reduced->bytes);
        str_append(&sizes, " bytes, ");
        document_count(&sizes, reduced->tokens);
        str_append(&sizes, " tokens; the program that was found has ");
        document_count(&sizes, reduced->bytes_before);
        str_append(&sizes, " bytes, ");
        document_count(&sizes, reduced->tokens_before);
        str_append(&sizes,
                   reduced->stopped ? " tokens. Reduction was stopped before nothing was left to try." : " tokens.");
        html_leaf(html, "p", str_text(&sizes), "class", "note", NULL);
    } else {
        const char *why_not = reduced->why_not ? reduced->why_not : "Not reduced yet: culprit reduce does that.";
        html_leaf(html, "p", why_not, "class", "note", NULL);
    }
    for (size_t i = 0; i < names.len; i++)
        put_source(html, bug, names.items[i]);
    html_close(html);
}

static void put_commands(Html *html, const Bug *bug, const Bug *smallest) {
    const StrList *const commands[] = {&smallest->front_cmd, &smallest->fail_cmd, &smallest->codegen_cmd};
    begin_part(html, "Command", "part");
    document_code_begin(html, "failing command");
    for (size_t i = 0, printed = 0; i < ARRAY_LEN(commands); i++) {
        CLEANUP(mem_freep) char *line = strlist_join_shell(commands[i]);
        if (commands[i]->len)
            html_printf(html, "%s%s", printed++ ? "\n" : "", line);
    }
    if (bug->run) {
        CLEANUP(mem_freep) char *run = strlist_join_shell(&bug->run_cmd);
        html_printf(html, "\n%s", bug->run_cmd.len ? run : "./a.out");
    }
    document_code_end(html);
    if (smallest->pass_cmd.len) {
        CLEANUP(mem_freep) char *pass = strlist_join_shell(&smallest->pass_cmd);
        html_open(html, "p", NULL);
        html_text(html, "Fine with ");
        html_leaf(html, "code", pass, NULL);
        html_close(html);
    }
    html_close(html);
}

/* What compiler and programs say: of the reduced program if that is known. */
static void outputs_of(const Bug *bug, Str *ret_expected, Str *ret_actual, Str *ret_messages) {
    const ReducedProgram *reduced = &bug->reduced;
    if (reduced->messages || reduced->actual || reduced->expected) {
        str_append(ret_expected, reduced->expected ? reduced->expected : "");
        str_append(ret_actual, reduced->actual ? reduced->actual : "");
        str_append(ret_messages, reduced->messages ? reduced->messages : "");
        return;
    }
    bug_read_file(bug, BUG_EXPECTED, ret_expected);
    bug_read_file(bug, BUG_ACTUAL, ret_actual);
    bug_read_file(bug, BUG_MESSAGES, ret_messages);
}

static void put_output(Html *html, const char *heading, const Str *text, const Str *other) {
    html_open(html, "div", NULL);
    html_leaf(html, "h5", heading, NULL);
    document_code_begin(html, heading);
    highlight_lines(html, str_text(text), str_text(other), OUTPUT_LINES);
    document_code_end(html);
    html_close(html);
}

static void put_outputs(Html *html, const Bug *bug) {
    CLEANUP(str_release) Str expected = {0}, actual = {0}, messages = {0};
    outputs_of(bug, &expected, &actual, &messages);
    bool ran = bug->run && (expected.len || actual.len);
    if (!ran && !messages.len)
        return;
    begin_part(html, "What it says", "part");
    if (ran) {
        html_open(html, "div", "class", "sides", NULL);
        put_output(html, "expected output", &expected, &actual);
        put_output(html, "actual output", &actual, &expected);
        html_close(html);
        if (bug->basis) {
            html_open(html, "p", "class", "note", NULL);
            html_printf(html, "The right output is known from: %s.", bug->basis);
            html_close(html);
        }
    }
    if (messages.len) {
        html_leaf(html, "h5", "compiler messages", NULL);
        document_code_begin(html, "compiler messages");
        highlight_lines(html, str_text(&messages), str_text(&messages), OUTPUT_LINES);
        document_code_end(html);
    }
    html_close(html);
}

static void put_names(Html *html, const char *before, const StrList *names) {
    if (names->len == 0)
        return;
    html_open(html, "p", NULL);
    html_text(html, before);
    for (size_t i = 0; i < names->len; i++) {
        html_text(html, " ");
        html_leaf(html, "code", names->items[i], NULL);
    }
    html_close(html);
}

static void put_guilty(Html *html, const Bug *bug) {
    const Guilty *guilty = &bug->guilty;
    if (!guilty->pass && !guilty->flag && !guilty->why_not)
        return;
    begin_part(html, "Guilty pass", "part");
    html_open(html, "p", NULL);
    if (guilty->pass) {
        html_text(html, "The bug disappears without pass ");
        html_leaf(html, "code", guilty->pass, NULL);
    } else if (guilty->flag) {
        html_text(html, "The bug disappears with another setting of ");
        html_leaf(html, "code", guilty->flag, NULL);
    } else {
        html_printf(html, "No pass is named: %s", guilty->why_not);
    }
    if (guilty->pass && guilty->function) {
        html_text(html, " on function ");
        html_leaf(html, "code", guilty->function, NULL);
    }
    html_text(html, ".");
    if (guilty->number >= 0)
        html_printf(html, " It is transformation number %lld.", (long long)guilty->number);
    if (guilty->counter && guilty->transformation)
        html_printf(html, " Of those that %s counts it is number %lld.", guilty->counter,
                    (long long)guilty->transformation);
    if (guilty->damaged_by) {
        html_text(html, " The compiler's own checks fail right behind ");
        html_leaf(html, "code", guilty->damaged_by, NULL);
        html_text(html, ".");
    }
    html_close(html);
    put_names(html, guilty->together ? "Hidden by switching off together:" : "Hidden by switching off one of:",
              &guilty->flags);
    put_names(html,
              guilty->together ? "Hidden by disabling together:" : "Hidden by disabling one of:", &guilty->passes);
    html_close(html);
}

static void put_versions(Html *html, const Bug *bug) {
    CLEANUP(versions_release) VersionGroups groups = {0};
    versions_group(bug, &groups);
    if (groups.len == 0)
        return;
    begin_part(html, "Who has the bug", "part");
    html_open(html, "div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", "Who has the bug", NULL);
    html_open(html, "table", NULL);
    for (size_t i = 0; i < groups.len; i++) {
        const VersionGroup *group = &groups.items[i];
        html_open(html, "tr", NULL);
        html_open(html, "th", "scope", "row", NULL);
        html_open(html, "code", NULL);
        html_printf(html, "%s%s%s", group->compiler, group->levels.len ? " " : "", str_text(&group->levels));
        html_close(html);
        html_close(html);
        html_open(html, "td", NULL);
        bug_badge(html, group->row->verdict);
        html_close(html);
        html_leaf(html, "td", group->row->version, "class", "note", NULL);
        html_close(html);
    }
    html_close(html);
    html_close(html);
    html_close(html);
}

static void put_suspects(Html *html, const Bug *bug, bool brief) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(json_freep) Json *json = NULL;
    if (!bug_read_file(bug, BUG_SUSPECTS, &text) || !json_parse(str_text(&text), text.len, &json, NULL))
        return;
    html_open(html, "div", "class", "part wide", NULL);
    isolation_section(html, json, brief);
    html_close(html);
}

static void put_tracker(Html *html, const Bug *bug) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(tracker_form_release) TrackerForm form = {0};
    report_markdown(bug, &text);
    tracker_form(bug, str_text(&text), &form);
    html_open(html, "details", "class", "part fold", NULL);
    html_leaf(html, "summary", "Text for the bug tracker", NULL);
    if (form.tracker) {
        html_open(html, "p", NULL);
        html_leaf(html, "a", form.tracker, "href", str_text(&form.address), "target", "_blank", "rel",
                  "noopener noreferrer", NULL);
        html_printf(html, " opens with the form filled in%s%s%s.", form.component ? ", as " : "",
                    form.component ? form.component : "",
                    form.has_text ? "" : "; the text is too long for an address: paste it");
        html_close(html);
    }
    html_open(html, "p", NULL);
    html_text(html, "Title: ");
    html_leaf(html, "code", str_text(&form.title), NULL);
    html_close(html);
    document_code_begin(html, "text for the bug tracker");
    html_text_n(html, str_text(&text), text.len);
    document_code_end(html);
    html_close(html);
}

static void put_script(Html *html, const Bug *bug) {
    const char *name = bug_is_reduced(bug) ? BUG_REDUCED_SCRIPT : BUG_SCRIPT;
    CLEANUP(str_release) Str text = {0};
    if (!bug_read_file(bug, name, &text))
        return;
    html_open(html, "details", "class", "part fold", NULL);
    html_leaf(html, "summary", "Reproduction", NULL);
    html_open(html, "p", NULL);
    html_leaf(html, "code", name, NULL);
    html_text(html, " exits 0 while the bug reproduces; it takes another compiler as CC=…");
    html_close(html);
    document_code_begin(html, name);
    html_text_n(html, str_text(&text), MIN_OF(text.len, (size_t)SCRIPT_MOST));
    document_code_end(html);
    html_close(html);
}

static void put_validity(Html *html, const Bug *bug) {
    if (bug->guards.len == 0)
        return;
    begin_part(html, "Why the program is valid", "part");
    html_open(html, "ul", NULL);
    for (size_t i = 0; i < bug->guards.len; i++)
        html_leaf(html, "li", bug->guards.items[i], NULL);
    html_close(html);
    html_close(html);
}

static void put_origin(Html *html, const Bug *bug, const BugContext *context) {
    html_open(html, "p", "class", "note origin", NULL);
    html_leaf(html, "code", bug->id, NULL);
    html_printf(html, " · %s", bug->version_text ? bug->version_text : bug->version);
    if (context->first_seen)
        html_printf(html, " · first seen %s", context->first_seen);
    if (context->directories > 1)
        html_printf(html, " · %llu directories kept", (unsigned long long)context->directories);
    if (context->merged > 1)
        html_printf(html, " · %llu findings are this bug", (unsigned long long)context->merged);
    if (bug->has_seed)
        html_printf(html, " · seed %llu", (unsigned long long)bug->seed);
    html_close(html);
}

void bug_section(Html *html, const Bug *bug, const BugContext *context) {
    const Bug smallest = bug_smallest(bug);
    CLEANUP(str_release) Str id = {0};
    str_printf(&id, "bug-%s", bug->id);
    html_open(html, "details", "class", "bug", "id", str_text(&id), "data-compiler", bug->compiler, "data-kind",
              verdict_kind(bug->kind), "data-pass", bug->guilty.pass ? bug->guilty.pass : "", "open",
              context->open ? "" : NULL, NULL);
    put_summary(html, bug, context);
    put_origin(html, bug, context);
    html_open(html, "div", "class", "parts", NULL);
    html_open(html, "div", "class", "column", NULL);
    put_program(html, bug, &smallest);
    put_commands(html, bug, &smallest);
    put_validity(html, bug);
    html_close(html);
    html_open(html, "div", "class", "column", NULL);
    put_outputs(html, bug);
    put_guilty(html, bug);
    put_versions(html, bug);
    html_close(html);
    put_suspects(html, bug, context->brief);
    html_close(html);
    put_tracker(html, bug);
    put_script(html, bug);
    html_close(html);
}
