#include <signal.h>
#include <string.h>

#include "base/units.h"
#include "cli/cover_union.h"
#include "cover/cover.h"

typedef struct CoverArgs {
    const char *subject;
    const char *source;
    int64_t time_ms;
    uint64_t memory;
    bool functions;
    UnionArgs all;
} CoverArgs;

static const CoverArgs defaults = {.time_ms = 60000};

static const Option options[] = {
    OPTION(CoverArgs, subject, "subject", 0, OPTION_TEXT, "NAME|DIR|stock:CC", "the compiler to run"),
    OPTION(CoverArgs, source, "source", 0, OPTION_TEXT, "DIR", "its source tree, where the subject does not know it"),
    OPTION(CoverArgs, functions, "functions", 0, OPTION_FLAG, NULL, "one function a line instead of one statement"),
    UNION_OPTIONS(CoverArgs, all),
    OPTION(CoverArgs, time_ms, "time", 0, OPTION_DURATION, "T", "end the compiler after this time (default 60s)"),
    OPTION(CoverArgs, memory, "memory", 0, OPTION_SIZE, "BYTES", "end the compiler above this memory"),
    {0},
};

/* What a run covered, counted. */
typedef struct Covered {
    size_t units, functions, files;
    Bitset in_functions, in_files;
} Covered;

static void covered_release(Covered *covered) {
    bitset_release(&covered->in_functions);
    bitset_release(&covered->in_files);
}

static void count_covered(const UnitTable *table, const Bitset *units, Covered *ret_covered) {
    bitset_init(&ret_covered->in_functions, table->function_count);
    bitset_init(&ret_covered->in_files, table->file_count);
    for (size_t i = bitset_next(units, 0); i < units->bits; i = bitset_next(units, i + 1)) {
        bitset_set(&ret_covered->in_functions, table->units[i].function);
        bitset_set(&ret_covered->in_files, table->units[i].file);
    }
    ret_covered->units = bitset_count(units);
    ret_covered->functions = bitset_count(&ret_covered->in_functions);
    ret_covered->files = bitset_count(&ret_covered->in_files);
}

static Json *place_json(const UnitTable *table, uint32_t file, uint32_t line, uint32_t function) {
    Json *item = json_new_object();
    json_put_text(item, "file", unit_file_name(table, file));
    json_put_text(item, "kind", unit_file_kind_name(table->files[file].kind));
    json_put_int(item, "line", line);
    json_put_text(item, "function", unit_function_name(table, function));
    return item;
}

static Json *covered_json(const UnitTable *table, const Bitset *units, const Covered *covered, bool functions,
                          const ProcResult *result) {
    Json *json = json_new_object(), *list = json_new_array();
    json_put_int(json, "exit_code", result->exit_code);
    json_put_int(json, "signal", result->signal);
    json_put_text(json, "limit", result->limit == PROC_LIMIT_NONE ? NULL : proc_limit_name(result->limit));
    json_put_int(json, "units_covered", (int64_t)covered->units);
    json_put_int(json, "functions_covered", (int64_t)covered->functions);
    json_put_int(json, "files_covered", (int64_t)covered->files);
    json_put_int(json, "units", (int64_t)table->unit_count);
    const Bitset *set = functions ? &covered->in_functions : units;
    for (size_t i = bitset_next(set, 0); i < set->bits; i = bitset_next(set, i + 1)) {
        const UnitFunction *function = &table->functions[functions ? i : table->units[i].function];
        const Unit *unit = &table->units[functions ? 0 : i];
        Json *item = place_json(table, functions ? function->file : unit->file, functions ? function->line : unit->line,
                                (uint32_t)(functions ? i : unit->function));
        if (!functions && unit->confidence < 100)
            json_put_int(item, "confidence", unit->confidence);
        json_push(list, item);
    }
    json_put(json, functions ? "functions" : "covered", list);
    return json;
}

/* Functions whose file nobody knows have none; lines start with something all the same. */
static const char *shown_file(const UnitTable *table, uint32_t file) {
    const char *name = unit_file_name(table, file);
    return name[0] ? name : "?";
}

static void print_lines(FILE *out, const UnitTable *table, const Bitset *units, const Covered *covered,
                        bool functions) {
    if (functions) {
        for (size_t i = bitset_next(&covered->in_functions, 0); i < table->function_count;
             i = bitset_next(&covered->in_functions, i + 1))
            fprintf(out, "%s:%u %s\n", shown_file(table, table->functions[i].file), table->functions[i].line,
                    unit_function_name(table, (uint32_t)i));
        return;
    }
    for (size_t i = bitset_next(units, 0); i < units->bits; i = bitset_next(units, i + 1)) {
        const Unit *unit = &table->units[i];
        fprintf(out, "%s:%u %s\n", shown_file(table, unit->file), unit->line,
                unit_function_name(table, unit->function));
    }
}

static ExitStatus print(Cli *cli, const CoverArgs *args, const UnitTable *table, const Bitset *units,
                        const ProcResult *result) {
    CLEANUP(covered_release) Covered covered = {0};
    count_covered(table, units, &covered);
    if (cli->json)
        return cli_print_json(cli, covered_json(table, units, &covered, args->functions, result), STATUS_OK);
    print_lines(cli->out, table, units, &covered, args->functions);
    CLEANUP(str_release) Str end = {0};
    CLEANUP(str_release) Str count = {0};
    proc_describe_end(result, &end);
    units_format_count(&count, covered.units);
    console_info(cli->console, "%s units in %zu functions of %zu files ran; the compiler %s", str_text(&count),
                 covered.functions, covered.files, str_text(&end));
    if (result->err.len > 0)
        console_info(cli->console, "the compiler said:\n%s", str_text(&result->err));
    return STATUS_OK;
}

static bool names_tool(const StrList *operands) {
    return operands->len > 0 && (str_equal(operands->items[0], "opt") || str_equal(operands->items[0], "llc"));
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const CoverArgs *args = arguments;
    if (!args->subject)
        return cli_usage(cli, "which compiler? Say --subject NAME or --subject stock:CC");
    CLEANUP(subject_release) Subject subject = {0};
    CLEANUP(strlist_release) StrList argv = {0};
    CLEANUP(strlist_release) StrList command = {0};
    CLEANUP(proc_result_release) ProcResult result = {0};
    CLEANUP(bitset_release) Bitset units = {0};
    Error err;
    if (!subject_open(args->subject, args->source, &subject, &err))
        return cli_fail(cli, &err);
    /* A subject of LLVM has several programs; which one may be said. */
    if (!names_tool(operands))
        strlist_add(&command, subject.cc.len > 0 ? "cc" : subject.opt.len > 0 ? "opt" : "llc");
    strlist_add_all(&command, operands);
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    CLEANUP(cover_freep) Cover *cover = runner ? cover_open(&subject, runner, cli->console, &err) : NULL;
    if (!cover || !subject_command(&subject, (const char *const *)command.items, &argv, &err))
        return cli_fail(cli, &err);
    ProcLimits limits = {.wall_ms = args->time_ms, .memory_bytes = args->memory};
    if (args->all.inputs.len || args->all.add.len)
        return cover_union_command(cli, &args->all, cover, &argv, &limits);
    ProcRequest request = {.argv = (const char *const *)argv.items, .limits = limits};
    bitset_init(&units, cover_units(cover)->unit_count);
    if (!cover_run(cover, runner, &request, &units, &result, &err))
        return cli_fail(cli, &err);
    return print(cli, args, cover_units(cover), &units, &result);
}

const Command cmd_cover = {
    .name = "cover",
    .group = "Coverage",
    .summary = "print which code of a compiler ran for an input",
    .operands = "--subject NAME|DIR|stock:CC -- ARGS",
    .details =
        "Runs the compiler with ARGS and prints one unit a line, `file:line function`: a statement, or a function "
        "where only functions are known (stock:CC). The summary goes to standard error. Coverage is printed "
        "however the compiler ended; the exit status says whether it could be collected.\n\n"
        "--union runs the compiler with ARGS for every program that it names, each in an empty folder, and prints how "
        "many functions, lines and edges of the control flow ran for at least one, by folder of the compiler's sources "
        "(subjects built for sancov know edges). What an input covers counts even if the compiler refuses it.",
    .examples = "  $ culprit cover --subject gcc-11 -- -O2 -c x.c -o x.o\n"
                "  $ culprit cover --subject stock:gcc-12 --functions -- \\\n"
                "        -O2 -S x.c -o /dev/null\n"
                "  $ culprit cover --subject stock:opt-14 --functions -- \\\n"
                "        -passes=gvn -S x.ll -o /dev/null\n"
                "  $ culprit cover --subject gcc-11 --union programs --save ours \\\n"
                "        -- -O3 -w -S -o out.s\n",
    .options = options,
    .args_size = sizeof(CoverArgs),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run,
};
