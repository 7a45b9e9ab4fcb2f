#include "cli/command.h"
#include "cli/suspects.h"
#include "evaluate/converge.h"

typedef struct RankArgs {
    const char *formula, *aggregate, *method;
    uint64_t first, top;
    bool explain;
} RankArgs;

static const RankArgs defaults = {.formula = "ochiai", .top = 20};

static const Option options[] = {
    OPTION(RankArgs, first, "first", 0, OPTION_COUNT, "N", "use only what the first N programs showed"),
    OPTION(RankArgs, method, "method", 0, OPTION_TEXT, "M", "score as this method does (default: the recorded one)"),
    OPTION(RankArgs, formula, "formula", 0, OPTION_CHOICE, FORMULA_CHOICES, "suspicion of a statement"),
    OPTION(RankArgs, aggregate, "aggregate", 0, OPTION_CHOICE, AGGREGATION_CHOICES,
           "score of a file from its statements' (default: the method's)"),
    OPTION(RankArgs, explain, "explain", 0, OPTION_FLAG, NULL, "say in words what speaks against the first files"),
    OPTION(RankArgs, top, "top", 0, OPTION_COUNT, "N", "print so many files (default 20)"),
    {0},
};

static bool choose(const RankArgs *args, const Recording *recording, IsolateOptions *ret_options, Error *err) {
    const Method *method = method_find(args->method ? args->method : recording->method, err);
    *ret_options = isolate_defaults();
    if (!method || !formula_parse(args->formula, &ret_options->formula, err))
        return false;
    isolate_use_method(ret_options, method);
    return !args->aggregate || aggregation_parse(args->aggregate, &ret_options->aggregation, err);
}

static bool rank_one(Cli *cli, const RankArgs *args, const char *path, Error *err) {
    Recording recording;
    IsolateOptions chosen;
    if (!recording_read(path, &recording, err))
        return false;
    bool ok = choose(args, &recording, &chosen, err);
    if (ok) {
        Isolation isolation;
        const Bug bug = {.id = recording.bug};
        const Subject subject = {.name = recording.subject};
        recording_replay(&recording, args->first ? args->first : UINT64_MAX, &chosen, &isolation);
        if (cli->json)
            cli_print_json(cli, isolation_json(&isolation, &bug, &subject, &chosen), STATUS_OK);
        else
            print_suspects(cli, &isolation, args->top);
        if (!cli->json && args->explain)
            print_reasons(cli, &isolation);
        isolation_release(&isolation);
    }
    recording_release(&recording);
    return ok;
}

static bool converge(Cli *cli, const RankArgs *args, const StrList *paths, Error *err) {
    Convergence convergence = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < paths->len; i++) {
        Recording recording;
        IsolateOptions chosen;
        ok = recording_read(paths->items[i], &recording, err);
        if (!ok)
            break;
        ok = choose(args, &recording, &chosen, err);
        if (ok && !convergence_add(&convergence, &recording, &chosen))
            console_warn(cli->console, "%s is left out: the answer of %s is not known", paths->items[i], recording.bug);
        recording_release(&recording);
    }
    if (!ok)
        return false;
    if (cli->json) {
        cli_print_json(cli, convergence_json(&convergence), STATUS_OK);
        return true;
    }
    CLEANUP(str_release) Str text = {0};
    convergence_table(&convergence, cli->width, cli->color, &text);
    fputs(str_text(&text), cli->out);
    return true;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    Error err;
    if (operands->len == 0)
        return cli_usage(cli, "give a recording; `culprit isolate --record FILE` makes one");
    bool ok = operands->len == 1 ? rank_one(cli, arguments, operands->items[0], &err)
                                 : converge(cli, arguments, operands, &err);
    return ok ? STATUS_OK : cli_fail(cli, &err);
}

const Command cmd_rank = {
    .name = "rank",
    .group = "Understand bugs",
    .summary = "rank recorded evidence again, or show how rankings converge",
    .operands = "RECORDING...",
    .details = "One recording of `culprit isolate --record` is ranked again, by another formula or from its first\n"
               "programs only; neither the compiler nor the bug is needed. Several recordings of bugs with known\n"
               "answers give a table: how good the rankings were after 10, 20, 40, ..., 1280 programs.\n",
    .examples = "  $ culprit isolate BUG --subject gcc-11 --record bug.rec\n"
                "  $ culprit rank bug.rec --first 40\n"
                "  $ culprit rank *.rec\n",
    .options = options,
    .args_size = sizeof(RankArgs),
    .defaults = &defaults,
    .max_operands = 10000,
    .run = run,
};
