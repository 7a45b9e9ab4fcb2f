#include <string.h>

#include "base/file.h"
#include "campaign/hunt.h"
#include "cli/campaign_args.h"
#include "cli/campaign_print.h"
#include "cli/gen_switches.h"
#include "proc/interrupt.h"

typedef struct HuntArgs {
    StrList cc;
    const char *set, *run, *generator, *flags, *link_flags;
    int64_t compile_ms, run_ms;
    uint64_t memory;
    GenSwitches program;
    CampaignArgs campaign;
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
    CAMPAIGN_ARGS(HuntArgs, campaign, "stop after this many tests",
                  "find each kept bug's guilty pass, in the background",
                  "rank source files for bugs of the subject's compiler, in the background"),
    OPTION(HuntArgs, compile_ms, "compile-time", 0, OPTION_DURATION, "T", "time limit of one compilation"),
    OPTION(HuntArgs, run_ms, "run-time", 0, OPTION_DURATION, "T", "time limit of one run of a program"),
    OPTION(HuntArgs, memory, "memory", 0, OPTION_SIZE, "BYTES", "memory limit of a compiler or program"),
    {0},
};

static const HuntArgs defaults = {.campaign = CAMPAIGN_ARGS_DEFAULTS};

/* "file:name" where no file has the whole name. */
static void split_set(const char *set, Str *file, const char **name) {
    const char *colon = set ? strrchr(set, ':') : NULL;
    *name = colon && !file_exists(set) ? colon + 1 : NULL;
    if (set)
        str_append_n(file, set, *name ? (size_t)(colon - set) : strlen(set));
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
    if (!campaign_args_apply(cli, &args->campaign, &steps, &hunt_options.campaign, &err))
        return cli_fail(cli, &err);
    split_set(args->set, &set_file, &hunt_options.set_name);
    if (operands->len)
        hunt_options.campaign.dir = operands->items[0];
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

    interrupt_catch();
    CampaignSummary summary = {0};
    if (!hunt(&hunt_options, cli->console, &summary, &err))
        return cli_fail(cli, &err);
    return campaign_print(cli, &summary, hunt_options.campaign.dir);
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
