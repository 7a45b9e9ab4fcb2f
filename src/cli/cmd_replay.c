#include "cli/command.h"
#include "judge/oracle.h"
#include "proc/run.h"

typedef struct ReplayArgs {
    const char *cc;
    uint64_t repeat;
} ReplayArgs;

static const Option options[] = {
    OPTION(ReplayArgs, cc, "cc", 0, OPTION_TEXT, "CMD", "the compiler to try instead of the one that failed"),
    OPTION(ReplayArgs, repeat, "repeat", 0, OPTION_COUNT, "N", "further runs that must agree (default 1)"),
    {0},
};

static const ReplayArgs defaults = {.repeat = 1};

/* Replays one bug in a copy of its directory. */
static bool replay(Runner *runner, const Bug *bug, const ReplayArgs *args, OracleAnswer *answer, Str *ret_why,
                   Error *err) {
    CLEANUP(strlist_release) StrList compiler = {0};
    if (args->cc && !compiler_read_command(args->cc, &compiler, err))
        return false;
    CLEANUP(oracle_freep) Oracle *oracle = oracle_new(runner, bug, NULL, err);
    OracleQuestion question = {.repeat = (unsigned)args->repeat, .compiler = args->cc ? &compiler : NULL};
    if (!oracle || !oracle_ask(oracle, &question, answer, err))
        return false;
    str_append(ret_why, answer->why ? answer->why : "");
    return true;
}

static const char *outcome_phrase(Outcome outcome) {
    switch (outcome) {
    case OUTCOME_FAILS: return "reproduces";
    case OUTCOME_PASSES: return "does not reproduce";
    case OUTCOME_FLAKY: return "is flaky";
    default: return "does something else";
    }
}

static Json *answer_json(const Bug *bug, const OracleAnswer *answer, const Str *why) {
    Json *json = json_new_object();
    json_put_text(json, "id", bug->id);
    json_put_text(json, "directory", bug->dir);
    json_put_text(json, "kind", verdict_kind(bug->kind));
    json_put_bool(json, "reproduces", answer->outcome == OUTCOME_FAILS);
    json_put_text(json, "outcome", outcome_name(answer->outcome));
    json_put_text(json, "why", str_text(why));
    return json;
}

/* Each answer is printed as soon as it is known. */
static bool replay_all(Cli *cli, Runner *runner, const ReplayArgs *args, const StrList *dirs, Json *rows,
                       size_t *ret_reproducing, Error *err) {
    for (size_t i = 0; i < dirs->len; i++) {
        CLEANUP(bug_release) Bug bug = {0};
        CLEANUP(oracle_answer_release) OracleAnswer answer = {0};
        CLEANUP(str_release) Str why = {0};
        console_status(cli->console, "replaying %s (%zu of %zu)", dirs->items[i], i + 1, dirs->len);
        if (!bug_load(dirs->items[i], &bug, err) || !replay(runner, &bug, args, &answer, &why, err))
            return error_context(err, "cannot replay %s", dirs->items[i]);
        *ret_reproducing += answer.outcome == OUTCOME_FAILS;
        console_status_end(cli->console);
        json_push(rows, answer_json(&bug, &answer, &why));
        if (!cli->json)
            fprintf(cli->out, "%s: %s %s%s%s\n", bug.id, verdict_kind(bug.kind), outcome_phrase(answer.outcome),
                    why.len ? ": " : "", str_text(&why));
    }
    return true;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    CLEANUP(strlist_release) StrList dirs = {0};
    CLEANUP(json_freep) Json *rows = json_new_array();
    Error err;
    size_t reproducing = 0;
    if (!bug_find_any(operands, &dirs, &err))
        return cli_fail(cli, &err);
    CLEANUP(runner_freep) Runner *runner = runner_new(&err);
    if (!runner || !replay_all(cli, runner, arguments, &dirs, rows, &reproducing, &err))
        return cli_fail(cli, &err);
    ExitStatus status = reproducing ? STATUS_FINDINGS : STATUS_OK;
    return cli->json ? cli_print_json(cli, TAKE(rows), status) : status;
}

const Command cmd_replay = {
    .name = "replay",
    .group = "Find bugs",
    .summary = "run a bug again and say whether it reproduces",
    .operands = "BUG...",
    .details =
        "Runs the commands of each bug in a copy of its directory and compares as its kind demands. BUG may also "
        "be a campaign or a directory of bugs. Exit status 1: at least one reproduces; 0: none does.\n",
    .examples = "  $ culprit replay culprit-out/bugs/tcc-wrong-code-1042\n"
                "  $ culprit replay culprit-out --cc gcc-14      is it fixed there?\n",
    .options = options,
    .args_size = sizeof(ReplayArgs),
    .defaults = &defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run,
};
