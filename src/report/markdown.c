#include "report/markdown.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "bug/bug.h"

#define INLINE_BYTES 12000 /* longer programs are attached instead: nobody reads them in a bug tracker */
#define OUTPUT_LINES 60

typedef struct Report {
    const Bug *bug;
    Str *text;
} Report;

/* --- Pieces --- */

static void heading(Report *r, const char *title) { str_printf(r->text, "\n## %s\n\n", title); }

/* A fenced block; the fence is longer than any in the content. */
static void block(Report *r, const char *language, const char *content, size_t len) {
    const char *fence = memmem(content, len, "```", 3) ? "`````" : "```";
    str_printf(r->text, "%s%s\n", fence, language);
    str_append_n(r->text, content, len);
    if (len && content[len - 1] != '\n')
        str_append_char(r->text, '\n');
    str_printf(r->text, "%s\n", fence);
}

/* The start of a text, cut at a line. */
static size_t first_lines(const char *text, size_t len, size_t lines) {
    const char *at = text, *end = text + len;
    while (at < end && lines--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return (size_t)(at - text);
}

static void block_of_lines(Report *r, const Str *content) {
    size_t shown = first_lines(str_text(content), content->len, OUTPUT_LINES);
    block(r, "", str_text(content), shown);
    if (shown < content->len)
        str_printf(r->text, "(%zu more bytes)\n", content->len - shown);
}

/* A file of the bug directory; false where it does not exist. */
static bool read_part(Report *r, const char *name, Str *ret_text) {
    CLEANUP(mem_freep) char *path = path_of(r->bug->dir, name);
    return file_exists(path) && file_read(path, ret_text, NULL);
}

static void command_line(Report *r, const StrList *command) {
    CLEANUP(mem_freep) char *line = strlist_join_shell(command);
    str_printf(r->text, "$ %s\n", line);
}

/* --- Sections --- */

static const char *level_of(const Bug *bug) {
    for (size_t i = bug->fail_cmd.len; i-- > 1;)
        if (str_starts(bug->fail_cmd.items[i], "-O"))
            return bug->fail_cmd.items[i];
    return NULL;
}

static void append_title(Report *r) {
    const Bug *bug = r->bug;
    const char *level = level_of(bug);
    str_printf(r->text, "# %s %s: %s", bug->compiler, bug->version, verdict_phrase(bug->kind));
    if (level)
        str_printf(r->text, " at %s", level);
    const char *target = json_get_text(bug->json, "target", "");
    if (*target)
        str_printf(r->text, " on %s", target);
    str_append_char(r->text, '\n');
    if (bug->signature && *bug->signature)
        str_printf(r->text, "\n`%s`\n", bug->signature);
}

static void append_version(Report *r) {
    heading(r, "Version");
    str_printf(r->text, "%s\n", json_get_text(r->bug->json, "version_text", r->bug->version));
    const char *target = json_get_text(r->bug->json, "target", "");
    if (*target)
        str_printf(r->text, "Target: %s\n", target);
}

static void append_program(Report *r) {
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(mem_freep) char *dir = path_of(r->bug->dir, "test");
    if (!dir_list(dir, &names, NULL))
        bug_sources(r->bug, &names);
    CLEANUP(str_release) Str all = {0};
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(str_release) Str name = {0};
        str_printf(&name, "%s%s", dir_exists(dir) ? "test/" : "", names.items[i]);
        str_printf(&all, "%s/* ---- %s ---- */\n", i ? "\n" : "", names.items[i]);
        read_part(r, str_text(&name), &all);
    }
    if (all.len <= INLINE_BYTES) {
        block(r, language_name(bug_language(r->bug)), str_text(&all), all.len);
        return;
    }
    str_printf(r->text, "The program (%zu bytes, attached) is not reduced yet; `culprit reduce` does that:", all.len);
    for (size_t i = 0; i < names.len; i++)
        str_printf(r->text, " %s", names.items[i]);
    str_append_char(r->text, '\n');
}

/* The files that a command of the reduced program names, with their text. */
static void append_reduced(Report *r, const StrList *command) {
    const char *language = language_name(bug_language(r->bug));
    for (size_t i = 1; i < command->len; i++) {
        CLEANUP(str_release) Str text = {0};
        bool ours = str_starts(command->items[i], "reduced") && read_part(r, command->items[i], &text);
        if (ours && strchr(command->items[i], '/'))
            str_printf(r->text, "%s:\n\n", command->items[i]);
        if (ours)
            block(r, language, str_text(&text), text.len);
    }
}

static void append_commands(Report *r, const Bug *smallest, bool is_reduced) {
    heading(r, "Command");
    str_append(r->text, "```\n");
    command_line(r, &smallest->fail_cmd);
    if (r->bug->run && r->bug->run_cmd.len)
        command_line(r, &r->bug->run_cmd);
    else if (r->bug->run)
        str_append(r->text, "$ ./a.out\n");
    str_append(r->text, "```\n");
    if (smallest->pass_cmd.len) {
        CLEANUP(mem_freep) char *line = strlist_join_shell(&smallest->pass_cmd);
        str_printf(r->text, "\nFine with: `%s`\n", line);
    }
    str_printf(r->text,
               "\n`sh repro.sh` (attached) exits 0 while the bug reproduces%s; it takes another compiler as `CC=…`.\n",
               is_reduced ? ", `sh repro-reduced.sh` does so with the reduced program" : "");
}

/* The smallest program there is, and how to compile it. */
static void append_program_and_commands(Report *r) {
    CLEANUP(bug_release) Bug smallest = {0};
    bool is_reduced = false;
    heading(r, "Code");
    if (!bug_load_smallest(r->bug->dir, &smallest, &is_reduced, NULL) || !is_reduced)
        append_program(r);
    else
        append_reduced(r, &smallest.fail_cmd);
    append_commands(r, is_reduced ? &smallest : r->bug, is_reduced);
}

static void append_text(Report *r, const char *title, const char *when, const Str *content) {
    str_printf(r->text, "%s%s:\n\n", title, when);
    block_of_lines(r, content);
    str_append_char(r->text, '\n');
}

/* What compiler and programs say: of the reduced program where that is known. */
static void append_outputs(Report *r) {
    static const struct {
        const char *title, *key, *file;
        bool of_run; /* printed by a program */
    } outputs[] = {{"Expected output", "expected", "outputs/expected.txt", true},
                   {"Actual output", "actual", "outputs/actual.txt", true},
                   {"The compiler's messages", "messages", "outputs/compiler.txt", false}};
    const Json *reduced = json_get(r->bug->json, "reduced");
    bool known = json_has(reduced, "messages") || json_has(reduced, "actual") || json_has(reduced, "expected");
    for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
        CLEANUP(str_release) Str content = {0};
        bool shown = r->bug->run || !outputs[i].of_run;
        if (known)
            str_append(&content, json_get_text(reduced, outputs[i].key, ""));
        else
            shown = shown && read_part(r, outputs[i].file, &content);
        if (shown && (content.len || outputs[i].of_run))
            append_text(r, outputs[i].title, reduced && !known ? ", before reduction" : "", &content);
    }
}

static void append_behaviour(Report *r) {
    heading(r, "Expected and actual behaviour");
    if (r->bug->expected && *r->bug->expected)
        str_printf(r->text, "%s\n\n", r->bug->expected);
    const char *basis = json_get_text(r->bug->json, "basis", NULL);
    if (basis)
        str_printf(r->text, "The right output is known from: %s.\n\n", basis);
    append_outputs(r);
}

static void append_versions(Report *r) {
    const Json *versions = json_get(r->bug->json, "versions");
    if (json_len(versions) == 0)
        return;
    heading(r, "Versions tried");
    str_append(r->text, "| command | version | result |\n|---|---|---|\n");
    for (size_t i = 0; i < json_len(versions); i++) {
        const Json *row = json_item(versions, i);
        const char *verdict = json_get_text(row, "verdict", "");
        const char *mark = str_equal(verdict, "ok") ? "" : "**";
        str_printf(r->text, "| %s | %s | %s%s%s |\n", json_get_text(row, "command", ""),
                   json_get_text(row, "version", ""), mark, verdict, mark);
    }
}

static void append_guilty(Report *r) {
    const Guilty *guilty = &r->bug->guilty;
    if (!guilty->flag && !guilty->pass)
        return;
    heading(r, "Guilty pass");
    if (guilty->pass)
        str_printf(r->text, "The bug disappears without pass `%s`%s%s%s.\n", guilty->pass,
                   guilty->function ? " on function `" : "", guilty->function ? guilty->function : "",
                   guilty->function ? "`" : "");
    if (guilty->flag)
        str_printf(r->text, "Option that decides: `%s`.\n", guilty->flag);
    if (guilty->number >= 0)
        str_printf(r->text, "Transformation number %lld.\n", (long long)guilty->number);
}

static void append_suspects(Report *r) {
    CLEANUP(mem_freep) char *path = path_of(r->bug->dir, "suspects.json");
    CLEANUP(json_freep) Json *json = NULL;
    if (!file_exists(path) || !json_read_file(path, &json, NULL))
        return;
    const Json *files = json_get(json, "files");
    if (json_len(files) == 0)
        return;
    heading(r, "Suspected source files");
    for (size_t i = 0; i < MIN_OF(json_len(files), (size_t)5); i++)
        str_printf(r->text, "%zu. %s\n", i + 1, json_get_text(json_item(files, i), "file", ""));
}

static void append_validity(Report *r) {
    const Bug *bug = r->bug;
    heading(r, "Why the program is valid");
    if (str_equal(bug->generator, "own"))
        str_append(r->text,
                   "- Its generator interprets every program it makes, and rewrites each operation that would be "
                   "undefined; it knows the output in advance.\n");
    size_t agreeing = 0;
    const Json *versions = json_get(bug->json, "versions");
    for (size_t i = 0; i < json_len(versions); i++)
        agreeing += str_equal(json_get_text(json_item(versions, i), "verdict", ""), "ok");
    if (agreeing)
        str_printf(r->text, "- %zu other configuration%s accept%s it%s.\n", agreeing, agreeing == 1 ? "" : "s",
                   agreeing == 1 ? "s" : "", bug->run ? " and agree on its output" : "");
    const Json *guards = json_get(bug->json, "guards");
    for (size_t i = 0; i < json_len(guards); i++)
        str_printf(r->text, "- %s\n", json_text(json_item(guards, i), ""));
}

static void append_note(Report *r) {
    const Bug *bug = r->bug;
    str_append(r->text, "\n---\nFound by random testing (a fuzzer) with culprit");
    if (bug->generator)
        str_printf(r->text, ", generator `%s`", bug->generator);
    if (bug->has_seed)
        str_printf(r->text, ", seed %llu", (unsigned long long)bug->seed);
    str_append(r->text, ".\n");
}

bool report_markdown(const char *bug_dir, Str *ret_text, Error *err) {
    CLEANUP(bug_release) Bug bug = {0};
    if (!bug_load(bug_dir, &bug, err))
        return false;
    Report r = {&bug, ret_text};
    append_title(&r);
    append_version(&r);
    append_program_and_commands(&r);
    append_behaviour(&r);
    append_versions(&r);
    append_guilty(&r);
    append_suspects(&r);
    append_validity(&r);
    append_note(&r);
    return true;
}

bool report_markdown_write(const char *bug_dir, Error *err) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(mem_freep) char *path = path_of(bug_dir, "report.md");
    return report_markdown(bug_dir, &text, err) && file_write(path, text.data, text.len, err);
}
