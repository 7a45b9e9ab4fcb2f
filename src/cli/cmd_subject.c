#include "base/file.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/command.h"
#include "compiler/execute.h"
#include "compiler/identify.h"
#include "cover/cover.h"
#include "proc/interrupt.h"
#include "proc/scratch.h"
#include "subject/recipe.h"

typedef struct SubjectArgs {
    const char *provider;
    const char *cc;
    const char *name;
    const char *source;
} SubjectArgs;

static const Option options[] = {
    OPTION(SubjectArgs, provider, "provider", 0, OPTION_CHOICE, "sancov|gcov",
           "how the compiler is or becomes instrumented (build: sancov)"),
    OPTION(SubjectArgs, cc, "cc", 0, OPTION_TEXT, "CMD", "add: how to call the compiler, opt or llc, with its options"),
    OPTION(SubjectArgs, name, "name", 0, OPTION_TEXT, "NAME", "add: what to call it (default: the directory's name)"),
    OPTION(SubjectArgs, source, "source", 0, OPTION_TEXT, "DIR", "add: its source tree (default: the build's)"),
    {0},
};

/* --- list --- */

static void list_row(Table *table, const char *name, const char *state, const char *about) {
    table_row(table);
    table_cell(table, "%s", name);
    table_cell(table, "%s", state);
    table_cell(table, "%s", about);
}

static void list_present(const StrList *names, Table *table, Json *json) {
    for (size_t i = 0; i < names->len; i++) {
        CLEANUP(subject_release) Subject subject = {0};
        Error err;
        bool ok = subject_open(names->items[i], NULL, &subject, &err);
        CLEANUP(str_release) Str about = {0};
        if (ok)
            str_printf(&about, "%s, version %s", subject.provider, subject.version);
        else
            str_append(&about, err.text);
        list_row(table, names->items[i], ok ? "ready" : "broken", str_text(&about));
        Json *item = json_new_object();
        json_put_text(item, "name", names->items[i]);
        json_put_text(item, "state", ok ? "ready" : "broken");
        json_put_text(item, "provider", ok ? subject.provider : NULL);
        json_put_text(item, "version", ok ? subject.version : NULL);
        json_push(json, item);
    }
}

static void list_recipes(const StrList *recipes, const StrList *present, Table *table, Json *json) {
    for (size_t i = 0; i < recipes->len; i++) {
        CLEANUP(recipe_release) Recipe recipe = {0};
        if (strlist_contains(present, recipes->items[i]) || !recipe_find(recipes->items[i], &recipe, NULL))
            continue;
        list_row(table, recipe.name, "recipe", recipe.about);
        Json *item = json_new_object();
        json_put_text(item, "name", recipe.name);
        json_put_text(item, "state", "recipe");
        json_put_text(item, "about", recipe.about);
        json_push(json, item);
    }
}

static ExitStatus list(Cli *cli) {
    CLEANUP(strlist_release) StrList present = {0};
    CLEANUP(strlist_release) StrList recipes = {0};
    Error err;
    if (!subjects_list(&present, &err) || !recipes_list(&recipes, &err))
        return cli_fail(cli, &err);
    static const char *const columns[] = {"subject", "state", "what", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    Json *json = json_new_array();
    list_present(&present, table, json);
    list_recipes(&recipes, &present, table, json);
    if (cli->json)
        return cli_print_json(cli, json, STATUS_OK);
    json_free(json);
    CLEANUP(str_release) Str text = {0};
    table_format(table, cli->width, cli->color, &text);
    fputs(str_text(&text), cli->out);
    return STATUS_OK;
}

/* --- info, which build and add print too --- */

static size_t count_files(const UnitTable *units, UnitFileKind kind) {
    size_t count = 0;
    for (size_t i = 0; i < units->file_count; i++)
        count += units->files[i].kind == kind;
    return count;
}

static Json *info_json(const Subject *subject, const UnitTable *units) {
    Json *json = json_new_object(), *kinds = json_new_object();
    json_put_text(json, "name", subject->name);
    json_put_text(json, "provider", subject->provider);
    json_put_text(json, "version", subject->version);
    json_put_text(json, "dir", subject->dir);
    json_put_strings(json, "cc", &subject->cc);
    json_put_text(json, "source_root", subject->source_root);
    json_put_int(json, "units", (int64_t)units->unit_count);
    json_put_int(json, "functions", (int64_t)units->function_count);
    json_put_int(json, "files", (int64_t)units->file_count);
    for (UnitFileKind kind = 0; kind <= UNIT_FILE_UNKNOWN; kind++)
        json_put_int(kinds, unit_file_kind_name(kind), (int64_t)count_files(units, kind));
    json_put(json, "files_by_kind", kinds);
    json_put_int(json, "bytes", (int64_t)subject_bytes(subject));
    json_put_strings(json, "made", &subject->made);
    return json;
}

static void info_line(Cli *cli, const char *name, const char *value) { fprintf(cli->out, "%-10s %s\n", name, value); }

static void info_count(Cli *cli, const char *name, size_t count, const char *rest) {
    CLEANUP(str_release) Str text = {0};
    units_format_count(&text, count);
    str_append(&text, rest);
    info_line(cli, name, str_text(&text));
}

static void info_print(Cli *cli, const Subject *subject, const UnitTable *units) {
    CLEANUP(mem_freep) char *cc = strlist_join_shell(subject->cc.len > 0 ? &subject->cc : &subject->opt);
    CLEANUP(str_release) Str kinds = {0};
    CLEANUP(str_release) Str size = {0};
    for (UnitFileKind kind = 0; kind <= UNIT_FILE_UNKNOWN; kind++)
        if (count_files(units, kind) > 0)
            str_printf(&kinds, "%s%zu %s", kinds.len > 0 ? ", " : " (", count_files(units, kind),
                       unit_file_kind_name(kind));
    str_append(&kinds, kinds.len > 0 ? ")" : "");
    units_format_size(&size, subject_bytes(subject));
    info_line(cli, "subject", subject->name);
    info_line(cli, "provider", subject->provider);
    info_line(cli, "version", subject->version);
    info_line(cli, "command", cc);
    info_line(cli, "sources", subject->source_root ? subject->source_root : "unknown");
    info_count(cli, "units", units->unit_count, "");
    info_count(cli, "functions", units->function_count, "");
    info_count(cli, "files", units->file_count, str_text(&kinds));
    info_line(cli, "size", str_text(&size));
    for (size_t i = 0; i < subject->made.len; i++)
        info_line(cli, i == 0 ? "made" : "", subject->made.items[i]);
}

static ExitStatus info(Cli *cli, const Subject *subject) {
    Error err;
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    CLEANUP(cover_freep) Cover *cover = runner ? cover_open(subject, runner, cli->console, &err) : NULL;
    if (!cover)
        return cli_fail(cli, &err);
    if (cli->json)
        return cli_print_json(cli, info_json(subject, cover_units(cover)), STATUS_OK);
    info_print(cli, subject, cover_units(cover));
    return STATUS_OK;
}

/* --- build, add --- */

static ExitStatus build(Cli *cli, const SubjectArgs *args, const char *name) {
    CLEANUP(recipe_release) Recipe recipe = {0};
    CLEANUP(subject_release) Subject subject = {0};
    Error err;
    interrupt_catch();
    if (!recipe_find(name, &recipe, &err) ||
        !recipe_build(&recipe, args->provider ? args->provider : "sancov", cli->jobs, cli->console, &subject, &err))
        return interrupt_count() > 0 ? (cli_fail(cli, &err), STATUS_INTERRUPTED) : cli_fail(cli, &err);
    return info(cli, &subject);
}

/* What the compiler says of itself, "11.3.0"; "" if it says nothing. A gcov build must not leave counts of this run beside
 * its objects. */
static void ask_version(const StrList *command, Str *ret_version) {
    CLEANUP(strlist_release) StrList argv = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    CLEANUP(scratch_release) Scratch scratch = {0};
    CLEANUP(runner_freep) Runner *runner = runner_new(NULL);
    const CompilerRun asked = {.env = (const char *const[]){"GCOV_PREFIX=/dev/null", NULL}};
    int version[3];
    strlist_add_all(&argv, command);
    strlist_add(&argv, "--version");
    if (!runner || !scratch_new(&scratch, NULL) || !compiler_run(runner, scratch.path, &argv, &asked, &result, NULL))
        return;
    compiler_read_version(str_text(&result.out), version);
    if (version[0] || version[1] || version[2])
        str_printf(ret_version, "%d.%d.%d", version[0], version[1], version[2]);
}

static ExitStatus add(Cli *cli, const SubjectArgs *args, const char *dir) {
    CLEANUP(strlist_release) StrList cc = {0};
    CLEANUP(subject_release) Subject subject = {0};
    CLEANUP(str_release) Str full = {0};
    CLEANUP(str_release) Str version = {0};
    Error err;
    if (args->cc && !compiler_read_command(args->cc, &cc, &err))
        return cli_usage(cli, "--cc: %s", err.text);
    if (args->cc && cc.len == 0)
        return cli_usage(cli, "--cc names no program");
    if (!args->provider)
        return cli_usage(cli, "how is %s instrumented? Say --provider sancov or --provider gcov", dir);
    if (!args->cc)
        return cli_usage(cli, "how is the compiler called? Say --cc \"CMD\", such as --cc \"gcc-12 -B%s/gcc/\"", dir);
    if (!path_absolute(dir, &full, &err))
        return cli_fail(cli, &err);
    ask_version(&cc, &version);
    if (!subject_add(args->name ? args->name : path_name(str_text(&full)), dir, args->provider, &cc, str_text(&version),
                     args->source, &subject, &err))
        return cli_fail(cli, &err);
    return info(cli, &subject);
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const SubjectArgs *args = arguments;
    const char *verb = operands->items[0];
    if (str_equal(verb, "list") && operands->len == 1)
        return list(cli);
    if (operands->len != 2)
        return cli_usage(cli, "say `subject list`, or one of build, add and info with a name");
    const char *name = operands->items[1];
    if (str_equal(verb, "build"))
        return build(cli, args, name);
    if (str_equal(verb, "add"))
        return add(cli, args, name);
    if (!str_equal(verb, "info"))
        return cli_usage(cli, "'subject %s' is unknown: list, build, add and info are", verb);
    CLEANUP(subject_release) Subject subject = {0};
    Error err;
    if (!subject_open(name, args->source, &subject, &err))
        return cli_fail(cli, &err);
    return info(cli, &subject);
}

const Command cmd_subject = {
    .name = "subject",
    .group = "Coverage",
    .summary = "prepare compilers whose coverage can be collected",
    .operands = "list | build NAME | add DIR --provider P --cc CMD | info NAME",
    .details =
        "A subject is a compiler that tells which of its statements ran. `build` makes one from the distribution's "
        "own source package; it may be interrupted, and the same command goes on. `add` registers a build that "
        "you have. `info` prints what is known about one. Subjects live under $CULPRIT_SUBJECTS (default: "
        "~/.cache/culprit/subjects). Compilers as installed need no preparation: they are called stock:CC.",
    .examples = "  $ culprit subject build gcc-11 -j2\n"
                "  $ culprit subject add ~/gcc-build --provider gcov \\\n"
                "        --cc \"gcc-12 -B$HOME/gcc-build/gcc/\"\n"
                "  $ culprit subject info gcc-11\n",
    .options = options,
    .args_size = sizeof(SubjectArgs),
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
