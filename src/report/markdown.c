#include "report/markdown.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "report/versions.h"

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
static bool read_part(Report *r, const char *name, Str *ret_text) { return bug_read_file(r->bug, name, ret_text); }

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

void report_title(const Bug *bug, Str *ret_text) {
    const char *level = level_of(bug);
    str_printf(ret_text, "%s %s: %s", bug->compiler, bug->version, verdict_phrase(bug->kind));
    if (level)
        str_printf(ret_text, " at %s", level);
    if (bug->target && *bug->target)
        str_printf(ret_text, " on %s", bug->target);
}

static void append_title(Report *r) {
    const Bug *bug = r->bug;
    str_append(r->text, "# ");
    report_title(bug, r->text);
    str_append_char(r->text, '\n');
    if (bug->signature && *bug->signature)
        str_printf(r->text, "\n`%s`\n", bug->signature);
}

static void append_version(Report *r) {
    const Bug *bug = r->bug;
    heading(r, "Version");
    str_printf(r->text, "%s\n", bug->version_text ? bug->version_text : bug->version);
    if (bug->target && *bug->target)
        str_printf(r->text, "Target: %s\n", bug->target);
}

static void append_program(Report *r) {
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(mem_freep) char *dir = path_of(r->bug->dir, BUG_TEST);
    if (!dir_list(dir, &names, NULL))
        bug_sources(r->bug, &names);
    CLEANUP(str_release) Str all = {0};
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(str_release) Str name = {0};
        str_printf(&name, "%s%s", dir_exists(dir) ? BUG_TEST "/" : "", names.items[i]);
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

/* The files of the reduced program, with their text. */
static void append_reduced(Report *r, const Bug *smallest) {
    const char *language = language_name(bug_language(smallest));
    CLEANUP(strlist_release) StrList names = {0};
    bug_sources(smallest, &names);
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(str_release) Str text = {0};
        read_part(r, names.items[i], &text);
        if (strchr(names.items[i], '/'))
            str_printf(r->text, "%s:\n\n", names.items[i]);
        block(r, language, str_text(&text), text.len);
    }
    /* A module was a program once, and that one was reduced too. */
    Bug source = *smallest;
    source.front_cmd = r->bug->reduced.source_cmd;
    if (!source.front_cmd.len)
        return;
    CLEANUP(mem_freep) char *line = strlist_join_shell(&source.front_cmd);
    strlist_clear(&names);
    bug_sources(&source, &names);
    str_printf(r->text, "\nThe program that such a module comes from, by `%s`:\n\n", line);
    for (size_t i = 0; i < names.len; i++) {
        CLEANUP(str_release) Str text = {0};
        read_part(r, names.items[i], &text);
        block(r, language_name(bug_language(&source)), str_text(&text), text.len);
    }
}

static void append_commands(Report *r, const Bug *smallest) {
    heading(r, "Command");
    str_append(r->text, "```\n");
    if (smallest->front_cmd.len)
        command_line(r, &smallest->front_cmd);
    command_line(r, &smallest->fail_cmd);
    if (smallest->codegen_cmd.len)
        command_line(r, &smallest->codegen_cmd);
    if (r->bug->run && r->bug->run_cmd.len)
        command_line(r, &r->bug->run_cmd);
    else if (r->bug->run)
        str_append(r->text, "$ ./a.out\n");
    str_append(r->text, "```\n");
    if (r->bug->reduced.passes < r->bug->reduced.passes_before)
        str_printf(r->text, "\nThe sequence was found with %zu passes and reduced to %zu.\n",
                   r->bug->reduced.passes_before, r->bug->reduced.passes);
    if (smallest->pass_cmd.len) {
        CLEANUP(mem_freep) char *line = strlist_join_shell(&smallest->pass_cmd);
        str_printf(r->text, "\nFine with: `%s`\n", line);
    }
    str_printf(r->text,
               "\n`sh repro.sh` (attached) exits 0 while the bug reproduces%s; it takes another compiler as `CC=…`.\n",
               bug_is_reduced(r->bug) ? ", `sh repro-reduced.sh` does so with the reduced program" : "");
}

/* What compiler and programs say: of the reduced program where that is known. */
static void append_outputs(Report *r) {
    const ReducedProgram *reduced = &r->bug->reduced;
    const struct {
        const char *title, *text, *file;
        bool of_run; /* printed by a program */
    } outputs[] = {{"Expected output", reduced->expected, BUG_EXPECTED, true},
                   {"Actual output", reduced->actual, BUG_ACTUAL, true},
                   {"The compiler's messages", reduced->messages, BUG_MESSAGES, false}};
    bool known = reduced->messages || reduced->actual || reduced->expected;
    for (size_t i = 0; i < ARRAY_LEN(outputs); i++) {
        CLEANUP(str_release) Str content = {0};
        bool shown = r->bug->run || !outputs[i].of_run;
        if (known)
            str_append(&content, outputs[i].text ? outputs[i].text : "");
        else
            shown = shown && read_part(r, outputs[i].file, &content);
        if (shown && (content.len || outputs[i].of_run)) {
            str_printf(r->text, "%s%s:\n\n", outputs[i].title,
                       bug_is_reduced(r->bug) && !known ? ", before reduction" : "");
            block_of_lines(r, &content);
            str_append_char(r->text, '\n');
        }
    }
}

static void append_behaviour(Report *r) {
    heading(r, "Expected and actual behaviour");
    if (r->bug->expected && *r->bug->expected)
        str_printf(r->text, "%s\n\n", r->bug->expected);
    if (r->bug->reach)
        str_printf(r->text, "%s\n\n", r->bug->reach);
    if (r->bug->basis)
        str_printf(r->text, "The right output is known from: %s.\n\n", r->bug->basis);
    append_outputs(r);
}

static void append_versions(Report *r) {
    CLEANUP(versions_release) VersionGroups groups = {0};
    versions_group(r->bug, &groups);
    if (groups.len == 0)
        return;
    heading(r, "Versions tried");
    str_append(r->text, "| command | version | result |\n|---|---|---|\n");
    for (size_t i = 0; i < groups.len; i++) {
        const VersionGroup *group = &groups.items[i];
        const char *mark = group->fine ? "" : "**";
        str_printf(r->text, "| %s%s%s | %s | %s%s%s |\n", group->compiler, group->levels.len ? " " : "",
                   str_text(&group->levels), group->row->version, mark, group->row->verdict, mark);
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
    if (guilty->damaged_by)
        str_printf(r->text, "The compiler's own checks fail right behind `%s`.\n", guilty->damaged_by);
}

static void append_suspects(Report *r) {
    const StrList *files = &r->bug->suspects;
    if (files->len)
        heading(r, "Suspected source files");
    for (size_t i = 0; i < files->len; i++)
        str_printf(r->text, "%zu. %s\n", i + 1, files->items[i]);
}

static void append_validity(Report *r) {
    const Bug *bug = r->bug;
    heading(r, "Why the program is valid");
    if (str_equal(bug->generator, "own"))
        str_append(r->text,
                   "- Its generator interprets every program it makes, and rewrites each operation that would be "
                   "undefined; it knows the output in advance.\n");
    size_t agreeing = 0;
    for (size_t i = 0; i < bug->versions.len; i++)
        agreeing += str_equal(bug->versions.items[i].verdict, verdict_name(VERDICT_OK));
    if (agreeing)
        str_printf(r->text, "- %zu other configuration%s accept%s it%s.\n", agreeing, agreeing == 1 ? "" : "s",
                   agreeing == 1 ? "s" : "", bug->run ? " and agree on its output" : "");
    for (size_t i = 0; i < bug->guards.len; i++)
        str_printf(r->text, "- %s\n", bug->guards.items[i]);
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

void report_markdown(const Bug *bug, Str *ret_text) {
    Report r = {bug, ret_text};
    const Bug smallest = bug_smallest(bug);
    append_title(&r);
    append_version(&r);
    heading(&r, "Code");
    if (bug_is_reduced(bug))
        append_reduced(&r, &smallest);
    else
        append_program(&r);
    append_commands(&r, &smallest);
    append_behaviour(&r);
    append_versions(&r);
    append_guilty(&r);
    append_suspects(&r);
    append_validity(&r);
    append_note(&r);
}

bool report_markdown_write(const Bug *bug, Error *err) {
    CLEANUP(str_release) Str text = {0};
    CLEANUP(mem_freep) char *path = path_of(bug->dir, BUG_REPORT);
    report_markdown(bug, &text);
    return file_write(path, text.data, text.len, err);
}
