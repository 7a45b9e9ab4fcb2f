#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "campaign/hunt.h"
#include "cli/gen_switches.h"
#include "proc/interrupt.h"
#include "report/brief.h"
#include "store/store.h"

typedef struct HuntArgs {
    StrList cc;
    const char *set, *run, *isolate, *generator, *flags, *link_flags;
    int64_t time_ms, compile_ms, run_ms;
    uint64_t count, memory, duplicates, repeats;
    bool must_be_new, reduce, triage;
    GenSwitches program;
} HuntArgs;

static const Option options[] = {
    OPTION(HuntArgs, cc, "cc", 0, OPTION_LIST, "\"CMD FLAGS\"",
           "a compiler with its options, to test; may be repeated; \"installed\": those found here, as without --cc"),
    OPTION(HuntArgs, set, "set", 0, OPTION_TEXT, "FILE[:NAME]", "compilers and options from a set file"),
    OPTION(HuntArgs, flags, "flags", 0, OPTION_TEXT, "FLAGS", "options for every compilation"),
    OPTION(HuntArgs, link_flags, "link", 0, OPTION_TEXT, "FLAGS", "options for every link"),
    OPTION(HuntArgs, run, "run", 0, OPTION_TEXT, "EMULATOR", "how to run programs of cross compilers"),
    OPTION(HuntArgs, generator, "generator", 0, OPTION_TEXT, "own|csmith|CMD", "where programs come from"),
    GEN_SWITCHES(HuntArgs, program),
    OPTION(HuntArgs, time_ms, "time", 't', OPTION_DURATION, "T", "stop after this time"),
    OPTION(HuntArgs, count, "count", 'n', OPTION_COUNT, "N", "stop after this many tests"),
    OPTION(HuntArgs, must_be_new, "new", 0, OPTION_FLAG, NULL, "refuse a directory that holds a campaign"),
    OPTION(HuntArgs, duplicates, "duplicates-per-bug", 0, OPTION_COUNT, "N",
           "directories to keep of one bug (default 5); further hits are only counted"),
    OPTION(HuntArgs, repeats, "repeat", 0, OPTION_COUNT, "N",
           "repetitions before a failure counts (default 2); one that does not repeat is flaky"),
    OPTION(HuntArgs, reduce, "reduce", 0, OPTION_FLAG, NULL, "shrink each kept bug, in the background"),
    OPTION(HuntArgs, triage, "triage", 0, OPTION_FLAG, NULL, "find each kept bug's guilty pass, in the background"),
    OPTION(HuntArgs, isolate, "isolate", 0, OPTION_TEXT, "SUBJECT",
           "rank source files for bugs of the subject's compiler, in the background"),
    OPTION(HuntArgs, compile_ms, "compile-time", 0, OPTION_DURATION, "T", "time limit of one compilation"),
    OPTION(HuntArgs, run_ms, "run-time", 0, OPTION_DURATION, "T", "time limit of one run of a program"),
    OPTION(HuntArgs, memory, "memory", 0, OPTION_SIZE, "BYTES", "memory limit of a compiler or program"),
    {0},
};

static const HuntArgs defaults = {.duplicates = 5, .repeats = 2};

/* "file:name" where no file has the whole name. */
static void split_set(const char *set, Str *file, const char **name) {
    const char *colon = set ? strrchr(set, ':') : NULL;
    *name = colon && !file_exists(set) ? colon + 1 : NULL;
    if (set)
        str_append_n(file, set, *name ? (size_t)(colon - set) : strlen(set));
}

static Json *summary_json(const HuntSummary *summary, const char *dir) {
    Json *json = json_new_object();
    json_put_text(json, "directory", dir);
    json_put_bool(json, "resumed", summary->resumed);
    json_put_bool(json, "interrupted", summary->interrupted);
    json_put_int(json, "tests", (int64_t)summary->tests);
    json_put_int(json, "new_bugs", (int64_t)summary->new_bugs);
    json_put_int(json, "hits", (int64_t)summary->hits);
    json_put_int(json, "all_tests", (int64_t)summary->all_tests);
    json_put_int(json, "all_bugs", (int64_t)summary->all_bugs);
    json_put_int(json, "refused", (int64_t)summary->refused);
    json_put_int(json, "cut", (int64_t)summary->cut);
    json_put_int(json, "wall_ms", summary->wall_ms);
    json_put_int(json, "generate_us", summary->generate_us);
    json_put_int(json, "compile_us", summary->compile_us);
    json_put_int(json, "run_us", summary->run_us);
    json_put_int(json, "repeat_us", summary->repeat_us);
    json_put_int(json, "own_us", summary->own_us);
    return json;
}

static void print_summary(Cli *cli, const HuntSummary *summary, const char *dir) {
    CLEANUP(str_release) Str text = {0};
    units_format_count(&text, summary->tests);
    str_append(&text, summary->tests == 1 ? " test in " : " tests in ");
    units_format_duration(&text, summary->wall_ms);
    str_printf(&text, ", %.2f a second; ", (double)summary->tests * 1000 / (double)MAX_OF(summary->wall_ms, 1));
    if (summary->hits)
        str_printf(&text, "%llu new bug%s, %llu hit%s (%llu bug%s in all)", (unsigned long long)summary->new_bugs,
                   summary->new_bugs == 1 ? "" : "s", (unsigned long long)summary->hits, summary->hits == 1 ? "" : "s",
                   (unsigned long long)summary->all_bugs, summary->all_bugs == 1 ? "" : "s");
    else
        str_append(&text, "no bugs");
    fprintf(cli->out, "%s\n", str_text(&text));
    if (summary->refused)
        fprintf(cli->out, "the generator made no program of %llu seeds\n", (unsigned long long)summary->refused);
    if (summary->cut)
        fprintf(cli->out, "%llu running test%s cut off, to be run again when the hunt is resumed\n",
                (unsigned long long)summary->cut, summary->cut == 1 ? " was" : "s were");
    if (summary->all_bugs)
        fprintf(cli->out, "`culprit bugs %s` lists them, `culprit report %s --open` shows them\n", dir, dir);
}

/* The campaign's best bug to look at: the one with the smallest program, else the most frequent. NULL: none is kept. */
static const char *best_bug(const char *dir, Arena *arena) {
    CLEANUP(store_closep) Store *store = NULL;
    StoreClusters clusters = {0};
    const StoreCluster *best = NULL;
    if (store_open(dir, STORE_READ, &store, NULL))
        store_clusters(store, arena, &clusters, NULL);
    for (size_t i = 0; i < clusters.len; i++) {
        const StoreCluster *cluster = &clusters.items[i];
        uint64_t bytes = cluster->explanation.reduced_bytes;
        if (cluster->bug.directory && !str_equal(cluster->bug.kind, "no-program") &&
            (!best || (bytes && (!best->explanation.reduced_bytes || bytes < best->explanation.reduced_bytes))))
            best = cluster;
    }
    const char *name = best ? arena_printf(arena, "%s/bugs/%s", dir, best->bug.directory) : NULL;
    vec_release(&clusters);
    return name;
}

static void print_best_bug(Cli *cli, const char *dir) {
    CLEANUP(arena_release) Arena arena = {0};
    CLEANUP(str_release) Str text = {0};
    const char *bug = best_bug(dir, &arena);
    if (bug && report_brief(bug, program_invocation_name, &text, NULL))
        fprintf(cli->out, "\n%s", str_text(&text));
}

static ExitStatus status_of(const HuntSummary *summary) {
    if (summary->hits)
        return STATUS_FINDINGS;
    return summary->interrupted && summary->tests == 0 ? STATUS_INTERRUPTED : STATUS_OK;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const HuntArgs *args = arguments;
    Error err;
    CLEANUP(str_release) Str set_file = {0};
    CLEANUP(strlist_release) StrList flags = {0};
    CLEANUP(strlist_release) StrList link_flags = {0};
    CLEANUP(strlist_release) StrList switches = {0};
    CLEANUP(steps_release) ExplainSteps steps = {0};
    HuntOptions hunt_options = hunt_defaults();
    if ((args->flags && !strlist_split_shell(&flags, args->flags, &err)) ||
        (args->link_flags && !strlist_split_shell(&link_flags, args->link_flags, &err)) ||
        !gen_switches_words(&args->program, &switches, &err))
        return cli_usage(cli, "%s", err.text);
    if (!steps_choose(args->triage, args->reduce, args->isolate, cli->console, &steps, &err))
        return cli_fail(cli, &err);
    split_set(args->set, &set_file, &hunt_options.set_name);
    if (operands->len)
        hunt_options.dir = operands->items[0];
    hunt_options.must_be_new = args->must_be_new;
    hunt_options.compilers = &args->cc;
    hunt_options.set_file = args->set ? str_text(&set_file) : NULL;
    hunt_options.flags = &flags;
    hunt_options.link_flags = &link_flags;
    hunt_options.emulator = args->run;
    hunt_options.compile_ms = args->compile_ms;
    hunt_options.run_ms = args->run_ms;
    hunt_options.memory_bytes = args->memory;
    hunt_options.generator = args->generator;
    hunt_options.language = args->program.lang;
    hunt_options.standard = args->program.standard;
    hunt_options.size = args->program.size;
    hunt_options.switches = &switches;
    hunt_options.has_seed = cli->has_seed;
    hunt_options.seed = cli->seed;
    hunt_options.time_ms = args->time_ms;
    hunt_options.count = args->count;
    hunt_options.workers = cli->jobs;
    hunt_options.duplicates_per_bug = args->duplicates;
    hunt_options.repeats = (unsigned)args->repeats;
    hunt_options.steps = steps.items;
    hunt_options.step_count = steps.len;

    interrupt_catch();
    HuntSummary summary = {0};
    if (!hunt(&hunt_options, cli->console, &summary, &err))
        return cli_fail(cli, &err);
    if (cli->json)
        return cli_print_json(cli, summary_json(&summary, hunt_options.dir), status_of(&summary));
    print_summary(cli, &summary, hunt_options.dir);
    print_best_bug(cli, hunt_options.dir);
    return status_of(&summary);
}

const Command cmd_hunt = {
    .name = "hunt",
    .group = "Find bugs",
    .summary = "look for compiler bugs until told to stop",
    .operands = "[DIR]",
    .details =
        "Generates programs, compiles and runs each with every compiler and option set under test, compares what they "
        "do, and keeps what is a compiler's fault in DIR (default culprit-out). Without --cc and --set it tests the "
        "compilers that are installed. A campaign that DIR holds already is resumed. The first interrupt finishes the "
        "running tests, the second stops at once; after a crash or a power cut, run the same command again.\n"
        "\n"
        "A generator command is run in an empty directory with CULPRIT_SEED and CULPRIT_LANGUAGE set; it writes the "
        "program's files there and, if it knows what a correct program prints, that into a file called `expected`.\n"
        "\n"
        "The switches of our own generator are those of `culprit gen`. One program in ten, chosen by its seed, is made "
        "without generation policies, unless --policies or --no-policies is given. " GEN_FEATURES_HELP,
    .examples = "  $ culprit hunt --time 10m\n"
                "  $ culprit hunt out --cc \"gcc-11 -O3\" --cc \"clang-14 -O2\" --time 8h\n"
                "  $ culprit hunt floats --enable floats --enable vectors --disable goto\n"
                "  $ culprit hunt out --generator csmith --count 1000 -j 4\n"
                "  $ culprit hunt arm --cc \"aarch64-linux-gnu-gcc -O2\" \\\n"
                "        --run \"qemu-aarch64 -L /usr/aarch64-linux-gnu\"\n",
    .options = options,
    .args_size = sizeof(HuntArgs),
    .defaults = &defaults,
    .max_operands = 1,
    .run = run,
};
