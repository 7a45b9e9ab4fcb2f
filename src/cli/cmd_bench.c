#include "base/file.h"
#include "cli/recbi_options.h"
#include "evaluate/hunts.h"
#include "evaluate/isolation.h"
#include "proc/interrupt.h"
#include "subject/sources.h"

typedef struct BenchArgs {
    const char *subject, *source, *pool, *journal, *note, *csv, *formula;
    StrList methods, versus;
    int64_t time_ms;
    uint64_t repeat, mutants, stable;
    RecbiArgs recbi;
} BenchArgs;

static const BenchArgs defaults = {.time_ms = 60000, .repeat = 1, .formula = "ochiai"};

static const Option options[] = {
    OPTION(BenchArgs, subject, "subject", 0, OPTION_TEXT, "NAME|DIR|stock:CC", "the compiler whose files are ranked"),
    OPTION(BenchArgs, methods, "method", 0, OPTION_LIST, "M", "a method to measure; may be given many times"),
    OPTION(BenchArgs, repeat, "repeat", 0, OPTION_COUNT, "N", "runs with different seeds; their median counts"),
    OPTION(BenchArgs, time_ms, "time", 0, OPTION_DURATION, "T", "for one bug, method and seed (default 60s)"),
    OPTION(BenchArgs, mutants, "mutants", 0, OPTION_COUNT, "N", "or so many programs"),
    OPTION(BenchArgs, stable, "stable", 0, OPTION_COUNT, "N",
           "stop when the first ten files have not moved for so many programs (fusion: 100)"),
    OPTION(BenchArgs, formula, "formula", 0, OPTION_CHOICE, FORMULA_CHOICES, "suspicion of a statement"),
    RECBI_OPTIONS(BenchArgs, recbi),
    OPTION(BenchArgs, pool, "pool", 0, OPTION_TEXT, "DIR",
           "programs to take ingredients and witnesses from (.c, or .ll)"),
    OPTION(BenchArgs, source, "source", 0, OPTION_TEXT, "DIR", "the compiler's source tree"),
    OPTION(BenchArgs, journal, "journal", 0, OPTION_TEXT, "FILE", "keep results there and go on from what it has"),
    OPTION(BenchArgs, note, "note", 0, OPTION_TEXT, "TEXT", "kept with every run there, such as the commit measured"),
    OPTION(BenchArgs, csv, "csv", 0, OPTION_TEXT, "FILE", "write every run there, as a table for spreadsheets and R"),
    OPTION(BenchArgs, versus, "versus", 0, OPTION_LIST, "DIR",
           "bench hunts: a campaign of the second side; many times"),
    {0},
};

/* bench hunts A B, or bench hunts A1 A2 … --versus B1 --versus B2 … */
static ExitStatus run_hunts(Cli *cli, const BenchArgs *args, const StrList *operands) {
    CLEANUP(strlist_release) StrList first = {0}, second = {0};
    for (size_t i = 1; i < operands->len; i++)
        strlist_add(!args->versus.len && i == 2 ? &second : &first, operands->items[i]);
    strlist_add_all(&second, &args->versus);
    if (first.len == 0 || second.len == 0 || (!args->versus.len && operands->len > 3))
        return cli_usage(cli, "give two campaigns, or repeats of one and --versus for each repeat of the other");
    HuntsResult result = {0};
    Error err;
    if (!bench_hunts(&first, &second, &result, &err))
        return cli_fail(cli, &err);
    CLEANUP(str_release) Str text = {0};
    ExitStatus status = STATUS_OK;
    if (cli->json) {
        status = cli_print_json(cli, hunts_result_json(&result), STATUS_OK);
    } else {
        hunts_result_table(&result, cli->width, cli->color, &text);
        fputs(str_text(&text), cli->out);
    }
    hunts_result_release(&result);
    return status;
}

/* The tables of a journal, where neither bugs nor subject are needed. */
static ExitStatus run_journal(Cli *cli, const BenchArgs *args) {
    BenchResults results = {0};
    Error err;
    if (!bench_journal(args->journal, &args->methods, &results, &err))
        return cli_fail(cli, &err);
    CLEANUP(str_release) Str text = {0};
    Json *tables = json_new_array();
    for (size_t i = 0; i < results.len; i++) {
        str_append(&text, i ? "\n" : "");
        bench_result_table(&results.items[i], cli->width, cli->color, &text);
        json_push(tables, bench_result_json(&results.items[i]));
    }
    const Str *csv = &results.items[0].csv; /* of the whole journal */
    ExitStatus status = STATUS_OK;
    if (args->csv && !file_write(args->csv, str_text(csv), csv->len, &err))
        status = cli_fail(cli, &err);
    if (cli->json) {
        Json *json = json_new_object();
        json_put(json, "tables", tables);
        status = cli_print_json(cli, json, status);
    } else {
        fputs(str_text(&text), cli->out);
        json_free(tables);
    }
    bench_results_release(&results);
    return status;
}

static bool check(const Cli *cli, const void *arguments, Error *err) {
    (void)cli;
    const BenchArgs *args = arguments;
    for (size_t i = 0; i < args->methods.len; i++)
        if (!method_find(args->methods.items[i], err))
            return false;
    IsolateOptions unused = isolate_defaults();
    return recbi_options(&args->recbi, &unused, err);
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const BenchArgs *args = arguments;
    if (operands->len == 0)
        return args->journal ? run_journal(cli, args)
                             : cli_usage(cli, "give bugs to measure on, or a --journal to print the table of");
    if (str_equal(operands->items[0], "hunts"))
        return run_hunts(cli, args, operands);
    if (!args->subject || args->methods.len == 0)
        return cli_usage(cli, "give a --subject and at least one --method; `culprit help bench` has an example");
    BenchOptions bench = {
        .methods = &args->methods, .repeat = args->repeat, .journal = args->journal, .note = args->note};
    bench.isolate = isolate_defaults();
    bench.isolate.time_ms = args->time_ms;
    bench.isolate.mutants = args->mutants;
    bench.isolate.stable = args->stable;
    bench.isolate.pool = args->pool;
    bench.isolate.jobs = cli->jobs;
    bench.isolate.seed = cli->has_seed ? cli->seed : 1; /* so that a journal can be gone on with */
    StrList dirs = {0};
    Subject subject = {0};
    BenchResult result = {0};
    Error err;
    recbi_options(&args->recbi, &bench.isolate, &err); /* has been checked */
    interrupt_catch();
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    bool ok = runner && formula_parse(args->formula, &bench.isolate.formula, &err) &&
              bug_find_any(operands, &dirs, &err) &&
              subject_open_to_rank(args->subject, args->source, runner, cli->console, &subject, &err);
    CLEANUP(cover_freep) Cover *cover = ok ? cover_open(&subject, runner, cli->console, &err) : NULL;
    ok = cover && bench_isolation(&dirs, cover, &bench, cli->console, &result, &err) &&
         (!args->csv || file_write(args->csv, str_text(&result.csv), result.csv.len, &err));
    ExitStatus status = ok ? STATUS_OK : cli_fail(cli, &err);
    if (ok && cli->json) {
        status = cli_print_json(cli, bench_result_json(&result), STATUS_OK);
    } else if (ok) {
        CLEANUP(str_release) Str text = {0};
        bench_result_table(&result, cli->width, cli->color, &text);
        fputs(str_text(&text), cli->out);
    }
    bench_result_release(&result);
    strlist_release(&dirs);
    subject_release(&subject);
    return status;
}

const Command cmd_bench = {
    .name = "bench",
    .group = "Understand bugs",
    .summary = "measure isolation methods on known bugs, or compare campaigns",
    .operands = "[BUGS...] | hunts DIR DIR...",
    .details =
        "BUGS are bug directories, or directories of them, whose bug.json names the files of the fix. Prints the\n"
        "share of bugs whose first guilty file stands within the first 1, 5, 10 and 20, the mean first rank (MFR)\n"
        "and the mean average rank (MAR), beside the papers' figures for the subject's family of compilers, with the\n"
        "spread over repeats, Wilcoxon's test between methods, and two baselines: the file most often fixed in the\n"
        "set (the bug's own report left out), and the file of the pass that triage named.\n\n"
        "A journal has a line for each run, told apart by bug, method, seed, subject and limits; a benchmark goes on\n"
        "from it, on another day or another machine. Runs are taken in rounds, all methods on one bug with one seed,\n"
        "and the table has complete rounds only. Without BUGS it is printed from the journal alone.\n\n"
        "`hunts` compares campaigns: distinct bugs over time and per CPU hour, bugs that one side alone found, and\n"
        "over repeats the Mann-Whitney U test and A12. Triage them first, so that bugs are told apart alike.\n",
    .examples = "  $ culprit bench bugs --subject gcc-11 --method diwi --method recbi \\\n"
                "        --time 30s --journal results.jsonl --csv results.csv\n"
                "  $ culprit bench bugs --subject gcc-11 --method recbi \\\n"
                "        --method recbi-rand --repeat 5 \\\n"
                "        --time 1h --journal paper.jsonl\n"
                "  $ culprit bench --journal paper.jsonl\n"
                "  $ culprit bench hunts out-a1 out-a2 out-a3 \\\n"
                "        --versus out-b1 --versus out-b2 --versus out-b3\n",
    .options = options,
    .args_size = sizeof(BenchArgs),
    .defaults = &defaults,
    .min_operands = 0,
    .max_operands = 1000,
    .check = check,
    .run = run,
};
