#include <string.h>

#include "base/map.h"
#include "base/table.h"
#include "cli/command.h"
#include "explain/explain.h"
#include "explain/versions.h"
#include "proc/pool.h"
#include "triage/pass_file.h"

typedef struct TriageArgs {
    uint64_t runs;
    bool no_versions, dry_run;
    const char *source;
} TriageArgs;

static const Option options[] = {
    OPTION(TriageArgs, runs, "runs", 0, OPTION_COUNT, "N", "at most N compiler runs per bug (default: 1500)"),
    OPTION(TriageArgs, no_versions, "no-versions", 0, OPTION_FLAG, NULL, "do not try the other installed versions"),
    OPTION(TriageArgs, source, "source", 0, OPTION_TEXT, "DIR", "GCC's source tree: name the file of the guilty pass"),
    OPTION(TriageArgs, dry_run, "dry-run", 'n', OPTION_FLAG, NULL, "print only; leave the bug directories as they are"),
    {0},
};

/* One bug's triage: input, and its result once the pool delivers it. */
typedef struct Job {
    const char *dir;
    const TriageOptions *options;
    Versions *versions; /* NULL: not to be asked */
    bool dry_run;
    Bug bug;
    Arena arena;
    TriageFinding finding;
    VersionAnswers answers;
    bool done;
    Error err;
} Job;

static void triage_one(Runner *runner, size_t worker, void *argument) {
    (void)worker;
    Job *job = argument;
    Bug *bug = &job->bug;
    job->done = bug_load(job->dir, bug, &job->err) &&
                explain_triage(runner, bug, job->options, &job->arena, &job->finding, &job->err) &&
                (!job->versions || versions_try(job->versions, runner, bug, &job->err)) &&
                (job->dry_run || (bug_save(bug, &job->err) && explain_publish(bug, &job->err)));
    if (job->done && job->versions)
        versions_list(bug, &job->arena, &job->answers);
}

static void release_job(Job *job) {
    triage_release(&job->finding);
    vec_release(&job->answers);
    bug_release(&job->bug);
    arena_release(&job->arena);
}

static Json *job_json(const Job *job, const PassFiles *files) {
    Json *json = job->done ? bug_triage_json(&job->bug) : json_new_object();
    Json *versions = json_new_array(), *passing = json_new_array();
    CLEANUP(strlist_release) StrList paths = {0};
    for (size_t i = 0; i < job->answers.len; i++) {
        Json *row = json_new_object();
        json_put_text(row, "compiler", job->answers.items[i].compiler);
        json_put_text(row, "version", job->answers.items[i].version);
        json_put_text(row, "outcome", job->answers.items[i].outcome);
        json_push(versions, row);
    }
    for (size_t i = 0; i < job->finding.passing.len; i++) {
        Json *command = json_new_array();
        for (size_t w = 0; w < job->finding.passing.items[i].len; w++)
            json_push(command, json_new_text(job->finding.passing.items[i].items[w]));
        json_push(passing, command);
    }
    json_put(json, "installed_versions", versions);
    json_put(json, "passing", passing);
    json_put_text(json, "bug", job->bug.id ? job->bug.id : job->dir);
    if (!job->done)
        json_put_text(json, "error", job->err.text);
    else
        pass_files_answer(files, &job->finding, &paths);
    json_put_strings(json, "source_files", &paths);
    return json;
}

static void append_guilty(const Guilty *guilty, Str *text) {
    if (guilty->pass)
        str_printf(text, "guilty pass  %s%s%s\n", guilty->pass, guilty->function ? " on " : "",
                   guilty->function ? guilty->function : "");
    else
        str_printf(text, "guilty pass  unknown: %s\n", guilty->why_not ? guilty->why_not : "nothing hides it");
    if (guilty->flag)
        str_printf(text, "hidden by    switching off %s\n", guilty->flag);
    if (guilty->passes.len > 1) {
        CLEANUP(mem_freep) char *passes = strlist_join(&guilty->passes, " ");
        str_printf(text, "%s  %s\n", guilty->together ? "needs all of" : "also hidden by disabling one of", passes);
    }
    bool counts_number = guilty->counter && !guilty->transformation;
    if (guilty->number >= 0)
        str_printf(text, "number       %lld%s%s%s\n", (long long)guilty->number, counts_number ? " of " : "",
                   counts_number ? guilty->counter : "",
                   guilty->monotone ? "" : " (not monotone: the bug comes and goes with the number)");
    if (guilty->transformation)
        str_printf(text, "counter      %lld of %s\n", (long long)guilty->transformation, guilty->counter);
    if (guilty->damaged_by)
        str_printf(text, "damage       the compiler's own checks fail right behind %s\n", guilty->damaged_by);
}

static void print_job(Cli *cli, const Job *job, const PassFiles *files) {
    const Bug *bug = &job->bug;
    CLEANUP(str_release) Str text = {0};
    CLEANUP(strlist_release) StrList paths = {0};
    if (!job->done) {
        console_error(cli->console, "%s", job->err.text);
        return;
    }
    append_guilty(&bug->guilty, &text);
    for (size_t i = 0; i < job->answers.len; i++)
        str_printf(&text, "%-12s %s: %s\n", i ? "" : "versions", job->answers.items[i].compiler,
                   job->answers.items[i].outcome);
    str_printf(&text, "fingerprint  %s\ncost         %u compiler runs; %zu passing configurations recorded\n",
               bug->fingerprint, bug->triage_runs, job->finding.passing.len);
    pass_files_answer(files, &job->finding, &paths);
    for (size_t i = 0; i < paths.len; i++)
        str_printf(&text, "%-12s %s\n", i ? "" : "source files", paths.items[i]);
    fprintf(cli->out, "%s (%s, %s)\n%s\n", bug->id, bug->compiler, verdict_phrase(bug->kind), str_text(&text));
}

/* Bugs with one fingerprint, where there is more than one. */
static void print_clusters(Cli *cli, const Job *jobs, size_t count) {
    Map clusters = {0};
    CLEANUP(table_freep) Table *table = table_new((const char *const[]){">bugs", "first", "fingerprint", NULL});
    for (size_t i = 0; i < count; i++)
        if (jobs[i].done)
            map_insert_str(&clusters, jobs[i].bug.fingerprint, NULL)->value++;
    for (size_t c = 0; c < clusters.len; c++) {
        size_t first = 0;
        while (!jobs[first].done || !str_equal(jobs[first].bug.fingerprint, clusters.entries[c].key))
            first++;
        table_row(table);
        table_cell(table, "%llu", (unsigned long long)clusters.entries[c].value);
        table_cell(table, "%s", jobs[first].bug.id);
        table_cell(table, "%s", clusters.entries[c].key);
    }
    CLEANUP(str_release) Str text = {0};
    table_format(table, cli->width, cli->color, &text);
    fprintf(cli->out, "%zu bugs in %zu clusters\n%s", count, clusters.len, str_text(&text));
    map_release(&clusters);
}

static bool run_jobs(Cli *cli, Job *jobs, size_t count, Error *err) {
    CLEANUP(pool_freep) Pool *pool = pool_new(MIN_OF(cli->jobs, count), POOL_AS_FINISHED, err);
    if (!pool)
        return false;
    size_t finished = 0;
    for (size_t i = 0; i < count; i++) {
        pool_submit(pool, triage_one, &jobs[i]);
        while (pool_poll(pool))
            console_status(cli->console, "%zu of %zu bugs", ++finished, count);
    }
    while (pool_next(pool))
        console_status(cli->console, "%zu of %zu bugs", ++finished, count);
    console_status_end(cli->console);
    return true;
}

static ExitStatus run(Cli *cli, const void *arguments, const StrList *operands) {
    const TriageArgs *args = arguments;
    TriageOptions triage = {.most_runs = (uint32_t)args->runs, .console = cli->console};
    CLEANUP(versions_freep) Versions *versions = args->no_versions ? NULL : versions_new();
    CLEANUP(strlist_release) StrList dirs = {0};
    CLEANUP(pass_files_release) PassFiles files = {0};
    Error err;
    if (!pass_files_load(&files, args->source, &err) || !bug_find_any(operands, &dirs, &err))
        return cli_fail(cli, &err);
    CLEANUP(mem_freep) Job *jobs = mem_zalloc(dirs.len, sizeof *jobs);
    for (size_t i = 0; i < dirs.len; i++)
        jobs[i] = (Job){.dir = dirs.items[i], .options = &triage, .versions = versions, .dry_run = args->dry_run};
    if (!run_jobs(cli, jobs, dirs.len, &err))
        return cli_fail(cli, &err);
    for (size_t i = 0; i < dirs.len; i++)
        if (jobs[i].done && !args->dry_run && !explain_tell_store(&jobs[i].bug, &err))
            return cli_fail(cli, &err);
    ExitStatus status = STATUS_OK;
    CLEANUP(json_freep) Json *all = json_new_array();
    for (size_t i = 0; i < dirs.len; i++) {
        if (!jobs[i].done)
            status = STATUS_FAILED;
        if (cli->json)
            json_push(all, job_json(&jobs[i], &files));
        else
            print_job(cli, &jobs[i], &files);
    }
    if (cli->json)
        cli_print_json(cli, TAKE(all), status);
    else if (dirs.len > 1)
        print_clusters(cli, jobs, dirs.len);
    for (size_t i = 0; i < dirs.len; i++)
        release_job(&jobs[i]);
    return status;
}

const Command cmd_triage = {
    .name = "triage",
    .group = "Understand bugs",
    .summary = "find the guilty pass of a compiler bug and tell duplicates apart",
    .operands = "BUG... | DIR",
    .details =
        "Asks the compiler again and again with some of its own switches off: GCC's optimisation flags, single "
        "passes,\n"
        "the function they run on, debug counters; LLVM's -opt-bisect-limit. Tries the other installed versions too. "
        "The\n"
        "result goes into bug.json, with every passing configuration met on the way. Bugs with one fingerprint are\n"
        "duplicates of each other. DIR is a campaign or a folder of bug directories.\n",
    .examples = "  $ culprit triage culprit-out/bugs/1f3a           which pass is it?\n"
                "  $ culprit triage culprit-out                     all bugs, in clusters\n"
                "  $ culprit triage -n --json BUG | jq .[0].guilty  for scripts\n",
    .options = options,
    .args_size = sizeof(TriageArgs),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run,
};
