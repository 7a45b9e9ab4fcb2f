#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "campaign/seq.h"
#include "campaign/seq_settings.h"
#include "cli/campaign_args.h"
#include "cli/campaign_print.h"
#include "proc/interrupt.h"

typedef struct SeqArgs {
    StrList llvm;
    const char *passes, *length, *sequences, *programs, *generator, *exec;
    int64_t cpu_ms;
    uint64_t size, batch, round, chosen, sequence_pool, program_pool, memory;
    bool list_passes, table;
    CampaignArgs campaign;
} SeqArgs;

static const Option options[] = {
    OPTION(
        SeqArgs, llvm, "llvm", 0, OPTION_LIST, "N|SUBJECT|DIR",
        "an LLVM to test: 14 for opt-14 and clang-14, a subject such as llvm-19-passes, or a directory with bin/opt; "
        "may be repeated; default: all that are installed"),
    OPTION(SeqArgs, passes, "passes", 0, OPTION_TEXT, "production|all|LIST",
           "which passes: those of the default pipelines (default), all, or \"licm,gvn,sroa\""),
    OPTION(SeqArgs, length, "length", 0, OPTION_TEXT, "50..200", "passes of a sequence"),
    OPTION(SeqArgs, sequences, "sequences", 0, OPTION_CHOICE, "random|covering|representative",
           "how sequences are chosen"),
    OPTION(SeqArgs, programs, "programs", 0, OPTION_CHOICE, "random|swarm|swarm-values|selected|features",
           "how programs are chosen"),
    OPTION(SeqArgs, generator, "generator", 0, OPTION_TEXT, "own|csmith|CMD|DIR",
           "where programs come from; DIR: modules (.ll), whose passes alone are tested"),
    OPTION(SeqArgs, size, "size", 0, OPTION_SIZE, "BYTES",
           "about how long a program of our own shall be (default 10K)"),
    OPTION(SeqArgs, batch, "batch", 0, OPTION_COUNT, "N", "sequences for each program and LLVM (default 8)"),
    OPTION(SeqArgs, round, "round", 0, OPTION_COUNT, "N", "programs between two selections (default 32)"),
    OPTION(SeqArgs, chosen, "chosen", 0, OPTION_COUNT, "N",
           "sequences chosen for a round (default: batch times round); fewer are used for several programs"),
    OPTION(SeqArgs, sequence_pool, "sequence-pool", 0, OPTION_COUNT, "N",
           "sequences that a round's are chosen from (default: ten for each)"),
    OPTION(SeqArgs, program_pool, "program-pool", 0, OPTION_COUNT, "N",
           "programs that a round's are chosen from (default: ten for each)"),
    OPTION(SeqArgs, exec, "exec", 0, OPTION_CHOICE, "server|opt",
           "who runs the passes: the fork server (default), or opt's own processes"),
    CAMPAIGN_ARGS(SeqArgs, campaign, "stop after this many tests (programs)",
                  "tell duplicates apart further, in the background",
                  "rank source files for bugs of the subject's LLVM, in the background"),
    OPTION(SeqArgs, cpu_ms, "sequence-time", 0, OPTION_DURATION, "T",
           "CPU time limit of one sequence, and of the program it makes (default 10s)"),
    OPTION(SeqArgs, memory, "memory", 0, OPTION_SIZE, "BYTES", "memory limit of one sequence (default 4GiB)"),
    OPTION(SeqArgs, list_passes, "list-passes", 0, OPTION_FLAG, NULL, "print the passes of each LLVM, and stop"),
    OPTION(SeqArgs, table, "table", 0, OPTION_FLAG, NULL,
           "print the subsequences that the campaign in DIR leaves out, and stop"),
    {0},
};

static const SeqArgs defaults = {.campaign = CAMPAIGN_ARGS_DEFAULTS};

/* "50..200", "100". */
static bool parse_length(const char *text, uint64_t *ret_least, uint64_t *ret_most) {
    char *end;
    *ret_least = *ret_most = strtoull(text, &end, 10);
    if (end > text && str_starts(end, "..")) {
        const char *second = end + 2;
        *ret_most = strtoull(second, &end, 10);
        if (end == second)
            return false;
    }
    return end > text && *end == '\0' && *ret_least > 0 && *ret_least <= *ret_most;
}

static bool check(const Cli *cli, const void *arguments, Error *err) {
    (void)cli;
    const SeqArgs *args = arguments;
    uint64_t least, most;
    return !args->length || parse_length(args->length, &least, &most) ||
           error_set(err, "--length takes a number of passes or a range such as 50..200, not '%s'", args->length);
}

/* --- The catalogue --- */

static ExitStatus list_passes(Cli *cli, const SeqArgs *args) {
    Error err;
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    CLEANUP(strlist_release) StrList names = {0};
    CLEANUP(json_freep) Json *all = json_new_array();
    if (!runner)
        return cli_fail(cli, &err);
    strlist_add_all(&names, &args->llvm);
    if (names.len == 0)
        seq_llvms_installed(&names);
    for (size_t i = 0; i < names.len; i++) {
        SeqLlvm llvm = {0};
        bool ok = seq_llvm_open(names.items[i], args->passes ? args->passes : "all", runner, cli->console, &llvm, &err);
        if (ok && cli->json)
            json_push(all, catalogue_to_json(llvm.catalogue));
        else if (ok) {
            CLEANUP(str_release) Str text = {0};
            catalogue_table(llvm.catalogue, cli->width, cli->color, &text);
            fprintf(cli->out, "%s%s, LLVM %s, %zu ways to write passes in sequences:\n%s", i ? "\n" : "", llvm.name,
                    llvm.catalogue->version, llvm.passes.len, str_text(&text));
        }
        seq_llvm_release(&llvm);
        if (!ok)
            return cli_fail(cli, &err);
    }
    return cli->json ? cli_print_json(cli, TAKE(all), STATUS_OK) : STATUS_OK;
}

/* --- What is left out --- */

static void print_rows(Cli *cli, const StoreExclusions *rows) {
    static const char *const columns[] = {">hits", "LLVM", "kind", "left out", "state", "bug", NULL};
    CLEANUP(table_freep) Table *table = table_new(columns);
    CLEANUP(str_release) Str text = {0};
    for (size_t i = 0; i < rows->len; i++) {
        const StoreExclusion *row = &rows->items[i];
        table_row(table);
        table_cell(table, "%llu", (unsigned long long)row->hits);
        table_cell(table, "%s %s", row->compiler, row->version);
        table_cell(table, "%s", row->kind);
        table_cell(table, *row->second ? "%s … %s" : "%s%s", row->first, row->second);
        table_cell(table, "%s", row->ended ? row->ended : "holds");
        table_cell(table, "%s", row->bug);
    }
    table_format(table, cli->width, cli->color, &text);
    fputs(rows->len ? str_text(&text) : "nothing is left out\n", cli->out);
}

static ExitStatus print_table(Cli *cli, const char *dir) {
    CLEANUP(store_closep) Store *store = NULL;
    CLEANUP(arena_release) Arena arena = {0};
    StoreExclusions rows = {0};
    Error err;
    if (!store_open(dir, STORE_READ, &store, &err) || !store_exclusions(store, &arena, &rows, &err))
        return cli_fail(cli, &err);
    ExitStatus status = STATUS_OK;
    if (cli->json) {
        Json *json = json_new_array();
        for (size_t i = 0; i < rows.len; i++) {
            const StoreExclusion *row = &rows.items[i];
            Json *object = json_new_object();
            json_put_text(object, "compiler", row->compiler);
            json_put_text(object, "version", row->version);
            json_put_text(object, "first", row->first);
            if (*row->second)
                json_put_text(object, "second", row->second);
            json_put_text(object, "kind", row->kind);
            json_put_text(object, "bug", row->bug);
            json_put_int(object, "hits", (int64_t)row->hits);
            if (row->ended)
                json_put_text(object, "ended", row->ended);
            json_push(json, object);
        }
        status = cli_print_json(cli, json, STATUS_OK);
    } else {
        print_rows(cli, &rows);
    }
    vec_release(&rows);
    return status;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const SeqArgs *args = arguments;
    Error err;
    SeqOptions seq_options = seq_defaults();
    if (operands->len)
        seq_options.campaign.dir = operands->items[0];
    if (args->list_passes)
        return list_passes(cli, args);
    if (args->table)
        return print_table(cli, seq_options.campaign.dir);
    CLEANUP(steps_release) ExplainSteps steps = {0};
    if (!campaign_args_apply(cli, &args->campaign, &steps, &seq_options.campaign, &err))
        return cli_fail(cli, &err);
    seq_options.llvms = &args->llvm;
    seq_options.passes = args->passes;
    seq_options.exec = args->exec;
    seq_options.sequences = args->sequences;
    seq_options.programs = args->programs;
    seq_options.generator = args->generator;
    seq_options.size = args->size;
    if (args->length)
        parse_length(args->length, &seq_options.least, &seq_options.most);
    seq_options.batch = args->batch;
    seq_options.round = args->round;
    seq_options.chosen = args->chosen;
    seq_options.sequence_pool = args->sequence_pool;
    seq_options.program_pool = args->program_pool;
    seq_options.cpu_ms = args->cpu_ms;
    seq_options.memory_bytes = args->memory;

    interrupt_catch();
    CampaignSummary summary = {0};
    if (!seq(&seq_options, cli->console, &summary, &err))
        return cli_fail(cli, &err);
    return campaign_print(cli, &summary, seq_options.campaign.dir);
}

const Command cmd_seq = {
    .name = "seq",
    .group = "Find bugs",
    .summary = "look for bugs of LLVM's passes in sequences that no default pipeline has",
    .operands = "[DIR]",
    .details =
        "Optimises each program with many sequences of passes, on each LLVM, compares what the programs print, and "
        "keeps what is a pass's fault in DIR (default culprit-out): crashes, invalid IR, wrong code, passes that eat "
        "time or memory, and modules that the back end cannot compile. A failing sequence is minimised, confirmed "
        "with plain opt and clang, and tried under -O2 and -O3. A campaign that DIR holds already is resumed; "
        "`bugs`, `replay`, `reduce`, `triage` and `isolate` work on what was found.\n"
        "\n"
        "Programs and sequences are chosen to be unlike each other (CTOS, TSE 2021), in rounds; pools and rounds are "
        "smaller if --time is short, and all are random if it is very short. Subsequences of passes that found one "
        "bug five times are left out of later sequences; --table lists them. Passes that no default pipeline has are "
        "off unless --passes asks for them, because LLVM's maintainers want no reports about them.\n",
    .examples = "  $ culprit seq --time 10m\n"
                "  $ culprit seq out --llvm 14 --llvm 19 --passes all --time 8h\n"
                "  $ culprit seq out --llvm llvm-19-passes --reduce --triage\n"
                "  $ culprit seq out --generator csmith --programs random\n"
                "  $ culprit seq out --llvm 19 --generator llvm/test/Transforms\n"
                "  $ culprit seq out --round 1000 --program-pool 100000 --batch 3000 \\\n"
                "        --chosen 3000 --sequence-pool 300000\n"
                "  $ culprit seq --list-passes --llvm 19\n"
                "  $ culprit seq --table out\n",
    .options = options,
    .args_size = sizeof(SeqArgs),
    .defaults = &defaults,
    .max_operands = 1,
    .check = check,
    .run = run,
};
